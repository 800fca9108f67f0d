"""Everything known of one slice, and the slices that belong to it."""
