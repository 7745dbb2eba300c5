"""Which units are still to be run, in what portions they are handed out, and which of them nobody can run."""

import math
from collections import deque
from itertools import islice

from .blame import Blame

#: What a portion should take at most, in seconds: far above what handing it out costs, far below what a person waits.
PORTION_SECONDS = 0.5
#: Units of a portion at most: what is lost with a worker is run again.
MOST = 256
#: Where so many units in a row were given up, and there was no result, it is likely that nothing can be run at all.
GIVEN_UP = 30
#: So many others are tried then, before that is believed.
CHECKS = 3
#: Units that have failed, of which so many are looked at for one that a node may try.
LOOKED_AT = 64


class Units:
    """The units of a plan by their places, problem by problem, so that all agents get on together.

    Problems are in the order in which they are begun, those that are expected to take longest first: then no unit that takes
    long is begun at the end, when other workers have nothing left to do.
    """

    def __init__(self, agents, problems, done):
        """Of the agents' labels, and the problems' names with what units are expected to cost on them beside one another.

        Some are done already.
        """
        self.agents = agents
        self.problems = list(problems)
        self._expected = list(problems.values())
        self.total = len(agents) * len(problems)
        places = {label: at for at, label in enumerate(agents)}, {name: at for at, name in enumerate(problems)}
        #: Units that were handed out once, or need not be.
        self._begun = bytearray(self.total)
        for agent, problem in done:
            if agent in places[0] and problem in places[1]:
                self._begun[places[1][problem] * len(agents) + places[0][agent]] = 1
        #: Results there are.
        self.finished = sum(self._begun)
        #: Units that have neither a result nor been given up.
        self.left = self.total - self.finished
        #: Why units were given up.
        self.failed = {}
        self._given_up = self._checks = 0
        self.blame = Blame()
        #: All units before the one, and from the other on, have been handed out.
        self._next, self._end = 0, self.total
        self._again = deque()
        self._failing = deque()
        self._alone = set()
        self._in_hand = 0
        self._most = 1
        #: Of each agent: the expected cost of its finished units, and the seconds that they took.
        self._spent = [[0, 0.0] for _ in agents]
        #: The expected cost of what each agent has still to do.
        self._rest = [sum(self._expected)] * len(agents)
        for unit, is_done in enumerate(self._begun):
            self._rest[unit % len(agents)] -= is_done * self._cost(unit)

    def name(self, unit):
        """The agent's label and the problem's name."""
        return self.agents[unit % len(self.agents)], self.problems[unit // len(self.agents)]

    def waiting(self):
        """How many units are in nobody's hands."""
        return self.left - self._in_hand

    def are_hopeless(self):
        """Whether units are given up one after the other, others have been tried too, and nothing in hand may have a result."""
        tried = self._checks >= CHECKS or (not self._again and self._peek() is None)
        return self._given_up >= GIVEN_UP and self.left > 0 and not self._in_hand and tried

    def portion(self, workers, node, nodes, idle=False):
        """The next units for one of so many workers, one on this node: few where they take long or where little is left.

        `nodes` gives those on which units can be run now; an idle worker found nothing when it asked as all do.
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
            portion.append(self._take())
        self._in_hand += len(portion)
        for unit in portion:
            self.blame.hands_out(unit, node, suspected)
        return portion

    def _check(self, node):
        """A unit of another kind than those that were given up: one problem may be too large for all machines."""
        unit = self._probe() if self._checks < CHECKS else None
        if unit is None:
            return []
        self._checks += 1
        self._in_hand += 1
        self.blame.hands_out(unit, node, False)
        return [unit]

    def _first(self, node, nodes, suspected, idle):
        """The unit that a portion begins with.

        What has failed elsewhere is first for nodes that work, and last for others, which have to show first that they do.
        """
        trusted = self.blame.trusts(node)
        unit = self._failed_elsewhere(node, nodes, idle) if trusted else None
        if unit is None and suspected:
            unit = None if self.blame.has_had_enough(node) else self._probe()
        elif unit is None:
            unit = self._take()
        return self._failed_elsewhere(node, nodes, idle) if unit is None and not trusted else unit

    def _failed_elsewhere(self, node, nodes, idle):
        for at, unit in enumerate(islice(self._failing, LOOKED_AT)):
            if self.blame.may_try(unit, node, nodes, idle):
                del self._failing[at]
                return unit
        if len(self._failing) > LOOKED_AT:
            # Those that follow have their turn the next time.
            self._failing.rotate(-LOOKED_AT)
        return None

    def _probe(self):
        """A cheap unit by which to see whether it is the node that fails: where there is one, of an agent that has finished some."""
        while self._end > self._next and self._begun[self._end - 1]:
            self._end -= 1
        if self._end == self._next:
            return self._again.pop() if self._again else None
        cheapest = range(self._end - 1, self._next - 1, -1)
        unit = next((unit for unit in cheapest if not self._begun[unit] and self._is_known(unit)), self._end - 1)
        self._begun[unit] = 1
        return unit

    def _peek(self):
        """The next unit that has not failed, if there is one."""
        if self._again:
            return self._again[0]
        while self._next < self._end and self._begun[self._next]:
            self._next += 1
        return self._next if self._next < self._end else None

    def _take(self):
        unit = self._peek()
        if self._again:
            self._again.popleft()
        elif unit is not None:
            self._begun[unit] = 1
        return unit

    def expected(self, unit):
        """What a unit is likely to take, in seconds; without end where its agent has not finished one."""
        return self._cost(unit) * self._rate(unit % len(self.agents)) if self._is_known(unit) else math.inf

    def _is_known(self, unit):
        return self._spent[unit % len(self.agents)][0] > 0

    def _cost(self, unit):
        return self._expected[unit // len(self.agents)]

    def _rate(self, agent):
        """The seconds that an agent's units have taken for their expected cost; none where it has finished none."""
        cost, seconds = self._spent[agent]
        return seconds / cost if cost else 0.0

    def has_finished(self, unit, seconds, node):
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

    def came_back(self, seconds):
        """Lets portions grow while they come back soon."""
        if seconds < PORTION_SECONDS:
            self._most = min(2 * self._most, MOST)

    def gives_back(self, units):
        """Units that nobody has begun."""
        self._in_hand -= len(units)
        for unit in reversed(units):
            self.blame.returned(unit)
            if self.blame.has_failed(unit):
                self._failing.insert(0, unit)
            else:
                self._again.appendleft(unit)

    def were_lost(self, units):
        """Units that went with their worker, in one of them: the next time each is alone, so that it is known which."""
        self._alone.update(units)
        self.gives_back(units)

    def has_failed(self, unit, why, node):
        """A unit that a worker on a node ended in or could not run. Gives whether it is given up."""
        self._in_hand -= 1
        if not self.blame.failed(unit, node, why):
            self._failing.append(unit)
            return False
        self.left -= 1
        self._rest[unit % len(self.agents)] -= self._cost(unit)
        self.failed[unit] = why
        self._given_up += 1
        return True

    def acquit(self, node):
        """What failed on a node that is left out is as any other unit, unless it failed elsewhere too."""
        self.blame.acquit(node)
        self._again.extend(unit for unit in self._failing if not self.blame.has_failed(unit))
        self._failing = deque(unit for unit in self._failing if self.blame.has_failed(unit))

    def seconds_left(self, workers):
        """An estimate of the time that so many workers need for the rest.

        None before all agents have shown what they take, for one may take a thousand times as long as another.
        """
        if any(rest and not spent[0] for rest, spent in zip(self._rest, self._spent)):
            return None
        return sum(rest * self._rate(agent) for agent, rest in enumerate(self._rest)) / max(workers, 1)
