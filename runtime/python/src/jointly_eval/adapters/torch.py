"""Modules of PyTorch: a list of them, or one with dropout."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..agent import Classifier, Draws
from ..streams import seed32
from ..task import Examples, Task


class Modules(Classifier):
    """An ensemble. `fit` returns the modules, which map inputs to logits."""

    def fit(self, task: Task, data: Examples, seed: int) -> Sequence[Any]:
        """Returns trained modules, each of which is a function."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the modules, and sets them to evaluation."""
        self._modules = [module.eval() for module in self.fit(task, data, seed)]

    def canonical_draws(self, draws: Draws) -> ArrayLike:
        """Returns the number of the module."""
        return draws % len(self._modules)

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts by the modules of the draws."""
        import torch

        with torch.no_grad():
            chosen = [self._modules[number] for number in (draws % len(self._modules)).tolist()]
            x = torch.from_numpy(inputs).to(_device(chosen[0]))
            answer: ArrayLike = torch.stack([module(x).softmax(dim=-1) for module in chosen]).cpu().numpy()
        return answer


class Dropout(Classifier):
    """Monte Carlo dropout. `fit` returns one module; a draw is a set of masks, the same for all inputs.

    It sets the masks of `torch.nn.Dropout`, and not those of dropout that a module applies by a function.
    """

    def fit(self, task: Task, data: Examples, seed: int) -> Any:
        """Returns a trained module with layers of type `torch.nn.Dropout`."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the module, and sets it to evaluation: its own dropout is off."""
        self._module, self._seed = self.fit(task, data, seed).eval(), seed

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts with the masks of the draws."""
        import torch

        layers = [layer for layer in self._module.modules() if isinstance(layer, torch.nn.Dropout)]
        x = torch.from_numpy(inputs).to(_device(self._module))
        answers = []
        with torch.no_grad():
            for draw in draws.tolist():
                masks = [_mask(seed32(self._seed, draw, i)) for i in range(len(layers))]
                hooks = [layer.register_forward_hook(mask) for layer, mask in zip(layers, masks, strict=True)]
                try:
                    answers.append(self._module(x).softmax(dim=-1))
                finally:
                    for hook in hooks:
                        hook.remove()
            answer: ArrayLike = torch.stack(answers).cpu().numpy()
        return answer


def _mask(seed: int) -> Any:
    """Returns a hook that applies one mask to all rows."""

    def hook(layer: Any, _inputs: Any, output: Any) -> Any:
        import torch

        # A generator of the CPU gives the same masks on every device.
        noise = torch.rand(output.shape[1:], generator=torch.Generator().manual_seed(seed))
        kept = (noise >= layer.p).to(output.device, output.dtype)
        return output * kept / max(1 - layer.p, 1e-12)

    return hook


def _device(module: Any) -> Any:
    return next((parameter.device for parameter in module.parameters()), "cpu")
