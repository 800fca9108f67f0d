"""Names of the file formats for tables, separate from the writers so importing them is cheap."""

from __future__ import annotations

from typing import Final

FORMATS: Final = ("text", "csv", "json", "parquet", "arrow")

#: Binary formats.
BINARY_FORMATS: Final = ("parquet", "arrow")

#: Format by file name suffix.
BY_SUFFIX: Final = {
    ".txt": "text",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
