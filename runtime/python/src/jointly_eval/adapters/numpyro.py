"""Models of NumPyro: posterior samples by the No-U-Turn sampler."""

from typing import Any

from ..settings import Settings
from ..streams import seed32
from ..task import Examples, Task
from .jax import Posterior


class Sampled(Posterior):
    """A Bayesian model. `model` states the prior and the likelihood; `logits` predicts with one sample of its sites."""

    settings = Settings({"warmup": (500, "steps that adapt the sampler"), "samples": (500, "posterior samples")})

    def model(self, task: Task, inputs: Any, labels: Any) -> None:
        """Samples the parameters, and observes the labels."""
        raise NotImplementedError(f"{type(self).__name__} has no method model")

    def fit(self, task: Task, data: Examples, seed: int) -> Any:
        """Runs one chain, and returns the samples by the names of their sites."""
        import jax
        from numpyro.infer import MCMC, NUTS

        def model(inputs: Any, labels: Any) -> None:
            self.model(task, inputs, labels)

        key, settings = jax.random.key(seed32(seed)), self.settings
        if len(data) == 0:
            return _prior(model, key, task.input_dim, settings.samples)
        chain = MCMC(NUTS(model), num_warmup=settings.warmup, num_samples=settings.samples, progress_bar=False)
        chain.run(key, data.inputs, data.labels)
        return chain.get_samples()


def _prior(model: Any, key: Any, input_dim: int, samples: int) -> Any:
    """Samples the prior; an example of zeros stands for the data, since distributions refuse none."""
    import numpy as np
    from numpyro import handlers
    from numpyro.infer import Predictive

    example = np.zeros((1, input_dim), np.float32), np.zeros(1, np.int64)
    sites = handlers.trace(handlers.seed(model, key)).get_trace(*example).items()
    latent = [name for name, site in sites if site["type"] == "sample" and not site["is_observed"]]
    return Predictive(model, num_samples=samples, return_sites=latent)(key, *example)
