"""Regression with split conformal intervals. A draw is a ridge regression under the Bayesian bootstrap."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import jointly_eval as je


class ConformalRidge(je.Regressor):
    """Ridge regression on random Fourier features; half of the examples fit it, the others size its intervals."""

    citation = "Lei et al., Distribution-free predictive inference for regression, JASA 2018"
    settings = je.Settings({"features": (100, "random Fourier features"), "ridge": (0.1, "penalty of the weights")})

    def train(self, task: je.RegressionTask, data: je.Targets, seed: int) -> None:
        if len(data) < 4:
            raise je.Unsupported(f"{len(data)} examples: half of at least 4 are needed to size intervals")
        rng = je.rng(seed)
        features = self.settings.features
        self.frequencies = rng.normal(0, 1 / math.sqrt(task.input_dim), (task.input_dim, features))
        self.phases = rng.uniform(0, 2 * np.pi, features)
        self.seed = seed
        order = rng.permutation(len(data))
        fitted, held = order[: len(data) // 2], order[len(data) // 2 :]
        self.z, self.y = self.basis(data.inputs[fitted]), data.targets[fitted].astype(float)
        self.mean = self.solve(np.ones(len(fitted)))
        self.residuals = np.sort(np.abs(data.targets[held] - self.basis(data.inputs[held]) @ self.mean))
        self.noise = task.noise_std or float(np.sqrt(np.mean(self.residuals**2)))

    def basis(self, inputs: Any) -> Any:
        waves = np.cos(inputs @ self.frequencies + self.phases)
        return np.hstack([np.ones((len(inputs), 1)), inputs, waves * math.sqrt(2 / self.settings.features)])

    def solve(self, weights: Any) -> Any:
        penalty = self.settings.ridge * np.eye(self.z.shape[1])
        return np.linalg.solve(self.z.T @ (weights[:, None] * self.z) + penalty, self.z.T @ (weights * self.y))

    def sample_functions(self, inputs: Any, draws: je.Draws) -> tuple[ArrayLike, ArrayLike]:
        basis = self.basis(inputs)
        weights = [je.rng(self.seed, draw).exponential(size=len(self.y)) for draw in draws.tolist()]
        means = np.stack([basis @ self.solve(one) for one in weights])
        return means, np.full(means.shape, self.noise)

    def intervals(self, inputs: Any, level: float) -> ArrayLike:
        n = len(self.residuals)
        # The smallest residual that is exchangeable with a new one at this level; the largest if n is too small.
        half = self.residuals[min(math.ceil((n + 1) * level), n) - 1]
        centre = self.basis(inputs) @ self.mean
        return np.stack([centre - half, centre + half])


if __name__ == "__main__":
    je.serve(ConformalRidge())
