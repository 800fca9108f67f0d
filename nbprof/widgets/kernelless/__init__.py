"""What is kept for where there is no kernel: snapshots, pages, static summaries."""
