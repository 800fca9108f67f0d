"""What flame graphs of several views share: windows of their frames, replies and saved graphs."""
