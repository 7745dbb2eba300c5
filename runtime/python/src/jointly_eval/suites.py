"""Lists the bundled suites, by the command `jointly suites`."""

from dataclasses import dataclass, field

from .command import query


@dataclass(frozen=True)
class Suite:
    """A list of problems that agents are scored on."""

    name: str
    summary: str
    cost: str
    #: What its problems are of: classification, regression, shift or decisions.
    kind: str
    #: Tables of real data that some of its problems need; `jointly data` says how to get them.
    tables: tuple[str, ...]
    problems: tuple[str, ...] = field(repr=False)


def suites() -> list[Suite]:
    """Returns the suites that `je.run` knows."""
    entries = query(["suites", "--json"])
    return [
        Suite(
            name=one["name"],
            summary=one["summary"],
            cost=one["cost"],
            kind=next((kind for kind in ("regression", "shift", "decisions") if kind in one), "classification"),
            tables=tuple(one.get("tables", ())),
            problems=tuple(one["problems"]),
        )
        for one in entries
    ]
