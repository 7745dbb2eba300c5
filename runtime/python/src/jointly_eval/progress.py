"""Shows the progress of a run, where somebody can see it."""

import re
import sys
from types import TracebackType
from typing import Any

_UNIT = re.compile(r"\[(\d+)/(\d+)\] (.*)")


class Progress:
    """A bar of tqdm in a terminal or a notebook; without tqdm, lines in a terminal."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._make = _bar() if wanted else None
        self._bar: Any = None

    def line(self, line: str) -> bool:
        """Reads a line that the command printed. Returns whether it tells of a finished unit."""
        unit = _UNIT.match(line)
        if unit is None:
            return False
        done, total, what = int(unit[1]), int(unit[2]), unit[3].split(": ")[0]
        if self._make is None and self._wanted and sys.stderr.isatty():
            print(line.rstrip(), file=sys.stderr)
        if self._make is not None:
            if self._bar is None:
                # A run that continues starts above zero.
                self._bar = self._make(total=total, initial=done - 1, unit="unit")
            self._bar.set_postfix_str(what, refresh=False)
            self._bar.update(done - self._bar.n)
        return True

    def note(self, line: str) -> None:
        """Shows a line where somebody can see it, such as that an agent is waited for."""
        if self._bar is not None:
            self._bar.write(line, file=sys.stderr)
        elif self._wanted and (sys.stderr.isatty() or _in_notebook()):
            print(line, file=sys.stderr)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar() -> Any:
    if not (sys.stderr.isatty() or _in_notebook()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


def _in_notebook() -> bool:
    # A notebook has imported IPython already.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
