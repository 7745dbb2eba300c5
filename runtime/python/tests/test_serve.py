"""An agent as a program, on standard input and output."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
from host import started

PROGRAM = """
import os, subprocess, sys
import numpy as np
import jointly_eval as je

print("hello from the module")

class Noisy(je.Classifier):
    def train(self, task, data, seed):
        print("training", flush=True)
        os.system("echo from a child")
        assert sys.stdin.read() == ""
        self.task = task

    def sample_probs(self, inputs, draws):
        print("predicting")
        os.write(1, b"from C\\n")
        return np.full((len(draws), len(inputs), self.task.num_classes), 1 / self.task.num_classes)

if __name__ == "__main__":
    je.serve(Noisy())
"""
# Without buffers, what is printed before `serve` is sent to the host.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
ENVIRONMENT["PYTHONPATH"] = str(Path(__file__).parents[1] / "src")


def program(folder: Path) -> str:
    path = folder / "agent.py"
    path.write_text(PROGRAM)
    return str(path)


def test_prints_go_to_the_log(tmp_path: Path) -> None:
    host, process = started([sys.executable, program(tmp_path)], env=ENVIRONMENT)
    assert host.describe()["name"] == "noisy"
    assert host.train() == {"trained": True}
    np.testing.assert_allclose(host.probs()[1]["probs"], 1 / 3)
    rest, log = process.communicate(timeout=20)
    assert rest == b""
    assert log.decode().split("\n") == ["hello from the module", "training", "from a child", "predicting", "from C", ""]
    assert process.returncode == 0


def test_a_closed_connection_ends_it_quietly(tmp_path: Path) -> None:
    host, process = started([sys.executable, program(tmp_path)], env=ENVIRONMENT)
    host.describe()
    # Half of a message.
    host.outgoing.write(b"\xff\x00\x00")
    assert process.communicate(timeout=20) == (b"", b"hello from the module\n")
    assert process.returncode == 0


def test_in_a_terminal_it_says_how_it_is_run(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    path = program(tmp_path)
    command = [sys.executable, path]
    process = subprocess.run(command, stdin=slave, capture_output=True, env=ENVIRONMENT, check=False, timeout=20)
    os.close(master)
    os.close(slave)
    assert process.stderr.decode() == f"this program is an agent: run it by `jointly run {path} --suite quick`\n"
    assert process.returncode == 1


def test_the_import_needs_numpy_alone() -> None:
    code = """
import sys, jointly_eval
known = {"numpy", "jointly_eval"} | set(sys.stdlib_module_names)
named = {name for name, module in sys.modules.items() if getattr(module, "__file__", None)}
print([name for name in named if name.partition(".")[0] not in known and not name.startswith("_")])
"""
    # -S leaves out what the installation itself imports, and with it the path to numpy.
    path = os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(Path(np.__file__).parents[1])])
    environment = {**ENVIRONMENT, "PYTHONPATH": path}
    process = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, env=environment, check=True)
    assert process.stdout.decode().strip() == "[]"
