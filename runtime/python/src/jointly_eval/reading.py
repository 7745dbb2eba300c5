"""Makes tasks, data and inputs of the protocol's headers and arrays."""

from typing import Any

import numpy as np

from .message import Array, Header, Message
from .task import Categories, Examples, Image, Inputs, RegressionTask, Targets, Task, Text


def task(header: Header) -> Task:
    """Reads a task of classification."""
    image, tokens = header.get("image"), header.get("tokens")
    kind: Text | Categories | None = None
    if tokens and "text" in tokens:
        kind = Text(tokens["text"]["vocabulary"], tokens["text"]["length"])
    elif tokens:
        kind = Categories(tuple(tokens["categories"]))
    return Task(
        input_dim=header["input_dim"],
        num_classes=header["num_classes"],
        image=Image(image["height"], image["width"], image["channels"]) if image else None,
        tokens=kind,
        temperature=header.get("temperature"),
        hidden_layers=header.get("hidden_layers"),
    )


def regression_task(header: Header) -> RegressionTask:
    """Reads a task of regression."""
    return RegressionTask(header["input_dim"], header.get("noise_std"))


def examples(message: Message) -> Examples:
    """Reads the data of classification."""
    arrays = message.arrays
    validation = _examples(arrays, "validation.") if "validation.labels" in arrays else None
    unlabelled = inputs(arrays, "unlabelled.") if "unlabelled.inputs" in arrays else None
    train = _examples(arrays, "train.")
    return Examples(train.inputs, train.labels, validation, unlabelled)


def targets(message: Message) -> Targets:
    """Reads the data of regression."""
    arrays = message.arrays
    validation = None
    if "validation.targets" in arrays:
        validation = Targets(arrays["validation.inputs"], arrays["validation.targets"])
    return Targets(arrays["train.inputs"], arrays["train.targets"], validation)


def inputs(arrays: dict[str, Array], prefix: str = "") -> Any:
    """Returns an array of numbers, or `Inputs` if there are tokens."""
    numbers = arrays[f"{prefix}inputs"]
    tokens = arrays.get(f"{prefix}tokens")
    # Few frameworks index with unsigned numbers.
    return numbers if tokens is None else Inputs(numbers, tokens.astype(np.int64))


def _examples(arrays: dict[str, Array], prefix: str) -> Examples:
    return Examples(inputs(arrays, prefix), arrays[f"{prefix}labels"].astype(np.int64))
