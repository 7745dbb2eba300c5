"""With the real command, which JOINTLY_BIN names."""

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agents import DrawnSoftmax

import jointly_eval as je

pytestmark = pytest.mark.usefixtures("real")
ROOT = Path(__file__).parents[3]
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
        je.score(np.full((1, 50, 2), 0.5), np.zeros(49, int))
    with pytest.raises(ValueError, match="tau=60"):
        je.score(np.full((1, 50, 2), 0.5), np.zeros(50, int), tau=60)
    for labels in (np.zeros(50), np.zeros(50).astype(str)):
        with pytest.raises(ValueError, match="give the numbers of the classes as integers"):
            je.score(np.full((1, 50, 2), 0.5), labels)


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


def test_a_setting_of_an_object_is_passed_on(tmp_path: Path) -> None:
    agents: list[Any] = [DrawnSoftmax().with_settings(scale=0.0), "uniform"]
    results = je.run(agents, problems=PROBLEMS, out=tmp_path / "run")
    values = [row.scores["kl_tau100"].value for row in results.rows]
    assert values[0] == pytest.approx(values[1], abs=1e-4)


def test_images_of_bundled_agents_score_the_same_to_the_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "src"))
    for name in ("uniform", "class-average"):
        image = ROOT / f"examples/python/{name.replace('-', '_')}.py"
        results = je.run([name, str(image)], problems="quick/t10/*/*", out=tmp_path / name)
        scores = [
            {key: score for key, score in row.scores.items() if key != "fuel"}
            for row in sorted(results.rows, key=lambda row: row.tier)
        ]
        assert len(scores) == 2
        assert scores[0] == scores[1]


def test_logistic_regression_by_the_same_draws_scores_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "src"))
    image = ROOT / "examples/python/logistic_regression.py"
    # Of ten examples, a batch of 7 is drawn, and one of 100 is ten whole passes.
    agents = [f"logistic-regression:batch-size={size}" for size in (7, 100)]
    images = [f"{image}:batch-size={size}" for size in (7, 100)]
    results = je.run([*agents, *images], problems="quick/t10/*/*", out=tmp_path / "run")
    scores = {row.agent.replace("-python", ""): {} for row in results.rows}
    for row in results.rows:
        scores[row.agent.replace("-python", "")][row.tier] = row.scores["kl_aggregate"].value
    assert len(scores) == 2
    for tiers in scores.values():
        assert tiers["reported"] == pytest.approx(tiers["replayed"], rel=1e-5)


def test_problems_are_predicted_offline(tmp_path: Path) -> None:
    names = []
    for problem in je.problems("quick", "quick/t10/temp0.1/*"):
        assert problem.x_train.shape == (10, 2)
        assert (problem.num_classes, problem.temperature) == (2, pytest.approx(0.1))
        shares = np.bincount(problem.y_train, minlength=2) / len(problem.y_train)
        with pytest.raises(ValueError, match=r"probs has the shape \(2,\); expected \(draws, \d+, 2\)"):
            problem.save(tmp_path / "shares", shares)
        clipped = shares.clip(0.01, 0.99)
        problem.save(tmp_path / "shares", np.broadcast_to(clipped, (1, len(problem.x_test), 2)))
        names.append(problem.name)
    assert names == [f"quick/t10/temp0.1/seed{seed}" for seed in range(3)]
    agents = [f"predictions:{tmp_path / 'shares'}", "class-average"]
    results = je.run(agents, problems="quick/t10/temp0.1/*", out=tmp_path / "run")
    scores = {row.agent: row.scores["kl_tau100"].value for row in results.rows}
    assert scores["shares"] == pytest.approx(scores["class-average"], rel=1e-5)


def test_a_problem_of_ones_own_needs_no_suite(tmp_path: Path) -> None:
    x, y = np.zeros((4, 2), np.float32), np.array([0, 1, 0, 1])
    np.savez(tmp_path / "mine.npz", x_train=x, y_train=y, x_test=x[None], y_test=y[None])
    results = je.run("class-average", problem=tmp_path / "mine.npz", out=tmp_path / "run")
    assert [row.agent for row in results.rows] == ["class-average"]


