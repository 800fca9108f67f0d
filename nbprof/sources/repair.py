from dataclasses import dataclass
def mend(t): return t, []
@dataclass
class Found:
    events: list; repairs: list; end: int; closed: bool
def salvage(text, complete): return Found([], [], 0, False)
