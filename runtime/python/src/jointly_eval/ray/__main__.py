"""`python -m jointly_eval.ray run AGENT... --suite S --out DIR --address auto`."""

import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

from .arguments import PROGRAM, Arguments
from .command import Command
from .connection import connect
from .progress import note
from .refusal import INTERRUPTED, Refusal


def main() -> NoReturn:
    """Ends the process with an exit code."""
    sys.exit(_main(sys.argv[1:]))


def _main(argv: Sequence[str]) -> int:
    again = shlex.join([sys.executable, "-m", "jointly_eval.ray", *argv])
    try:
        arguments = Arguments(argv)
        command = Command(arguments.jointly, arguments.of_run)
        connect(arguments.address)
        # It imports Ray.
        from .driver import run

        return run(arguments, command, again)
    except Refusal as refusal:
        note(f"{PROGRAM}: {refusal}")
        return refusal.code
    except KeyboardInterrupt:
        note(f"{PROGRAM}: interrupted; finished units are kept, and the same command goes on from there: {again}")
        return INTERRUPTED


if __name__ == "__main__":
    main()
