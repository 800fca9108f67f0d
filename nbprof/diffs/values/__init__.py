"""Values of rows in steps: sums, medians, noise, and the changes between two sides."""
