"""What Python spends on the first picture of `show` in a fresh process, imports counted.

A widget is drawn in Chromium once, and the messages that its page sends until the first chart is
there are kept. A fresh process then imports nbprof, shows the sample and answers those messages.
Another one only imports the modules of others that the first one had loaded at the end; what it
spends is theirs. All times are processor times.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from browser.timeline_draw import FLAGS, chromium
from report.measure import describe, emit, environment, machine

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/samples/gpu_resnet_synthetic"
#: Seconds of processor time, without and with the imports of other packages.
OWN_BUDGET_S = 0.8
WHOLE_BUDGET_S = 1.5

_SHOW = """
import json, sys, time
messages = json.load(sys.stdin)
from tests.browser.driving.host import Host
before = set(sys.modules)
assert not any(name.partition(".")[0] in ("nbprof", "numpy", "pyarrow") for name in before)
begin = time.process_time()
import nbprof
view = nbprof.Explorer({source!r})
host = Host(view)
for message in messages:
    host.exchange(message)
spent = time.process_time() - begin
theirs = [name for name, module in list(sys.modules.items())
          if name not in before and name.partition(".")[0] not in ("nbprof", "tests")
          and getattr(module, "__spec__", None) is not None]
print(json.dumps({{"spent": spent, "modules": theirs}}))
"""
_IMPORT = """
import importlib, json, sys, time
names = json.load(sys.stdin)
begin = time.process_time()
for name in names:
    importlib.import_module(name)
print(json.dumps({"spent": time.process_time() - begin}))
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7, help="turns (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    messages = messages_of_first_picture()
    modules = _run(_SHOW.format(source=str(SAMPLE)), messages)["modules"]
    turns = [
        (
            _run(_SHOW.format(source=str(SAMPLE)), messages)["spent"],
            _run(_IMPORT, modules)["spent"],
        )
        for _ in range(args.repeat)
    ]
    whole = statistics.median(spent for spent, _ in turns)
    own = statistics.median(spent - imports for spent, imports in turns)
    facts = machine()
    if args.json:
        found = {"machine": facts, "messages": len(messages), "own_s": own, "whole_s": whole}
        budgets = {"own_s": OWN_BUDGET_S, "whole_s": WHOLE_BUDGET_S}
        emit({"benchmark": "first_picture", **found, "budgets": budgets})
        return
    print(describe(facts))
    print(f"with the imports of others     {whole:6.2f} s of processor time")
    print(f"without them                   {own:6.2f} s")


def messages_of_first_picture() -> list[str]:
    """Show the sample in Chromium and return what its page sent until a chart was drawn."""
    from playwright.sync_api import sync_playwright

    import nbprof
    from tests.browser.driving.host import Host, pages

    sent: list[str] = []
    with sync_playwright() as playwright, pages() as address:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1300})
        host = Host(nbprof.Explorer(SAMPLE))
        exchange = host.exchange

        def kept(text: str) -> str:
            sent.append(text)
            return exchange(text)

        host.exchange = kept  # type: ignore[method-assign]
        host.show(page, address)
        page.locator(".nbp-figure .bk-Figure").first.wait_for()
        until = list(sent)
        browser.close()
    return until


def _run(code: str, data: Any) -> Any:
    """Run code in a fresh process with an empty cache, and return what it prints last."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            input=json.dumps(data),
            capture_output=True,
            text=True,
            env=environment(PYTHONPATH=str(ROOT), NBPROF_CACHE_DIR=cache),
        )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
