"""Reports of a comparison as text, Markdown, JSON and a page, with the verdicts of limits."""
