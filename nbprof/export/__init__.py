"""Writes tables and summaries as text, HTML, CSV and other files, and the frame of pages."""
