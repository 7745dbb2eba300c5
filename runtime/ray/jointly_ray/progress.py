"""Progress by unit, with an estimate of the time left; always on standard error."""

import math
import sys
import time

#: With more units than this, plain lines are spread over the work.
LINES = 200
#: How often a terminal's line is written anew, in seconds.
REFRESH = 0.2


def note(text):
    """Writes one line, whatever was quoted in it."""
    print("".join(filter(str.isprintable, " ".join(text.split()))), file=sys.stderr, flush=True)


class Progress:
    """Shows how far a run has got: one line on a terminal, plain lines elsewhere."""

    def __init__(self, units):
        self._units = units
        self._terminal = sys.stderr.isatty()
        self._every = math.ceil(units.total / LINES)
        self._shown = 0.0

    def finished(self, unit, seconds, failure, workers):
        """Tells of a unit that has a result."""
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

    def note(self, text):
        """Writes a line of its own."""
        self.clear()
        note(text)

    def clear(self):
        """Takes the line off the terminal."""
        if self._terminal:
            print("\r\x1b[K", file=sys.stderr, end="", flush=True)


def span(seconds):
    """A time in the unit that people think of it in."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{math.ceil(seconds)} s"
