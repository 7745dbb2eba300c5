"""The code that runs on nodes of a cluster: stores the files that a plan names and drives a `jointly worker` per actor.

Nodes have Ray and the command and need not have this package: the module is sent to them by value, so it uses the
standard library only. It returns errors as values, because exceptions of its own would be unknown elsewhere.
"""

import base64
import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

#: Linux: the signal that a process gets when its parent ends.
PR_SET_PDEATHSIG = 1
#: The most characters of a process's standard error that are passed on.
ERROR_CHARS = 400
#: How long a process may take to end after its input or its output has ended, in seconds.
GRACE = 10.0

#: What each node is sent: `command`, `options`, `plan`, and `files`, which has references by path.
Job = dict[str, Any]
#: What the command says of itself and of the plan, or `refused`.
Answer = dict[str, Any]
#: What became of a unit; `Worker.run` says what it has.
Outcome = dict[str, Any]


def prepare(job: Job) -> Answer:
    """Puts the plan's files on this node and returns its command's description of itself and of the plan."""
    place(job, holds)
    worker = Worker(job)
    answer = worker.start()
    worker.stop()
    return answer


def place(job: Job, is_there: Callable[[Path], bool]) -> None:
    """Puts the files on this node that it does not have yet."""
    for name, reference in job["files"].items():
        path = folder() / name
        if not is_there(path):
            import ray

            keep(path, ray.get(reference))


def folder() -> Path:
    """Returns the folder in which this node keeps the files of all plans by digest."""
    own = os.environ.get("JOINTLY_RAY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(own or os.path.join(base, "jointly-ray")).absolute()


def holds(path: Path) -> bool:
    """Returns whether the file exists and has the digest in its name."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return path.name.split(".")[0] == digest(content).replace(":", "-")


def digest(content: bytes) -> str:
    """Returns the digest of bytes, as plans and journals write it."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def keep(path: Path, content: bytes) -> None:
    """Writes a temporary file and renames it, so that other readers and writers see the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            # The user's mask decides who may read it, as for any other new file.
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(file.fileno(), 0o666 & ~mask)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def located(command: str | None) -> str | None:
    """Returns the path of a command; of `jointly`, if none is named: beside this Python, else on the PATH."""
    beside = None if command else shutil.which("jointly", path=os.path.dirname(sys.executable))
    return beside or shutil.which(command or "jointly")


class Worker:
    """A `jointly worker`: started once, given units, and restarted if it ended in one."""

    #: The standard error of the process.
    _errors: IO[bytes]

    def __init__(self, job: Job) -> None:
        self._job = job
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Answer:
        """Starts the process and returns its first answer, or `refused` with the reason why there is none."""
        command = located(self._job["command"])
        if command is None:
            return {"refused": f"there is no command {self._job['command'] or 'jointly'} on it"}
        try:
            # The digests were checked when the node was prepared, but the files may have been deleted since.
            place(self._job, Path.exists)
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        except OSError as error:
            return {"refused": f"failed to put files there: {error}"}
        try:
            self._process = subprocess.Popen(
                [command, "worker", *self._job["options"]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                # Agents of files run with `python3`, which is this interpreter.
                env={**os.environ, "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])},
                preexec_fn=dying_with_parent(),  # noqa: PLW1509
            )
        except OSError as error:
            return {"refused": f"failed to run {command}: {error.strerror}"}
        self._say({"plan": self._job["plan"], "files": str(folder())})
        line = self._line()
        try:
            answer = message(line)
            return {key: answer[key] for key in ("version", "engine", "plan")}
        except (ValueError, KeyError):
            return {"refused": self._end(kill=line.endswith(b"\n"))}

    def run(self, units: Sequence[tuple[str, str]], seconds: float) -> list[Outcome]:
        """Runs units, each an agent's label and a problem's name, and returns their outcomes in the same order.

        An outcome is a dictionary: `line` of the journal, with `seconds`, `failure` and `belief`; `unrun` if the
        machine could not run the unit; `died` if the process ended in it; or `refused` if no process could be started
        for it. The last two end the list, and no unit is begun after `seconds`, so that finished units soon reach the
        journal.
        """
        if self._process is not None and self._process.poll() is not None:
            # It ended while it had nothing to do, so no unit is to blame.
            self._end()
        if self._process is None:
            answer = self.start()
            if "refused" in answer:
                return [answer]
        outcomes: list[Outcome] = []
        until = time.monotonic() + seconds
        for unit in units:
            if outcomes and time.monotonic() >= until:
                break
            outcomes.append(self._outcome(unit))
            if "died" in outcomes[-1]:
                break
        return outcomes

    def stop(self) -> None:
        """Ends the process by closing its input."""
        if self._process is not None:
            self._end()

    def _say(self, words: dict[str, Any]) -> None:
        _, stdin, _ = self._running()
        # If it has ended, the missing answer will show that.
        with contextlib.suppress(OSError):
            stdin.write(json.dumps(words).encode() + b"\n")
            stdin.flush()

    def _line(self) -> bytes:
        """Returns the next line of the process, without its end if the process ended in it."""
        _, _, stdout = self._running()
        return stdout.readline()

    def _running(self) -> "tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]":
        """Returns the process that was started, its input and its output."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        return process, process.stdin, process.stdout

    def _outcome(self, unit: tuple[str, str]) -> Outcome:
        agent, problem = unit
        self._say({"agent": agent, "problem": problem})
        belief = None
        while True:
            line = self._line()
            if not line.endswith(b"\n"):
                return {"died": self._end()}
            try:
                answer = message(line)
                if "belief" in answer:
                    belief = answer["belief"], base64.b64decode(answer["base64"])
                    if belief[0] != digest(belief[1]):
                        raise ValueError
                elif "unrun" in answer:
                    return {"unrun": answer["unrun"]}
                elif (answer["agent"], answer["problem"]) != (agent, problem):
                    return {"died": "it answered for another unit than it was asked; " + self._end(kill=True)}
                else:
                    failed = answer.get("failed")
                    failure = f"{failed['phase']}: {failed['kind']}: {failed['message']}" if failed else None
                    seconds = float(answer.get("seconds") or 0.0)
                    return {"line": line[:-1], "seconds": seconds, "failure": failure, "belief": belief}
            except (ValueError, KeyError, TypeError):
                said = line[:ERROR_CHARS].decode(errors="replace").strip()
                return {"died": f"it answered {said!r}; " + self._end(kill=True)}

    def _end(self, kill: bool = False) -> str:
        """Waits for the process to end, and returns how it ended and its last words on standard error."""
        process, stdin, stdout = self._running()
        self._process = None
        if kill:
            process.kill()
        # It may have ended before it had read everything.
        with contextlib.suppress(OSError):
            stdin.close()
        stdout.close()
        try:
            code = process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return f"{said[-1][:ERROR_CHARS]} ({how})" if said else how


def message(line: bytes) -> dict[str, Any]:
    """Returns the message in a line of the worker; raises a ValueError if it is not one."""
    answer = json.loads(line)
    if not isinstance(answer, dict):
        raise ValueError("not an object")
    return answer


def dying_with_parent() -> Callable[[], Any] | None:
    """Returns a hook that makes a new process end when its parent does, since nobody would read its results then."""
    # Looked up here, because almost nothing may be done between fork and exec.
    try:
        prctl = ctypes.CDLL(None).prctl
    except (AttributeError, OSError):
        return None  # Not Linux: the process ends when its input does.
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
