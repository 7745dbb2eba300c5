"""Decides whether a unit that could not be run failed through its own fault or through the fault of a node."""

from collections.abc import Set

#: Failed tries after which a unit is given up.
TRIES = 3
#: Units in a row that fail on a node but have results elsewhere, after which the node is no longer used.
IN_A_ROW = 3


class Blame:
    """Records which units failed on which nodes.

    Only a result elsewhere shows that the node was at fault, so a unit that fails everywhere condemns no node. Units
    that were in hand at the same time count once: a failure counts only if its unit was handed out after the previous
    failure that counts was reported.
    """

    def __init__(self) -> None:
        self._failed_on: dict[int, list[str]] = {}
        #: For each node, the units that count against it, and whether each has a result elsewhere.
        self._against: dict[str, dict[int, bool]] = {}
        self._why: dict[str, str] = {}
        #: Nodes whose most recent counted outcome was a result.
        self._working: set[str] = set()
        #: For each node, how many failures have counted against it; for each unit in hand, its node and that number
        #: when it was handed out.
        self._heard: dict[str, int] = {}
        self._handed: dict[int, tuple[str, int]] = {}
        #: For each node that is being tested, the unit that tests it.
        self._probes: dict[str, int] = {}
        #: Nodes that must no longer be used, and why.
        self.condemned: dict[str, str] = {}

    def hands_out(self, unit: int, node: str, probe: bool) -> None:
        """Notes that a unit goes to a node; `probe` says whether it tests the node."""
        self._handed[unit] = node, self._heard.get(node, 0)
        if probe:
            self._probes[node] = unit

    def returned(self, unit: int) -> tuple[str | None, int]:
        """Notes that a unit is no longer in hand. Returns its node, and the node's failures when it was handed out."""
        if unit not in self._handed:
            return None, 0
        node, heard = self._handed.pop(unit)
        if self._probes.get(node) == unit:
            del self._probes[node]
        return node, heard

    def failed(self, unit: int, node: str, why: str) -> bool:
        """Notes that a unit could not be run. Returns whether it has been tried often enough."""
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

    def worked(self, unit: int, node: str) -> None:
        """Notes that a unit has a result."""
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

    def has_failed(self, unit: int) -> bool:
        """Returns whether a unit has failed and has no result."""
        return unit in self._failed_on

    def trusts(self, node: str) -> bool:
        """Returns whether the most recent counted outcome of a node was a result."""
        return node in self._working

    def accuses(self, node: str) -> bool:
        """Returns whether units failed on a node and none has had a result there since."""
        return bool(self._against.get(node))

    def suspects(self, node: str, nodes: Set[str]) -> bool:
        """Returns whether a node may be at fault for failed units, which cannot be told unless another node works."""
        return self.accuses(node) and not self._working.isdisjoint(nodes - {node})

    def is_probed(self, node: str) -> bool:
        """Returns whether a unit that tests a node is being run."""
        return node in self._probes

    def has_had_enough(self, node: str) -> bool:
        """Returns whether enough units failed on a node for their outcomes elsewhere to decide whether it works."""
        return len(self._against.get(node, ())) >= IN_A_ROW

    def may_try(self, unit: int, node: str, nodes: Set[str], idle: bool) -> bool:
        """Returns whether a node may try a unit that failed.

        While `nodes` has one where the unit has not failed, only such a node may try it: one that works before one of
        which nothing is known, and that before one on which others failed. An idle node need not wait for a better one,
        unless it would take the last try; it may also try again if it works.
        """
        tried = self._failed_on.get(unit, ())
        others = nodes - set(tried)
        if not others:
            return True
        if idle and len(tried) < TRIES - 1:
            return node in others or self.trusts(node)
        return node in (others & self._working or {other for other in others if not self.accuses(other)} or others)

    def forget(self, node: str) -> None:
        """Clears the record of a node, which works or is gone."""
        self._against.pop(node, None)
        self._working.discard(node)
        self.condemned.pop(node, None)

    def acquit(self, node: str) -> None:
        """Clears the units that failed on a node, which is left out."""
        self.forget(node)
        self._failed_on = {
            unit: rest
            for unit, tried in self._failed_on.items()
            if (rest := [place for place in tried if place != node])
        }
