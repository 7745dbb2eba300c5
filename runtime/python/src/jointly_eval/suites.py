"""Lists the bundled suites, by the command `jointly suites`."""

from dataclasses import dataclass, field

from .command import query


@dataclass(frozen=True)
class Suite:
    """A list of problems that agents are scored on."""

    name: str
    summary: str
    cost: str
    problems: tuple[str, ...] = field(repr=False)


def suites() -> list[Suite]:
    """Returns the suites that `je.run` knows."""
    entries = query(["suites", "--json"])
    return [Suite(one["name"], one["summary"], one["cost"], tuple(one["problems"])) for one in entries]
