"""Gaussian processes of BoTorch and GPyTorch, for regression: a draw is a path of the posterior."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..agent import Draws, Regressor
from ..failure import Unsupported
from ..task import RegressionTask, Targets
from ._seeded import seeded

#: Draws that share the random features of the prior, which take most of the time, and differ in their weights.
BLOCK = 64


class Process(Regressor):
    """An exact Gaussian process, with its exact moments.

    `posterior(x).rsample()` draws other functions for other batches of inputs; paths by Matheron's rule are functions.
    They approximate the prior with random features, so the moments are exact and the draws are nearly so.
    """

    def fit(self, task: RegressionTask, data: Targets, seed: int) -> Any:
        """Returns a fitted model of BoTorch with one outcome, such as SingleTaskGP."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: RegressionTask, data: Targets, seed: int) -> None:
        """Fits the process."""
        self._model, self._seed = self.fit(task, data, seed).eval(), seed
        self._noise = _noise_variance(self._model)

    def _tensor(self, inputs: NDArray[np.float32]) -> Any:
        import torch

        like = next(self._model.parameters())
        return torch.from_numpy(inputs).to(like.device, like.dtype)

    def sample_functions(self, inputs: NDArray[np.float32], draws: Draws) -> tuple[ArrayLike, ArrayLike]:
        """Evaluates the paths of the draws."""
        x, means = self._tensor(inputs), np.empty((len(draws), len(inputs)))
        blocks, members = draws // BLOCK, draws % BLOCK
        for block in np.unique(blocks):
            chosen = blocks == block
            means[chosen] = self._paths(x, int(block))[members[chosen]]
        return means, np.full(means.shape, self._noise**0.5)

    def _paths(self, x: Any, block: int) -> NDArray[np.float64]:
        import torch
        from botorch.sampling.pathwise import draw_matheron_paths

        with seeded(x.device, self._seed, block):
            paths = draw_matheron_paths(self._model, sample_shape=torch.Size([BLOCK]))
            values: NDArray[np.float64] = paths(x).reshape(BLOCK, len(x)).double().cpu().numpy()
        return values

    def gaussian(self, inputs: NDArray[np.float32]) -> tuple[ArrayLike, ArrayLike, ArrayLike] | None:
        """Returns the moments of the process."""
        import torch

        with torch.no_grad():
            posterior = self._model.posterior(self._tensor(inputs)).mvn
            mean, covariance = posterior.mean.cpu().numpy(), posterior.covariance_matrix.cpu().numpy()
        return mean, covariance, np.full(len(inputs), self._noise)


def _noise_variance(model: Any) -> float:
    """Returns the variance of the noise, on the scale of the targets where the model standardizes them."""
    import torch

    with torch.no_grad():
        variance = model.likelihood.noise
        if variance.numel() != 1:
            raise Unsupported("this adapter takes a likelihood with one noise, the same for all inputs")
        if hasattr(model, "outcome_transform"):
            variance = model.outcome_transform.untransform(variance.new_zeros(1, 1), variance.reshape(1, 1))[1]
    return float(variance)
