"""Scores arrays of predictions, by the command `jointly score`."""

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .command import flags, query


def score(
    probs: ArrayLike,
    labels: ArrayLike,
    log_likelihood: ArrayLike | None = None,
    *,
    tau: int | None = None,
    planes: int | None = None,
    partition: str | None = None,
    problem: str | os.PathLike[str] | None = None,
    seed: int | str | None = None,
) -> dict[str, Any]:
    """Returns joint loss, accuracy and calibration of predictions.

    `probs` has the shape (draws, samples, tau, classes) and `labels` (samples, tau), or (draws, inputs, classes) and
    (inputs,). In the second case, `tau` scores random groups of `tau` inputs, and inputs that fill no group are left
    out; without it, each input is scored alone. One draw is the same function for all inputs. With the
    `log_likelihood` of each sample under the true environment the score is the KL, without it the negative
    log-likelihood. `problem` is the path of an .npz with a problem of your own, whose labels these are.

    Above tau 10 a partition with 2**planes cells, 10 planes unless given, estimates the joint likelihood, and the
    number of draws must be much larger than that. Of the answer, `draw_error` is the part of a score that is due to
    few draws, and `effective_draws` says how many count.
    """
    given, named = np.asarray(probs, np.float32), np.asarray(labels)
    if named.dtype.kind not in "iu":
        raise ValueError(f"labels have the type {named.dtype}: give the numbers of the classes as integers")
    classes = named.astype(np.int64)
    if given.ndim not in (3, 4) or given.shape[1:-1] != classes.shape:
        raise ValueError(
            f"probs has the shape {given.shape} and labels {classes.shape}; expected"
            " (draws, samples, tau, classes) and (samples, tau), or (draws, inputs, classes) and (inputs,)"
        )
    arrays = {"probs": given, "labels": classes} if tau is None else _grouped(given, classes, tau)
    if log_likelihood is not None:
        if tau is not None:
            raise ValueError("log_likelihood is that of given samples: give probs as (draws, samples, tau, classes)")
        arrays["log_likelihood"] = np.asarray(log_likelihood, np.float64)
    options = {"planes": planes, "partition": partition, "problem": problem, "seed": seed}
    with tempfile.TemporaryDirectory(prefix="jointly-") as folder:
        path = os.path.join(folder, "predictions.npz")
        np.savez(path, **arrays)
        answer: dict[str, Any] = query(["score", path, "--json", *flags(options)])
    return answer


def _grouped(probs: NDArray[np.float32], labels: NDArray[np.int64], tau: int) -> dict[str, NDArray[Any]]:
    """Returns random groups of `tau` inputs, the same for all predictions of these inputs."""
    if probs.ndim != 3 or not 1 <= tau <= len(labels):
        raise ValueError(
            f"tau={tau} with probs of shape {probs.shape}: expected (draws, inputs, classes), and at least tau inputs"
        )
    groups = len(labels) // tau
    order = np.random.default_rng(0).permutation(len(labels))[: groups * tau]
    return {
        "probs": probs[:, order].reshape(len(probs), groups, tau, -1),
        "labels": labels[order].reshape(groups, tau),
    }
