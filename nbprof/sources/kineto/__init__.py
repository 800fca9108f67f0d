"""Reads the traces of the PyTorch profiler (Kineto) into a model.

Devices beyond CUDA. `categories.py` says which categories are device work and what they call the
accelerator. Where a category holds several kinds of work (`mtia_ccp_events`), the name tells them
apart: a wait keeps a stream waiting and is never busy time, `dma_request` is a copy. A slice of
an unknown category that says its stream or device is taken as device work, counted in `warnings`,
and its kind is told in the same way. The device type is that of the categories (`xpu`, `mtia`,
`hpu`, `privateuse1`, …), or `device` where only unknown ones report work; `units.device_word`
gives the word on the screen.
"""
