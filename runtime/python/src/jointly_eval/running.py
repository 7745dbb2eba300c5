"""Runs agents on a suite, by the command `jointly run`; agents that are objects stay in this process."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any

from .agent import Agent
from .command import environment, find, flags, with_settings
from .failure import AgentError, Failure, JointlyError
from .methods import complete
from .progress import Progress
from .results import Results, load
from .serving import Server, Source, maker

#: Exit codes of `jointly run`: done; done, but some agent failed; interrupted.
DONE, FAILED, INTERRUPTED = 0, 3, 130
#: Seconds that the command has to end after an interrupt.
PATIENCE = 10.0


def run(
    agents: Source | str | os.PathLike[str] | Iterable[Source | str | os.PathLike[str]],
    suite: str | None = None,
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
    Without `suite` it is `quick`, or the problem of your own that `problem="mine.npz"` names. Other options are those
    of the command: `draws=1000` is `--draws 1000`.

    Without `out`, results are in a temporary folder that is deleted with them. A run in an `out` that exists continues,
    and asks nothing twice of an agent whose description is the same: change `version` when code outside the agent's
    class changes.

    `jobs` units run at a time. For an object these are threads of this process, so code with a global state, such as
    the random numbers of a framework, needs `jobs=1`. A request that takes longer than `request_timeout` seconds fails
    its unit, but its thread cannot be ended and goes on. After `timeout` seconds the run ends with a JointlyError that
    says how much is recorded: with `out`, the same call continues.

    An exception in an agent that is an object stops the run, and is the cause of the AgentError that is raised. With
    `stop_on_error=False` it is a failure among the results, as Unsupported and Diverged always are.
    """
    one = isinstance(agents, str | os.PathLike | Agent | type) or callable(agents)
    entrants = [_Entrant(agent) for agent in ([agents] if one else agents)]  # type: ignore[arg-type, union-attr]
    if not entrants:
        raise ValueError("there is no agent: give objects or names such as 'mlp'")
    labels = [entrant.label for entrant in entrants]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise ValueError(f"two agents are called {twice[0]}: give one another `name`, or other settings")
    for name in _NOT_HERE.intersection(options):
        raise ValueError(f"{name} is for the command `jointly run` alone")
    suite = suite or (None if options.get("problem") else "quick")
    folder = os.fspath(out) if out is not None else tempfile.mkdtemp(prefix="jointly-run-")
    stop = _Stop()
    try:
        with ExitStack() as servers:
            names, places = [], {}
            for entrant in entrants:
                place = entrant.text
                if entrant.source is not None:
                    observer = partial(stop.observe, entrant.label) if stop_on_error else None
                    server = servers.enter_context(Server(entrant.source, observer))
                    place = f"socket:{server.path}"
                    places[place] = entrant.label
                names.append(with_settings(place, entrant.requested))
            asked = {"suite": suite, "problems": problems, "out": folder, "seed": seed, "jobs": jobs, **options}
            code, notes = _call([find(), "run", *names, *flags(asked)], stop, Progress(progress), places)
        if stop.error is not None:
            told = f"{stop.agent} raised {type(stop.error).__name__}: {stop.error}"
            raise AgentError(f"{told} (stop_on_error=False records it and continues)") from stop.error
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code not in (DONE, FAILED):
            raise JointlyError("\n".join(notes) or f"jointly run ended with exit code {code}")
        results = load(folder)
        results.notes = notes
        if stop_on_error:
            _raise_invalid(results, {entrant.label for entrant in entrants if entrant.source is not None})
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
    return results


#: Options of the command that leave no results, or print them.
_NOT_HERE = {"plan_only", "shard", "json"}


class _Entrant:
    """An agent of a run: an object that is served, or the text of one that the command finds itself."""

    def __init__(self, agent: Source | str | os.PathLike[str]) -> None:
        self.source: Source | None = None
        self.text, self.requested = "", {}
        if isinstance(agent, str | os.PathLike):
            self.text = self.label = os.fspath(agent)
            return
        self.source, make = agent, maker(agent)
        try:
            made = complete(make())
            self.requested = dict(made._requested)
            self.label = with_settings(made.describe()["name"], self.requested).replace(" :", ":")
        except Exception as error:
            name = getattr(agent, "__name__", type(agent).__name__)
            raise AgentError(f"{name} is no agent: {type(error).__name__}: {error}") from error


def _raise_invalid(results: Results, ours: set[str]) -> None:
    """Raises what the command refused of an agent that is an object: a defect that its own code did not see."""
    for failure in results.failures:
        if failure["kind"] == "invalid-output" and failure["agent"] in ours:
            told = f"{failure['agent']} on {failure['problem']}: {failure['message']}"
            raise AgentError(f"{told} (stop_on_error=False makes it a failure among the results)")


class _Stop:
    """Ends the command at the first exception of an agent."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.agent = ""
        self.process: subprocess.Popen[str] | None = None

    def observe(self, agent: str, error: BaseException) -> None:
        """Is told what an agent raises; failures that it declares are results."""
        if isinstance(error, Failure) or self.error is not None:
            return
        self.error, self.agent = error, agent
        if self.process is not None:
            interrupt(self.process)


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Asks a process to end, and kills it if it does not."""
    process.send_signal(signal.SIGINT)
    timer = threading.Timer(PATIENCE, process.kill)
    timer.daemon = True
    timer.start()


def _call(arguments: list[str], stop: _Stop, bar: Progress, places: dict[str, str]) -> tuple[int, list[str]]:
    """Runs the command to its end. Returns its exit code, and what it said other than progress.

    `places` has the names of agents by the sockets where the command reaches them.
    """
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
    with process, bar:
        try:
            for line in process.stderr or ():
                if not bar.line(line) and line.strip():
                    for place, name in places.items():
                        line = line.replace(place, name)  # noqa: PLW2901
                    notes.append(line.rstrip())
                    bar.note(line.rstrip())
            code = process.wait()
        except KeyboardInterrupt:
            interrupt(process)
            process.wait()
            raise
    return code, notes
