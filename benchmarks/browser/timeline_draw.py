"""Drawing the timeline in Chromium without a GPU: how long one frame of many slices takes.

The page draws with the code of `js/src`: its script is `js/dev/timeline_draw.ts`, bundled by the
esbuild that `npm ci` in `js/` brings. Measured is the time inside the draw call, by
`performance.now()`; `raster` is what the browser does afterwards. Slices of one device pixel are
drawn as one, so there are fewer rectangles than slices. On a machine that does other things, the
95th percentile is theirs.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report.measure import describe, emit, machine

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

HERE = Path(__file__).parent
JS = HERE.parents[1] / "js"
FLAGS = ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BUDGET_MS = 16.0
SLICES = 20_000
FRAMES = 60

#: Name of a zoom, nanoseconds in the window. Below a millisecond nothing is a density block.
ZOOMS = {"10 s": 1e10, "100 ms": 1e8, "2 ms": 2e6, "500 µs": 5e5}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--slices", type=int, default=SLICES, help="slices in a frame")
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames at each zoom")
    parser.add_argument("--width", type=int, default=1200, help="of the canvas, CSS pixels")
    parser.add_argument(
        "--ratio", type=float, nargs="*", default=[1, 2], help="device pixel ratios"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--picture", type=Path, help="folder for a picture of each frame")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()

    from playwright.sync_api import sync_playwright

    facts = machine()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        if not args.json:
            print(f"Chromium {browser.version}, {args.slices:,} slices\n{describe(facts)}\n")
            print(
                f"{'milliseconds':<22}{'median':>8}{'p95':>8}{'most':>8}{'drawn':>8}{'labels':>8}{'raster':>8}"
            )
        script = _bundle()
        for ratio in args.ratio:
            for zoom, span in ZOOMS.items():
                page = browser.new_page(device_scale_factor=ratio)
                _open(page, script)
                options = {"slices": args.slices, "frames": args.frames, "width": args.width}
                options |= {"span_ns": span, "ratio": ratio, "theme": args.theme, "searching": True}
                record = _record(page, options)
                if args.picture:
                    args.picture.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=args.picture / f"{zoom} at {ratio:g}.png", full_page=True)
                page.close()
                if args.json:
                    start = {"zoom": zoom, "ratio": ratio, "browser": browser.version}
                    emit({"benchmark": "timeline_draw", **start, "machine": facts, **record})
                else:
                    _print_row(f"{zoom}, {ratio:g} px a px", record)
        browser.close()


def _record(page: Page, options: dict[str, Any]) -> dict[str, Any]:
    """Measure twice: as a browser draws, and with the rasterisation forced after each frame."""
    found = page.evaluate("options => measure(options)", options)
    forced = page.evaluate("options => measure(options)", {**options, "raster": True})
    draw = sorted(found.pop("draw"))
    p95 = draw[int(0.95 * (len(draw) - 1))]
    times = {"median_ms": statistics.median(draw), "p95_ms": p95, "most_ms": draw[-1]}
    raster = statistics.median(forced["raster"])
    found.pop("raster")
    return {
        **found,
        "frames": len(draw),
        **times,
        "raster_ms": raster,
        "in_budget": p95 <= BUDGET_MS,
    }


def _print_row(name: str, record: dict[str, Any]) -> None:
    times = "".join(f"{record[key]:>8.2f}" for key in ("median_ms", "p95_ms", "most_ms"))
    counts = "".join(f"{record[key]:>8,}" for key in ("rectangles", "labels"))
    verdict = "" if record["in_budget"] else f"  over {BUDGET_MS:g} ms"
    print(f"{name:<22}{times}{counts}{record['raster_ms']:>8.2f}{verdict}")


def _bundle() -> str:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "page.js"
        esbuild, page = JS / "node_modules" / ".bin" / "esbuild", JS / "dev" / "timeline_draw.ts"
        command = [esbuild, page, "--bundle"]
        options = ["--loader:.css=text", "--log-level=warning", f"--outfile={out}"]
        subprocess.run([*map(str, command), *options], check=True)
        return out.read_text()


def _open(page: Page, script: str) -> None:
    def serve(route: Route) -> None:
        if route.request.url.endswith("timeline_draw.js"):
            route.fulfill(body=script, content_type="text/javascript")
        else:
            text = (HERE / "timeline_draw.html").read_text()
            route.fulfill(body=text, content_type="text/html")

    page.route("**/*", serve)
    page.on("pageerror", lambda error: print("page error:", error))
    page.goto("http://localhost/")


def chromium() -> str:
    """Return the path of the browser."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    message = f"No Chromium: looked for {', '.join(BROWSERS)} on PATH."
    raise SystemExit(message)


if __name__ == "__main__":
    main()
