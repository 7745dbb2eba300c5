"""Reads the results of a run."""

import csv
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from . import showing
from .command import say
from .failure import JointlyError

#: Fields of a problem's results that are no scores.
_NO_SCORES = {"problem", "conditions", "absences", "diagnosis"}


@dataclass(frozen=True)
class Score:
    """A mean over problems with its standard error, or a value on one problem."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class Row:
    """One agent of a leaderboard. An agent that failed has no rank."""

    rank: int | None
    agent: str
    #: `replayed` for an agent in the sandbox, `reported` for one outside.
    tier: str
    problems: int
    failures: int
    scores: Mapping[str, Score]


@dataclass(eq=False)
class Results:
    """The results of a run."""

    directory: Path
    suite: str
    seed: int | str
    #: The leaderboard's rows, best first.
    rows: list[Row]
    #: For each failure: agent, problem, phase, kind and message.
    failures: list[dict[str, str]]
    #: What the command said beside progress.
    notes: list[str] = field(default_factory=list)
    _columns: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    @property
    def leaderboard(self) -> Any:
        """The leaderboard as a pandas.DataFrame, or as a dict of columns without pandas."""
        columns: dict[str, list[Any]] = {
            name: [getattr(row, name) for row in self.rows]
            for name in ("rank", "agent", "tier", "problems", "failures")
        }
        for score in self.score_names:
            columns[score] = [_value(row.scores.get(score), "value") for row in self.rows]
            columns[f"{score}_standard_error"] = [_value(row.scores.get(score), "standard_error") for row in self.rows]
        return showing.table(columns)

    @property
    def scores(self) -> Any:
        """A row for each agent, problem and score: a pandas.DataFrame, or a dict of columns without pandas.

        The columns are agent, problem, score, value and standard_error; the last is NaN where there is none.
        """
        return showing.table(self._columns)

    @property
    def score_names(self) -> list[str]:
        """The names of all scores, in the leaderboard's order."""
        return list(dict.fromkeys(score for row in self.rows for score in row.scores))

    @cached_property
    def text(self) -> str:
        """The leaderboard as `jointly report` prints it: what ranks, paired differences, and notes of doubts."""
        return say(["report", os.fspath(self.directory)]).decode(errors="replace").strip()

    def __repr__(self) -> str:
        try:
            return self.text
        except JointlyError as error:
            return f"<results of {self.suite}, seed {self.seed}, which cannot be shown: {error}>"

    def _repr_html_(self) -> str:
        return showing.text_as_html(repr(self))


def load(directory: str | os.PathLike[str]) -> Results:
    """Reads the results from the directory that `jointly run` wrote."""
    folder = Path(directory)
    if not (folder / "scores.json").is_file():
        raise JointlyError(f"there are no results in {folder}: give the folder that `jointly run` wrote, after its end")
    plan = json.loads((folder / "plan.json").read_text())
    scores = json.loads((folder / "scores.json").read_text())
    labels = {_key(agent): agent["label"] for agent in plan["agents"]}
    ranks = _ranks(folder / "leaderboard.csv")
    columns: dict[str, list[Any]] = {name: [] for name in ("agent", "problem", "score", "value", "standard_error")}
    rows: list[Row] = []
    failures: list[dict[str, str]] = []
    # The scores are in the plan's order.
    for agent in sorted(scores["agents"], key=lambda agent: list(ranks).index(_key(agent))):
        label = labels.get(_key(agent), agent["agent"])
        for problem in agent["problems"]:
            for name, entry in problem.items():
                if name not in _NO_SCORES:
                    value = _score(entry)
                    cells = (label, problem["problem"], name, value.value, value.standard_error)
                    for column, cell in zip(columns.values(), cells, strict=True):
                        column.append(cell)
        failures += [{"agent": label, **failure} for failure in agent["failures"]]
        rows.append(
            Row(
                rank=ranks[_key(agent)],
                agent=label,
                tier=agent.get("tier", "replayed"),
                problems=len(agent["problems"]),
                failures=len(agent["failures"]),
                scores={name: _score(entry) for name, entry in agent["scores"].items()},
            )
        )
    return Results(folder, scores["suite"], scores["seed"], rows, failures, _columns=columns)


def _key(agent: Mapping[str, Any]) -> str:
    """Identifies an agent of a run, in the plan, in the scores and in the leaderboard."""
    settings = agent.get("settings") or {}
    if not isinstance(settings, str):
        settings = ",".join(f"{name}={settings[name]}" for name in sorted(settings))
    return json.dumps([agent["agent"], agent["digest"], settings])


def _ranks(path: Path) -> dict[str, int | None]:
    """Reads the ranks of agents, best first. Agents with the same score share one."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    ranks: dict[str, int | None] = {}
    for line in lines:
        ranks[_key(line)] = int(line["rank"]) if line["rank"] else None
    return ranks


def _score(entry: Any) -> Score:
    """Reads a value with or without a standard error; numbers that are not finite are texts."""
    if not isinstance(entry, Mapping):
        return Score(float(entry), float("nan"))
    return Score(float(entry["mean"]), float(entry.get("stderr", "nan")))


def _value(score: Score | None, name: str) -> float:
    return float("nan") if score is None else getattr(score, name)
