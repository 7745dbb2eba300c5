"""Reads and writes the messages of the protocol: a length, a JSON header, and raw arrays."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BufferedReader, RawIOBase
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The largest header, in bytes.
MAX_HEADER = 16 * 2**20
DTYPES = {"float32": "<f4", "float64": "<f8", "uint32": "<u4", "uint64": "<u8"}

Array = NDArray[Any]
Header = dict[str, Any]


class ConnectionClosed(Exception):
    """The other side closed the connection."""


class ProtocolError(Exception):
    """The other side sent what is no message."""


@dataclass
class Message:
    """A header without its list of arrays, and the arrays by name."""

    header: Header
    arrays: dict[str, Array] = field(default_factory=dict)


class Connection:
    """A pair of binary streams that carry messages.

    The outgoing stream has no buffer: after the other side is gone, nothing must be left to be written.
    """

    def __init__(self, incoming: BufferedReader, outgoing: RawIOBase) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def receive(self) -> Message:
        """Returns the next message. Raises ConnectionClosed at the end of the stream."""
        (length,) = struct.unpack("<I", self._read(4))
        if length > MAX_HEADER:
            raise ProtocolError(f"a header of {length} bytes; at most {MAX_HEADER} are allowed")
        try:
            header = json.loads(self._read(length).decode())
        except ValueError as error:
            raise ProtocolError(f"a header that is no JSON: {error}") from None
        if not isinstance(header, dict):
            raise ProtocolError("a header that is no JSON object")
        return Message(header, {spec["name"]: self._array(spec) for spec in header.pop("arrays", None) or []})

    def send(self, header: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> None:
        """Sends a message. A C-contiguous array in little-endian order is written without a copy."""
        parts = {name: _wire(array) for name, array in (arrays or {}).items()}
        specs = [{"name": name, "dtype": part.dtype.name, "shape": list(part.shape)} for name, part in parts.items()]
        text = json.dumps({**header, "arrays": specs} if specs else header).encode()
        try:
            self._write(memoryview(struct.pack("<I", len(text)) + text))
            for part in parts.values():
                self._write(_bytes(part))
        except OSError:
            raise ConnectionClosed from None

    def _array(self, spec: Header) -> Array:
        """Reads one array into memory of its own."""
        if spec["dtype"] not in DTYPES:
            raise ProtocolError(f"an array of type {spec['dtype']}; expected one of {', '.join(DTYPES)}")
        array: Array = np.empty(spec["shape"], DTYPES[spec["dtype"]])
        if array.size:
            self._fill(_bytes(array))
        return array

    def _read(self, size: int) -> bytes:
        buffer = bytearray(size)
        self._fill(memoryview(buffer))
        return bytes(buffer)

    def _write(self, view: memoryview) -> None:
        while view:
            view = view[self._outgoing.write(view) or 0 :]

    def _fill(self, view: memoryview) -> None:
        at = 0
        while at < len(view):
            try:
                count = self._incoming.readinto(view[at:])
            except OSError:
                count = 0
            if not count:
                raise ConnectionClosed
            at += count


def _wire(array: Array) -> Array:
    """Returns the array as it is sent; a copy only where its layout or byte order differs."""
    if array.dtype.name not in DTYPES:
        raise ProtocolError(f"an array of type {array.dtype.name} cannot be sent")
    # `ascontiguousarray` would turn a number into a vector; `require` keeps the shape.
    return np.require(array, DTYPES[array.dtype.name], "C")


def _bytes(array: Array) -> memoryview:
    """Returns a view of the array's memory."""
    return array.reshape(-1).view(np.uint8).data
