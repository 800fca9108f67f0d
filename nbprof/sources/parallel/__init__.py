"""One large file read by several processes."""
