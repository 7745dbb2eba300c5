"""Classifiers of scikit-learn, with `predict_proba`."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..agent import Classifier, Draws
from ..settings import Settings
from ..streams import seed32
from ..task import Examples, Task


class Estimators(Classifier):
    """Estimators of scikit-learn: each is a function.

    `estimators` is one estimator or a list, not fitted. With `members=True` the members of a fitted ensemble, such as
    BaggingClassifier or RandomForestClassifier, are the functions, and not their mean.
    """

    settings = Settings({"floor": (0.0, "bound of probabilities away from 0 and 1; above 0, no label costs infinity")})

    def __init__(self, estimators: Any, members: bool = False, name: str = "") -> None:
        self.estimators: Sequence[Any] = estimators if isinstance(estimators, list | tuple) else [estimators]
        self.members = members
        self.name = name or "-".join(dict.fromkeys(type(one).__name__.lower() for one in self.estimators))

    def describe(self) -> dict[str, Any]:
        """Names the estimators, whose text has their parameters, as the version."""
        import sklearn

        described = super().describe()
        if not self.version:
            described["version"] = f"{described['version']} {sklearn.__version__} {self.estimators}"
        return described

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Fits a clone of each estimator, with a random state that the seed decides."""
        from sklearn.base import clone

        self._classes = task.num_classes
        #: Pairs of an estimator, and the columns of features that it takes.
        self._functions: list[tuple[Any, Any]] = []
        self._constant = None
        labels = np.unique(data.labels)
        if len(labels) < 2:
            # Most estimators refuse a single class: the rule of succession predicts then.
            self._constant = (np.bincount(data.labels, minlength=self._classes) + 1) / (len(data) + self._classes)
            return
        for number, estimator in enumerate(self.estimators):
            fitted = clone(estimator)
            states = [key for key in fitted.get_params() if key.endswith("random_state")]
            fitted.set_params(**{key: seed32(seed, number, i) for i, key in enumerate(sorted(states))})
            fitted.fit(data.inputs, data.labels)
            self._functions += _members(fitted) if self.members else [(fitted, slice(None))]

    def canonical_draws(self, draws: Draws) -> ArrayLike:
        """Returns the number of the function."""
        return draws % max(1, len(self._functions))

    def sample_probs(self, inputs: NDArray[np.float32], draws: Draws) -> ArrayLike:
        """Predicts by the estimators of the draws."""
        probs = np.zeros((len(draws), len(inputs), self._classes))
        if self._constant is not None:
            probs[:] = self._constant
        else:
            for row, number in zip(probs, (draws % len(self._functions)).tolist(), strict=True):
                estimator, features = self._functions[number]
                # A class without an example has no column.
                row[:, estimator.classes_.astype(int)] = estimator.predict_proba(inputs[:, features])
        bounded = probs.clip(self.settings.floor, 1 - self.settings.floor)
        answer: ArrayLike = bounded / bounded.sum(axis=-1, keepdims=True)
        return answer


def _members(fitted: Any) -> list[tuple[Any, Any]]:
    """Returns the members of a fitted ensemble, with the columns that each takes."""
    columns = getattr(fitted, "estimators_features_", [slice(None)] * len(fitted.estimators_))
    members = []
    for member, features in zip(fitted.estimators_, columns, strict=True):
        # Members know classes by their number in the ensemble.
        relabelled = copy.copy(member)
        relabelled.classes_ = fitted.classes_[np.asarray(member.classes_, int)]
        members.append((relabelled, features))
    return members
