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

    An agent is an object, a class, or a text as `jointly run` takes it: `"mlp"`, `"ensemble+:size=10"`, `"agent.py"`,
    `"predictions:FOLDER"`.
    Other options are those of the command: `draws=1000` is `--draws 1000`.

    Without `out`, results are in a temporary folder that is deleted with them. A run in an `out` that exists continues,
    and asks nothing twice of an agent whose description is the same: change `version` when code outside the agent's
    class changes.

    `jobs` units run at a time. For an object these are threads of this process, so code with a global state, such as
    the random numbers of a framework, needs `jobs=1`. A request that takes longer than `timeout` seconds fails its
    unit, but its thread cannot be ended and goes on.

    An exception in an agent that is an object stops the run, and is the cause of the AgentError that is raised. With
    `stop_on_error=False` it is a failure among the results, as Unsupported and Diverged always are.
    """
    listed = [agents] if isinstance(agents, str | Agent | type) or callable(agents) else list(agents)
    if not listed:
        raise ValueError("there is no agent: give objects or names such as 'mlp'")
    held = tempfile.TemporaryDirectory(prefix="jointly-run-") if out is None else None
    folder = held.name if held is not None else os.fspath(out or "")
    stop = _Stop()
    with ExitStack() as servers:
        names, places = [], {}
        for agent in listed:
            if isinstance(agent, str):
                names.append(agent)
                continue
            server = servers.enter_context(Server(agent, stop.observe if stop_on_error else None))
            names.append(with_settings(f"socket:{server.path}", getattr(agent, "_requested", {})))
            places[f"socket:{server.path}"] = agent.__name__ if isinstance(agent, type) else type(agent).__name__
        if len(set(labels := [_label(agent) for agent in listed])) < len(listed):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise ValueError(f"two agents are called {twice}: give one another `name`, or other settings")
        asked = {"suite": suite, "problems": problems, "out": folder, "seed": seed, "jobs": jobs, **options}
        code, notes = _call([find(), "run", *names, *flags(asked)], stop, progress)
    if stop.error is not None:
        told = f"an agent raised {type(stop.error).__name__}: {stop.error}"
        raise AgentError(f"{told} (stop_on_error=False records it and continues)") from stop.error
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code not in (DONE, FAILED):
        told = "\n".join(notes) or f"jointly run ended with exit code {code}"
        for place, name in places.items():
            told = told.replace(place, name)
        raise JointlyError(told)
    results = load(folder)
    results.notes, results._held = notes, held
    if stop_on_error:
        _raise_invalid(results, {_label(agent).partition(":")[0] for agent in listed if not isinstance(agent, str)})
    return results


def _label(agent: Source | str) -> str:
    """Returns what tells agents apart: the name and the settings."""
    if isinstance(agent, str):
        return agent
    one = agent if isinstance(agent, Agent) else agent()
    return with_settings(one.describe()["name"], one._requested).replace(" :", ":")


def _raise_invalid(results: Results, ours: set[str]) -> None:
    """Raises what the command refused of an agent that is an object: a defect that its own code did not see."""
    for failure in results.failures:
        if failure["kind"] == "invalid-output" and failure["agent"].partition(":")[0] in ours:
            told = f"{failure['agent']} on {failure['problem']}: {failure['message']}"
            raise AgentError(f"{told} (stop_on_error=False makes it a failure among the results)")


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
