"""Requests of the browser: the protocol, its messages, the router, and the handlers."""
