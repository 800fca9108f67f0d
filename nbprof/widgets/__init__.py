"""Floor 5: the explorer in a notebook cell, its views, and its protocol with the browser.

`protocol` mirrors ``js/src/core/protocol/protocol.ts``. `router` answers requests with the
functions of the ``handlers_*`` modules; `session` holds what they read; `explorer` is the widget.
"""
