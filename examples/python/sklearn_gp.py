"""Gaussian process classification in scikit-learn. A draw is one sampled latent function, by Matheron's rule.

`predict_proba` of scikit-learn averages the latent function at each input for itself, so its predictions are not joint.
Here a function of the prior, from random Fourier features, is corrected to pass through sampled values at the examples.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_solve, solve_triangular
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

import jointly_eval as je

JITTER = 1e-6


class Latent:
    """The posterior of one latent function, by Laplace's approximation, for one class against the others."""

    def __init__(self, inputs: Any, labels: Any) -> None:
        kernel = ConstantKernel(1.0, (1e-2, 1e2)) * RBF(1.0, (1e-2, 1e2))
        fitted = GaussianProcessClassifier(kernel).fit(inputs, labels).base_estimator_
        self.kernel, self.inputs = fitted.kernel_, fitted.X_train_
        k = self.kernel(self.inputs)
        self.mode = k @ (fitted.y_train_ - fitted.pi_)
        # The covariance is K - K W^1/2 B^-1 W^1/2 K, where B has the Cholesky factor `L_`.
        half = solve_triangular(fitted.L_, fitted.W_sr_[:, None] * k, lower=True)
        jitter = JITTER * np.trace(k) / len(k) * np.eye(len(k))
        self.root = np.linalg.cholesky(k - half.T @ half + jitter)
        self.factor = np.linalg.cholesky(k + jitter)

    def sample(self, x: Any, rng: np.random.Generator, features: int) -> Any:
        """Evaluates one sampled function."""
        scale, length = np.sqrt(self.kernel.k1.constant_value), self.kernel.k2.length_scale
        frequencies = rng.normal(0, 1 / length, (x.shape[1], features))
        phases, weights = rng.uniform(0, 2 * np.pi, features), rng.normal(0, scale * np.sqrt(2 / features), features)
        values = self.mode + self.root @ rng.normal(size=len(self.mode))
        at_examples = np.cos(self.inputs @ frequencies + phases) @ weights
        correction = cho_solve((self.factor, True), values - at_examples)
        return np.cos(x @ frequencies + phases) @ weights + self.kernel(x, self.inputs) @ correction


class Constant:
    """The rule of succession, where all examples or none are of the class."""

    def __init__(self, labels: Any) -> None:
        share = (labels.sum() + 1) / (len(labels) + 2)
        self.logit = np.log(share / (1 - share))

    def sample(self, x: Any, rng: np.random.Generator, features: int) -> Any:
        return np.full(len(x), self.logit)


class Processes(je.Classifier):
    """A Gaussian process for each class against the others, with the kernel that fits best."""

    name = "sklearn-gp"
    settings = je.Settings({"features": (128, "random Fourier features of the prior")})

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        self.seed = seed
        wanted = [1] if task.num_classes == 2 else range(task.num_classes)
        ones = [data.labels == label for label in wanted]
        self.latents = [Latent(data.inputs, one) if 0 < one.sum() < len(one) else Constant(one) for one in ones]

    def sample_probs(self, inputs: Any, draws: je.Draws) -> ArrayLike:
        return np.stack([self.function(inputs.astype(float), draw) for draw in draws.tolist()])

    def function(self, x: Any, draw: int) -> Any:
        features = self.settings.features
        latent = [one.sample(x, je.rng(self.seed, draw, i), features) for i, one in enumerate(self.latents)]
        positive = np.exp(-np.logaddexp(0, -np.stack(latent, axis=1)))
        probs = positive if len(latent) > 1 else np.hstack([1 - positive, positive])
        return probs / probs.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    je.serve(Processes())
