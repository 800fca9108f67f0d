"""Memory over time, as a figure and as SVG."""
