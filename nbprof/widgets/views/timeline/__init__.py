"""The timeline view: lanes, slices, search and selection."""
