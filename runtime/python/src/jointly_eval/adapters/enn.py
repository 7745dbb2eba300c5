"""Epistemic neural networks of DeepMind's enn: a draw is an epistemic index.

The package is at https://github.com/google-deepmind/enn; `enn` on PyPI is another one.
"""

from typing import Any

from numpy.typing import ArrayLike

from ..agent import Classifier, Draws
from ..streams import seed32
from ..task import Examples, Task


class Network(Classifier):
    """A network that maps inputs and an epistemic index to logits."""

    def fit(self, task: Task, data: Examples, seed: int) -> tuple[Any, Any, Any]:
        """Returns an `enn.networks.EnnArray`, and its trained parameters and state."""
        raise NotImplementedError(f"{type(self).__name__} has no method fit")

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits the network, and compiles the prediction once."""
        import jax

        network, parameters, state = self.fit(task, data, seed)

        def predict(inputs: Any, key: Any) -> Any:
            output, _ = network.apply(parameters, state, inputs, network.indexer(key))
            # A network with a prior function returns both parts, and their sum as `preds`.
            return jax.nn.softmax(getattr(output, "preds", output), axis=-1)

        self._predict = jax.jit(jax.vmap(predict, in_axes=(None, 0)))
        self._key = jax.random.PRNGKey(seed32(seed))

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Predicts with the indices of the draws."""
        import jax
        import numpy as np

        # Keys are folded with 32 bits; the two halves name all draws.
        low, high = (draws & 0xFFFFFFFF).astype(np.uint32), (draws >> 32).astype(np.uint32)
        keys = jax.vmap(lambda a, b: jax.random.fold_in(jax.random.fold_in(self._key, a), b))(low, high)
        answer: ArrayLike = self._predict(inputs, keys)
        return answer
