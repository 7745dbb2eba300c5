"""The workers of a cluster: one for each CPU of each node that was checked, replaced when lost."""

import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from . import node
from .refusal import Failure, Refusal, one_line
from .units import PORTION_SECONDS, Units

#: How often the cluster is asked for its nodes, in seconds.
LOOK = 2.0
#: How long a run waits silently for nodes or for their answers, in seconds.
PATIENCE = 60.0
#: Workers lost on a node before they began, after which it gets no more.
STARTS = 3


class _Node:
    """A node of the cluster."""

    def __init__(self, address: str, cpus: int) -> None:
        self.address = address
        self.cpus = cpus
        #: Whether the node has described its command, and when it was asked.
        self.answered = False
        self.asked = time.monotonic()
        self.workers = 0
        #: When a worker that waited for a CPU there was last removed, and how long the next may wait, in seconds.
        self.was_busy = 0.0
        self.patience = PATIENCE


class _Worker:
    """An actor with a `jointly worker` of its own."""

    def __init__(self, node_id: str, actor: Any) -> None:
        self.node_id = node_id
        self.actor = actor
        self.hired = time.monotonic()
        self.ready = False
        #: Portions that the worker has been given, in order, each with its reference and expected seconds.
        self.flight: deque[tuple[Any, list[int], float]] = deque()


#: A unit, what became of it, and the node.
_Result = tuple[int, node.Outcome, str]


