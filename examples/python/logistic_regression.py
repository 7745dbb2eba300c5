"""The bundled agent `logistic-regression` in Python: the same random numbers, so the same scores but for rounding."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import jointly_eval as je

#: The streams of a seed, in the order of the bundled networks.
START, BATCHES = 0, 2
#: Blocks of ChaCha that are made at a time; a block has eight numbers.
BLOCKS = 512


def chacha8(seed: int, stream: int) -> Iterator[int]:
    """Yields the 64-bit numbers of ChaCha with eight rounds (Bernstein, 2008), whose key begins with the seed."""
    head = np.frombuffer(b"expand 32-byte k", np.uint32).astype(np.uint32)
    halves = [seed & 0xFFFFFFFF, seed >> 32], [stream & 0xFFFFFFFF, stream >> 32]
    key, nonce = (np.array(half, np.uint32) for half in halves)
    start = 0
    while True:
        counter = np.arange(start, start + BLOCKS, dtype=np.uint64)
        first = np.zeros((16, BLOCKS), np.uint32)
        first[:4], first[4:6], first[14:] = head[:, None], key[:, None], nonce[:, None]
        first[12], first[13] = counter & np.uint64(0xFFFFFFFF), counter >> np.uint64(32)
        state = first.copy()
        for _ in range(4):
            for turn in (0, 1):
                for i in range(4):
                    # Columns, then diagonals.
                    quarter(state, i, 4 + (i + turn) % 4, 8 + (i + 2 * turn) % 4, 12 + (i + 3 * turn) % 4)
        state += first
        yield from np.ascontiguousarray(state.T).view(np.uint64).ravel().tolist()
        start += BLOCKS


def quarter(x: NDArray[np.uint32], a: int, b: int, c: int, d: int) -> None:
    """Mixes four words of each block's state."""
    for to, by, other, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[to] += x[by]
        mixed = x[other] ^ x[to]
        x[other] = (mixed << np.uint32(bits)) | (mixed >> np.uint32(32 - bits))


def stream(seed: int, which: int) -> Iterator[int]:
    """Returns the numbers of one use of a seed."""
    return chacha8(next(chacha8(seed, which)), 0)


def truncated_normals(numbers: Iterator[int]) -> Iterator[float]:
    """Yields normal numbers of at most 2 in absolute value, by Marsaglia's polar method."""
    while True:
        u, v = (2 * (next(numbers) >> 11) / 2**53 - 1 for _ in range(2))
        s = u * u + v * v
        if 0 < s < 1:
            scale = (-2 * np.log(s) / s) ** 0.5
            yield from (z for z in (u * scale, v * scale) if abs(z) <= 2)


class Batches:
    """Minibatches of equal size out of passes over the examples, each in a random order."""

    def __init__(self, examples: int, size: int, numbers: Iterator[int]) -> None:
        self.passes, self.rest = divmod(size, examples)
        self.order, self.next, self.numbers = list(range(examples)), examples, numbers

    def counts(self) -> NDArray[np.float32]:
        """Returns how often each example is in the next batch."""
        counts = np.full(len(self.order), self.passes, np.float32)
        for _ in range(self.rest):
            if self.next == len(self.order):
                for i in reversed(range(1, len(self.order))):
                    j = next(self.numbers) * (i + 1) >> 64
                    self.order[i], self.order[j] = self.order[j], self.order[i]
                self.next = 0
            counts[self.order[self.next]] += 1
            self.next += 1
        return counts


class LogisticRegression(je.Classifier):
    """A linear classifier, trained by Adam with a penalty on the squares of all parameters."""

    name = "logistic-regression-python"
    settings = je.Settings(
        {
            "l2": (1.0, "weight of the sum of squares of all parameters, over the number of examples"),
            "learning_rate": (1e-3, "step size of Adam"),
            "steps": (1000, "steps of Adam"),
            "batch_size": (100, "examples in a batch"),
        }
    )

    def train(self, task: je.Task, data: je.Examples, seed: int) -> None:
        rows, settings = len(data), self.settings
        normals = truncated_normals(stream(seed, START))
        start = [next(normals) for _ in range(task.input_dim * task.num_classes)]
        weights = np.zeros((task.input_dim + 1, task.num_classes), np.float32)
        weights[:-1] = np.reshape(start, (task.input_dim, task.num_classes)) / task.input_dim**0.5
        # None is a temperature of one.
        decay = 2 * settings.l2 * (task.temperature or 1) ** 0.5 * task.input_dim / max(rows, 1)
        x, labels = with_ones(data.inputs), np.eye(task.num_classes, dtype=np.float32)[data.labels]
        batches = Batches(rows, settings.batch_size, stream(seed, BATCHES)) if rows else None
        first, second = np.zeros_like(weights), np.zeros_like(weights)
        for step in range(1, settings.steps + 1):
            gradient = np.float32(decay) * weights
            if batches:
                shares = batches.counts() / settings.batch_size
                gradient += x.T @ (shares[:, None] * (softmax(x @ weights) - labels))
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            root = np.sqrt(second / (1 - 0.999**step)) + 1e-8
            weights -= np.float32(settings.learning_rate) * (first / (1 - 0.9**step) / root).astype(np.float32)
        self.weights = weights

    def sample_probs(self, inputs: Any, draws: je.Draws) -> ArrayLike:
        probs = softmax(with_ones(inputs) @ self.weights)
        return np.broadcast_to(probs, (len(draws), *probs.shape))

    def canonical_draws(self, draws: je.Draws) -> ArrayLike:
        return np.zeros_like(draws)


def with_ones(inputs: Any) -> Any:
    """Adds a column of ones, for the biases."""
    return np.column_stack([inputs, np.ones(len(inputs), np.float32)])


def softmax(logits: Any) -> Any:
    """Returns the probabilities of the classes in each row."""
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


if __name__ == "__main__":
    je.serve(LogisticRegression())
