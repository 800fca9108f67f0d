"""Tables and summaries as text for terminals and logs."""
