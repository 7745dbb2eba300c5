"""Keeps the units that are still to be run, divides them into portions, and gives up those that cannot be run."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import islice

from .blame import Blame

#: The most seconds that a portion should take: far above the cost of handing it out, far below what a user waits.
PORTION_SECONDS = 0.5
#: The most units in a portion: the units that are lost with a worker are run again.
MOST = 256
#: Units given up in a row, without a result, after which it is likely that nothing can be run at all.
GIVEN_UP = 30
#: Other units that are tried then, before the run ends.
CHECKS = 3
#: The most failed units that are searched at a time for one that a node may try.
LOOKED_AT = 64


class Units:
    """The units of a plan, numbered problem by problem, so that all agents progress together.

    Problems are begun in order, those that are expected to take longest first, so that no long unit is begun at the
    end, when other workers have nothing left to do.
    """

    def __init__(self, agents: Sequence[str], problems: Mapping[str, float], done: Iterable[tuple[str, str]]) -> None:
        """Takes the agents' labels, and the problems' names with the relative costs that are expected of their units.

        `done` has the agent and problem of each unit that has a result already.
        """
        self.agents = agents
        self.problems = list(problems)
        self._expected = list(problems.values())
        self.total = len(agents) * len(problems)
        places = {label: at for at, label in enumerate(agents)}, {name: at for at, name in enumerate(problems)}
        #: For each unit, 1 if it was handed out or has a result already.
        self._begun = bytearray(self.total)
        for agent, problem in done:
            if agent in places[0] and problem in places[1]:
                self._begun[places[1][problem] * len(agents) + places[0][agent]] = 1
        #: The number of units that have a result.
        self.finished = sum(self._begun)
        #: The number of units that neither have a result nor were given up.
        self.left = self.total - self.finished
        #: For each unit that was given up, the reason.
        self.failed: dict[int, str] = {}
        self._given_up = self._checks = 0
        self.blame = Blame()
        #: All units before the first of these, and from the second on, have been handed out.
        self._next, self._end = 0, self.total
        self._again: deque[int] = deque()
        self._failing: deque[int] = deque()
        self._alone: set[int] = set()
        self._in_hand = 0
        self._most = 1
        #: For each agent, the expected cost of its finished units, and the seconds that they took.
        self._spent: list[list[float]] = [[0, 0.0] for _ in agents]
        #: For each agent, the expected cost of its unfinished units.
        self._rest = [sum(self._expected)] * len(agents)
        for unit, is_done in enumerate(self._begun):
            self._rest[unit % len(agents)] -= is_done * self._cost(unit)

    def name(self, unit: int) -> tuple[str, str]:
        """Returns the agent's label and the problem's name."""
        return self.agents[unit % len(self.agents)], self.problems[unit // len(self.agents)]

    def waiting(self) -> int:
        """Returns the number of units that are left and not in hand."""
        return self.left - self._in_hand

    def are_hopeless(self) -> bool:
        """Returns whether `GIVEN_UP` units in a row were given up, others were tried too, and no unit is in hand."""
        tried = self._checks >= CHECKS or (not self._again and self._peek() is None)
        return self._given_up >= GIVEN_UP and self.left > 0 and not self._in_hand and tried

    def portion(self, workers: int, node: str, nodes: Callable[[], Set[str]], idle: bool = False) -> list[int]:
        """Returns the next units for one of `workers` workers, on `node`: few if they are long or few are left.

        `nodes` returns the nodes on which units can be run now; an idle worker got no units when it asked as not idle.
        """
        if not self.waiting():
            return []
        if self._given_up >= GIVEN_UP:
            return self._check(node)
        most = min(self._most, MOST, math.ceil(self.waiting() / (2 * max(workers, 1))))
        usable = nodes() if self._failing or self.blame.accuses(node) else set()
        suspected = self.blame.suspects(node, usable)
        if suspected and self.blame.is_probed(node):
            return []
        first = self._first(node, usable, suspected, idle)
        if first is None:
            return []
        alone = suspected or first in self._alone or self.blame.has_failed(first)
        portion, seconds = [first], self.expected(first)
        while not alone and len(portion) < most:
            unit = self._peek()
            if unit is None or unit in self._alone:
                break
            seconds += self.expected(unit)
            if seconds > PORTION_SECONDS:
                break
            self._take()
            portion.append(unit)
        self._in_hand += len(portion)
        for unit in portion:
            self.blame.hands_out(unit, node, suspected)
        return portion

    def _check(self, node: str) -> list[int]:
        """Returns a unit unlike those that were given up, since one problem may be too large for all machines."""
        unit = self._probe() if self._checks < CHECKS else None
        if unit is None:
            return []
        self._checks += 1
        self._in_hand += 1
        self.blame.hands_out(unit, node, False)
        return [unit]

    def _first(self, node: str, nodes: Set[str], suspected: bool, idle: bool) -> int | None:
        """Returns the first unit of a portion.

        Units that failed elsewhere come first for nodes that work, and last for those that have not yet shown it.
        """
        trusted = self.blame.trusts(node)
        unit = self._failed_elsewhere(node, nodes, idle) if trusted else None
        if unit is None and suspected:
            unit = None if self.blame.has_had_enough(node) else self._probe()
        elif unit is None:
            unit = self._take()
        return self._failed_elsewhere(node, nodes, idle) if unit is None and not trusted else unit

    def _failed_elsewhere(self, node: str, nodes: Set[str], idle: bool) -> int | None:
        for at, unit in enumerate(islice(self._failing, LOOKED_AT)):
            if self.blame.may_try(unit, node, nodes, idle):
                del self._failing[at]
                return unit
        if len(self._failing) > LOOKED_AT:
            # The units after these have their turn the next time.
            self._failing.rotate(-LOOKED_AT)
        return None

    def _probe(self) -> int | None:
        """Returns a cheap unit that tests a node, if possible one of an agent that has finished units."""
        while self._end > self._next and self._begun[self._end - 1]:
            self._end -= 1
        if self._end == self._next:
            return self._again.pop() if self._again else None
        cheapest = range(self._end - 1, self._next - 1, -1)
        unit = next((unit for unit in cheapest if not self._begun[unit] and self._is_known(unit)), self._end - 1)
        self._begun[unit] = 1
        return unit

    def _peek(self) -> int | None:
        """Returns the next unit that has not failed, if there is one."""
        if self._again:
            return self._again[0]
        while self._next < self._end and self._begun[self._next]:
            self._next += 1
        return self._next if self._next < self._end else None

    def _take(self) -> int | None:
        unit = self._peek()
        if self._again:
            self._again.popleft()
        elif unit is not None:
            self._begun[unit] = 1
        return unit

    def expected(self, unit: int) -> float:
        """Returns the seconds that a unit is likely to take; infinite if its agent has not finished one."""
        return self._cost(unit) * self._rate(unit % len(self.agents)) if self._is_known(unit) else math.inf

    def _is_known(self, unit: int) -> bool:
        return self._spent[unit % len(self.agents)][0] > 0

    def _cost(self, unit: int) -> float:
        return self._expected[unit // len(self.agents)]

    def _rate(self, agent: int) -> float:
        """Returns an agent's seconds per expected cost; 0 if it has not finished a unit."""
        cost, seconds = self._spent[agent]
        return seconds / cost if cost else 0.0

    def has_finished(self, unit: int, seconds: float, node: str) -> None:
        """Notes a result."""
        self.blame.worked(unit, node)
        self._given_up = self._checks = 0
        self._in_hand -= 1
        self.left -= 1
        self.finished += 1
        self._rest[unit % len(self.agents)] -= self._cost(unit)
        spent = self._spent[unit % len(self.agents)]
        spent[0] += self._cost(unit)
        spent[1] += seconds

    def came_back(self, seconds: float) -> None:
        """Lets portions grow while they are finished quickly; `seconds` is the time that one took."""
        if seconds < PORTION_SECONDS:
            self._most = min(2 * self._most, MOST)

    def gives_back(self, units: Sequence[int]) -> None:
        """Takes back units that were handed out but not begun."""
        self._in_hand -= len(units)
        for unit in reversed(units):
            self.blame.returned(unit)
            if self.blame.has_failed(unit):
                self._failing.insert(0, unit)
            else:
                self._again.appendleft(unit)

    def were_lost(self, units: Sequence[int]) -> None:
        """Takes back units whose worker was lost in one of them; each runs alone next, which shows the culprit."""
        self._alone.update(units)
        self.gives_back(units)

    def has_failed(self, unit: int, why: str, node: str) -> bool:
        """Notes a unit in which a worker on a node died or that it could not run. Returns whether it is given up."""
        self._in_hand -= 1
        if not self.blame.failed(unit, node, why):
            self._failing.append(unit)
            return False
        self.left -= 1
        self._rest[unit % len(self.agents)] -= self._cost(unit)
        self.failed[unit] = why
        self._given_up += 1
        return True

    def acquit(self, node: str) -> None:
        """Treats units that failed only on a node, which is left out, as not failed."""
        self.blame.acquit(node)
        self._again.extend(unit for unit in self._failing if not self.blame.has_failed(unit))
        self._failing = deque(unit for unit in self._failing if self.blame.has_failed(unit))

    def seconds_left(self, workers: int) -> float | None:
        """Returns an estimate of the seconds that `workers` workers need for the remaining units.

        None until each agent with units left has finished one, as one may take a thousand times as long as another.
        """
        if any(rest and not spent[0] for rest, spent in zip(self._rest, self._spent, strict=True)):
            return None
        return sum(rest * self._rate(agent) for agent, rest in enumerate(self._rest)) / max(workers, 1)
