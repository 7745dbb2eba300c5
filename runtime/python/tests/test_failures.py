"""What the host is told of what goes wrong in an agent."""

import re
from typing import Any

import numpy as np
import pytest
from agents import Answering, Line
from host import INPUTS, TARGETS
from test_protocol import served

import jointly_eval as je


def failure_of(answer: Any, at: str = "sample_probs") -> dict[str, str]:
    with served(Answering(answer, at)) as host:
        if at == "train":
            reply = host.train()
        else:
            host.train()
            draws = np.array([0, 1], np.uint64)
            reply = host.probs()[0] if at == "sample_probs" else host.ask({"method": at}, {"draws": draws})[0]
        failure: dict[str, str] = reply["failure"]
        # The connection is used further.
        assert host.describe()["name"] == "answering"
    return failure


@pytest.mark.parametrize(
    ("error", "kind"),
    [(je.Unsupported, "unsupported"), (je.Diverged, "diverged"), (je.InvalidSetting, "invalid-setting")],
)
def test_declared_failures_have_their_kind(error: type[je.Failure], kind: str) -> None:
    assert failure_of(error("needs images"), "train") == {"kind": kind, "message": "needs images"}


def test_an_exception_is_internal_and_has_a_traceback() -> None:
    failure = failure_of(TypeError("no such layer"), "train")
    assert failure["kind"] == "internal"
    assert re.fullmatch(r"TypeError: no such layer \(agents.py, line \d+\)", failure["message"])
    assert "agents.py" in failure["traceback"]
    assert failure_of(SystemExit(3), "train")["message"].startswith("SystemExit: 3 (agents.py")


GOOD = np.full((2, 4, 3), 1 / 3)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (GOOD[0], "shape (4, 3); expected (draws, rows, classes) = (2, 4, 3)"),
        (None, "sample_probs returned None; expected an array of numbers"),
        ([["a"]], "an array of <U1; expected numbers"),
        ([[1.0], [1.0, 2.0]], "cannot convert to an array"),
        (GOOD.astype(complex), "an array of complex128; expected numbers"),
    ],
)
def test_wrong_probabilities_are_named(answer: Any, message: str) -> None:
    failure = failure_of(answer)
    assert failure["kind"] == "invalid-output"
    assert message in failure["message"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [([0.5, 1.0], "expected whole numbers"), ([0], "(draws,) = (2,)"), ([-1, 0], "a negative number")],
)
def test_wrong_canonical_draws_are_named(answer: Any, message: str) -> None:
    assert message in failure_of(answer, "canonical_draws")["message"]


def test_a_tensor_is_detached_and_moved() -> None:
    class Tensor:
        def detach(self) -> "Tensor":
            return self

        def cpu(self) -> Any:
            return GOOD

        def __array__(self, *_: Any) -> Any:
            raise TypeError("it has a gradient")

    with served(Answering(Tensor())) as host:
        host.train()
        np.testing.assert_allclose(host.probs()[1]["probs"], GOOD)


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("sample_functions", np.zeros((2, 4)), "returned ndarray; expected (means, noise_stds)"),
        ("sample_functions", (np.zeros((2, 3)), np.ones((2, 4))), "means returned an array of shape (2, 3)"),
        ("gaussian", (np.zeros(4), np.zeros(4), np.zeros(4)), "(rows, rows) = (4, 4)"),
        ("intervals", np.zeros((3, 4)), "(2, rows) = (2, 4)"),
    ],
)
def test_wrong_answers_of_regression_are_named(method: str, answer: Any, message: str) -> None:
    agent = type("Wrong", (Line,), {method: lambda self, *_: answer})
    with served(agent) as host:
        task = {"input_dim": 2, "noise_std": 0.5}
        host.train(kind="regression", task=task, arrays={"train.inputs": INPUTS, "train.targets": TARGETS})
        request = {"method": method, "level": 0.9}
        reply, _ = host.ask(request, {"inputs": INPUTS, "draws": np.arange(2, dtype=np.uint64)})
    assert message in reply["failure"]["message"]


def test_a_classifier_refuses_regression_and_unknown_methods() -> None:
    with served(Answering()) as host:
        task = {"input_dim": 2, "noise_std": 0.5}
        reply = host.train(kind="regression", task=task, arrays={"train.inputs": INPUTS, "train.targets": TARGETS})
        assert reply["failure"]["message"] == "Answering does not support regression"
        assert host.ask({"method": "guess"})[0]["failure"]["message"] == "unknown method guess"
