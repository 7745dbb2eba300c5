"""With the real command, which JOINTLY_BIN names."""

from pathlib import Path

import numpy as np
import pytest
from agents import DrawnSoftmax

import jointly_eval as je

pytestmark = pytest.mark.usefixtures("real")
PROBLEMS = "quick/t10/temp0.1/seed0"


def test_suites_have_problems() -> None:
    suites = {suite.name: suite for suite in je.suites()}
    assert PROBLEMS in suites["quick"].problems


def test_scores_of_one_coin_by_hand() -> None:
    probs = np.full((1, 50, 2), 0.5)
    labels = np.arange(50) % 2
    scores = je.score(probs, labels, planes=1)
    assert scores["nll_tau1"]["mean"] == pytest.approx(np.log(2))
    assert scores["accuracy"]["mean"] == pytest.approx(0.5)
    # Five tosses of a fair coin together.
    assert je.score(probs, labels, tau=5)["nll_tau5"]["mean"] == pytest.approx(5 * np.log(2))


def test_what_score_cannot_read_is_refused() -> None:
    with pytest.raises(ValueError, match=r"probs has the shape \(1, 50, 2\) and labels \(49,\)"):
        je.score(np.full((1, 50, 2), 0.5), np.zeros(49))
    with pytest.raises(ValueError, match="tau=60"):
        je.score(np.full((1, 50, 2), 0.5), np.zeros(50), tau=60)


def test_bundled_agents_are_replayed(tmp_path: Path) -> None:
    results = je.run(["mlp", "uniform"], problems=PROBLEMS, out=tmp_path / "run")
    assert [(row.agent, row.tier) for row in results.rows] == [("mlp", "replayed"), ("uniform", "replayed")]
    assert results.rows[0].scores["kl_tau1"].value < results.rows[1].scores["kl_tau1"].value


def test_an_object_is_ranked_beside_a_bundled_agent(tmp_path: Path) -> None:
    results = je.run([DrawnSoftmax(), "uniform"], problems=PROBLEMS, out=tmp_path / "run")
    assert not results.failures
    assert {row.agent: row.tier for row in results.rows} == {"drawn-softmax": "reported", "uniform": "replayed"}


def test_an_object_keeps_its_contract() -> None:
    report = je.check(DrawnSoftmax())
    assert report, repr(report)
