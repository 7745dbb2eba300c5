"""Hands a run's units out over a Ray cluster and brings their results into the journal."""

import json
import re
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ray
from ray import cloudpickle
from ray.exceptions import RayError

from . import node
from .arguments import Arguments
from .command import Command
from .journal import Journal
from .pool import Pool, why
from .progress import Progress, note
from .refusal import Failure, Refusal, one_line
from .units import GIVEN_UP, Units

#: How long the driver waits for an outcome before it checks the run's state again, in seconds.
TICK = 1.0
#: The most units that an error message names as impossible to run.
NAMED = 10
#: The name of a file that is kept under its digest.
KEPT = re.compile(r"sha256-[0-9a-f]{64}\.[a-z]+")


def run(arguments: Arguments, command: Command, again: str) -> int:
    """Runs the units on the joined cluster and returns the exit code; `again` is the command that continues the run."""
    try:
        return spread(arguments, command, again)
    except RayError as error:
        raise Failure(f"the cluster failed ({why(error)}); finished units are kept; to go on: {again}") from None


def spread(arguments: Arguments, command: Command, again: str) -> int:
    """Plans the run, carries out the units that are left, and ranks the agents."""
    planned = command.plan()
    journal = Journal(planned["directory"])
    plan = json.loads((Path(planned["directory"]) / "plan.json").read_text(encoding="utf-8"))
    labels = [agent["label"] for agent in plan["agents"]]
    problems = {entry["problem"]: entry["cost"] for entry in planned["problems"]}
    units = Units(labels, problems, journal.units())
    unsaid = None
    if units.left:
        if units.finished:
            note(f"{units.finished} of {units.total} units are done already; going on")
        job: node.Job = {
            "command": arguments.jointly,
            "options": arguments.of_workers,
            "plan": plan,
            "files": {name: ray.put(content) for name, content in kept(planned["directory"])},
        }
        # Nodes need not have this package.
        cloudpickle.register_pickle_by_value(node)
        carry_out(job, planned, units, journal, arguments.jobs, again)
        # The command would say that all of these were done before.
        unsaid = f"{units.total} of {units.total} unit"
    journal.close()
    return command.finish(unsaid)


def kept(directory: str) -> Iterator[tuple[str, bytes]]:
    """Yields the files that the plan names by digest: the path below the directory, and the bytes."""
    for folder in ("agents", "problems", "tables"):
        for path in sorted((Path(directory) / folder).glob("sha256-*")):
            if KEPT.fullmatch(path.name):
                yield f"{folder}/{path.name}", path.read_bytes()


def carry_out(
    job: node.Job, planned: dict[str, Any], units: Units, journal: Journal, jobs: int | None, again: str
) -> None:
    """Carries out all units that are left; raises a failure that names those that could not be run."""
    progress = Progress(units)
    start, before = time.monotonic(), units.finished
    busy, own = 0.0, time.process_time()
    pool = Pool(job, planned, units, jobs, progress.note)
    try:
        pool.open(TICK)
        while units.left:
            for unit, outcome, place in pool.results(TICK):
                if "line" in outcome:
                    journal.append(outcome["line"], outcome["belief"])
                    units.has_finished(unit, outcome["seconds"], place)
                    busy += outcome["seconds"]
                    progress.finished(unit, outcome["seconds"], outcome["failure"], pool.size())
                    continue
                told = outcome.get("died") or outcome["unrun"]
                if units.has_failed(unit, told, place):
                    progress.note(f"given up: {complaint(units, unit)}")
                else:
                    agent, problem = units.name(unit)
                    progress.note(f"{agent} on {problem} could not be run and is tried again: {one_line(told)}")
            if units.are_hopeless():
                raise Failure(
                    f"the last {GIVEN_UP} units could not be run, each tried three times, nor has anything else a "
                    f"result since: {complaint(units, list(units.failed)[-1])}"
                )
    except Refusal as refusal:
        if units.finished == 0 and not isinstance(refusal, Failure):
            raise
        kept_so_far = f"{units.finished} of {units.total} units are done and kept"
        raise type(refusal)(f"{refusal}; {kept_so_far}; to go on: {again}") from None
    finally:
        progress.clear()
        pool.close()
    elapsed, done = time.monotonic() - start, units.finished - before
    own = 1000 * (time.process_time() - own) / max(done, 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    note(
        f"{done} units in {elapsed:.1f} s on {pool.most} workers, {busy:.1f} s of work; this process took {own:.2f} ms "
        f"of CPU a unit and {memory} MiB"
    )
    if units.failed:
        named = [complaint(units, unit) for unit in sorted(units.failed)[:NAMED]]
        more = f"; and {len(units.failed) - NAMED} more" if len(units.failed) > NAMED else ""
        raise Failure(
            f"{len(units.failed)} of {units.total} units could not be run, each tried three times: {'; '.join(named)}"
            f"{more}; all others are kept, and nothing is recorded of these; to try them again: {again}"
        )


def complaint(units: Units, unit: int) -> str:
    """Returns the text that names a unit that was given up, and why."""
    agent, problem = units.name(unit)
    return f"{agent} on {problem}: {one_line(units.failed[unit])}"
