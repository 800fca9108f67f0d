"""The explorer in a notebook cell, its views, and its protocol with the browser.

`explorer` is the widget, `session` holds the data that request handlers read, and `requests` has
the protocol, which ``js/src/core/protocol/protocol.ts`` mirrors.
"""
