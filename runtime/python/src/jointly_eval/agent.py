"""The base classes of agents."""

import copy
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .description import kebab, source_digest
from .settings import Settings, Value, text
from .task import Examples, RegressionTask, Targets, Task

Draws: TypeAlias = NDArray[np.uint64]
Self = TypeVar("Self", bound="Agent")


class Agent:
    """What classifiers and regressors share: a description, settings, a log.

    Each training is that of a new shallow copy, so an agent keeps nothing of an earlier one. A draw names one function:
    it is the same for all rows and in all calls, so random numbers of a draw come from `je.rng(seed, draw)`.
    """

    #: Lower-case words joined by hyphens; the class's name if empty.
    name: str = ""
    #: Changes when the agent changes; a digest of the class's source and of plain attributes if empty.
    version: str = ""
    #: What the agent is, in one line; the first line of the class's documentation if empty.
    summary: str = ""
    #: The paper that the method is from.
    citation: str = ""
    #: Whether predictions do not depend on the seed.
    deterministic: bool = False
    #: Defaults by name. A training finds the values of the run in `self.settings.size`.
    settings: Any = Settings()
    #: Variants for `jointly sweep`, by a name: `{"size": [{"size": 1}, {"size": 30}]}`.
    sweeps: Mapping[str, Sequence[Mapping[str, Value]]] = {}
    kinds: ClassVar[tuple[str, ...]] = ()

    #: Set on the copy that trains; reports to the host.
    _report: Callable[[Mapping[str, Any]], None] | None = None
    _requested: Mapping[str, str] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "settings" in cls.__dict__:
            inherited: Settings = super(cls, cls).settings  # type: ignore[misc]
            cls.settings = inherited.extended(cls.__dict__["settings"])

    def describe(self) -> dict[str, Any]:
        """Returns the description of the protocol. Override it to change what the attributes say."""
        documentation = type(self).__doc__ or ""
        sweeps = [
            {
                "name": name,
                "variants": [{key.replace("_", "-"): text(value) for key, value in one.items()} for one in variants],
            }
            for name, variants in self.sweeps.items()
        ]
        return {
            "name": self.name or kebab(type(self).__name__),
            "version": self.version or source_digest(self),
            "kinds": list(self.kinds),
            "summary": self.summary or documentation.strip().partition("\n")[0],
            "citation": self.citation,
            "deterministic": self.deterministic,
            "parameters": self.settings.parameters(),
            "sweeps": sweeps,
        }

    def canonical_draws(self, draws: Draws) -> ArrayLike:
        """Returns for each draw one that names the same function: `draws % size` for an ensemble."""
        return draws

    def with_settings(self: Self, **settings: Value) -> Self:
        """Returns a copy that `je.run` and `je.check` run with these settings."""
        requested = {key.replace("_", "-"): text(value) for key, value in settings.items()}
        self.settings.parse(requested)
        changed = copy.copy(self)
        changed._requested = {**self._requested, **requested}
        return changed

    def log(self, line: str) -> None:
        """Adds a line to the agent's log, of which the run keeps the first lines."""
        if self._report is None:
            print(line, file=sys.stderr)
        else:
            self._report({"log": str(line)})

    def progress(self, fraction: float) -> None:
        """Reports the fraction of this training, or of this prediction, that is done."""
        if self._report is not None and math.isfinite(fraction):
            self._report({"progress": float(fraction)})


class Classifier(Agent):
    """An agent that predicts class probabilities."""

    kinds: ClassVar[tuple[str, ...]] = ("classification",)
    #: Whether it takes texts and categories; its inputs are then `Inputs` where a task has tokens.
    tokens: bool = False
    #: Whether it uses inputs without labels, `data.unlabelled`.
    unlabelled: bool = False

    def describe(self) -> dict[str, Any]:
        """Returns the description of the protocol."""
        return {**super().describe(), "tokens": self.tokens, "unlabelled": self.unlabelled}

    def train(self, task: Task, data: Examples, seed: int) -> None:
        """Trains this object. The result depends on the arguments and the settings, and on nothing else."""
        raise NotImplementedError(f"{type(self).__name__} has no method train")

    def sample_probs(self, inputs: Any, draws: Draws) -> ArrayLike:
        """Returns class probabilities of shape (len(draws), len(inputs), num_classes)."""
        raise NotImplementedError(f"{type(self).__name__} has no method sample_probs")


class Regressor(Agent):
    """An agent that predicts real numbers."""

    kinds: ClassVar[tuple[str, ...]] = ("regression",)

    def train(self, task: RegressionTask, data: Targets, seed: int) -> None:
        """Trains this object. The result depends on the arguments and the settings, and on nothing else."""
        raise NotImplementedError(f"{type(self).__name__} has no method train")

    def sample_functions(self, inputs: NDArray[np.float32], draws: Draws) -> tuple[ArrayLike, ArrayLike]:
        """Returns means without noise, and standard deviations of the noise, each (len(draws), len(inputs))."""
        raise NotImplementedError(f"{type(self).__name__} has no method sample_functions")

    def gaussian(self, inputs: NDArray[np.float32]) -> tuple[ArrayLike, ArrayLike, ArrayLike] | None:
        """Returns the exact mean, covariance without noise, and noise variance, or None if there are only samples."""
        return None

    def intervals(
        self, inputs: NDArray[np.float32], level: float
    ) -> ArrayLike | tuple[ArrayLike, ArrayLike | None] | None:
        """Returns intervals of the method's own, or None.

        An array (2, len(inputs)) holds lower and upper ends for a new observation. A pair of such arrays holds those,
        and intervals for the function.
        """
        return None
