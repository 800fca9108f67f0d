"""Loading a large export of Nsight Systems with both readers of columns: time and peak memory."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report.measure import emit, machine, run
from traces.build_export import build

ROOT = Path(__file__).resolve().parents[1]

#: The budget: seconds on two processors, and bytes of memory for each byte of the file.
BUDGET_S, BUDGET_BYTES = 10.0, 1.0

_WORKER = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import nbprof
from nbprof.sources.sqlite import columns
if sys.argv[3] == "sqlite3":
    columns._arrow_reader = lambda: None
begin = time.perf_counter()
model = nbprof.load(sys.argv[2], cache=False, progress=False).trace().model
print(json.dumps({"load_s": time.perf_counter() - begin, "events": model.metadata["events"]}))
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--source",
        type=Path,
        default=ROOT.parent / "shared/data/nsys/pipit_cloverleaf_perlmutter/report.sqlite",
        help="the export that is repeated",
    )
    parser.add_argument("--megabytes", type=float, default=1000, help="size of the large export")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.sqlite"
        build(args.source, large, int(args.megabytes * 1e6))
        size = large.stat().st_size
        for reader in ("sqlite3", "adbc"):
            found = run([sys.executable, "-c", _WORKER, str(ROOT), str(large), reader])
            peak = found["peak_pss_bytes"]
            found |= {"reader": reader, "file_bytes": size, "machine": machine()}
            found["bytes_per_byte"] = peak / size if peak else None
            if args.json:
                emit(found)
            else:
                print(
                    f"{reader}: {found['events']:,} events of {size / 1e6:,.0f} MB in"
                    f" {found['wall_s']:.1f} s ({found['cpu_s']:.1f} s of a processor), peak"
                    f" {found['bytes_per_byte']:.2f} bytes a byte"
                )
    print(f"budget: {BUDGET_S:.0f} s and {BUDGET_BYTES:.0f} byte a byte", file=sys.stderr)


if __name__ == "__main__":
    main()
