"""Whose matter it is that a unit could not be run: its own, or that of the node that tried it."""

#: A unit that so many workers could not run is not asked for again.
TRIES = 3
#: A node on which so many units in a row were first not run, and none was, is not used any more.
IN_A_ROW = 3


class Blame:
    """What failed where.

    A unit's first failure speaks against the node as well, a later one against the unit alone: so a unit that fails everywhere
    condemns no node, and a node on which everything fails takes each unit once.
    """

    def __init__(self):
        self._failed_on = {}
        #: Of nodes of which something is known.
        self._in_a_row = {}
        #: Nodes that are not to be used any more, and why.
        self.condemned = {}

    def failed(self, unit, node, why):
        """A unit could not be run. Gives whether it has been tried often enough."""
        tried = self._failed_on.setdefault(unit, [])
        tried.append(node)
        if len(tried) == 1:
            row = self._in_a_row[node] = self._in_a_row.get(node, 0) + 1
            if row == IN_A_ROW:
                self.condemned[node] = f"{IN_A_ROW} units in a row could not be run there, the last because: {why}"
        return len(tried) >= TRIES

    def worked(self, node):
        """A unit has a result."""
        self._in_a_row[node] = 0

    def trusts(self, node):
        """Whether the last that is known of a node is that it works."""
        return self._in_a_row.get(node) == 0

    def suspects(self, node):
        """Whether the last that is known of a node is that it does not."""
        return self._in_a_row.get(node, 0) > 0

    def may_try(self, unit, node, nodes):
        """Whether a unit that failed is for one of these nodes.

        It is not for one where it did, while there is another, and for one that works, if one of the others does.
        """
        others = nodes.difference(self._failed_on.get(unit, ()))
        return not others or node in (set(filter(self.trusts, others)) or others)

    def forget(self, node):
        """A node is left out, and what failed there was not the units' matter."""
        self._in_a_row.pop(node, None)
        self._failed_on = {
            unit: rest
            for unit, tried in self._failed_on.items()
            if (rest := [place for place in tried if place != node])
        }
