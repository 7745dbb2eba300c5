"""A native agent for tests, from docs/native-agents.md alone: `agent.py MODE` misbehaves as MODE says.

Without a mode it answers as the bundled agent `uniform` does for classes, and with a few straight lines for numbers.
"""

import json
import math
import os
import socket
import struct
import sys
import threading
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "fair"
SIZES = {"float32": 4, "float64": 8, "uint32": 4, "uint64": 8}
LINES = 5


class Connection:
    """One connection: a model and what reads and writes bytes."""

    def __init__(self, source, sink):
        self.source, self.sink, self.trainings, self.classes = source, sink, 0, 2

    def read(self):
        start = b"" if self.source.closed else self.source.read(4)
        if len(start) < 4:
            return None
        header = json.loads(self.source.read(struct.unpack("<I", start)[0]))
        arrays = {}
        for array in header.get("arrays", []):
            count = math.prod(array["shape"]) * SIZES[array["dtype"]]
            arrays[array["name"]] = (array["shape"], self.source.read(count))
        return header, arrays

    def write(self, header, *values):
        text = json.dumps(header).encode()
        self.sink.write(b"".join([struct.pack("<I", len(text)), text, *values]))
        self.sink.flush()

    def write_arrays(self, *arrays):
        announced = [{"name": name, "dtype": dtype, "shape": shape} for name, dtype, shape, _ in arrays]
        self.write({"arrays": announced}, *(values for *_, values in arrays))

    def serve(self):
        while (message := self.read()) is not None:
            header, arrays = message
            getattr(self, header["method"])(header, arrays)

    def describe(self, header, arrays):
        if MODE == "version":
            return self.write({"protocol": 2})
        kinds = ["classification", "regression"]
        card = {"name": "other" if MODE == "renamed" else "native", "version": "1", "kinds": kinds, "deterministic": True}
        card["parameters"] = [{"name": "slope", "default": "1", "summary": "the slope of the lines", "kind": "regression"}]
        self.write({"protocol": 1, "description": card})

    def train(self, header, arrays):
        self.trainings += 1
        if MODE == "dies" or (MODE == "dies-second" and self.trainings == 2):
            print("no memory on the device", file=sys.stderr)
            os._exit(3)
        if MODE == "leaves-child":
            # The child keeps the connection open.
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(4)
        if MODE == "hangs":
            time.sleep(1000)
        if MODE == "prints":
            sys.stdout.write("epoch 1 of 10\n")
            sys.stdout.flush()
        if MODE == "raises":
            return self.fail("internal", "ValueError: singular matrix", "File x, line 3\n  solve()")
        known = {"slope"} if header["kind"] == "regression" else set()
        for name in header["settings"].keys() - known:
            return self.fail("invalid-setting", f"there is no setting {name}")
        try:
            self.slope = float(header["settings"].get("slope", "1"))
        except ValueError:
            return self.fail("invalid-setting", "slope is a number")
        self.classes = header["task"].get("num_classes")
        self.write({"progress": 0.5})
        self.write({"log": "fitting"})
        self.write({"trained": True})

    def fail(self, kind, message, traceback=None):
        self.write({"failure": {"kind": kind, "message": message, "traceback": traceback}})

    def canonical_draws(self, header, arrays):
        shape, values = arrays["draws"]
        draws = struct.unpack(f"<{shape[0]}Q", values)
        count = LINES if self.classes is None else 1
        self.write_arrays(("draws", "uint64", shape, struct.pack(f"<{shape[0]}Q", *(draw % count for draw in draws))))

    def sample_probs(self, header, arrays):
        draws, rows = arrays["draws"][0][0], arrays["inputs"][0][0]
        shape, dtype = [draws, rows, self.classes], "float32"
        value = {"nan": math.nan, "sum": 0.7}.get(MODE, 1 / self.classes)
        values = struct.pack("<f", value) * math.prod(shape)
        if MODE == "near":
            # The bits depend on the number of rows, as those of a framework do.
            row = [0.5 + 1e-6 * rows / 1000, 0.5 - 1e-6 * rows / 1000] + [0.0] * (self.classes - 2)
            values = struct.pack(f"<{self.classes}f", *row) * (draws * rows)
        if MODE == "company":
            row = [0.5 + 1e-3 * rows, 0.5 - 1e-3 * rows] + [0.0] * (self.classes - 2)
            values = struct.pack(f"<{self.classes}f", *row) * (draws * rows)
        if MODE == "shape":
            shape = shape[:2]
        if MODE == "dtype":
            dtype = "float64"
        if MODE == "huge":
            shape = [10**15, rows, self.classes]
        if MODE == "half":
            values = values[: len(values) // 2]
        if MODE == "header":
            self.sink.write(b"\xff\xff\xff\xff")
            return self.sink.flush()
        self.write_arrays(("probs", dtype, shape, values))
        if MODE == "half":
            os._exit(0)
        if MODE == "twice":
            self.write_arrays(("probs", dtype, shape, values))

    def sample_functions(self, header, arrays):
        (draws,), (rows, columns) = arrays["draws"][0], arrays["inputs"][0]
        draws = struct.unpack(f"<{draws}Q", arrays["draws"][1])
        inputs = struct.unpack(f"<{rows * columns}f", arrays["inputs"][1])
        means = [self.slope * inputs[row * columns] + 0.1 * (draw % LINES) for draw in draws for row in range(rows)]
        shape = [len(draws), rows]
        means, noise = struct.pack(f"<{len(means)}f", *means), struct.pack("<f", 0.5) * len(means)
        self.write_arrays(("means", "float32", shape, means), ("noise_stds", "float32", shape, noise))

    def gaussian(self, header, arrays):
        self.write({"none": True})

    def intervals(self, header, arrays):
        rows, columns = arrays["inputs"][0]
        inputs = struct.unpack(f"<{rows * columns}f", arrays["inputs"][1])
        centre = [self.slope * inputs[row * columns] for row in range(rows)]
        ends = [value - 2 * header["level"] for value in centre] + [value + 2 * header["level"] for value in centre]
        self.write_arrays(("prediction", "float64", [2, rows], struct.pack(f"<{2 * rows}d", *ends)))

    def drop(self, header, arrays):
        self.write({"dropped": True})
        if MODE == "listen-for-one":
            self.source.close()


def listen(path):
    """Serves each connection of a Unix socket on a thread of its own."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    while True:
        connection = server.accept()[0]
        stream = connection.makefile("rwb")
        # Held by the stream alone, so that its end closes the connection.
        connection.close()
        threading.Thread(target=Connection(stream, stream).serve, daemon=True).start()


if MODE == "import":
    import no_such_module
if MODE in ("listen", "listen-for-one"):
    listen(sys.argv[2])
else:
    Connection(sys.stdin.buffer, os.fdopen(os.dup(1), "wb")).serve()
