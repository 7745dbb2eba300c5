"""The problems of a suite as arrays, by the command `jointly export`."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .command import flags, say
from .suites import suites


@dataclass(frozen=True, eq=False)
class Problem:
    """The part of a problem that an agent may see: training data and test inputs, without test labels."""

    name: str
    #: (T, d)
    x_train: NDArray[np.float32] = field(repr=False)
    #: (T,)
    y_train: NDArray[np.int64] = field(repr=False)
    #: (rows, d)
    x_test: NDArray[np.float32] = field(repr=False)
    num_classes: int
    #: The environment divides its logits by it; None if it is unknown.
    temperature: float | None
    #: Identifies the test inputs; predictions carry it, so that those for other inputs are refused.
    fingerprint: np.int64 = field(repr=False)

    def save(self, folder: str | os.PathLike[str], probs: ArrayLike) -> Path:
        """Writes predictions of shape (draws, rows, num_classes) for `jointly run predictions:FOLDER`."""
        answer = np.ascontiguousarray(probs, np.float32)
        expected = (len(self.x_test), self.num_classes)
        if answer.ndim != 3 or answer.shape[1:] != expected or not len(answer):
            raise ValueError(f"probs has the shape {answer.shape}; expected (draws, {expected[0]}, {expected[1]})")
        # A NaN is outside every range.
        fit = ((answer >= 0) & (answer <= 1)).all() and (abs(answer.sum(axis=-1, dtype=np.float64) - 1) <= 1e-4).all()
        if not fit:
            raise ValueError("probs are no probabilities: each must be from 0 to 1, and each row must sum to 1")
        path = Path(folder) / f"{self.name}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, probs=answer, fingerprint=self.fingerprint)
        return path


def problems(
    suite: str = "quick", problems: str | None = None, *, seed: int | str | None = None, **options: Any
) -> Iterator[Problem]:
    """Yields the problems of a suite of classification, one after another; `problems` is a pattern of names.

    Predict all rows of `x_test` with the same functions and save them, then run with the same pattern and seed:

        for problem in je.problems("quick"):
            problem.save("mine", predict(problem))
        je.run(["predictions:mine", "mlp"], suite="quick")
    """
    with tempfile.TemporaryDirectory(prefix="jointly-") as folder:
        say(["export", *flags({"suite": suite, "problems": problems, "seed": seed, "out": folder, **options})])
        paths = {os.fspath(path.relative_to(folder))[: -len(".npz")]: path for path in Path(folder).rglob("*.npz")}
        # In the suite's order, where it is known.
        order = [name for entry in suites() if entry.name == suite for name in entry.problems]
        for name in sorted(paths, key=lambda name: (order.index(name) if name in order else len(order), name)):
            with np.load(paths[name]) as arrays:
                yield Problem(
                    name=name,
                    x_train=arrays["x_train"],
                    y_train=arrays["y_train"],
                    x_test=arrays["x_test"],
                    num_classes=int(arrays["num_classes"]),
                    temperature=float(arrays["temperature"]) if "temperature" in arrays else None,
                    fingerprint=np.int64(arrays["fingerprint"]),
                )
