"""Which units are still to be run, in what portions they are handed out, and which of them nobody can run."""

import math
from collections import deque

#: What a portion should take, in seconds: far above what handing it out costs, far below what a person waits.
PORTION_SECONDS = 0.5
#: Units of a portion at most: what is lost with a worker is run again.
MOST = 256
#: A unit in which a worker has died so often is not asked for again.
DEATHS = 3


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
        self._done = bytearray(self.total)
        for agent, problem in done:
            if agent in places[0] and problem in places[1]:
                self._done[places[1][problem] * len(agents) + places[0][agent]] = 1
        #: Results there are.
        self.finished = sum(self._done)
        #: Units that have neither a result nor been given up.
        self.left = self.total - self.finished
        #: Why units were given up.
        self.failed = {}
        self._next = 0
        self._again = deque()
        self._alone = set()
        self._deaths = {}
        self._in_hand = 0
        self._most = 1
        #: Of each agent, and of all: the expected cost of its finished units, and the seconds that they took.
        self._spent = [[0, 0.0] for _ in agents]
        self._spent_by_all = [0, 0.0]
        #: The expected cost of what each agent has still to do.
        self._rest = [sum(self._expected)] * len(agents)
        for unit, done in enumerate(self._done):
            self._rest[unit % len(agents)] -= done * self._cost(unit)

    def name(self, unit):
        """The agent's label and the problem's name."""
        return self.agents[unit % len(self.agents)], self.problems[unit // len(self.agents)]

    def portion(self, workers):
        """The next units for one of so many workers: few where they take long or where little is left."""
        waiting = self.left - self._in_hand
        most = min(self._most, MOST, math.ceil(waiting / (2 * max(workers, 1))))
        portion, seconds = [], 0.0
        while waiting > len(portion) < max(most, 1) and seconds < PORTION_SECONDS:
            unit = self._take(alone=not portion)
            if unit is None:
                break
            portion.append(unit)
            if unit in self._alone:
                break
            seconds += self.expected(unit)
        self._in_hand += len(portion)
        return portion

    def _take(self, alone):
        """The next unit, one that must be alone only if that is what it will be."""
        if self._again:
            return self._again.popleft() if alone or self._again[0] not in self._alone else None
        while self._done[self._next]:
            self._next += 1
        self._next += 1
        return self._next - 1

    def expected(self, unit):
        """What a unit is likely to take, in seconds."""
        return self._cost(unit) * self._rate(unit % len(self.agents))

    def _cost(self, unit):
        return self._expected[unit // len(self.agents)]

    def _rate(self, agent):
        """The seconds that a unit takes for its expected cost, by those of the same agent, else by all."""
        cost, seconds = self._spent[agent] if self._spent[agent][0] else self._spent_by_all
        return seconds / cost if cost else 0.0

    def has_finished(self, unit, seconds):
        """Notes a result."""
        self._in_hand -= 1
        self.left -= 1
        self.finished += 1
        self._done[unit] = 1
        self._rest[unit % len(self.agents)] -= self._cost(unit)
        for spent in (self._spent[unit % len(self.agents)], self._spent_by_all):
            spent[0] += self._cost(unit)
            spent[1] += seconds

    def came_back(self, seconds):
        """Lets portions grow while they come back soon."""
        if seconds < PORTION_SECONDS:
            self._most = min(2 * self._most, MOST)

    def gives_back(self, units):
        """Units that nobody has begun."""
        self._in_hand -= len(units)
        self._again.extendleft(reversed(units))

    def were_lost(self, units):
        """Units that went with their worker, in one of them: the next time each is alone, so that it is known which."""
        self._alone.update(units)
        self.gives_back(units)

    def has_killed(self, unit, why):
        """A unit in which a worker ended. Gives whether it is given up."""
        self._in_hand -= 1
        deaths = self._deaths[unit] = self._deaths.get(unit, 0) + 1
        if deaths < DEATHS:
            self._alone.add(unit)
            self._again.append(unit)
            return False
        self.left -= 1
        self._rest[unit % len(self.agents)] -= self._cost(unit)
        self.failed[unit] = why
        return True

    def seconds_left(self, workers):
        """An estimate of the time that so many workers need for the rest; none where nothing is known yet."""
        if not self._spent_by_all[0]:
            return None
        return sum(rest * self._rate(agent) for agent, rest in enumerate(self._rest)) / max(workers, 1)
