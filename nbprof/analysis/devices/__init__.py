"""Tables about devices: their properties, utilization, time by category and idle gaps."""
