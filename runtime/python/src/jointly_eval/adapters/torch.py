"""Modules of PyTorch: a list of them, or one with dropout."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..agent import Classifier, Draws
from ..streams import seed32
from ..task import Examples, Task


class Modules(Classifier):
    """An ensemble. `fit` returns the modules, which map inputs to logits: the softmax is applied here."""

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
            answer: ArrayLike = _probs(torch.stack([module(x) for module in chosen])).cpu().numpy()
        return answer


class Dropout(Classifier):
    """Monte Carlo dropout. `fit` returns one module, which maps inputs to logits.

    A draw is a set of masks, the same for all inputs, of the layers `torch.nn.Dropout`, `Dropout1d`, `Dropout2d` and
    `Dropout3d`. Dropout that a module applies by a function (`F.dropout`), or inside attention or an LSTM, stays off.
    """

    def fit(self, task: Task, data: Examples, seed: int) -> Any:
        """Returns a trained module with layers of type `torch.nn.Dropout`."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the module, and sets it to evaluation: its own dropout is off."""
        self._module, self._seed = self.fit(task, data, seed).eval(), seed
        if not self._layers():
            raise TypeError(
                f"{type(self._module).__name__} has no layer torch.nn.Dropout, so all draws would be one function; "
                "F.dropout is not seen: make it a layer"
            )

    def _layers(self) -> list[Any]:
        from torch import nn

        masked = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)
        return [layer for layer in self._module.modules() if isinstance(layer, masked)]

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts with the masks of the draws."""
        import torch

        layers = self._layers()
        x = torch.from_numpy(inputs).to(_device(self._module))
        answers = []
        with torch.no_grad():
            for draw in draws.tolist():
                masks = [_mask(seed32(self._seed, draw, i)) for i in range(len(layers))]
                hooks = [layer.register_forward_hook(mask) for layer, mask in zip(layers, masks, strict=True)]
                try:
                    answers.append(self._module(x))
                finally:
                    for hook in hooks:
                        hook.remove()
            answer: ArrayLike = _probs(torch.stack(answers)).cpu().numpy()
        return answer


def _probs(logits: Any) -> Any:
    """Returns the softmax of the logits of some functions, and refuses a function's that are a softmax already."""
    # One question for all functions: on a GPU each waits for what runs there.
    rows = (logits >= 0).all(dim=-1) & ((logits.sum(dim=-1) - 1).abs() < 1e-5)
    if rows.all(dim=-1).any().item():
        raise ValueError("the module returns probabilities: return logits, without a softmax at the end")
    return logits.softmax(dim=-1)


def _mask(seed: int) -> Any:
    """Returns a hook that applies one mask to all rows."""

    def hook(layer: Any, _inputs: Any, output: Any) -> Any:
        import torch

        # Layers of one or more dimensions drop whole channels.
        shape = output.shape[1:]
        if not isinstance(layer, torch.nn.Dropout):
            shape = (shape[0], *[1] * (len(shape) - 1))
        # A generator of the CPU gives the same masks on every device.
        noise = torch.rand(shape, generator=torch.Generator().manual_seed(seed))
        kept = (noise >= layer.p).to(output.device, output.dtype)
        return output * kept / max(1 - layer.p, 1e-12)

    return hook


def _device(module: Any) -> Any:
    return next((parameter.device for parameter in module.parameters()), "cpu")
