"""A host written from docs/native-agents.md alone: it shares no code with the package."""

import json
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
Reply = tuple[dict[str, Any], dict[str, NDArray[Any]]]

TASK = {"input_dim": 2, "num_classes": 3, "image": None, "tokens": None, "temperature": 0.1, "hidden_layers": 2}
INPUTS = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]], np.float32)
LABELS = np.array([0, 2, 2, 1], np.uint32)
TARGETS = np.array([1.0, 2.0, 3.0, 4.0], np.float32)


class Host:
    """The host's side of one connection."""

    def __init__(self, outgoing: IO[bytes], incoming: IO[bytes]) -> None:
        self.outgoing, self.incoming = outgoing, incoming
        #: Progress and log lines, as they came.
        self.said: list[dict[str, Any]] = []

    def ask(self, header: dict[str, Any], arrays: Arrays | None = None) -> Reply:
        """Sends a request and returns the reply."""
        specs = [{"name": n, "dtype": a.dtype.name, "shape": list(a.shape)} for n, a in (arrays or {}).items()]
        text = json.dumps({**header, **({"arrays": specs} if specs else {})}).encode()
        body = b"".join(array.tobytes() for array in (arrays or {}).values())
        self.outgoing.write(struct.pack("<I", len(text)) + text + body)
        self.outgoing.flush()
        while True:
            reply, parts = self._read()
            if not reply.keys() & {"progress", "log"}:
                return reply, parts
            self.said.append(reply)

    def describe(self) -> dict[str, Any]:
        """Returns the description."""
        reply, _ = self.ask({"method": "describe", "protocol": 1})
        description: dict[str, Any] = reply["description"]
        return description

    def train(self, settings: Mapping[str, str] | None = None, **more: Any) -> dict[str, Any]:
        """Trains on four examples, by default of classification."""
        request = {"method": "train", "kind": "classification", "seed": "11400714819323198485", "task": TASK}
        arrays = more.pop("arrays", {"train.inputs": INPUTS, "train.labels": LABELS})
        return self.ask({**request, "settings": dict(settings or {}), **more}, arrays)[0]

    def probs(self, draws: Sequence[int] = (0, 1), inputs: NDArray[Any] = INPUTS) -> Reply:
        """Asks for the probabilities of draws."""
        return self.ask({"method": "sample_probs"}, {"inputs": inputs, "draws": np.array(draws, np.uint64)})

    def _read(self) -> Reply:
        start = self.incoming.read(4)
        assert len(start) == 4, "the agent closed the connection"
        (length,) = struct.unpack("<I", start)
        header = json.loads(self.incoming.read(length))
        arrays = {}
        for spec in header.pop("arrays", []):
            dtype = np.dtype(spec["dtype"])
            bytes_ = self.incoming.read(dtype.itemsize * int(np.prod(spec["shape"])))
            arrays[spec["name"]] = np.frombuffer(bytes_, dtype).reshape(spec["shape"])
        return header, arrays


def connect(path: str | Path) -> tuple[Host, socket.socket]:
    """Connects to a server on a Unix socket."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return Host(connection.makefile("wb"), connection.makefile("rb")), connection


def started(command: Sequence[str], **more: Any) -> tuple[Host, "subprocess.Popen[bytes]"]:
    """Starts an agent that speaks on standard input and output."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **more)
    assert process.stdin is not None
    assert process.stdout is not None
    return Host(process.stdin, process.stdout), process
