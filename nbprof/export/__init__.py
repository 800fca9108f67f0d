"""Tables and summaries as text and files."""
