"""The timeline of one trace: slices on lanes, windows of them at any level of detail."""
