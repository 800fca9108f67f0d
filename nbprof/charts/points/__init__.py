"""Charts of points on two logarithmic axes, below limits: the roofline of a device."""
