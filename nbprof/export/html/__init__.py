"""The HTML summary of a trace, piece by piece.

No styles are needed. Untrusted outputs in JupyterLab lose style sheets, scripts, inline SVG,
ARIA, and values such as `color: inherit` or `overflow-wrap: anywhere`; other sites drop all
styles. So charts are images with a text in their place, bars and swatches too; rows are tables;
titles are bold lines and no headings, which would join the notebook's table of contents.

Images fit both themes. An image cannot ask which theme the notebook around it has:
`prefers-color-scheme` is the system's. Drawings are transparent and use one palette that has 3:1
on white and on the darkest page; their ink is the gray that has 4.3:1 on both, the most there is.
All numbers stand in tables, in the page's own ink. A view with a theme of its own brings its
background.
"""
