"""Clicks in Chromium: from `show` to the first picture, and from a filter to a page at rest.

The widget runs on a bare page; its Python side is in this process. Measured are processor time of
Python in handlers and of the page's main thread, messages, bytes, and the time from the
click to the last frame in which anything was loading or changing. Python and the page share the
machine's processors with Chromium's other processes. Fields and buttons are found before a click,
since looking for them keeps the page busy, too. Views save no state here: they do that on a
thread of their own once they have been idle, and its processor time would be taken for that of the
click after it. What Python spends on the first picture in a
fresh process, imports counted, is measured by `first_picture.py`.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from browser.timeline_draw import FLAGS, chromium
from report.measure import describe, emit, machine
from traces.tile_tables import tiled_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, CDPSession, ElementHandle, Page

    import nbprof

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/samples/gpu_resnet_synthetic"
RECORDING = ROOT.parent / "shared" / "data" / "kineto" / "resnet50_num_workers_4"
TILED = ("diff_test", 1_000_000, 200_000)
VIEWS = ("overview", "operators", "kernels", "timeline", "memory", "modules", "distributed")

#: Budgets of a filter on a machine that does nothing else, in seconds.
PYTHON_BUDGET_S = {"sample": 0.04, "resnet50": 0.04, "tiled": 0.12}
PAGE_BUDGET_S = 0.1
REST_BUDGET_S = 0.3
#: Clicks that change the filter; the others show a view or select what a filter would be made of.
FILTERS = ("enter", "step", "name", "reset")

#: Gives the time of the last change while the widget was loading or drawing. It rests when nothing
#: has changed for as long as five frames. Nobody asks for frames here: they are work of the page.
_REST = """root => new Promise(resolve => {
    let last = Date.now();
    const waits = '[aria-busy=true], [data-asking], .nbp-wait, .nbp-bone, '
        + '.nbp-progress:not([hidden])';
    const tree = root.shadowRoot ?? root;
    const busy = () => !tree.querySelector('.nbp-body')
        || [...tree.querySelectorAll(waits)].some(element => element.checkVisibility());
    const observer = new MutationObserver(() => { last = Date.now(); });
    observer.observe(tree, { subtree: true, childList: true, attributes: true });
    const look = () => {
        const calm = Date.now() - last;
        if (calm >= 80 && busy()) last = Date.now();
        else if (calm >= 80) { observer.disconnect(); return resolve(last); }
        setTimeout(look, 20);
    };
    setTimeout(look, 20);
})"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="clicks of each sort")
    parser.add_argument("--large", action="store_true", help="the trace of a million rows, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()

    from playwright.sync_api import sync_playwright

    import nbprof

    nbprof.options.snapshot_bytes = 0
    facts = machine()
    if not args.json:
        print(f"{describe(facts)}\n")
    traces: dict[str, Callable[[], Any]] = {"sample": lambda: nbprof.load(SAMPLE)}
    if RECORDING.exists():
        traces["resnet50"] = lambda: nbprof.load(RECORDING)
    if args.large:
        traces["tiled"] = lambda: tiled_trace(*TILED)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, source in traces.items():
            for view in VIEWS:
                _measure(browser, (name, source, view), args, facts)
        browser.close()


def _measure(
    browser: Browser,
    case: tuple[str, Callable[[], Any], str],
    args: argparse.Namespace,
    facts: dict[str, Any],
) -> None:
    """Measure one view of one trace, and print what was found."""
    name, source, view = case
    found = clicks(browser, source(), view, args.repeat)
    for click, records in found.items():
        median = {key: statistics.median(one[key] for one in records) for key in records[0]}
        if args.json:
            about = {"trace": name, "view": view, "click": click}
            limits = {"python_s": PYTHON_BUDGET_S[name], "page_s": PAGE_BUDGET_S}
            limits["rest_s"] = REST_BUDGET_S
            budgets = {"budgets": limits} if click in FILTERS else {}
            emit({"benchmark": "interaction", "machine": facts, **about, **median, **budgets})
        else:
            python, page, rest = (1e3 * median[key] for key in ("python_s", "page_s", "rest_s"))
            print(
                f"{name:<10}{view:<12}{click:<8} Python {python:6.0f} ms  page {page:6.0f} ms  "
                f"rest {rest:6.0f} ms  {median['messages']:3.0f} messages "
                f"{median['bytes'] / 1e3:7.0f} kB"
            )


def clicks(
    browser: Browser, source: Any, view: str, repeat: int
) -> dict[str, list[dict[str, float]]]:
    """Show a view, filter it by step, by name and by what is selected, and reset each filter."""
    import nbprof
    from tests.browser.driving.host import pages

    page = browser.new_context(viewport={"width": 1400, "height": 1300}).new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    with pages() as address:
        begun = time.time()
        explorer = nbprof.Explorer(source, view=view)
        host = Meter(explorer)
        host.show(page, address)
        first = _record(host, session, page, begun)
        steps = explorer.trace.steps()["step"].to_pylist() or [None]
        names = ("conv", "gemm", "norm", "elementwise", "relu")
        found: dict[str, list[dict[str, float]]] = {"show": [first]}
        for at in range(repeat):
            step = steps[at % len(steps)]
            acts = {}
            fields = [("name", "combobox", "Name", names[at % len(names)])]
            if step is not None:
                fields.insert(0, ("step", "textbox", "Steps, last", str(step)))
            for name, role, label, text in fields:
                box = page.get_by_role(role, name=label, exact=True)
                if box.is_enabled():  # not every view follows every filter
                    acts[name] = _typing(box.element_handle(), text)
            chart = page.locator(".nbp-figure[role=application]").locator("visible=true").first
            if chart.count():
                chart.focus()
                acts["select"] = lambda: page.keyboard.press("ArrowRight")
                acts["enter"] = lambda: page.keyboard.press("Enter")
            for name, act in acts.items():
                if name == "select":
                    chart.focus()
                found.setdefault(name, []).append(_click(host, session, page, act))
                reset = page.get_by_role("button", name="Reset", exact=True).first
                box = reset.bounding_box() if name != "select" and reset.is_enabled() else None
                if box:
                    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
                    undo = functools.partial(page.mouse.click, x, y)
                    found.setdefault("reset", []).append(_click(host, session, page, undo))
    page.context.close()
    return found


class Meter:
    """Carries messages as a kernel does, and measures what Python does for them."""

    def __init__(self, view: nbprof.Explorer) -> None:
        from tests.browser.driving.host import Host

        self._host = Host(view)
        self.python_s = 0.0
        self.messages = 0
        self.bytes = 0
        exchange = self._host.exchange

        def measured(text: str) -> str:
            begin = time.process_time()
            answer = exchange(text)
            self.python_s += time.process_time() - begin
            self.messages += 1
            self.bytes += len(text) + len(answer)
            return answer

        self._host.exchange = measured  # type: ignore[method-assign]

    def show(self, page: Page, address: str) -> None:
        """Draw the widget on a page."""
        self._host.show(page, address)


def _typing(box: ElementHandle, text: str) -> Callable[[], None]:
    def act() -> None:
        box.fill(text)
        box.press("Enter")

    return act


def _click(
    host: Meter, session: CDPSession, page: Page, act: Callable[[], None]
) -> dict[str, float]:
    host.python_s, host.messages, host.bytes = 0.0, 0, 0
    before = _busy_s(session)
    begun = time.time()
    act()
    found = _record(host, session, page, begun)
    found["page_s"] -= before
    return found


def _record(host: Meter, session: CDPSession, page: Page, begun: float) -> dict[str, float]:
    rest = page.locator(".nbp").first.evaluate(_REST) / 1000 - begun
    return {
        "python_s": host.python_s,
        "page_s": _busy_s(session),
        "messages": host.messages,
        "bytes": host.bytes,
        "rest_s": max(rest, 0.0),
    }


def _busy_s(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


if __name__ == "__main__":
    main()
