"""What is compared: the values of one trace in every step, one module for each table."""
