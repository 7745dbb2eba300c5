"""Answers the requests of one connection with an agent."""

import os
import sysconfig
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from . import answers, reading
from .agent import Agent, Classifier, Regressor
from .failure import Failure, InvalidOutput
from .message import Array, Connection, ConnectionClosed, Header, Message
from .methods import complete

#: Characters of a traceback that are sent.
TRACEBACK = 20_000

Reply = tuple[Header, dict[str, Array]]
#: Is told each exception that an agent raised.
Observer = Callable[[BaseException], None]


class Session:
    """One connection, with at most one trained agent."""

    def __init__(self, make: Callable[[], Agent], connection: Connection, observer: Observer | None = None) -> None:
        self._make = make
        self._connection = connection
        self._observer = observer
        self._model: Agent | None = None
        self._classes = 0
        #: Whether the training has no rows: the host tries settings so, and ignores all other failures.
        self._trial = False
        self._methods: dict[str, Callable[[Message], Reply]] = {
            "describe": self._describe,
            "train": self._train,
            "sample_probs": self._sample_probs,
            "canonical_draws": self._canonical_draws,
            "sample_functions": self._sample_functions,
            "gaussian": self._gaussian,
            "intervals": self._intervals,
            "drop": self._drop,
        }

    def run(self) -> None:
        """Answers until the connection is closed."""
        try:
            while True:
                self._answer(self._connection.receive())
        except ConnectionClosed:
            pass

    def _answer(self, request: Message) -> None:
        # An agent may call sys.exit, which must not look like a lost connection.
        try:
            method = self._methods.get(request.header.get("method", ""))
            if method is None:
                raise Failure(f"unknown method {request.header.get('method')}")
            header, arrays = method(request)
        except ConnectionClosed:
            raise
        except (Exception, SystemExit) as error:
            self._fail(error)
        else:
            self._connection.send(header, arrays)

    def _fail(self, error: BaseException) -> None:
        failure = {"kind": "internal", "message": f"{type(error).__name__}: {error}{_place(error)}"}
        if isinstance(error, InvalidOutput):
            failure = {"kind": "invalid-output", "message": str(error)}
        elif isinstance(error, Failure):
            failure = {"kind": error.kind, "message": str(error)}
        else:
            failure["traceback"] = "".join(traceback.format_exception(error))[-TRACEBACK:]
        try:
            self._connection.send({"failure": failure})
        finally:
            if self._observer is not None and not self._trial:
                self._observer(error)

    def _describe(self, request: Message) -> Reply:
        return {"protocol": 1, "description": complete(self._make()).describe()}, {}

    def _train(self, request: Message) -> Reply:
        self._model = None
        header = request.header
        self._trial = not len(request.arrays["train.inputs"])
        agent = self._make()
        agent.settings = agent.settings.parse(header.get("settings") or {})
        agent._report = self._connection.send
        seed = int(header["seed"])
        if header["kind"] == "classification" and isinstance(agent, Classifier):
            task = reading.task(header["task"])
            self._classes = task.num_classes
            agent.train(task, reading.examples(request), seed)
        elif header["kind"] == "regression" and isinstance(agent, Regressor):
            agent.train(reading.regression_task(header["task"]), reading.targets(request), seed)
        else:
            raise Failure(f"{type(agent).__name__} does not support {header['kind']}")
        self._model = agent
        return {"trained": True}, {}

    def _sample_probs(self, request: Message) -> Reply:
        agent, (inputs, draws) = self._classifier(), (reading.inputs(request.arrays), request.arrays["draws"])
        shape = len(draws), len(inputs), self._classes
        # Frameworks differ in what they do with no rows; nothing is asked of them then.
        answer = agent.sample_probs(inputs, draws) if len(draws) and len(inputs) else np.empty(shape)
        return {}, {"probs": answers.probs(answer, *shape)}

    def _canonical_draws(self, request: Message) -> Reply:
        draws = request.arrays["draws"]
        if self._model is None:
            raise Failure("no model is trained")
        return {}, {"draws": answers.draws(self._model.canonical_draws(draws), len(draws))}

    def _sample_functions(self, request: Message) -> Reply:
        agent, (inputs, draws) = self._regressor(), (request.arrays["inputs"], request.arrays["draws"])
        shape = len(draws), len(inputs)
        answer: Any = np.empty(shape), np.empty(shape)
        if all(shape):
            answer = agent.sample_functions(inputs, draws)
        means, noise_stds = _parts("sample_functions", answer, ("means", "noise_stds"))
        means = answers.numbers("sample_functions: means", means, "draws, rows", shape)
        noise_stds = answers.numbers("sample_functions: noise_stds", noise_stds, "draws, rows", shape)
        return {}, {"means": means, "noise_stds": noise_stds}

    def _gaussian(self, request: Message) -> Reply:
        inputs = request.arrays["inputs"]
        answer = self._regressor().gaussian(inputs)
        if answer is None:
            return {"none": True}, {}
        rows = len(inputs)
        mean, covariance, noise = _parts("gaussian", answer, ("mean", "covariance", "noise_variance"))
        return {}, {
            "mean": answers.numbers("gaussian: mean", mean, "rows", (rows,), "float64"),
            "covariance": answers.numbers("gaussian: covariance", covariance, "rows, rows", (rows, rows), "float64"),
            "noise_variance": answers.numbers("gaussian: noise_variance", noise, "rows", (rows,), "float64"),
        }

    def _intervals(self, request: Message) -> Reply:
        inputs = request.arrays["inputs"]
        answer = self._regressor().intervals(inputs, float(request.header["level"]))
        if answer is None:
            return {"none": True}, {}
        # A pair of arrays has three axes or a None, and the ends of one kind of interval have two.
        pair = isinstance(answer, tuple) and (answer[1] is None or np.ndim(answer[0]) == 2)
        bounds: Any = answer if pair else (answer, None)
        named = zip(("prediction", "confidence"), bounds, strict=True)
        shape = 2, len(inputs)
        return {}, {
            name: answers.numbers(f"intervals: {name}", ends, "2, rows", shape, "float64")
            for name, ends in named
            if ends is not None
        }

    def _drop(self, request: Message) -> Reply:
        self._model = None
        return {"dropped": True}, {}

    def _classifier(self) -> Classifier:
        if not isinstance(self._model, Classifier):
            raise Failure("no classifier is trained")
        return self._model

    def _regressor(self) -> Regressor:
        if not isinstance(self._model, Regressor):
            raise Failure("no regressor is trained")
        return self._model


def _place(error: BaseException) -> str:
    """Returns the file and line of the agent's own code where an exception comes from, if there is such code."""
    inside = (os.path.dirname(__file__), sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith((*inside, "<"))]
    return f" ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else ""


def _parts(method: str, answer: Any, names: tuple[str, ...]) -> Any:
    """Returns a tuple of as many parts as there are names."""
    if not isinstance(answer, tuple | list) or len(answer) != len(names):
        found = f"{len(answer)} parts" if isinstance(answer, tuple | list) else type(answer).__name__
        raise InvalidOutput(f"{method} returned {found}; expected ({', '.join(names)})")
    return answer
