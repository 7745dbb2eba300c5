"""Laplace approximations of laplace-torch: a draw is a sample of the weights."""

from typing import Any

from numpy.typing import ArrayLike

from ..agent import Classifier, Draws
from ..streams import seed32
from ..task import Examples, Task


class Approximation(Classifier):
    """A Laplace approximation for classification, of all weights or of the last layer.

    The samples of the package's own linearised predictive (`pred_type="glm"`) are made anew for each batch of inputs,
    so they are no functions; this is its `pred_type="nn"`.
    """

    def fit(self, task: Task, data: Examples, seed: int) -> Any:
        """Returns a fitted `laplace.Laplace(model, "classification", ...)`."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the approximation."""
        self._laplace, self._seed = self.fit(task, data, seed), seed

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts with the weights of the draws, and puts the mean back."""
        import torch
        from laplace import LLLaplace
        from torch.nn.utils import vector_to_parameters

        laplace = self._laplace
        device = laplace._device
        last = isinstance(laplace, LLLaplace)
        parameters = list(laplace.model.last_layer.parameters()) if last else laplace.params
        x = torch.from_numpy(inputs).to(device)
        answers = []
        with torch.no_grad():
            for draw in draws.tolist():
                generator = torch.Generator(device=device).manual_seed(seed32(self._seed, draw))
                vector_to_parameters(laplace.sample(1, generator=generator)[0], parameters)
                answers.append(laplace.model(x).softmax(dim=-1))
            vector_to_parameters(laplace.mean, parameters)
            answer: ArrayLike = torch.stack(answers).cpu().numpy()
        return answer
