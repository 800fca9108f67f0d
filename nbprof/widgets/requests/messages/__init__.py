"""The messages between Python and the browser, declared once as types.

``js/src/core/protocol/messages.ts`` is generated from these modules (``make messages``); a test
keeps both equal. Values are plain JSON: no NaN, tuples as arrays. Tables travel beside a message,
as Arrow IPC in binary buffers.
"""
