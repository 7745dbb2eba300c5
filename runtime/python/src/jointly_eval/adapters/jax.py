"""Functions of JAX, with parameters that have a leading axis of draws."""

from typing import Any

from numpy.typing import ArrayLike

from ..agent import Classifier, Draws
from ..task import Examples, Task


class Posterior(Classifier):
    """A sample of parameters. Works for any tree of parameters, such as those of Flax and Haiku."""

    def fit(self, task: Task, data: Examples, seed: int) -> Any:
        """Returns parameters, a tree of arrays of which the first axis counts functions."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def logits(self, parameters: Any, inputs: Any) -> Any:
        """Returns logits of shape (rows, classes) for one function's parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no method logits")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the parameters, and compiles the prediction once."""
        import jax

        self._parameters = self.fit(task, data, seed)
        self._size = len(jax.tree.leaves(self._parameters)[0])
        self._predict = jax.jit(
            lambda parameters, inputs: jax.nn.softmax(
                jax.vmap(self.logits, in_axes=(0, None))(parameters, inputs), axis=-1
            )
        )

    def canonical_draws(self, draws: Draws) -> ArrayLike:
        """Returns the number of the function."""
        return draws % self._size

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts by the parameters of the draws."""
        import jax
        import numpy as np

        chosen = (draws % self._size).astype(np.int32)
        answer: ArrayLike = self._predict(jax.tree.map(lambda leaf: leaf[chosen], self._parameters), inputs)
        return answer
