"""An epinet in DeepMind's enn. A draw is an epistemic index.

The widths, the index's dimension and the number of indices in a step are those of the bundled agent `epinet`, and the
scale of the prior is the package's default.

The package is not on PyPI, where `enn` is another one; it is at https://github.com/google-deepmind/enn. It asks for
TensorFlow 2.8, which Python 3.11 does not have, so continuous integration skips this example. It was run by hand with
the source of its epinet, indexers and base classes alone, dm-haiku 0.0.17, chex 0.1.92 and JAX 0.10.2.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from enn import networks
from jax.example_libraries import optimizers

import jointly_eval as je
from jointly_eval.adapters.enn import Network


class Epinet(Network):
    """A network, and a small one that says how an index moves its logits."""

    name = "enn-index"
    citation = "Osband et al., Epistemic neural networks, NeurIPS 2023"
    settings = je.Settings({"steps": 1000, "rate": 1e-3, "indices": (8, "indices in a step"), "decay": 0.2})

    def fit(self, task: je.Task, data: je.Examples, seed: int) -> tuple[Any, Any, Any]:
        network = networks.make_mlp_epinet([50, 50, task.num_classes], epinet_hiddens=[15, 15], index_dim=8)
        indices, examples = self.settings.indices, max(len(data), 1)
        start, steps = jax.random.split(jax.random.key(je.seed32(seed)))
        blank = np.zeros((1, task.input_dim), np.float32)
        parameters, state = network.init(start, blank, network.indexer(start))
        init, update, get = optimizers.adam(self.settings.rate)

        def loss(parameters: Any, key: Any) -> Any:
            def cost(key: Any) -> Any:
                output, _ = network.apply(parameters, state, data.inputs, network.indexer(key))
                return -jax.nn.log_softmax(output.preds)[jnp.arange(len(data)), data.labels].sum()

            # The prior function keeps its initial weights.
            trained = [weights for name, weights in parameters.items() if not name.startswith("prior")]
            decay = self.settings.decay * sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(trained))
            return (jax.vmap(cost)(jax.random.split(key, indices)).mean() + decay) / examples

        def step(trained: Any, i: Any) -> Any:
            return update(i, jax.grad(loss)(get(trained), jax.random.fold_in(steps, i)), trained), None

        trained, _ = jax.lax.scan(step, init(parameters), jnp.arange(self.settings.steps))
        return network, get(trained), state


if __name__ == "__main__":
    je.serve(Epinet())
