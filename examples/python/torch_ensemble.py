"""A deep ensemble in PyTorch: networks that differ in their initial weights. A draw is a member."""

import torch
from torch import nn

import jointly_eval as je
from jointly_eval.adapters.torch import Modules


class DeepEnsemble(Modules):
    """Networks with initial weights of their own, trained on the same examples."""

    name = "torch-ensemble"
    citation = "Lakshminarayanan et al., Simple and scalable predictive uncertainty estimation, NeurIPS 2017"
    settings = je.Settings({"size": (10, "members"), "steps": 300, "rate": 1e-2, "width": 50, "decay": 0.6})

    def fit(self, task: je.Task, data: je.Examples, seed: int) -> list[nn.Module]:
        members = []
        for member in range(self.settings.size):
            torch.manual_seed(je.seed32(seed, member))
            members.append(self.member(task, data))
            self.progress((member + 1) / self.settings.size)
        return members

    def member(self, task: je.Task, data: je.Examples) -> nn.Module:
        width, settings = self.settings.width, self.settings
        layers = [nn.Linear(task.input_dim, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()]
        network = nn.Sequential(*layers, nn.Linear(width, task.num_classes))
        # A Gaussian prior weighs less, the more examples there are.
        decay = settings.decay / max(len(data), 1)
        optimizer = torch.optim.Adam(network.parameters(), settings.rate, weight_decay=decay)
        x, y = torch.from_numpy(data.inputs), torch.from_numpy(data.labels)
        for _ in range(settings.steps if len(data) else 0):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(x), y).backward()
            optimizer.step()
        return network


if __name__ == "__main__":
    je.serve(DeepEnsemble())
