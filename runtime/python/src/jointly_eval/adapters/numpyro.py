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

        sampler = NUTS(lambda inputs, labels: self.model(task, inputs, labels))
        settings = self.settings
        chain = MCMC(sampler, num_warmup=settings.warmup, num_samples=settings.samples, progress_bar=False)
        chain.run(jax.random.key(seed32(seed)), data.inputs, data.labels)
        return chain.get_samples()
