"""Reads the traces of the PyTorch profiler (Kineto) into a model.

Devices other than CUDA. `categories.py` defines which categories are device work and which
accelerator they belong to. If a category contains several kinds of work (`mtia_ccp_events`), the
name of an event determines its kind: a wait blocks a stream and is never busy time, and
`dma_request` is a copy. A slice of an unknown category whose arguments contain a stream or device
is treated as device work, counted in `warnings`, and classified by name in the same way. The device
type follows from the categories (`xpu`, `mtia`, `hpu`, `privateuse1`, …), or is `device` if only
unknown categories report work; `units.device_word` returns the word shown on screen.
"""
