"""The static HTML summary of a trace.

It does not depend on styles. JupyterLab removes style sheets, scripts, inline SVG, ARIA and values
such as `color: inherit` or `overflow-wrap: anywhere` from untrusted outputs; other sites drop all
styles. So charts, bars and swatches are images with alternative text, rows are tables, and titles
are bold lines rather than headings, which would appear in the notebook's table of contents.

Images suit both themes, because an image cannot detect the notebook's theme: `prefers-color-scheme`
is that of the system. Drawings are transparent and use one palette with a contrast of 3:1 on white
and on the darkest page; their text is the gray with 4.3:1 on both, the maximum possible. All
numbers are in tables, in the page's text colour. A view with an explicit theme sets its own
background.
"""
