"""What a filter is, and which rows and windows it keeps."""
