"""Whose matter it is that a unit could not be run: its own, or that of the node that tried it."""

#: A unit that so many workers could not run is not asked for again.
TRIES = 3
#: A node on which so many units in a row were not run, and were elsewhere, is not used any more.
IN_A_ROW = 3


class Blame:
    """What failed where.

    Only a result elsewhere shows that it was the node, so that a unit that fails everywhere condemns none. Nor do units that
    failed at the same time: what counts against a node was handed out after all that counts already was heard.
    """

    def __init__(self):
        self._failed_on = {}
        #: Of nodes: the units that count against them, and whether each had a result elsewhere.
        self._against = {}
        self._why = {}
        #: Nodes of which the last that is known is that they work.
        self._working = set()
        #: How often something counted against a node, and how often it had when a unit that is in hand was handed out.
        self._heard = {}
        self._handed = {}
        #: The unit by which it is being seen whether a node fails.
        self._probes = {}
        #: Nodes that are not to be used any more, and why.
        self.condemned = {}

    def hands_out(self, unit, node, probe):
        """A unit goes to a node, to see whether that works or as any other."""
        self._handed[unit] = node, self._heard.get(node, 0)
        if probe:
            self._probes[node] = unit

    def returned(self, unit):
        """A unit is in nobody's hands. Gives where it was, and how often something had counted against that."""
        node, heard = self._handed.pop(unit, (None, 0))
        if self._probes.get(node) == unit:
            del self._probes[node]
        return node, heard

    def failed(self, unit, node, why):
        """A unit could not be run. Gives whether it has been tried often enough."""
        handed = self.returned(unit)
        tried = self._failed_on.setdefault(unit, [])
        tried.append(node)
        if len(tried) == 1 and handed == (node, self._heard.get(node, 0)):
            self._heard[node] = self._heard.get(node, 0) + 1
            self._against.setdefault(node, {})[unit] = False
            self._why[node] = why
            self._working.discard(node)
        if len(set(tried)) > 1 or len(tried) >= TRIES:
            for units in self._against.values():
                units.pop(unit, None)
        return len(tried) >= TRIES

    def worked(self, unit, node):
        """A unit has a result."""
        self.returned(unit)
        self.forget(node)
        self._working.add(node)
        for place in self._failed_on.pop(unit, ()):
            units = self._against.get(place, {})
            if unit in units:
                units[unit] = True
                if sum(units.values()) >= IN_A_ROW:
                    told = f"{IN_A_ROW} units in a row could not be run there, and were elsewhere"
                    self.condemned[place] = f"{told}; the last because: {self._why[place]}"

    def has_failed(self, unit):
        """Whether what is known of a unit is that it could not be run."""
        return unit in self._failed_on

    def trusts(self, node):
        """Whether the last that is known of a node is that it works."""
        return node in self._working

    def accuses(self, node):
        """Whether units failed on a node, and since then none had a result there."""
        return bool(self._against.get(node))

    def suspects(self, node, nodes):
        """Whether it may be a node's matter that units failed: where none of the others works either, there is nothing to tell."""
        return self.accuses(node) and not self._working.isdisjoint(nodes - {node})

    def is_probed(self, node):
        """Whether a unit is being run to see whether a node works."""
        return node in self._probes

    def has_had_enough(self, node):
        """Whether what becomes elsewhere of the units that failed on a node will tell whether it works."""
        return len(self._against.get(node, ())) >= IN_A_ROW

    def may_try(self, unit, node, nodes, idle):
        """Whether a unit that failed is for one of these nodes.

        It is for one where it did not, while there is such a one: for one that works before one of which nothing is known, and
        that before one on which others failed. An idle one need not wait for a better, as long as it does not take the last try.
        """
        tried = self._failed_on.get(unit, ())
        others = nodes.difference(tried)
        if not others:
            return True
        if idle and len(tried) < TRIES - 1:
            return node in others or self.trusts(node)
        return node in (others & self._working or {other for other in others if not self.accuses(other)} or others)

    def forget(self, node):
        """Nothing speaks against a node any more, be it that it works or that it is gone."""
        self._against.pop(node, None)
        self._working.discard(node)
        self.condemned.pop(node, None)

    def acquit(self, node):
        """A node is left out, and what failed there was not the units' matter."""
        self.forget(node)
        self._failed_on = {
            unit: rest
            for unit, tried in self._failed_on.items()
            if (rest := [place for place in tried if place != node])
        }
