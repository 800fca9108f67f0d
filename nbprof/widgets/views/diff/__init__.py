"""The diff view: the run on screen beside a baseline, from the step down to kernels."""
