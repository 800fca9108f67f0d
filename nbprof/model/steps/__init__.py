"""The steps of a trace, and how an annotation is chosen as the step."""
