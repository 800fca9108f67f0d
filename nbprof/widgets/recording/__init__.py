"""Records a profile from the notebook and shows it: `profile`, and the magics."""
