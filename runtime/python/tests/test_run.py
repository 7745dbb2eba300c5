"""Runs and checks of objects, with a stand-in for the command."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agents import Answering, DrawnSoftmax

import jointly_eval as je

pytestmark = pytest.mark.usefixtures("fake")


def test_objects_classes_and_settings_are_run(tmp_path: Path) -> None:
    class Renamed(DrawnSoftmax):
        name = "renamed"

    agents: list[Any] = [DrawnSoftmax(), DrawnSoftmax().with_settings(members=2, scale=0.0), Renamed]
    results = je.run(agents, suite="fake", out=tmp_path / "out", jobs=2, draws=100, no_clip=True, planes=None)
    assert results.directory == tmp_path / "out"
    names = ["drawn-softmax", "drawn-softmax:members=2,scale=0.0", "renamed"]
    assert [(row.rank, row.agent) for row in results.rows] == list(enumerate(names, 1))
    assert {row.tier for row in results.rows} == {"reported"}
    # With a scale of 0 each class has probability 1/3, in two draws of four rows.
    assert results.rows[1].scores["kl_tau1"].value == pytest.approx(8 / 3)
    assert results.notes == ["a note; options ['--draws', '--jobs', '--no-clip', '--out', '--suite']"]


def test_an_exception_stops_the_run_and_has_its_own_traceback() -> None:
    with pytest.raises(je.AgentError, match="answering raised RuntimeError: no memory") as caught:
        je.run(Answering(RuntimeError("no memory"), "train"), suite="fake")
    cause = caught.value.__cause__
    assert isinstance(cause, RuntimeError)
    frames = []
    frame: Any = cause.__traceback__
    while frame is not None:
        frames.append(Path(frame.tb_frame.f_code.co_filename).name)
        frame = frame.tb_next
    assert frames[-1] == "agents.py"


def test_an_agent_without_its_methods_is_refused_before_anything_runs() -> None:
    def fails(**methods: Any) -> str:
        agent = type("Odd", (je.Classifier,), methods)
        with pytest.raises(je.AgentError) as caught:
            je.run(agent, suite="fake")
        with pytest.raises(je.JointlyError):
            je.check(agent)
        return str(caught.value)

    train, sample = DrawnSoftmax.train, DrawnSoftmax.sample_probs
    assert fails(fit=train) == "Odd is no agent: TypeError: Odd has no method train(self, task, data, seed)"
    assert "no method sample_probs(self, inputs, draws)" in fails(train=train)
    wrong = fails(train=lambda self, data, seed: None, sample_probs=sample)
    assert "Odd.train takes other parameters than train(self, task, data, seed)" in wrong
    near = fails(train=train, sample_probs=sample, canonical_draw=lambda self, draw: draw)
    assert "has a method canonical_draw, which nothing calls: name it canonical_draws" in near


def test_declared_failures_and_unstopped_exceptions_are_results() -> None:
    for error, stop in ((je.Unsupported("needs images"), True), (RuntimeError("no memory"), False)):
        results = je.run([Answering(error, "train")], suite="fake", stop_on_error=stop)
        assert [failure["problem"] for failure in results.failures] == ["fake/0", "fake/1"]
        assert str(error) in results.failures[0]["message"]
        assert results.rows[0].rank is None


def test_what_the_command_refuses_is_raised_in_its_words() -> None:
    with pytest.raises(je.JointlyError, match=r"^there is no suite nowhere"):
        je.run(DrawnSoftmax(), suite="nowhere")
    with pytest.raises(TypeError, match="expected an agent, not int"):
        je.run([3], suite="fake")  # type: ignore[list-item]


def test_a_check_is_a_report() -> None:
    report = je.check(DrawnSoftmax())
    assert report
    assert [clause.name for clause in report.clauses] == ["training", "draws"]
    assert repr(report).startswith("all clauses hold\n")
    broken = je.check(Answering(np.ones((2, 4, 2))))
    assert not broken
    assert [clause.name for clause in broken.broken] == ["draws"]
    assert isinstance(broken.exception, ValueError)
    assert "FAIL  draws" in repr(broken)
    assert "<td>FAIL</td>" in broken._repr_html_()


def test_the_command_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert je.check(DrawnSoftmax())
    monkeypatch.setenv("JOINTLY_BIN", str(tmp_path / "absent"))
    with pytest.raises(je.JointlyError, match="absent, which is no program"):
        je.check(DrawnSoftmax())
    monkeypatch.delenv("JOINTLY_BIN")
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + "/bin")
    # The stand-in lies in this folder, now on the PATH.
    assert je.check(DrawnSoftmax())
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(je.JointlyError, match="pip install runtime/python"):
        je.check(DrawnSoftmax())
