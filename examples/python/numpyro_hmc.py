"""A Bayesian network by Hamiltonian Monte Carlo in NumPyro. A draw is a posterior sample of all weights."""

from typing import Any

import jax.numpy as jnp
import numpyro
from numpyro import distributions as dist

import jointly_eval as je
from jointly_eval.adapters.numpyro import Sampled


class BayesianNetwork(Sampled):
    """One hidden layer with Gaussian weights, sampled by the No-U-Turn sampler."""

    name = "numpyro-hmc"
    settings = je.Settings({"width": (20, "hidden units"), "warmup": 200, "samples": 200})

    def model(self, task: je.Task, inputs: Any, labels: Any) -> None:
        width = self.settings.width
        shapes = {"w1": (task.input_dim, width), "b1": (width,), "w2": (width, task.num_classes)}
        scales = {"w1": 1.0, "b1": 1.0, "w2": 3 / width**0.5}
        sample = {
            name: numpyro.sample(name, dist.Normal(0, scales[name]).expand(shape).to_event(len(shape)))
            for name, shape in shapes.items()
        }
        numpyro.sample("labels", dist.Categorical(logits=self.logits(sample, inputs)), obs=labels)

    def logits(self, parameters: Any, inputs: Any) -> Any:
        hidden = jnp.tanh(inputs @ parameters["w1"] + parameters["b1"])
        return hidden @ parameters["w2"]


if __name__ == "__main__":
    je.serve(BayesianNetwork())
