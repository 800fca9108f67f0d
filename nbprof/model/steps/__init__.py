"""The steps of a trace, and how an annotation is chosen as the step.

A step has two ranges. Host rows belong to the step that their start lies in *as the host recorded
it*, since the host runs ahead of the device; device rows go with their launch. Windows (the step
breakdown, utilization) use the step extended over its device work. Both are in `model.Steps`.

A chosen step is a kind. `choose_steps` gives a model whose chosen annotations have the kind
`step`; everything else it has in common with the model that it was made from, so that no code
besides knows of the choice. Which rows those are only the whole recording tells: a file is read
without `step`, kept in the cache without it, and then chosen in; a part is cut from that. Files
that are written name the choice and the steps' numbers in their header, and give these rows a
category of their own.

Inference is what has operators and nothing of training: no node of the autograd engine, no
optimizer, no arrow between the passes, no kernel whose name only a backward pass or an optimizer
has. Of kernels alone nobody knows, and nothing is said. Parts of a recording keep a witness of
each, since the part is to be called what the whole is.
"""
