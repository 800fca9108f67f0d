"""Runs the command line as ``python -m nbprof``."""

from __future__ import annotations

import sys

from nbprof.cli import main

if __name__ == "__main__":
    sys.exit(main())
