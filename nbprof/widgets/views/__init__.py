"""What the views are made of: cards, figures, groupings, windows."""
