"""The workers of a cluster: one for each CPU of each node that has been looked at, replaced when lost."""

import contextlib
import time
from collections import deque

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from . import node
from .refusal import Failure, Refusal, one_line
from .units import PORTION_SECONDS

#: How often the cluster is asked for its nodes, in seconds.
LOOK = 2.0
#: How long a run waits, without a word, for nodes or for what they are to say, in seconds.
PATIENCE = 60.0
#: Workers that may be lost on a node before they have done anything.
STARTS = 3


class _Node:
    """A node of the cluster."""

    def __init__(self, address, cpus):
        self.address = address
        self.cpus = cpus
        #: Whether it has said what it has, and since when it has been asked.
        self.answered = False
        self.asked = time.monotonic()
        self.workers = 0
        #: When a worker that waited for a CPU there was last taken away, and how long the next may wait.
        self.was_busy = 0.0
        self.patience = PATIENCE


class _Worker:
    """An actor with a `jointly worker` of its own."""

    def __init__(self, node_id, actor):
        self.node_id = node_id
        self.actor = actor
        self.hired = time.monotonic()
        self.ready = False
        #: Portions that it has been given, in their order, with what they are expected to take.
        self.flight = deque()


class Pool:
    """Workers that are given units and give outcomes."""

    def __init__(self, job, planned, units, jobs, say):
        """Of a job that nodes are sent once, and what its plan must be; `say` tells a person a line."""
        self._job = ray.put(job)
        self._planned = planned
        self._units = units
        self._jobs = jobs
        self._say = say
        self._prepare = ray.remote(num_cpus=0, max_retries=0)(node.prepare)
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(node.Worker)
        self._nodes = {}
        #: Of all nodes that there ever were.
        self._addresses = {}
        self._workers = set()
        #: Workers that take units now, and those of them that could take more.
        self._ready = 0
        self._hungry = {}
        #: What has been asked for: what is to be done with it when it comes, and with whom.
        self._awaited = {}
        #: How often a worker of a node was lost before it began; nodes that are to be left out, and why; and those that are.
        self._lost_starts = {}
        self._unfit = {}
        self._left_out = set()
        #: Whether a unit has been handed out, and what ends the run, when all that has come has been handed on.
        self._begun = False
        self._end = None
        self._looked = 0.0
        self._alone_since = None
        self._idle_since = time.monotonic()
        #: Workers there have been at a time.
        self.most = 0

    def size(self):
        """Workers that take units now."""
        return self._ready

    def open(self, patience):
        """Looks at every node, and starts no worker unless all of them have the same command and plan."""
        self._look()
        if not self._nodes:
            raise Refusal("no node of the cluster has a CPU: give some `ray start --num-cpus`")
        while not all(known.answered for known in self._nodes.values()) or not self._nodes:
            self._hear(patience)
            self._settle()

    def close(self):
        """Ends all workers."""
        for worker in self._workers:
            _kill(worker)
        self._workers.clear()

    def results(self, patience):
        """Units with their outcomes and the nodes they were on, as they come within so many seconds."""
        self._settle()
        self._hire()
        self._move_waiting()
        for idle in (False, True):
            for worker in list(self._hungry):
                if not self._units.waiting():
                    break
                # Who has something to do already need not take what is better run elsewhere.
                if not (idle and worker.flight):
                    self._feed(worker, idle)
        return self._hear(patience)

    def _settle(self):
        """Draws the conclusions of what has come, now that it has been handed on."""
        if self._end is None:
            condemned = self._units.blame.condemned
            # What is in hand on a node may still show that it works.
            busy = {worker.node_id for worker in self._workers if worker.flight} if condemned else ()
            ripe = [node_id for node_id in condemned if node_id not in busy]
            # First, for a node that has gone is not one that fails.
            if self._unfit or (ripe and len(self._nodes) > 1) or time.monotonic() - self._looked > LOOK:
                self._look()
            while self._unfit:
                self._leave_out(*self._unfit.popitem())
            for node_id in ripe:
                # The last one is better than none, and what cannot be run there is named.
                if node_id in condemned and self._nodes.keys() - {node_id}:
                    self._leave_out(node_id, condemned[node_id])
            self._refuse_idle()
        if self._end is not None:
            raise self._end

    def _look(self):
        """Asks which nodes there are, and has new ones say what they have."""
        self._looked = now = time.monotonic()
        found, alive = {}, set()
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
        # Those that had nothing to do were not heard of.
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

    def _free(self):
        """The nodes that can have one more worker, first those whose CPUs were not busy with other things, or longest ago."""
        free = [
            (known.was_busy, known.workers, node_id)
            for node_id, known in self._nodes.items()
            if known.answered and known.workers < known.cpus
        ]
        return [node_id for *_, node_id in sorted(free)]

    def _move_waiting(self):
        """Replaces workers that have not started for long by others elsewhere, where not all nodes have as many as they can."""
        now = time.monotonic()
        for worker in list(self._workers):
            known = self._nodes.get(worker.node_id)
            if known is None or worker.ready or now - worker.hired <= known.patience:
                continue
            if any(node_id != worker.node_id for node_id in self._free()):
                # It may also have been about to start.
                known.was_busy, known.patience = now, 2 * known.patience
                self._drop(worker)
                self._hire()

    def _hire(self):
        """Starts workers, first where there are fewest."""
        while self._jobs is None or len(self._workers) < self._jobs:
            free = self._free()
            if not free:
                return
            node_id = free[0]
            self._nodes[node_id].workers += 1
            worker = _Worker(node_id, self._actor.options(scheduling_strategy=_on(node_id)).remote(self._job))
            self._workers.add(worker)
            self._awaited[worker.actor.start.remote()] = self._started, worker

    def _feed(self, worker, idle):
        """Gives a worker a portion, and a second one where the first takes less than a person sees."""
        while len(worker.flight) < 2 and sum(seconds for *_, seconds in worker.flight) <= PORTION_SECONDS:
            portion = self._units.portion(len(self._workers), worker.node_id, self._usable, idle)
            if not portion:
                return
            self._begun = True
            reference = worker.actor.run.remote([self._units.name(unit) for unit in portion], PORTION_SECONDS)
            worker.flight.append((reference, portion, sum(map(self._units.expected, portion))))
            self._awaited[reference] = self._came, worker
        del self._hungry[worker]

    def _usable(self):
        """The nodes on which units can be run, now or when workers have started that need not long for it."""
        now = time.monotonic()
        return {worker.node_id for worker in self._workers if worker.ready or now - worker.hired < PATIENCE}

    def _hear(self, patience):
        """What comes of the first thing to come, and of all that has come with it."""
        if not self._awaited:
            time.sleep(patience)
            return []
        awaited = list(self._awaited)
        ready, _ = ray.wait(awaited, num_returns=1, timeout=patience)
        if ready and len(awaited) > 1:
            ready, _ = ray.wait(awaited, num_returns=len(awaited), timeout=0)
        outcomes = []
        for reference in ready:
            # What a lost worker was to do is awaited no more.
            if reference in self._awaited:
                hear, whom = self._awaited[reference]
                outcomes += hear(reference, whom) or []
        return outcomes

    def _answered(self, reference, node_id):
        """A node has said what it has."""
        del self._awaited[reference]
        known = self._nodes.get(node_id)
        try:
            answer = ray.get(reference)
        except RayError as error:
            # Whether it is still there, the cluster says when it is asked again.
            self._nodes.pop(node_id, None)
            self._lost_start(node_id, why(error))
            return
        if known is not None:
            known.answered = not self._objects(node_id, answer)

    def _started(self, reference, worker):
        """A worker has said what it has."""
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

    def _lost_start(self, node_id, told):
        lost = self._lost_starts[node_id] = self._lost_starts.get(node_id, 0) + 1
        known = self._nodes.get(node_id)
        if lost == STARTS and known and any(it.ready and it.node_id == node_id for it in self._workers):
            # No more of them there; the others go on.
            known.cpus = known.workers
            del self._lost_starts[node_id]
        elif lost == STARTS:
            self._unfit[node_id] = f"{STARTS} workers ended there before they began ({told})"
        self._looked = 0.0

    def _came(self, reference, worker):
        """The outcomes of a worker's portion that has ended."""
        if reference != worker.flight[0][0]:
            # The one before has ended too, and its outcomes come first.
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
        outcomes = [(unit, outcome, worker.node_id) for unit, outcome in zip(portion, found)]
        if found and all("line" in outcome for outcome in found):
            self._units.came_back(sum(outcome["seconds"] for outcome in found))
        self._units.gives_back(portion[len(found) :])
        return outcomes

    def _lost(self, worker, told):
        """A worker has gone: the first of its portions with it, the other as it was. Gives the outcome that is known."""
        first, *others = self._drop(worker)
        for portion in others:
            self._units.gives_back(portion)
        self._say(f"a worker on {self._addresses[worker.node_id]} was lost ({told}); its units are asked for again")
        self._looked = 0.0
        if len(first) == 1:
            return [(first[0], {"died": told}, worker.node_id)]
        self._units.were_lost(first)
        return []

    def _drop(self, worker):
        """Ends a worker, and gives the portions that it had."""
        self._workers.remove(worker)
        self._hungry.pop(worker, None)
        self._ready -= worker.ready
        if worker.node_id in self._nodes:
            self._nodes[worker.node_id].workers -= 1
        # It may be alive beyond a network that failed, and have the CPU that another is to have.
        _kill(worker)
        for reference, (_, whom) in list(self._awaited.items()):
            if whom is worker:
                del self._awaited[reference]
        return [portion for _, portion, _ in worker.flight]

    def _leave_out(self, node_id, told):
        """Uses a node no more. What its workers have in hand goes back."""
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

    def _objects(self, node_id, answer):
        """Whether a node has a command of another version, or makes another plan, than the one on this machine.

        Before any unit that ends the run, for it is a mistake of the one who started it; later it costs the node.
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

    def _objection(self, answer):
        if "refused" in answer:
            return one_line(answer["refused"])
        for what in ("version", "engine", "plan"):
            if answer[what] != self._planned[what]:
                return (
                    f"its command has the {what} {one_line(answer[what])}, and the one here has {self._planned[what]}"
                )
        return None

    def _refuse_idle(self):
        """Ends the run where nobody has been there to work for it for long; says where workers do not come to it."""
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


def _on(node_id):
    return NodeAffinitySchedulingStrategy(node_id, soft=False)


def _kill(worker):
    # Where the cluster does not have it any more, there is nothing to end.
    with contextlib.suppress(RayError):
        ray.kill(worker.actor)


def why(error):
    """The part of what Ray says that tells something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "died" in line or "Error" in line] or lines or [type(error).__name__]
    return one_line(told[0])[:300]
