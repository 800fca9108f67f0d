"""Requests of the browser and their answers: the protocol, the router, one handler an operation."""
