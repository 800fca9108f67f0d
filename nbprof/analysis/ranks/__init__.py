"""What each rank contributes to the tables over all workers: its steps and communication calls."""
