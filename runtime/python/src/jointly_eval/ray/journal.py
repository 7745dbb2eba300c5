"""The journal of a run, `results.jsonl`, and the beliefs that its lines name, kept as `jointly run` keeps them."""

import fcntl
import json
import zlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from .node import digest, keep
from .refusal import Refusal, one_line

#: The name of a line's last member, the checksum of all bytes before it, as it stands in the line.
CHECKSUM = b'"crc32":'
#: The length of its value and of the end of the line's object.
END = len(b'"01234567"}')


class Journal:
    """The journal of a directory that `jointly run --plan-only` made, held by one process at a time."""

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory)
        self._path = self._directory / "results.jsonl"
        try:
            self._file = FileIO(self._path, "r+")
        except OSError as error:
            raise Refusal(f"failed to open {self._path}: {one_line(error.strerror)}") from None
        try:
            # The command takes the same lock.
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            remedy = "wait for it, or give another --out"
            raise Refusal(f"{self._path} is being written by another run; {remedy}") from None

    def units(self) -> Iterator[tuple[str, str]]:
        """Yields the agent and problem of each result; drops a last line that a killed process left unfinished."""
        end = 0
        with open(self._path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                ended, remedy = line.endswith(b"\n"), "delete the line, and its unit is run again"
                if not is_whole(line.rstrip(b"\n")) if ended else is_more_than_a_line(line):
                    raise Refusal(f"{self._path} line {number} is damaged: checksum mismatch; {remedy}")
                if not ended:
                    break
                end += len(line)
                try:
                    result = json.loads(line)
                    yield result["agent"], result["problem"]
                except (ValueError, KeyError, TypeError):
                    raise Refusal(f"{self._path} line {number} is not a result; {remedy}") from None
        self._file.truncate(end)
        self._file.seek(end)

    def append(self, line: bytes, belief: tuple[str, bytes] | None = None) -> None:
        """Appends a worker's result unchanged; its beliefs file is written before the line that names it."""
        if belief is not None:
            self._keep(*belief)
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise unwritten(self._path, error) from None

    def close(self) -> None:
        """Closes the journal, which releases its lock."""
        self._file.close()

    def _keep(self, named: str, content: bytes) -> None:
        if named != digest(content):
            raise Refusal(f"a worker sent other bytes than {named}, which its result names; run the same command again")
        path = self._directory / "beliefs" / (named.replace(":", "-") + ".bin")
        try:
            if not path.exists():
                keep(path, content)
        except OSError as error:
            raise unwritten(path, error) from None


def is_whole(line: bytes) -> bool:
    """Returns whether a line, without its end, has either no checksum or the right one."""
    before, name, value = line.rpartition(CHECKSUM)
    if not name or len(value) > END + 5:
        return True
    return b"".join(value.split()) == b'"%08x"}' % zlib.crc32(before)


def is_more_than_a_line(text: bytes) -> bool:
    """Returns whether text without an end of line holds a complete line and more, which no killed writer leaves."""
    _, name, value = text.partition(CHECKSUM)
    return bool(name) and len(value) > END


def unwritten(path: Path, error: OSError) -> Refusal:
    """Returns the error for a file that could not be written."""
    remedy = "the units finished before are kept: make room, and run the same command again"
    return Refusal(f"failed to write {path}: {one_line(error.strerror)}; {remedy}")
