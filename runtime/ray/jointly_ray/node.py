"""What runs on the nodes of a cluster: the files that a plan names, and a `jointly worker` for each actor.

Nodes have Ray and the command and need not have this package: the module is sent to them by value, so that it stands on the
standard library alone. What it has to say it returns, for exceptions of its own would be unknown elsewhere.
"""

import base64
import ctypes
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

#: Linux: the signal that a process gets when its parent ends.
PR_SET_PDEATHSIG = 1
#: The most of a process's last words that is passed on.
ERROR_CHARS = 400


def prepare(job):
    """Puts the plan's files on this node and gives what its command says of itself and of the plan."""
    import ray

    for name, reference in job["files"].items():
        path = folder() / name
        if not holds(path):
            keep(path, ray.get(reference))
    worker = Worker(job)
    answer = worker.start()
    worker.stop()
    return answer


def folder():
    """Where this node keeps files by digest, of all plans together."""
    own = os.environ.get("JOINTLY_RAY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(own or os.path.join(base, "jointly-ray")).absolute()


def holds(path):
    """Whether the file is there, with the digest that its name has."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return path.name.split(".")[0] == "sha256-" + hashlib.sha256(content).hexdigest()


def keep(path, content):
    """Writes beside the file and renames, for other runs may want it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(part, path)


class Worker:
    """A `jointly worker`: started once, given units, and started anew where it ended in one."""

    def __init__(self, job):
        self._job = job
        self._process = None
        self._errors = None
        self._answer = None

    def start(self):
        """Starts the process and gives its first answer, or why there is none as `refused`."""
        command = shutil.which(self._job["command"] or "jointly")
        if command is None:
            return {"refused": f"there is no command {self._job['command'] or 'jointly'} on it"}
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [command, "worker", *self._job["options"]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                preexec_fn=dying_with_parent(),
            )
        except OSError as error:
            return {"refused": f"failed to run {command}: {error.strerror}"}
        self._say({"plan": self._job["plan"], "files": str(folder())})
        line = self._process.stdout.readline()
        try:
            answer = json.loads(line)
            self._answer = {key: answer[key] for key in ("version", "engine", "plan")}
        except (ValueError, KeyError, TypeError):
            return {"refused": self._end()}
        return self._answer

    def run(self, units):
        """Runs units, each an agent's label and a problem's name, and gives an outcome of each in their order.

        An outcome is a dictionary: `line` of the journal, with `seconds`, `failure` and `belief`; `unrun` where the machine
        could not run it; or `died` where the process ended in it, after which there are no more.
        """
        if self._process is None:
            answer = self.start()
            if "refused" in answer:
                return [{"unrun": answer["refused"]}]
        outcomes = []
        # One ahead, so that the process need not wait for this one; no more, so that neither waits for the other.
        self._ask(units[:1])
        for at, unit in enumerate(units):
            self._ask(units[at + 1 : at + 2])
            outcome = self._outcome(unit)
            outcomes.append(outcome)
            if "died" in outcome:
                break
        return outcomes

    def stop(self):
        """Ends the process by the end of its input."""
        if self._process is not None:
            self._end()

    def _ask(self, units):
        for agent, problem in units:
            self._say({"agent": agent, "problem": problem})

    def _say(self, message):
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            pass  # That it ended is seen where its answer does not come.

    def _outcome(self, unit):
        belief = None
        while True:
            line = self._process.stdout.readline()
            try:
                answer = json.loads(line)
            except ValueError:
                return {"died": self._end()}
            if "belief" in answer:
                belief = answer["belief"], base64.b64decode(answer["base64"])
            elif "unrun" in answer:
                return {"unrun": answer["unrun"]}
            elif (answer.get("agent"), answer.get("problem")) == tuple(unit):
                failed = answer.get("failed")
                failure = f"{failed['phase']}: {failed['kind']}: {failed['message']}" if failed else None
                seconds = answer.get("seconds") or 0.0
                return {"line": line[:-1], "seconds": seconds, "failure": failure, "belief": belief}
            else:
                self._process.kill()
                return {"died": "it answered for another unit than it was asked; " + self._end()}

    def _end(self):
        """Waits for the process to end, and gives how it did and the last that it said."""
        process, self._process = self._process, None
        try:
            process.stdin.close()
        except OSError:
            pass  # It has ended before it read all.
        process.stdout.close()
        code = process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        if code < 0:
            how = f"killed by {signal.Signals(-code).name}"
        else:
            how = f"ended with exit code {code}"
        return f"{said[-1][:ERROR_CHARS]} ({how})" if said else how


def dying_with_parent():
    """What has a new process end with the one that started it, however that ends: nobody would read what it finds."""
    # Looked up here, for between fork and exec next to nothing may be done.
    try:
        prctl = ctypes.CDLL(None).prctl
    except (AttributeError, OSError):
        return None  # Not Linux: then it ends with its input.
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
