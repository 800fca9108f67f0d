"""The time of every step as stacked bars, as a figure and as SVG."""
