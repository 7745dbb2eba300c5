"""The workers of a cluster: one for each CPU of each node that has been looked at, replaced when lost."""

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
#: How long a run waits for a node, where there is none, in seconds.
PATIENCE = 60.0
#: Workers that may be lost on a node before they have done anything.
STARTS = 3


class _Node:
    """A node of the cluster."""

    def __init__(self, address, cpus, looked):
        self.address = address
        self.cpus = cpus
        #: Its answer for itself, while it has not come.
        self.looked = looked
        self.workers = 0


class _Worker:
    """An actor with a `jointly worker` of its own."""

    def __init__(self, node_id, actor):
        self.node_id = node_id
        self.actor = actor
        self.started = actor.start.remote()
        self.ready = False
        #: Portions that it has been given, in their order.
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
        #: How often a worker of a node was lost before it began.
        self._lost_starts = {}
        self._workers = []
        self._looked = 0.0
        self._alone_since = None
        self._idle_since = time.monotonic()
        #: Workers there have been at a time.
        self.most = 0

    def size(self):
        """Workers that take units now."""
        return sum(worker.ready for worker in self._workers)

    def open(self):
        """Looks at every node, and starts no worker unless all of them have the same command and plan."""
        self._look()
        if not self._nodes:
            raise Refusal("no node of the cluster has a CPU: give some `ray start --num-cpus`")
        while any(known.looked is not None for known in self._nodes.values()):
            self._hear([known.looked for known in self._nodes.values() if known.looked is not None], None)
            self._refuse_idle()
        self._hire()

    def close(self):
        """Ends all workers."""
        for worker in self._workers:
            ray.kill(worker.actor)
        self._workers.clear()

    def results(self, patience):
        """Units with their outcomes, as they come within so many seconds."""
        if time.monotonic() - self._looked > LOOK:
            self._look()
        self._hire()
        for worker in self._workers:
            self._feed(worker)
        awaited = [known.looked for known in self._nodes.values() if known.looked is not None]
        for worker in self._workers:
            awaited += [reference for reference, _ in worker.flight] if worker.ready else [worker.started]
        self._refuse_idle()
        if not awaited:
            time.sleep(patience)
            return
        yield from self._hear(awaited, patience)

    def _look(self):
        """Asks which nodes there are, and has new ones say what they have."""
        self._looked = time.monotonic()
        found = {}
        for entry in ray.nodes():
            cpus = int(entry.get("Resources", {}).get("CPU", 0))
            node_id = entry["NodeID"]
            if entry["Alive"] and cpus > 0 and self._lost_starts.get(node_id, 0) < STARTS:
                found[node_id] = entry["NodeManagerAddress"], cpus
        for node_id in set(self._nodes) - set(found):
            del self._nodes[node_id]
        for node_id in set(found) - set(self._nodes):
            address, cpus = found[node_id]
            looked = self._prepare.options(scheduling_strategy=_on(node_id)).remote(self._job)
            self._nodes[node_id] = _Node(address, cpus, looked)

    def _hire(self):
        """Starts workers, first where there are fewest."""
        while self._jobs is None or len(self._workers) < self._jobs:
            free = [
                (known.workers, node_id)
                for node_id, known in self._nodes.items()
                if known.looked is None and known.workers < known.cpus
            ]
            if not free:
                return
            _, node_id = min(free)
            actor = self._actor.options(scheduling_strategy=_on(node_id)).remote(self._job)
            self._nodes[node_id].workers += 1
            self._workers.append(_Worker(node_id, actor))

    def _feed(self, worker):
        """Gives a worker a portion, and a second one where both take less than a person sees."""
        while worker.ready and len(worker.flight) < 2:
            if worker.flight and self._seconds(worker) > PORTION_SECONDS:
                return
            portion = self._units.portion(len(self._workers))
            if not portion:
                return
            reference = worker.actor.run.remote([self._units.name(unit) for unit in portion])
            worker.flight.append((reference, portion))

    def _seconds(self, worker):
        return sum(self._units.expected(unit) for _, portion in worker.flight for unit in portion)

    def _hear(self, awaited, patience):
        """What comes of the first of these to end, and of those that have ended with it."""
        ready, _ = ray.wait(awaited, num_returns=1, timeout=patience)
        if ready and len(awaited) > 1:
            ready, _ = ray.wait(awaited, num_returns=len(awaited), timeout=0)
        outcomes = []
        for node_id, known in list(self._nodes.items()):
            if known.looked in ready:
                self._answered(node_id, known)
        for worker in list(self._workers):
            if not worker.ready and worker.started in ready:
                self._started(worker)
            elif worker.flight and any(reference in ready for reference, _ in worker.flight):
                outcomes += self._came(worker)
        return outcomes

    def _answered(self, node_id, known):
        """A node has said what it has."""
        try:
            answer = ray.get(known.looked)
        except RayError as error:
            # Whether it is still there, the cluster says when it is asked again.
            del self._nodes[node_id]
            self._lost_start(node_id, known.address, _why(error))
            return
        known.looked = None
        self._refuse_other(known.address, answer)

    def _started(self, worker):
        """A worker has said what it has."""
        known = self._nodes.get(worker.node_id)
        address = known.address if known else worker.node_id
        try:
            answer = ray.get(worker.started)
        except RayError as error:
            self._drop(worker)
            self._lost_start(worker.node_id, address, _why(error))
            return
        self._refuse_other(address, answer)
        worker.ready = True
        self.most = max(self.most, self.size())

    def _lost_start(self, node_id, address, why):
        self._lost_starts[node_id] = self._lost_starts.get(node_id, 0) + 1
        if self._lost_starts[node_id] == STARTS:
            self._say(f"the node {address} is left out: three workers ended there before they began ({why})")
        self._looked = 0.0

    def _came(self, worker):
        """The outcomes of a worker's portions that have ended, in their order."""
        outcomes = []
        while worker.flight:
            reference, portion = worker.flight[0]
            if not ray.wait([reference], timeout=0)[0]:
                break
            try:
                found = ray.get(reference)
            except RayError as error:
                return outcomes + self._lost(worker, _why(error))
            worker.flight.popleft()
            outcomes += zip(portion, found)
            self._units.came_back(sum(outcome.get("seconds", 0.0) for outcome in found))
            if len(found) < len(portion):
                self._units.gives_back(portion[len(found) :])
        self._feed(worker)
        return outcomes

    def _lost(self, worker, why):
        """A worker has gone: the first of its portions with it, the other as it was. Gives the outcome that is known."""
        flight = [portion for _, portion in worker.flight]
        worker.flight.clear()
        for portion in reversed(flight[1:]):
            self._units.gives_back(portion)
        known = self._nodes.get(worker.node_id)
        place = known.address if known else "a node that is gone"
        self._say(f"a worker on {place} was lost ({why}); its units are asked for again")
        self._drop(worker)
        self._looked = 0.0
        if len(flight[0]) == 1:
            return [(flight[0][0], {"died": why})]
        self._units.were_lost(flight[0])
        return []

    def _drop(self, worker):
        worker.ready = False
        self._workers.remove(worker)
        # It may be alive beyond a network that failed, and have the CPU that another is to have.
        ray.kill(worker.actor)
        if worker.node_id in self._nodes:
            self._nodes[worker.node_id].workers -= 1

    def _refuse_other(self, address, answer):
        """Refuses a command of another version, or another plan, than the one on this machine."""
        if "refused" in answer:
            raise Refusal(f"the node {address} cannot take part: {one_line(answer['refused'])}")
        for what in ("version", "engine", "plan"):
            if answer[what] != self._planned[what]:
                raise Refusal(
                    f"the node {address} cannot take part: its command has the {what} {one_line(answer[what])}, and the one "
                    f"here has {self._planned[what]}; install the same everywhere"
                )

    def _refuse_idle(self):
        """Ends the run where nobody has been there to work for it for long; says where all are busy with other things."""
        now = time.monotonic()
        if self.size():
            self._idle_since = now
        elif now - self._idle_since > PATIENCE:
            self._idle_since = now
            self._say("no CPU of the cluster is free yet; waiting for one")
        if self._nodes or self._workers:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or now
        if now - self._alone_since > PATIENCE:
            raise Failure("no node of the cluster is left to run units")


def _on(node_id):
    return NodeAffinitySchedulingStrategy(node_id, soft=False)


def _why(error):
    """The part of what Ray says that tells something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "died" in line or "Error" in line] or lines or [type(error).__name__]
    return one_line(told[0])[:300]
