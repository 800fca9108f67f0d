"""Runs many cases: ``python -m tests.fuzz --cases 100000 --seed 7``; or repeats one."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time

from tests.fuzz.pool import Outcome, described, run_cases


def main() -> int:
    """Run the cases that were asked for; the status is 1 if any failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=2000, help="how many; 2000 by default")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--seed", type=int, help="by default a new one, which is printed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    given = parser.parse_args()
    seed = secrets.randbelow(1 << 32) if given.seed is None else given.seed
    one = given.case is not None
    cases = [given.case] if one else range(given.first, given.first + given.cases)
    print(f"seed {seed}", flush=True)
    done = 0
    started = time.monotonic()

    def tell(outcome: Outcome) -> None:
        nonlocal done
        done += 1
        for failure in outcome.failures:
            print(f"case {outcome.case}: {failure.use}: {failure.kind}", flush=True)
        if done % 500 == 0:
            print(f"{done} cases, {time.monotonic() - started:.0f} s", flush=True)

    failed = run_cases(seed, cases, 1 if one else given.jobs, tell)
    print(described(seed, failed))
    print(f"{done} cases, {len(failed)} failed, {time.monotonic() - started:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
