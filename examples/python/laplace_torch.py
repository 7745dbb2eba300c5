"""A Laplace approximation in laplace-torch. A draw is a sample of the weights of the last layer.

The approximation has the package's defaults: the last layer, with a Kronecker-factored Hessian. The precision of the
prior maximizes the marginal likelihood, as in the package's introduction.
"""

import torch
from laplace import Laplace
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import jointly_eval as je
from jointly_eval.adapters.laplace import Approximation


class LastLayer(Approximation):
    """A network, with a Gaussian over the weights of its last layer."""

    name = "laplace-torch"
    citation = "Daxberger et al., Laplace Redux: effortless Bayesian deep learning, NeurIPS 2021"
    settings = je.Settings({"steps": 300, "rate": 1e-2, "width": 50, "decay": 0.6})

    def fit(self, task: je.Task, data: je.Examples, seed: int) -> object:
        torch.manual_seed(je.seed32(seed))
        examples = TensorDataset(torch.from_numpy(data.inputs), torch.from_numpy(data.labels))
        laplace = Laplace(self.trained(task, examples), "classification")
        laplace.fit(DataLoader(examples, batch_size=100))
        laplace.optimize_prior_precision(method="marglik")
        return laplace

    def trained(self, task: je.Task, examples: TensorDataset) -> nn.Module:
        width, settings = self.settings.width, self.settings
        layers = [nn.Linear(task.input_dim, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()]
        network = nn.Sequential(*layers, nn.Linear(width, task.num_classes))
        # A Gaussian prior weighs less, the more examples there are.
        optimizer = torch.optim.Adam(network.parameters(), settings.rate, weight_decay=settings.decay / len(examples))
        x, y = examples.tensors
        for _ in range(settings.steps):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(x), y).backward()
            optimizer.step()
        return network


if __name__ == "__main__":
    je.serve(LastLayer())
