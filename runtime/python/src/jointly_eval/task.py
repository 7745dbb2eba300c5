"""What an agent is given to train on: the task, and the data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Image:
    """The image that a row of inputs forms: row after row, pixel after pixel, channel after channel, from 0 to 1."""

    height: int
    width: int
    channels: int


@dataclass(frozen=True)
class Text:
    """Tokens that are the words of a text: ids below `vocabulary`, of which 0 pads and 1 is an unknown word."""

    vocabulary: int
    length: int


@dataclass(frozen=True)
class Categories:
    """Tokens that are categories: those of column j are below `sizes[j]`."""

    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """A task of classification. Temperature and layers describe the environment, where they are known."""

    input_dim: int
    num_classes: int
    image: Image | None = None
    tokens: Text | Categories | None = None
    temperature: float | None = None
    hidden_layers: int | None = None


@dataclass(frozen=True)
class RegressionTask:
    """A task of regression. `noise_std` is the standard deviation of the observation noise, if it is known."""

    input_dim: int
    noise_std: float | None = None


@dataclass(frozen=True)
class Inputs:
    """Inputs with tokens: row i of both arrays is one input."""

    numbers: NDArray[np.float32]
    tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> "Inputs":
        return Inputs(self.numbers[rows], self.tokens[rows])


@dataclass(frozen=True)
class Examples:
    """Training data of classification.

    `inputs` is what `sample_probs` is given: an array of float32 with a row for each example, or `Inputs` if the task
    has tokens. `unlabelled` is of the same type.
    """

    inputs: Any
    labels: NDArray[np.int64]
    validation: "Examples | None" = None
    unlabelled: Any = None

    @property
    def tokens(self) -> NDArray[np.int64] | None:
        """The tokens of the examples, if the task has any."""
        return self.inputs.tokens if isinstance(self.inputs, Inputs) else None

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Targets:
    """Training data of regression."""

    inputs: NDArray[np.float32]
    targets: NDArray[np.float32]
    validation: "Targets | None" = None

    def __len__(self) -> int:
        return len(self.targets)
