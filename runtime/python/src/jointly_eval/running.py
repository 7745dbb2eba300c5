"""Runs agents on a suite, by the command `jointly run`; agents that are objects stay in this process."""

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from .agent import Agent
from .command import environment, find, flags, with_settings
from .failure import AgentError, Failure, JointlyError
from .progress import Progress
from .results import Results, load
from .serving import Server, Source

#: Exit codes of `jointly run`: done; done, but some agent failed; interrupted.
DONE, FAILED, INTERRUPTED = 0, 3, 130
#: Seconds that the command has to end after an interrupt.
PATIENCE = 10.0


def run(
    agents: Source | str | Iterable[Source | str],
    suite: str = "quick",
    *,
    problems: str | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int | str | None = None,
    jobs: int = 1,
    progress: bool = True,
    stop_on_error: bool = True,
    **options: Any,
) -> Results:
    """Runs agents on the problems of a suite, and returns their results.

    An agent is an object, a class, or a text as `jointly run` takes it: `"mlp"`, `"ensemble+:size=10"`, `"agent.py"`.
    Other options are those of the command: `draws=1000` is `--draws 1000`.

    Without `out`, results are in a new temporary folder. A run in an `out` that exists continues, and asks nothing
    twice of an agent whose description is the same: change `version` when code outside the agent's class changes.

    An exception in an agent that is an object stops the run, and is the cause of the AgentError that is raised. With
    `stop_on_error=False` it is a failure among the results, as Unsupported and Diverged always are.
    """
    listed = [agents] if isinstance(agents, str | Agent | type) or callable(agents) else list(agents)
    folder = os.fspath(out) if out is not None else tempfile.mkdtemp(prefix="jointly-run-")
    stop = _Stop()
    with ExitStack() as servers:
        names = []
        for agent in listed:
            if isinstance(agent, str):
                names.append(agent)
                continue
            server = servers.enter_context(Server(agent, stop.observe if stop_on_error else None))
            names.append(with_settings(f"socket:{server.path}", getattr(agent, "_requested", {})))
        asked = {"suite": suite, "problems": problems, "out": folder, "seed": seed, "jobs": jobs, **options}
        code, notes = _call([find(), "run", *names, *flags(asked)], stop, progress)
    if stop.error is not None:
        told = f"an agent raised {type(stop.error).__name__}: {stop.error}"
        raise AgentError(f"{told} (stop_on_error=False records it and continues)") from stop.error
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code not in (DONE, FAILED):
        raise JointlyError("\n".join(notes) or f"jointly run ended with exit code {code}")
    results = load(folder)
    results.notes = notes
    return results


class _Stop:
    """Ends the command at the first exception of an agent."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.process: subprocess.Popen[str] | None = None

    def observe(self, error: BaseException) -> None:
        """Is told what agents raise; failures that they declare are results."""
        if isinstance(error, Failure) or self.error is not None:
            return
        self.error = error
        if self.process is not None:
            interrupt(self.process)


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Asks a process to end, and kills it if it does not."""
    process.send_signal(signal.SIGINT)
    timer = threading.Timer(PATIENCE, process.kill)
    timer.daemon = True
    timer.start()


def _call(arguments: list[str], stop: _Stop, progress: bool) -> tuple[int, list[str]]:
    """Runs the command to its end. Returns its exit code, and what it said other than progress."""
    notes = []
    # The leaderboard that it prints is in the results too.
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment(),
    )
    stop.process = process
    with process, Progress(progress) as bar:
        try:
            for line in process.stderr or ():
                if not bar.line(line) and line.strip():
                    notes.append(line.rstrip())
            code = process.wait()
        except KeyboardInterrupt:
            interrupt(process)
            process.wait()
            raise
    return code, notes
