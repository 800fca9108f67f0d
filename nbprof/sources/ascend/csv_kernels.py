"""Reads `kernel_details.csv`: what ran on the cores of the device, with its metrics."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.schema_vendors import NPU_KERNELS, TEXT

#: What is known of every kernel; the columns of metrics follow.
COLUMNS: Final = pa.schema(
    [
        ("name", TEXT),
        ("device", pa.int32()),  # -1 where the file does not say
        ("stream", pa.int64()),  # -1 where it has none
        ("start_ns", pa.int64()),  # absolute
        ("duration_ns", pa.int64()),
        *[field for field in NPU_KERNELS if field.name != "row"],
    ]
)
