"""Requests and replies, over a socket."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any

import numpy as np
import pytest
from agents import DrawnSoftmax, Line
from host import INPUTS, TARGETS, TASK, Host, connect

import jointly_eval as je
from jointly_eval import answers
from jointly_eval.message import Connection


@contextmanager
def served(agent: Any) -> Iterator[Host]:
    with je.Server(agent) as server:
        host, connection = connect(server.path)
        with connection:
            yield host


def test_the_description_has_the_settings_and_sweeps() -> None:
    with served(DrawnSoftmax) as host:
        description = host.describe()
    assert description["name"] == "drawn-softmax"
    assert description["summary"] == "Linear functions with weights that seed and draw decide."
    assert description["kinds"] == ["classification"]
    assert description["parameters"] == [
        {"name": "scale", "default": "1.0", "summary": "standard deviation of the weights"},
        {"name": "members", "default": "4", "summary": ""},
        {"name": "bias", "default": "true", "summary": ""},
        {"name": "prior-kind", "default": "normal", "summary": ""},
    ]
    assert description["sweeps"] == [{"name": "scale", "variants": [{"scale": "0.5"}, {"scale": "2.0"}]}]


def test_a_draw_is_the_same_function_in_all_calls() -> None:
    with served(DrawnSoftmax()) as host:
        assert host.train() == {"trained": True}
        _, together = host.probs([0, 1, 5])
        _, alone = host.probs([1], INPUTS[2:3])
        _, canonical = host.ask({"method": "canonical_draws"}, {"draws": np.array([0, 1, 5, 2**63], np.uint64)})
        assert host.ask({"method": "drop"})[0] == {"dropped": True}
        assert host.probs()[0]["failure"]["kind"] == "internal"
    probs = together["probs"]
    assert probs.shape == (3, 4, 3)
    assert probs.dtype == np.float32
    np.testing.assert_allclose(probs.sum(axis=-1), 1, atol=1e-6)
    np.testing.assert_array_equal(probs[1], probs[2])
    np.testing.assert_allclose(alone["probs"][0, 0], probs[1, 2], rtol=1e-6)
    assert canonical["draws"].tolist() == [0, 1, 1, 0]
    assert host.said == [{"log": "4 examples, labels [0, 2, 2, 1]"}, {"progress": 0.5}]


def test_no_rows_and_no_draws_ask_nothing_of_the_agent() -> None:
    with served(DrawnSoftmax()) as host:
        host.train()
        assert host.probs([0, 1], INPUTS[:0])[1]["probs"].shape == (2, 0, 3)
        assert host.probs([])[1]["probs"].shape == (0, 4, 3)


def test_regression() -> None:
    task = {"input_dim": 2, "noise_std": 0.5}
    with served(Line()) as host:
        arrays = {"train.inputs": INPUTS, "train.targets": TARGETS}
        assert host.train(kind="regression", task=task, arrays=arrays) == {"trained": True}
        _, functions = host.ask({"method": "sample_functions"}, {"inputs": INPUTS, "draws": np.arange(5, dtype="u8")})
        _, gaussian = host.ask({"method": "gaussian"}, {"inputs": INPUTS[:3]})
        _, intervals = host.ask({"method": "intervals", "level": 0.9}, {"inputs": INPUTS[:3]})
    assert functions["means"].shape == functions["noise_stds"].shape == (5, 4)
    assert len(np.unique(functions["means"])) == 5
    assert (functions["noise_stds"] == 0.5).all()
    np.testing.assert_allclose(gaussian["mean"], 2.5)
    np.testing.assert_allclose(gaussian["covariance"], np.full((3, 3), 0.0625))
    np.testing.assert_allclose(gaussian["noise_variance"], 0.25)
    np.testing.assert_allclose(intervals["prediction"], [[1.6] * 3, [3.4] * 3])
    assert set(intervals) == {"prediction"}


def test_a_regressor_without_moments_says_none() -> None:
    class Samples(Line):
        def gaussian(self, inputs: Any) -> Any:
            return None

        def intervals(self, inputs: Any, level: float) -> Any:
            return np.zeros((2, len(inputs))), np.ones((2, len(inputs)))

    with served(Samples()) as host:
        task = {"input_dim": 2, "noise_std": None}
        host.train(kind="regression", task=task, arrays={"train.inputs": INPUTS, "train.targets": TARGETS})
        assert host.ask({"method": "gaussian"}, {"inputs": INPUTS}) == ({"none": True}, {})
        _, intervals = host.ask({"method": "intervals", "level": 0.9}, {"inputs": INPUTS})
        assert intervals["confidence"].tolist() == [[1.0] * 4] * 2


def test_tokens_validation_and_unlabelled_inputs_arrive() -> None:
    seen: list[Any] = []

    class Reader(DrawnSoftmax):
        tokens = unlabelled = True

        def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
            seen.extend([task, data, seed])

        def sample_probs(self, inputs: je.Inputs, draws: je.Draws) -> Any:
            seen.append(inputs)
            return np.full((len(draws), len(inputs), 3), 1 / 3)

    tokens = np.arange(8, dtype=np.uint32).reshape(4, 2)
    nothing = np.empty((4, 0), np.float32)
    with served(Reader()) as host:
        description = host.describe()
        assert description["tokens"]
        assert description["unlabelled"]
        arrays = {
            f"{part}.{name}": array
            for part in ("train", "validation", "unlabelled")
            for name, array in (("inputs", nothing), ("tokens", tokens), ("labels", np.ones(4, np.uint32)))
            if (part, name) != ("unlabelled", "labels")
        }
        task = {**TASK, "input_dim": 0, "tokens": {"text": {"vocabulary": 9, "length": 2}}}
        assert host.train(task=task, arrays=arrays) == {"trained": True}
        draws = np.zeros(1, np.uint64)
        host.ask({"method": "sample_probs"}, {"inputs": nothing, "tokens": tokens, "draws": draws})
    task_seen, data, seed, inputs = seen
    assert task_seen == je.Task(0, 3, tokens=je.Text(9, 2), temperature=0.1, hidden_layers=2)
    assert seed == 11400714819323198485
    for one in (data.inputs, data.validation.inputs, data.unlabelled, inputs):
        assert one.numbers.shape == (4, 0)
        np.testing.assert_array_equal(one.tokens, tokens)
    np.testing.assert_array_equal(data.tokens, tokens)
    assert data.validation.labels.tolist() == [1, 1, 1, 1]


def test_categories_and_images_are_read() -> None:
    seen: list[je.Task] = []

    class Looker(DrawnSoftmax):
        def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
            seen.append(task)

    with served(Looker()) as host:
        host.train(task={**TASK, "tokens": {"categories": [3, 5]}, "temperature": None})
        host.train(task={**TASK, "image": {"height": 1, "width": 2, "channels": 1}})
    assert seen[0].tokens == je.Categories((3, 5))
    assert seen[0].temperature is None
    assert seen[1].image == je.Image(1, 2, 1)


def test_two_connections_have_models_of_their_own() -> None:
    with je.Server(DrawnSoftmax()) as server:
        (one, first), (two, second) = connect(server.path), connect(server.path)
        with first, second:
            one.train({"scale": "0.1"})
            two.train({"scale": "5"})
            probs = [host.probs()[1]["probs"] for host in (one, two, one)]
    np.testing.assert_array_equal(probs[0], probs[2])
    assert np.abs(probs[0] - probs[1]).max() > 0.1


def test_a_message_that_is_none_closes_the_connection(capfd: pytest.CaptureFixture[str]) -> None:
    with je.Server(DrawnSoftmax()) as server:
        host, connection = connect(server.path)
        with connection:
            host.outgoing.write(b"\x04\x00\x00\x00nope")
            host.outgoing.flush()
            assert host.incoming.read() == b""
    assert "the host sent a header that is no JSON" in capfd.readouterr().err


def test_an_answer_is_written_without_a_copy() -> None:
    answer = np.full((3, 4, 2), 0.5, np.float32)

    class Recorder(RawIOBase):
        written: list[Any] = []

        def write(self, data: Any, /) -> int:
            # A short write, as pipes make them.
            self.written.append(np.frombuffer(data, np.uint8)[:64])
            return min(len(data), 64)

    checked = answers.probs(answer, 3, 4, 2)
    Connection(BufferedReader(BytesIO()), Recorder()).send({}, {"probs": checked})
    body = [part for part in Recorder.written if np.shares_memory(part, answer)]
    assert b"".join(part.tobytes() for part in body) == answer.tobytes()
