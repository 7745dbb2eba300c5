"""Agents of the tests."""

import math
from typing import Any

import numpy as np

import jointly_eval as je


class DrawnSoftmax(je.Classifier):
    """Linear functions with weights that seed and draw decide."""

    settings = je.Settings(
        {"scale": (1.0, "standard deviation of the weights"), "members": 4, "bias": True, "prior-kind": "normal"}
    )
    sweeps = {"scale": [{"scale": 0.5}, {"scale": 2.0}]}

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        self.task, self.seed = task, seed
        self.log(f"{len(data)} examples, labels {data.labels.tolist()}")
        self.progress(0.5)

    def sample_probs(self, inputs: Any, draws: je.Draws) -> Any:
        functions = []
        for draw in draws:
            rng = je.rng(self.seed, draw % self.settings.members)
            logits = inputs @ rng.normal(0, self.settings.scale, (self.task.input_dim, self.task.num_classes))
            weights = np.exp(logits - logits.max(axis=1, keepdims=True))
            functions.append(weights / weights.sum(axis=1, keepdims=True))
        return functions

    def canonical_draws(self, draws: je.Draws) -> Any:
        return draws % self.settings.members


class Answering(je.Classifier):
    """Answers what it is made with, or raises it."""

    def __init__(self, answer: Any = None, at: str = "sample_probs") -> None:
        self.answer, self.at = answer, at

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        if self.at == "train":
            raise self.answer

    def sample_probs(self, inputs: Any, draws: je.Draws) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def canonical_draws(self, draws: je.Draws) -> Any:
        return self.answer if self.at == "canonical_draws" else draws


class Line(je.Regressor):
    """The mean of the targets, with the error of the mean."""

    def train(self, task: je.RegressionTask, data: je.Targets, seed: int) -> None:
        self.seed, self.noise = seed, task.noise_std or 1.0
        self.mean, self.error = float(data.targets.mean()), self.noise / math.sqrt(len(data))

    def sample_functions(self, inputs: Any, draws: je.Draws) -> Any:
        values = [je.rng(self.seed, draw).normal(self.mean, self.error) for draw in draws]
        means = np.repeat(np.array(values)[:, None], len(inputs), axis=1)
        return means, np.full_like(means, self.noise)

    def gaussian(self, inputs: Any) -> Any:
        rows = len(inputs)
        return np.full(rows, self.mean), np.full((rows, rows), self.error**2), np.full(rows, self.noise**2)

    def intervals(self, inputs: Any, level: float) -> Any:
        half = np.full(len(inputs), 2 * self.noise * level)
        return np.stack([self.mean - half, self.mean + half])
