"""Turns what an agent returns into arrays of the protocol, or says what is wrong with it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .failure import InvalidOutput
from .message import Array


def numbers(method: str, answer: Any, axes: str, shape: tuple[int, ...], dtype: str = "float32") -> Array:
    """Returns a C-contiguous array of the shape that is expected.

    Its numbers are not looked at: the host checks each of them, and a second look takes longer than many agents do.
    """
    array = _array(method, answer, "fiub", "numbers")
    if array.shape != shape:
        expected = f"({axes}) = {shape}" if len(shape) > 1 else f"({axes},) = {shape}"
        raise InvalidOutput(f"{method} returned an array of shape {array.shape}; expected {expected}")
    return np.ascontiguousarray(array, dtype)


def probs(answer: Any, draws: int, rows: int, classes: int) -> Array:
    """Returns class probabilities."""
    return numbers("sample_probs", answer, "draws, rows, classes", (draws, rows, classes))


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
