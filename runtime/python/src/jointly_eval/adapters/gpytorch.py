"""Gaussian processes of BoTorch and GPyTorch, for regression: a draw is a path of the posterior."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..agent import Draws, Regressor
from ..streams import seed32
from ..task import RegressionTask, Targets


class Process(Regressor):
    """An exact Gaussian process, with its exact moments.

    `posterior(x).rsample()` draws other functions for other batches of inputs; paths by Matheron's rule are functions.
    They approximate the prior with random features, so the moments are exact and the draws are nearly so.
    """

    def fit(self, task: RegressionTask, data: Targets, seed: int) -> Any:
        """Returns a fitted model of BoTorch such as SingleTaskGP, without a transform of the outcome."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: RegressionTask, data: Targets, seed: int) -> None:
        """Fits the process."""
        self._model, self._seed = self.fit(task, data, seed).eval(), seed

    def _noise(self) -> float:
        return float(self._model.likelihood.noise.mean())

    def _tensor(self, inputs: NDArray[np.float32]) -> Any:
        import torch

        like = next(self._model.parameters())
        return torch.from_numpy(inputs).to(like.device, like.dtype)

    def sample_functions(self, inputs: NDArray[np.float32], draws: Draws) -> tuple[ArrayLike, ArrayLike]:
        """Evaluates the paths of the draws."""
        import torch
        from botorch.sampling.pathwise import draw_matheron_paths

        x, means = self._tensor(inputs), []
        with torch.no_grad():
            for draw in draws.tolist():
                with torch.random.fork_rng():
                    torch.manual_seed(seed32(self._seed, draw))
                    path = draw_matheron_paths(self._model, sample_shape=torch.Size([1]))
                means.append(path(x).reshape(-1).cpu().numpy())
        return np.stack(means), np.full((len(draws), len(inputs)), self._noise() ** 0.5)

    def gaussian(self, inputs: NDArray[np.float32]) -> tuple[ArrayLike, ArrayLike, ArrayLike] | None:
        """Returns the moments of the process."""
        import torch

        with torch.no_grad():
            posterior = self._model.posterior(self._tensor(inputs)).mvn
            mean, covariance = posterior.mean.cpu().numpy(), posterior.covariance_matrix.cpu().numpy()
        return mean, covariance, np.full(len(inputs), self._noise())
