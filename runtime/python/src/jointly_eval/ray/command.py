"""Calls `jointly run`: to plan before any unit is run, and to rank after all are."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from ..command import environment, find
from ..failure import JointlyError
from .refusal import Refusal, one_line


class Command:
    """The command on this machine."""

    def __init__(self, path: str | None, arguments: Sequence[str]) -> None:
        self.path = located(path)
        self.arguments = list(arguments)
        self._said: set[str] = set()

    def plan(self) -> Any:
        """Makes the run's directory, with the plan and the files for its units, and returns the plan's description."""
        asked = [argument for argument in self.arguments if argument != "--json"]
        process = self._call([*asked, "--plan-only", "--json"], subprocess.PIPE)
        if process.returncode != 0:
            sys.exit(process.returncode)
        try:
            return json.loads(process.stdout)
        except ValueError:
            raise Refusal(f"{self.path} did not say what it planned but {one_line(process.stdout)!r}") from None

    def finish(self, unsaid: str | None = None) -> int:
        """Scores and ranks the journal and returns the exit code; does not show notes that begin with `unsaid`."""
        return self._call(self.arguments, None, unsaid).returncode

    def _call(
        self, arguments: Sequence[str], stdout: int | None, unsaid: str | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        """Runs the command; shows each line of its notes once, since both calls may print the same."""
        command = [self.path, "run", *arguments]
        try:
            process = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                check=False,
                env=environment(),
            )
        except OSError as error:
            raise Refusal(f"failed to run {self.path}: {one_line(error.strerror)}") from None
        for line in process.stderr.decode(errors="replace").splitlines():
            if line not in self._said and not (unsaid and line.startswith(unsaid)):
                print(line, file=sys.stderr)
                self._said.add(line)
        return process


def located(path: str | None) -> str:
    """Returns the path of a command that was named, or of the package's if none was."""
    if not path:
        try:
            return find()
        except JointlyError as error:
            raise Refusal(f"{error}, or give it by --jointly PATH") from None
    found = shutil.which(path)
    if found is None:
        remedy = "give the path of the built command by --jointly PATH, or put it on the PATH"
        raise Refusal(f"there is no command {path}: {remedy}")
    return found
