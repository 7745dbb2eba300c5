"""A Gaussian process in BoTorch and GPyTorch. A draw is a path of the posterior, by Matheron's rule.

The kernel, its priors and the prior of the noise are those of BoTorch's SingleTaskGP. It is made for inputs in the unit
cube and for standardized targets, so both are transformed.
"""

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from gpytorch.mlls import ExactMarginalLogLikelihood

import jointly_eval as je
from jointly_eval.adapters.gpytorch import Process


class SingleTask(Process):
    """The Gaussian process of BoTorch, with hyperparameters that maximize the marginal likelihood."""

    name = "gpytorch-process"
    citation = "Wilson et al., Efficiently sampling functions from Gaussian process posteriors, ICML 2020"

    def fit(self, task: je.RegressionTask, data: je.Targets, seed: int) -> SingleTaskGP:
        if len(data) < 2:
            raise je.Unsupported(f"{len(data)} examples: at least 2 are needed to standardize the targets")
        # BoTorch asks for double precision: the covariance of close inputs is nearly singular.
        x, y = torch.from_numpy(data.inputs).double(), torch.from_numpy(data.targets).double()
        model = SingleTaskGP(
            x, y[:, None], input_transform=Normalize(d=task.input_dim), outcome_transform=Standardize(m=1)
        )
        torch.manual_seed(je.seed32(seed))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model


if __name__ == "__main__":
    je.serve(SingleTask())
