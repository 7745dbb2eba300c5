"""Laplace approximations of laplace-torch: a draw is a sample of the weights."""

from typing import Any

from numpy.typing import ArrayLike

from ..agent import Classifier, Draws
from ..task import Examples, Task
from ._seeded import seeded


class Approximation(Classifier):
    """A Laplace approximation for classification, of all weights or of the last layer.

    The package's linearised predictive (`pred_type="glm"`) samples the logits of each input for itself, so its samples
    are no functions; a draw is one of `pred_type="nn"`. For the last layer, which is linear, both are the same
    distribution at one input.
    """

    def fit(self, task: Task, data: Examples, seed: int) -> Any:
        """Returns a fitted `laplace.Laplace(model, "classification", ...)`."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the approximation. Without examples there is none, and the prediction is even."""
        self._classes, self._seed = task.num_classes, seed
        self._laplace = self.fit(task, data, seed) if len(data) else None

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts with the weights of the draws."""
        import numpy as np

        if self._laplace is None:
            return np.full((len(draws), len(inputs), self._classes), 1 / self._classes)
        import torch

        x = torch.from_numpy(inputs).to(self._laplace.mean.device)
        answers: list[ArrayLike] = []
        for draw in draws.tolist():
            # Some versions and approximations of the package take no generator.
            with seeded(x.device, self._seed, draw):
                (probs,) = self._laplace.predictive_samples(x, pred_type="nn", n_samples=1)
            answers.append(probs.cpu().numpy())
        return np.stack(answers)
