"""What one rank contributes to the tables over all workers."""