class Pool:
    """The workers of a run: hands units to them and returns their outcomes."""

    def __init__(
        self, job: node.Job, planned: dict[str, Any], units: Units, jobs: int | None, say: Callable[[str], None]
    ) -> None:
        """Takes the job, which each node is sent, and the plan that it must make; `say` shows the user a line."""
        self._job = ray.put(job)
        self._planned = planned
        self._units = units
        self._jobs = jobs
        self._say = say
        self._prepare = ray.remote(num_cpus=0, max_retries=0)(node.prepare)
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(node.Worker)
        self._nodes: dict[str, _Node] = {}
        #: The addresses of all nodes that ever were used.
        self._addresses: dict[str, str] = {}
        self._workers: set[_Worker] = set()
        #: The number of workers that have started, and those of them that could take more units.
        self._ready = 0
        self._hungry: dict[_Worker, None] = {}
        #: For each pending reference, the method that handles its answer, and the worker or node that it comes from.
        self._awaited: dict[Any, tuple[Callable[[Any, Any], list[_Result] | None], _Worker | str]] = {}
        #: How often a worker of a node was lost before it began; nodes to leave out, and why; and those left out.
        self._lost_starts: dict[str, int] = {}
        self._unfit: dict[str, str] = {}
        self._left_out: set[str] = set()
        #: Whether a unit has been handed out, and the error that ends the run once all outcomes have been returned.
        self._begun = False
        self._end: Refusal | None = None
        self._looked = 0.0
        self._alone_since: float | None = None
        self._idle_since = time.monotonic()
        #: The most workers that there were at one time.
        self.most = 0

    def size(self) -> int:
        """Returns the number of workers that have started."""
        return self._ready

    def open(self, patience: float) -> None:
        """Checks every node; no worker starts unless all of them have the same command and plan."""
        self._look()
        if not self._nodes:
            raise Refusal("no node of the cluster has a CPU: give some `ray start --num-cpus`")
        while not all(known.answered for known in self._nodes.values()) or not self._nodes:
            self._hear(patience)
            self._settle()

    def close(self) -> None:
        """Ends all workers."""
        for worker in self._workers:
            _kill(worker)
        self._workers.clear()

    def results(self, patience: float) -> list[_Result]:
        """Returns units with their outcomes and nodes; waits at most `patience` seconds for the first."""
        self._settle()
        self._hire()
        self._move_waiting()
        for idle in (False, True):
            for worker in list(self._hungry):
                if not self._units.waiting():
                    break
                # A worker that is busy need not take a unit that is better run elsewhere.
                if not (idle and worker.flight):
                    self._feed(worker, idle)
        return self._hear(patience)

    def _settle(self) -> None:
        """Acts on the outcomes that were returned: leaves nodes out, or raises the error that ends the run."""
        if self._end is None:
            condemned = self._units.blame.condemned
            # Units in hand on a node may still show that it works.
            busy = {worker.node_id for worker in self._workers if worker.flight} if condemned else ()
            ripe = [node_id for node_id in condemned if node_id not in busy]
            # Looks first, because a node that is gone is not one that fails.
            if self._unfit or (ripe and len(self._nodes) > 1) or time.monotonic() - self._looked > LOOK:
                self._look()
            while self._unfit:
                self._leave_out(*self._unfit.popitem())
            for node_id in ripe:
                # The last node is kept: the units that cannot be run there are named at the end.
                if node_id in condemned and self._nodes.keys() - {node_id}:
                    self._leave_out(node_id, condemned[node_id])
            self._refuse_idle()
        if self._end is not None:
            raise self._end

    def _look(self) -> None:
        """Asks the cluster for its nodes, and asks new ones for their command and plan."""
        self._looked = now = time.monotonic()
        found: dict[str, tuple[str, int]] = {}
        alive: set[str] = set()
        for entry in ray.nodes():
            cpus = int(entry.get("Resources", {}).get("CPU", 0))
            node_id = entry["NodeID"]
            if entry["Alive"] and cpus > 0:
                alive.add(node_id)
                if node_id not in self._left_out and node_id not in self._unfit:
                    found[node_id] = entry["NodeManagerAddress"], cpus
        for node_id in set(self._addresses) - alive:
            self._unfit.pop(node_id, None)
            self._lost_starts.pop(node_id, None)
            self._units.blame.forget(node_id)
        for node_id in set(self._nodes) - set(found):
            del self._nodes[node_id]
        # The loss of a worker that had nothing to do is not reported.
        for worker in [it for it in self._workers if not it.flight and it.node_id not in self._nodes]:
            self._drop(worker)
        for node_id, (address, cpus) in found.items():
            if node_id in self._nodes:
                continue
            self._nodes[node_id] = _Node(address, cpus)
            self._addresses[node_id] = address
            looked = self._prepare.options(scheduling_strategy=_on(node_id)).remote(self._job)
            self._awaited[looked] = self._answered, node_id
        for known in self._nodes.values():
            if not known.answered and now - known.asked > PATIENCE:
                known.asked = now
                self._say(f"the node {known.address} has not said yet which command it has; waiting for it")

    def _free(self) -> list[str]:
        """Returns the nodes that can have one more worker, first those that were least recently found busy."""
        free = [
            (known.was_busy, known.workers, node_id)
            for node_id, known in self._nodes.items()
            if known.answered and known.workers < known.cpus
        ]
        return [node_id for *_, node_id in sorted(free)]

    def _move_waiting(self) -> None:
        """Replaces workers that have waited too long to start by workers on other nodes with room."""
        now = time.monotonic()
        for worker in list(self._workers):
            known = self._nodes.get(worker.node_id)
            if known is None or worker.ready or now - worker.hired <= known.patience:
                continue
            if any(node_id != worker.node_id for node_id in self._free()):
                # It may have been about to start, so the next may wait longer.
                known.was_busy, known.patience = now, 2 * known.patience
                self._drop(worker)
                self._hire()

    def _hire(self) -> None:
        """Starts workers, first on the nodes that come first in `_free`."""
        while self._jobs is None or len(self._workers) < self._jobs:
            free = self._free()
            if not free:
                return
            node_id = free[0]
            self._nodes[node_id].workers += 1
            worker = _Worker(node_id, self._actor.options(scheduling_strategy=_on(node_id)).remote(self._job))
            self._workers.add(worker)
            self._awaited[worker.actor.start.remote()] = self._started, worker

    def _feed(self, worker: _Worker, idle: bool) -> None:
        """Gives a worker a portion, and a second one if the first is expected to take at most `PORTION_SECONDS`."""
        while len(worker.flight) < 2 and sum(seconds for *_, seconds in worker.flight) <= PORTION_SECONDS:
            portion = self._units.portion(len(self._workers), worker.node_id, self._usable, idle)
            if not portion:
                return
            self._begun = True
            reference = worker.actor.run.remote([self._units.name(unit) for unit in portion], PORTION_SECONDS)
            worker.flight.append((reference, portion, sum(map(self._units.expected, portion))))
            self._awaited[reference] = self._came, worker
        del self._hungry[worker]

    def _usable(self) -> set[str]:
        """Returns the nodes on which a worker has started or was asked to less than `PATIENCE` ago."""
        now = time.monotonic()
        return {worker.node_id for worker in self._workers if worker.ready or now - worker.hired < PATIENCE}

    def _hear(self, patience: float) -> list[_Result]:
        """Waits for the first answer, and returns the outcomes in it and in all others that have come."""
        if not self._awaited:
            time.sleep(patience)
            return []
        awaited = list(self._awaited)
        ready, _ = ray.wait(awaited, num_returns=1, timeout=patience)
        if ready and len(awaited) > 1:
            ready, _ = ray.wait(awaited, num_returns=len(awaited), timeout=0)
        outcomes: list[_Result] = []
        for reference in ready:
            # The portions of a lost worker are no longer awaited.
            if reference in self._awaited:
                hear, whom = self._awaited[reference]
                outcomes += hear(reference, whom) or []
        return outcomes

    def _answered(self, reference: Any, node_id: str) -> None:
        """Handles a node's description of its command and plan."""
        del self._awaited[reference]
        known = self._nodes.get(node_id)
        try:
            answer = ray.get(reference)
        except RayError as error:
            # The next look at the cluster shows whether the node still exists.
            self._nodes.pop(node_id, None)
            self._lost_start(node_id, why(error))
            return
        if known is not None:
            known.answered = not self._objects(node_id, answer)

    def _started(self, reference: Any, worker: _Worker) -> None:
        """Handles a new worker's description of its command and plan."""
        del self._awaited[reference]
        try:
            answer = ray.get(reference)
        except RayError as error:
            self._drop(worker)
            self._lost_start(worker.node_id, why(error))
            return
        if self._objects(worker.node_id, answer):
            return
        self._lost_starts.pop(worker.node_id, None)
        if worker.node_id in self._nodes:
            self._nodes[worker.node_id].was_busy = 0.0
        worker.ready = True
        self._hungry[worker] = None
        self._ready += 1
        self.most = max(self.most, self._ready)

    def _lost_start(self, node_id: str, told: str) -> None:
        lost = self._lost_starts[node_id] = self._lost_starts.get(node_id, 0) + 1
        known = self._nodes.get(node_id)
        if lost == STARTS and known and any(it.ready and it.node_id == node_id for it in self._workers):
            # The node gets no more workers; the others go on.
            known.cpus = known.workers
            del self._lost_starts[node_id]
        elif lost == STARTS:
            self._unfit[node_id] = f"{STARTS} workers ended there before they began ({told})"
        self._looked = 0.0

    def _came(self, reference: Any, worker: _Worker) -> list[_Result]:
        """Returns the outcomes of a worker's portion that has ended."""
        if reference != worker.flight[0][0]:
            # The portion before it has ended too, and its outcomes come first.
            return []
        try:
            found = ray.get(reference)
        except RayError as error:
            return self._lost(worker, why(error))
        del self._awaited[reference]
        _, portion, _ = worker.flight.popleft()
        self._hungry[worker] = None
        if "refused" in found[-1]:
            self._objects(worker.node_id, found.pop())
        outcomes = [(unit, outcome, worker.node_id) for unit, outcome in zip(portion, found, strict=False)]
        if found and all("line" in outcome for outcome in found):
            self._units.came_back(sum(outcome["seconds"] for outcome in found))
        self._units.gives_back(portion[len(found) :])
        return outcomes

    def _lost(self, worker: _Worker, told: str) -> list[_Result]:
        """Handles a lost worker: its first portion is lost, the other was not begun. Returns the known outcome."""
        first, *others = self._drop(worker)
        for portion in others:
            self._units.gives_back(portion)
        self._say(f"a worker on {self._addresses[worker.node_id]} was lost ({told}); its units are asked for again")
        self._looked = 0.0
        if len(first) == 1:
            return [(first[0], {"died": told}, worker.node_id)]
        self._units.were_lost(first)
        return []

    def _drop(self, worker: _Worker) -> list[list[int]]:
        """Ends a worker, and returns the portions that it had."""
        self._workers.remove(worker)
        self._hungry.pop(worker, None)
        self._ready -= worker.ready
        if worker.node_id in self._nodes:
            self._nodes[worker.node_id].workers -= 1
        # It may be alive behind a failed network and hold the CPU that its replacement needs.
        _kill(worker)
        for reference, (_, whom) in list(self._awaited.items()):
            if whom is worker:
                del self._awaited[reference]
        return [portion for _, portion, _ in worker.flight]

    def _leave_out(self, node_id: str, told: str) -> None:
        """Stops using a node, and takes back the units that its workers have in hand."""
        if node_id in self._left_out:
            return
        self._left_out.add(node_id)
        self._say(f"the node {self._addresses[node_id]} is left out: {told}")
        self._nodes.pop(node_id, None)
        for worker in [worker for worker in self._workers if worker.node_id == node_id]:
            for portion in self._drop(worker):
                self._units.gives_back(portion)
        self._units.acquit(node_id)
        self._look()
        if not self._nodes:
            self._end = Failure("no node of the cluster is left to run units")

    def _objects(self, node_id: str, answer: node.Answer) -> bool:
        """Returns whether a node's command has another version, or makes another plan, than the one on this machine.

        Before the first unit this ends the run, since it is a mistake of the user; later only the node is left out.
        """
        told = self._objection(answer)
        if told is None:
            return False
        if not self._begun:
            place = f"the node {self._addresses[node_id]}"
            self._end = self._end or Refusal(f"{place} cannot take part: {told}; install the same everywhere")
        else:
            self._unfit[node_id] = told
        return True

    def _objection(self, answer: node.Answer) -> str | None:
        if "refused" in answer:
            return one_line(answer["refused"])
        for what in ("version", "engine", "plan"):
            if answer[what] != self._planned[what]:
                return (
                    f"its command has the {what} {one_line(answer[what])}, and the one here has {self._planned[what]}"
                )
        return None

    def _refuse_idle(self) -> None:
        """Ends the run after `PATIENCE` without nodes and workers; tells the user if no worker starts for that long."""
        now = time.monotonic()
        if self._ready or not self._workers:
            self._idle_since = now
        elif now - self._idle_since > PATIENCE:
            self._idle_since = now
            self._say("no worker has started yet: CPUs are busy with other things, or start slowly; waiting for one")
        if self._nodes or self._workers:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or now
        if now - self._alone_since > PATIENCE:
            self._end = self._end or Failure("no node of the cluster is left to run units")


def _on(node_id: str) -> Any:
    return NodeAffinitySchedulingStrategy(node_id, soft=False)


def _kill(worker: _Worker) -> None:
    # If the cluster no longer has it, there is nothing to end.
    with contextlib.suppress(RayError):
        ray.kill(worker.actor)


def why(error: RayError) -> str:
    """Returns the informative line of an error message of Ray."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "died" in line or "Error" in line] or lines or [type(error).__name__]
    return one_line(told[0])[:300]
