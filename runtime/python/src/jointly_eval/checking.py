"""Checks that an agent keeps its contract, by the command `jointly check`."""

from dataclasses import dataclass
from typing import Any

from . import showing
from .command import flags, query, with_settings
from .failure import Failure
from .serving import Server, Source, maker

#: Exit codes of `jointly check`: all clauses hold; one is broken.
HOLDS, BROKEN = 0, 2


@dataclass(frozen=True)
class Clause:
    """One clause of the contract.

    `broken` says how it is broken; `difference`, by how much answers differ that agree within the tolerance and not to
    the bit.
    """

    name: str
    says: str
    kind: str
    ok: bool
    broken: str | None
    difference: float | None = None


@dataclass(frozen=True)
class Report:
    """The clauses of the contract. `assert je.check(agent)` is a test."""

    clauses: list[Clause]
    #: The last exception that the agent raised, other than failures that it declared.
    exception: BaseException | None = None

    @property
    def ok(self) -> bool:
        """Whether all clauses hold."""
        return all(clause.ok for clause in self.clauses)

    @property
    def broken(self) -> list[Clause]:
        """The clauses that do not hold."""
        return [clause for clause in self.clauses if not clause.ok]

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return showing.as_text(self._title(), *self._cells())

    def _repr_html_(self) -> str:
        return showing.as_html(self._title(), *self._cells())

    def _title(self) -> str:
        broken = len(self.broken)
        title = f"breaks {broken} of {len(self.clauses)} clauses" if broken else "all clauses hold"
        if self.exception is not None:
            title += f"; the agent raised {type(self.exception).__name__}: {self.exception}"
        return title

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        # A clause that is broken is what a reader looks for.
        ordered = sorted(self.clauses, key=lambda clause: clause.ok)
        rows = [["ok" if one.ok else "FAIL", one.name, one.broken or _holds(one)] for one in ordered]
        return ["", "clause", "what holds, or how it is broken"], rows


def _holds(clause: Clause) -> str:
    near = "" if clause.difference is None else f": within {clause.difference:.0e}, not to the bit"
    return clause.says + near


def check(agent: Source | str, *, request_timeout: int | None = None) -> Report:
    """Trains an agent several times on a small problem, and tests its contract clause by clause.

    A request may take `request_timeout` seconds, an hour unless given.
    """
    if isinstance(agent, str):
        return Report(_clauses(agent, request_timeout))
    raised: list[BaseException] = []
    requested = maker(agent)()._requested
    with Server(agent, raised.append) as server:
        clauses = _clauses(with_settings(f"socket:{server.path}", requested), request_timeout)
    bugs = [error for error in raised if not isinstance(error, Failure)]
    return Report(clauses, bugs[-1] if bugs else None)


def _clauses(agent: str, request_timeout: int | None) -> list[Clause]:
    asked = flags({"request_timeout": request_timeout})
    entries: list[dict[str, Any]] = query(["check", agent, "--json", *asked], (HOLDS, BROKEN))
    return [
        Clause(
            name=entry["clause"],
            says=entry["says"],
            kind=entry["interface"],
            ok=entry["ok"],
            broken=entry.get("broken"),
            difference=entry.get("difference"),
        )
        for entry in entries
    ]
