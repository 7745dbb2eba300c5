"""Random numbers of PyTorch that a seed decides.

The generators are those of the process, so one thread draws at a time.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..streams import seed32

_LOCK = threading.Lock()


@contextmanager
def seeded(device: Any, *parts: int) -> Iterator[None]:
    """Seeds the generators of the host and of `device`, without gradients, and restores them afterwards."""
    import torch

    devices = [device] if device.type == "cuda" else []
    with _LOCK, torch.no_grad(), torch.random.fork_rng(devices):
        torch.manual_seed(seed32(*parts))
        yield
