"""Events of Chrome JSON: windows of text to typed events and columns, with repairs."""
