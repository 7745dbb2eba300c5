"""The bundled agent `class-average` in Python: the frequency of each class, the same floats to the bit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import jointly_eval as je


class ClassAverage(je.Classifier):
    """The frequency of each class among the examples, whatever the input."""

    name = "class-average-python"
    deterministic = True
    settings = je.Settings({"floor": (0.01, "minimum frequency of a class, below 0.5")})
    sweeps = {"floor": [{"floor": floor} for floor in (0.001, 0.01, 0.1)]}

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        floor = np.float32(self.settings.floor)
        if not 0 <= floor < 0.5:
            raise je.InvalidSetting(f"floor={floor}: expected a number from 0, below 0.5")
        counts = np.bincount(data.labels, minlength=task.num_classes)
        shares = counts / len(data) if len(data) else np.ones(task.num_classes) / task.num_classes
        clipped = shares.astype(np.float32).clip(floor, np.float32(1) - floor)
        # A cumulative sum adds in order, as the agent in Rust does; `sum` adds by pairs.
        self.frequencies = clipped / np.cumsum(clipped, dtype=np.float32)[-1]

    def sample_probs(self, inputs: Any, draws: je.Draws) -> ArrayLike:
        return np.broadcast_to(self.frequencies, (len(draws), len(inputs), len(self.frequencies)))

    def canonical_draws(self, draws: je.Draws) -> ArrayLike:
        return np.zeros_like(draws)


if __name__ == "__main__":
    je.serve(ClassAverage())
