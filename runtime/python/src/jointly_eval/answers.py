"""Turns what an agent returns into arrays of the protocol, or says what is wrong with it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .failure import InvalidOutput
from .message import Array

#: How far the sum of a row of probabilities may be from 1.
TOLERANCE = 1e-4


def numbers(method: str, answer: Any, axes: str, shape: tuple[int, ...], dtype: str = "float32") -> Array:
    """Returns a finite, C-contiguous array of the shape that is expected."""
    array = _array(method, answer, "fiub", "numbers")
    if array.shape != shape:
        expected = f"({axes}) = {shape}" if len(shape) > 1 else f"({axes},) = {shape}"
        raise InvalidOutput(f"{method} returned an array of shape {array.shape}; expected {expected}")
    array = np.ascontiguousarray(array, dtype)
    if not np.isfinite(array).all():
        raise InvalidOutput(f"{method} returned {_first(~np.isfinite(array), array, axes)}; expected finite numbers")
    return array


def probs(answer: Any, draws: int, rows: int, classes: int) -> NDArray[np.float32]:
    """Returns class probabilities, of which each row sums to 1."""
    array = numbers("sample_probs", answer, "draws, rows, classes", (draws, rows, classes))
    outside = (array < 0) | (array > 1)
    if outside.any():
        where = _first(outside, array, "draws, rows, classes")
        raise InvalidOutput(f"sample_probs returned {where}; expected probabilities from 0 to 1, such as a softmax")
    sums = array.sum(axis=-1, dtype=np.float64)
    wrong = np.abs(sums - 1) > TOLERANCE
    if wrong.any():
        where = _first(wrong, sums, "draws, rows")
        raise InvalidOutput(f"sample_probs returned probabilities with a sum of {where}; expected a sum of 1")
    return array


def draws(answer: Any, count: int) -> NDArray[np.uint64]:
    """Returns canonical draws."""
    array = _array("canonical_draws", answer, "iu", "whole numbers")
    if array.shape != (count,):
        raise InvalidOutput(f"canonical_draws returned an array of shape {array.shape}; expected (draws,) = ({count},)")
    if array.dtype.kind == "i" and (array < 0).any():
        raise InvalidOutput("canonical_draws returned a negative number")
    return np.ascontiguousarray(array, np.uint64)


def _array(method: str, answer: Any, kinds: str, expected: str) -> Array:
    if answer is None:
        raise InvalidOutput(f"{method} returned None; expected an array of {expected}")
    # PyTorch refuses to convert a tensor that has a gradient or is on a GPU.
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu()
    try:
        array = np.asarray(answer)
    except (TypeError, ValueError) as error:
        raise InvalidOutput(f"{method} returned what NumPy cannot convert to an array: {error}") from error
    # Types such as bfloat16 come from JAX, and NumPy knows only that they convert.
    if array.dtype.kind == "V" and "f" in kinds and array.dtype.names is None:
        array = array.astype(np.float32)
    if array.dtype.kind not in kinds:
        raise InvalidOutput(f"{method} returned an array of {array.dtype}; expected {expected}")
    return array


def _first(wrong: NDArray[np.bool_], values: Array, axes: str) -> str:
    """Names the first wrong value and its place."""
    at = np.unravel_index(int(wrong.argmax()), wrong.shape)
    names = [axis.strip().removesuffix("s").replace("classe", "class") for axis in axes.split(",")]
    place = ", ".join(f"{name} {int(index)}" for name, index in zip(names, at, strict=True))
    return f"{values[at]:g} at {place}"
