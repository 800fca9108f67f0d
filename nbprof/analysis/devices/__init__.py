"""Devices: what they are, how busy they were, and with what."""
