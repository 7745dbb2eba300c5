"""The bundled agent `uniform` in Python: the same probability for every class, the same floats to the bit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import jointly_eval as je


class Uniform(je.Classifier):
    """Equal probabilities for all classes."""

    name = "uniform-python"
    deterministic = True

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        self.classes = task.num_classes

    def sample_probs(self, inputs: Any, draws: je.Draws) -> ArrayLike:
        return np.full((len(draws), len(inputs), self.classes), np.float32(1) / np.float32(self.classes))

    def canonical_draws(self, draws: je.Draws) -> ArrayLike:
        return np.zeros_like(draws)


if __name__ == "__main__":
    je.serve(Uniform())
