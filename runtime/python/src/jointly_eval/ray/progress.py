"""Shows progress by unit, with an estimate of the time left, always on standard error."""

import math
import sys
import time

from .units import Units

#: With more units than this, not every unit has a plain line.
LINES = 200
#: The seconds between updates of a terminal's line.
REFRESH = 0.2


def note(text: str) -> None:
    """Writes a text as one line of printable characters."""
    print("".join(filter(str.isprintable, " ".join(text.split()))), file=sys.stderr, flush=True)


class Progress:
    """Shows how far a run has got: one line on a terminal, plain lines elsewhere."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._terminal = sys.stderr.isatty()
        self._every = math.ceil(units.total / LINES)
        self._shown = 0.0

    def finished(self, unit: int, seconds: float, failure: str | None, workers: int) -> None:
        """Shows that a unit has a result."""
        units = self._units
        due = units.finished % self._every == 0 or units.left == 0
        if self._terminal:
            due = failure is not None or time.monotonic() - self._shown > REFRESH
        if not (due or failure is not None):
            return
        agent, problem = units.name(unit)
        how = f"failed: {failure}" if failure is not None else f"{seconds:.1f} s"
        rest = units.seconds_left(workers)
        left = f"; about {span(rest)} left" if rest is not None and units.left else ""
        line = f"[{units.finished}/{units.total}] {agent} on {problem}: {how}{left}"
        if self._terminal:
            self._shown = time.monotonic()
            print(f"\r\x1b[K{line}", file=sys.stderr, end="\n" if failure is not None else "", flush=True)
        else:
            note(line)

    def note(self, text: str) -> None:
        """Writes a line of its own."""
        self.clear()
        note(text)

    def clear(self) -> None:
        """Removes the line from the terminal."""
        if self._terminal:
            print("\r\x1b[K", file=sys.stderr, end="", flush=True)


def span(seconds: float) -> str:
    """Returns a duration as text, in the largest unit of which it is at least two, else in seconds."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{math.ceil(seconds)} s"