def test_problems_of_no_suite_are_refused() -> None:
    with pytest.raises(je.JointlyError, match="quack"):
        next(je.problems("quack"))


def test_a_row_that_is_no_distribution_is_raised(tmp_path: Path) -> None:
    class Scaled(DrawnSoftmax):
        def sample_probs(self, inputs: Any, draws: je.Draws) -> Any:
            return 0.4 * np.asarray(super().sample_probs(inputs, draws))

    with pytest.raises(je.AgentError, match=r"scaled on quick/t10.* probabilities that sum to 0\."):
        je.run(Scaled(), problems=PROBLEMS)
    results = je.run(Scaled(), problems=PROBLEMS, stop_on_error=False)
    assert [failure["kind"] for failure in results.failures] == ["invalid-output"]
    assert "scaled failed on 1 of 1 problem" in repr(results)


def test_what_cannot_be_run_is_said_before_anything_runs() -> None:
    with pytest.raises(ValueError, match="there is no agent"):
        je.run([])
    with pytest.raises(ValueError, match="two agents are called drawn-softmax"):
        je.run([DrawnSoftmax(), DrawnSoftmax()])
    with pytest.raises(je.JointlyError, match="numbers does not support classification"):
        je.run(Numbers())
    with pytest.raises(je.JointlyError, match="mpl"):
        je.check("mpl")
    with pytest.raises(je.JointlyError, match="-1"):
        je.run("uniform", problems=PROBLEMS, seed=-1)


class Numbers(je.Regressor):
    """One function, zero."""

    def train(self, task: je.RegressionTask, data: je.Targets, seed: int) -> None:
        pass

    def sample_functions(self, inputs: Any, draws: je.Draws) -> Any:
        return np.zeros((len(draws), len(inputs))), np.ones((len(draws), len(inputs)))


def test_an_exception_in_the_middle_stops_the_command(tmp_path: Path) -> None:
    class Breaks(DrawnSoftmax):
        def sample_probs(self, inputs: Any, draws: je.Draws) -> Any:
            raise ZeroDivisionError("in the second method")

    with pytest.raises(je.AgentError, match="ZeroDivisionError: in the second method") as caught:
        je.run(Breaks(), problems="quick/t10/*/*", out=tmp_path / "run")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    results = je.run(Breaks(), problems=PROBLEMS, out=tmp_path / "other", stop_on_error=False)
    assert [failure["kind"] for failure in results.failures] == ["agent-failure"]
    assert results.rows[0].rank is None


def test_the_first_lines_of_the_readme_rank_a_forest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    (code,) = re.findall(r"```python\n(import.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    exec(code, {})
    printed = capsys.readouterr().out
    assert re.search(r"^\d +randomforestclassifier:floor=0.01 +reported +0\.", printed, re.MULTILINE), printed


@pytest.mark.parametrize(("name", "package"), [("Bootstrap", "sklearn"), ("Ensemble", "torch")])
def test_the_agents_of_the_readme_are_checked_and_run(tmp_path: Path, name: str, package: str) -> None:
    pytest.importorskip(package)
    blocks = re.findall(r"```python\n(import.*?)```", (ROOT / "runtime/python/README.md").read_text(), re.DOTALL)
    (code,) = [block for block in blocks if f"class {name}(" in block]
    # A class needs a file, where its source is looked for.
    path = tmp_path / "agent.py"
    path.write_text(code)
    names: dict[str, Any] = {"__name__": "agent", "je": je}
    exec(compile(code, os.fspath(path), "exec"), names)
    report = je.check(names[name]())
    assert report, repr(report)
    results = je.run([names[name](), "uniform"], problems="quick/t100/temp0.01/seed0", out=tmp_path / "run")
    assert [row.agent for row in results.rows] == [name.lower(), "uniform"]
