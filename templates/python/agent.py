"""The agent `template-agent`: Bayesian logistic regression with an ensemble of modes of bootstrapped posteriors.

Each member is the mode of the posterior under its own weights of the examples (the Bayesian bootstrap) and its own draw
from the prior, which the member falls back to where there are no data. Draw m of the agent is member m modulo `size`.
"""

import math
from operator import mul
from string import digits

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import classification
from wit_world.imports import host
from wit_world.imports.types import (
    Description,
    Failure_Diverged,
    Failure_InvalidSetting,
    Matrix,
    Parameter,
    Setting,
)

PARAMETERS = [
    Parameter("size", "20", "number of members", None),
    Parameter("prior-scale", "3", "standard deviation of a logit before any data", None),
    Parameter("steps", "100", "most steps to the mode of a member", None),
]

# The largest distance of a member from its mode at which fitting stops, in standard deviations of the prior.
TOLERANCE = 1e-6

# A logit this far below the greatest has a probability of 2e-35. It is never exactly zero, which would give a single
# example with that label an infinite loss.
MAX_GAP = 80.0


class Info(exports.Info):
    def describe(self) -> Description:
        return Description(
            name="template-agent",
            version="0.1.0",
            summary="logistic regression under the Bayesian bootstrap",
            citation="",
            deterministic=False,
            tokens=False,
            unlabelled=False,
            parameters=PARAMETERS,
            sweeps=[],
        )


class Classification(exports.Classification):
    def train(
        self,
        task: classification.Task,
        train: classification.Dataset,
        validation: classification.Dataset | None,
        unlabelled: classification.Inputs | None,
        settings: list[Setting],
        seed: int,
    ) -> classification.Model:
        values = parse(settings)
        inputs = with_bias(train.inputs.numbers)
        seeds = Random(seed)
        members = []
        for member in range(values["size"]):
            random = Random(seeds.next())
            members.append(fit(inputs, train.labels, task, values, random))
            host.progress((member + 1) / values["size"])
        return Model(members)


class Model(classification.Model):
    def __init__(self, members: list[list[list[float]]]):
        self.members = members

    def sample_probs(self, inputs: classification.Inputs, draws: list[int]) -> list[float]:
        rows = with_bias(inputs.numbers)
        probs: list[float] = []
        for draw in draws:
            coefficients = self.members[draw % len(self.members)]
            for row in rows:
                probs += softmax(logits(coefficients, row))
        return probs

    def canonical_draws(self, draws: list[int]) -> list[int]:
        return [draw % len(self.members) for draw in draws]


def fit(
    inputs: list[list[float]],
    labels: list[int],
    task: classification.Task,
    values: dict[str, int | float],
    random: "Random",
) -> list[list[float]]:
    """Finds the coefficients of one member, a list for each class.

    They minimise sum_i w_i * -log p(label_i | input_i) + |W - anchor|^2 / (2 * scale^2) by conjugate gradients. The
    step length follows from a bound: if a step of 1 changes the difference of two logits of an example by at most
    `spread`, a step of t changes the curvature along it by a factor of at most e^(spread * t). So a step of
    log1p(spread * newton) / spread always descends, and close to the mode it is Newton's step. There is nothing to
    tune.
    """
    classes, width = task.num_classes, task.input_dim + 1
    # Inputs have about unit variance, so a logit has a standard deviation of about `prior-scale`.
    scale = values["prior-scale"] / math.sqrt(width)
    least = 1 / scale / scale
    current = anchor = [[scale * random.normal() for _ in range(width)] for _ in range(classes)]
    weights = [random.exponential() for _ in labels]

    before = direction = [[0.0] * width] * classes
    squares_before = math.inf
    for _ in range(values["steps"]):
        gradient = [[least * (c - a) for c, a in zip(*lines)] for lines in zip(current, anchor)]
        probs = [softmax(logits(current, row)) for row in inputs]
        for weight, row, label, p in zip(weights, inputs, labels, probs):
            for k, line in enumerate(gradient):
                slope = weight * (p[k] - (k == label))
                line[:] = [g + slope * x for g, x in zip(line, row)]
        # The prior alone has a curvature of `least`, which bounds the distance to the mode.
        squares = dot(gradient, gradient)
        if math.sqrt(squares) * scale <= TOLERANCE:
            break

        turn = max(0.0, (squares - dot(gradient, before)) / squares_before)
        direction = [[turn * d - g for d, g in zip(*lines)] for lines in zip(direction, gradient)]
        descent = -dot(direction, gradient)
        if descent <= 0:
            direction, descent = [[-g for g in line] for line in gradient], squares
        before, squares_before = gradient, squares

        curvature, spread = least * dot(direction, direction), 0.0
        for weight, row, p in zip(weights, inputs, probs):
            along = logits(direction, row)
            mean = sum(map(mul, p, along))
            curvature += weight * sum(q * (u - mean) ** 2 for q, u in zip(p, along))
            spread = max(spread, max(along) - min(along))
        newton = descent / curvature
        length = math.log1p(spread * newton) / spread if spread > 0 else newton
        current = [[c + length * d for c, d in zip(*lines)] for lines in zip(current, direction)]
    if not all(math.isfinite(c) for line in current for c in line):
        raise Err(Failure_Diverged("a coefficient is not finite"))
    return current


