"""Reading a run's directory, and showing it."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

import jointly_eval as je

PLAN = {
    "agents": [
        {"agent": "mlp", "label": "mlp", "digest": "sha256:aa", "settings": {}},
        {
            "agent": "mine",
            "label": "mine:size=3",
            "digest": "sha256:bb",
            "settings": {"size": "3"},
            "reported": "exec:x",
        },
        {"agent": "mine", "label": "mine", "digest": "sha256:bb", "settings": {}, "reported": "exec:x"},
    ]
}
FAILURE = {"problem": "p/0", "phase": "train", "kind": "agent-failure", "message": "needs <images>"}


def entry(agent: str, digest: str, settings: dict[str, str], value: Any, **more: Any) -> dict[str, Any]:
    score = {"mean": value, "stderr": 0.0123, "problems": 1, "non_finite": 0}
    problems = [{"problem": "p/0", "kl_tau1": {"mean": value, "stderr": 0.5}, "ece": 0.25, "absences": {"x": "why"}}]
    one = {"agent": agent, "digest": digest, "settings": settings, "failures": [], "problems": problems}
    return {**one, "scores": {"kl_tau1": score, "fuel": {"mean": 7.0, "stderr": 0.0}}, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    agents = [
        entry("mine", "sha256:bb", {}, 0.0, tier="reported", scores={}, problems=[], failures=[FAILURE]),
        entry("mlp", "sha256:aa", {}, "inf"),
        entry("mine", "sha256:bb", {"size": "3"}, 0.123456, tier="reported"),
    ]
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    (tmp_path / "scores.json").write_text(json.dumps({"suite": "quick", "seed": 7, "agents": agents}))
    (tmp_path / "leaderboard.csv").write_text(
        "rank,agent,settings,digest,kl_tau1_mean\n"
        "1,mine,size=3,sha256:bb,0.123456\n2,mlp,,sha256:aa,inf\n,mine,,sha256:bb,\n"
    )
    return tmp_path


def test_rows_have_labels_tiers_and_failures(folder: Path) -> None:
    results = je.load(folder)
    assert [(row.rank, row.agent, row.tier, row.failures) for row in results.rows] == [
        (1, "mine:size=3", "reported", 0),
        (2, "mlp", "replayed", 0),
        (None, "mine", "reported", 1),
    ]
    assert results.failures == [{"agent": "mine", **FAILURE}]
    assert (results.suite, results.seed) == ("quick", 7)


def test_it_is_shown_as_text_and_as_html(folder: Path) -> None:
    results = je.load(folder)
    results.text = (
        "quick, 3 problems, seed 7; ranked by kl_aggregate\n  lower is better\n\n"
        "#  agent        tier           kl_tau1\n"
        "1  mine:size=3  reported  0.123 ±0.012\n"
        "2  mlp          replayed           inf\n\n"
        "mlp has <few> draws\n  raise --draws\nanother note"
    )
    assert repr(results) == results.text
    shown = results._repr_html_()
    assert shown.startswith("<p>quick, 3 problems, seed 7; ranked by kl_aggregate lower is better</p><table><thead>")
    assert "<td>0.123 ±0.012</td></tr><tr><td>2</td>" in shown
    assert shown.endswith("<p>mlp has &lt;few&gt; draws raise --draws<br>another note</p>")


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(je.JointlyError, match="there are no results in"):
        je.load(tmp_path / "nowhere")


@pytest.mark.parametrize("pandas", [True, False])
def test_tables_with_and_without_pandas(folder: Path, pandas: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if pandas:
        pytest.importorskip("pandas")
    else:
        monkeypatch.setitem(sys.modules, "pandas", None)
    results = je.load(folder)
    assert isinstance(results.scores, dict) != pandas
    scores = {name: list(results.scores[name]) for name in results.scores}
    assert scores["agent"] == ["mine:size=3"] * 2 + ["mlp"] * 2
    assert scores["problem"] == ["p/0"] * 4
    assert scores["score"] == ["kl_tau1", "ece"] * 2
    assert scores["value"] == [0.123456, 0.25, math.inf, 0.25]
    assert scores["standard_error"][0] == 0.5
    assert math.isnan(scores["standard_error"][1])
    board = results.leaderboard
    assert list(board["agent"]) == ["mine:size=3", "mlp", "mine"]
    assert list(board["kl_tau1"])[:2] == [0.123456, math.inf]
    assert list(board["fuel_standard_error"])[:1] == [0.0]
