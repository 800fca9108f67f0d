"""The file formats of tables, apart from the code that writes them so that asking costs nothing."""

from __future__ import annotations

from typing import Final

FORMATS: Final = ("text", "csv", "json", "parquet", "arrow")

#: Formats that are no text.
BINARY_FORMATS: Final = ("parquet", "arrow")

#: What the ending of a file's name says.
BY_SUFFIX: Final = {
    ".txt": "text",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
