"""Monte Carlo dropout in JAX. A draw is a set of masks: the key of a draw decides them, and all rows share them."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.example_libraries import optimizers
from numpy.typing import ArrayLike

import jointly_eval as je

Weights = list[tuple[Any, Any]]


def initial(key: Any, sizes: tuple[int, ...]) -> Weights:
    """Returns He's initial weights."""
    keys = jax.random.split(key, len(sizes) - 1)
    shapes = zip(keys, sizes[:-1], sizes[1:], strict=True)
    return [(jax.random.normal(k, (n, m)) * jnp.sqrt(2 / max(n, 1)), jnp.zeros(m)) for k, n, m in shapes]


def logits(weights: Weights, x: Any, key: Any, rate: float, rows: int) -> Any:
    """Applies the network. With `rows` 1 all inputs have the same masks; in training each has its own."""
    *hidden, (last, bias) = weights
    for i, (w, b) in enumerate(hidden):
        kept = jax.random.bernoulli(jax.random.fold_in(key, i), 1 - rate, (rows, w.shape[1]))
        x = jax.nn.relu(x @ w + b) * kept / (1 - rate)
    return x @ last + bias


# Functions of the module are compiled once for each shape, those within an agent once for each training.
@partial(jax.jit, static_argnames=("sizes", "steps"))
def fitted(key: Any, x: Any, y: Any, sizes: tuple[int, ...], steps: int, rate: float, decay: float) -> Weights:
    """Returns trained weights."""
    start, masks = jax.random.split(key)
    init, update, get = optimizers.adam(1e-2)

    def loss(weights: Weights, key: Any) -> Any:
        chosen = jax.nn.log_softmax(logits(weights, x, key, rate, len(x)))[jnp.arange(len(x)), y]
        return decay * sum(jnp.sum(w**2) for w, _ in weights) - chosen.sum() / max(len(x), 1)

    def step(state: Any, i: Any) -> Any:
        return update(i, jax.grad(loss)(get(state), jax.random.fold_in(masks, i)), state), None

    state, _ = jax.lax.scan(step, init(initial(start, sizes)), jnp.arange(steps))
    weights: Weights = get(state)
    return weights


@jax.jit
def predicted(weights: Weights, x: Any, key: Any, draws: Any, rate: float) -> Any:
    """Returns the probabilities of draws."""
    keys = jax.vmap(lambda draw: jax.random.fold_in(key, draw))(draws)
    return jax.vmap(lambda key: jax.nn.softmax(logits(weights, x, key, rate, 1)))(keys)


class Dropout(je.Classifier):
    """A network with dropout that stays on when it predicts."""

    name = "jax-dropout"
    citation = "Gal and Ghahramani, Dropout as a Bayesian approximation, ICML 2016"
    settings = je.Settings(
        {"rate": (0.2, "probability of a unit to drop out"), "steps": 500, "width": 50, "decay": 0.3}
    )

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        self.rate, width = self.settings.rate, self.settings.width
        if not 0 <= self.rate < 1:
            raise je.InvalidSetting(f"rate={self.rate}: expected a number from 0, below 1")
        start, self.key = jax.random.split(jax.random.key(je.seed32(seed)))
        sizes = task.input_dim, width, width, task.num_classes
        # A Gaussian prior weighs less, the more examples there are.
        steps, decay = self.settings.steps, self.settings.decay / max(len(data), 1)
        self.weights = fitted(start, data.inputs, data.labels, sizes, steps, self.rate, decay)

    def sample_probs(self, inputs: Any, draws: je.Draws) -> ArrayLike:
        answer: ArrayLike = predicted(self.weights, inputs, self.key, draws.astype(np.uint32), self.rate)
        return answer


if __name__ == "__main__":
    je.serve(Dropout())
