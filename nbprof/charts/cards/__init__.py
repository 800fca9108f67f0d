"""Cards: charts and tables under a title, described as plain data and drawn."""