def with_bias(matrix: Matrix) -> list[list[float]]:
    """Returns the rows of a matrix, each with a 1 after its features."""
    values, cols = matrix.values, matrix.cols
    return [[*values[i * cols : (i + 1) * cols], 1.0] for i in range(matrix.rows)]


def dot(a: list[list[float]], b: list[list[float]]) -> float:
    return sum(sum(map(mul, *lines)) for lines in zip(a, b))


def logits(coefficients: list[list[float]], row: list[float]) -> list[float]:
    """Computes the logit of each class at an input."""
    return [sum(map(mul, line, row)) for line in coefficients]


def softmax(logits: list[float]) -> list[float]:
    top = max(logits)
    exponentials = [math.exp(max(logit - top, -MAX_GAP)) for logit in logits]
    total = sum(exponentials)
    return [exponential / total for exponential in exponentials]


def parse(settings: list[Setting]) -> dict[str, int | float]:
    """Returns the value of every parameter. Raises if a setting is unknown, malformed or given twice; ignores none."""
    known = "known: " + ", ".join(f"{it.name}={it.default_value}" for it in PARAMETERS)
    texts = {it.name: it.default_value for it in PARAMETERS}
    given = set()
    for setting in settings:
        if setting.name not in texts:
            raise Err(Failure_InvalidSetting(f"there is no {setting.name}; {known}"))
        if setting.name in given:
            raise Err(Failure_InvalidSetting(f"{setting.name} is given twice; {known}"))
        given.add(setting.name)
        texts[setting.name] = setting.value

    # Python itself accepts more, such as 0_2.
    def number(name: str, kind: type, characters: str, expected: str) -> int | float:
        try:
            value = kind(texts[name]) if set(texts[name]) <= set(characters) else 0
        except ValueError:
            value = 0
        if not 0 < value < math.inf:
            raise Err(Failure_InvalidSetting(f"{name}={texts[name]}: expected {expected}; {known}"))
        return value

    return {
        "size": number("size", int, digits, "a whole number of at least 1"),
        "prior-scale": number("prior-scale", float, digits + "+-.eE", "a number above 0"),
        "steps": number("steps", int, digits, "a whole number of at least 1"),
    }


class Random:
    """SplitMix64. All randomness must come from the seed: Python's `random` has the state of the build."""

    def __init__(self, seed: int):
        self.state = seed

    def next(self) -> int:
        """Returns the next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """Draws uniformly from [0, 1)."""
        return (self.next() >> 11) / 2**53

    def exponential(self) -> float:
        """Draws from the exponential distribution with mean 1."""
        return -math.log(1 - self.uniform())

    def normal(self) -> float:
        """Draws from the standard normal distribution by the Box-Muller method."""
        radius = math.sqrt(2 * self.exponential())
        return radius * math.cos(2 * math.pi * self.uniform())
