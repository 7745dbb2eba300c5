"""What is found where: the command, here and on nodes, and the package, which nodes need not have."""

import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import cluster
import pytest

from jointly_eval.ray import command, node
from jointly_eval.ray.refusal import Refusal


def program(folder, name="jointly"):
    """Makes a program in a folder, which is made too."""
    path = folder / name
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.beside, self.on_path = program(self.folder / "python"), program(self.folder / "path")
        self.patch("JOINTLY_BIN", "")
        self.patch("PATH", str(self.folder / "path"))
        python = unittest.mock.patch.object(sys, "executable", str(self.folder / "python/python3"))
        python.start()
        self.addCleanup(python.stop)

    def patch(self, name, value):
        patched = unittest.mock.patch.dict(os.environ, {name: value})
        patched.start()
        self.addCleanup(patched.stop)

    def test_on_a_node_it_is_that_beside_python_else_that_on_the_path(self):
        assert node.located(None) == self.beside
        assert node.located("jointly") == self.on_path
        assert node.located(self.beside) == self.beside
        os.unlink(self.beside)
        assert node.located(None) == self.on_path
        os.unlink(self.on_path)
        assert node.located(None) is None

    def test_where_the_run_starts_it_is_that_of_the_package(self):
        assert command.located(None) == self.beside
        assert command.located("jointly") == self.on_path
        self.patch("JOINTLY_BIN", program(self.folder / "own", "other"))
        assert command.located(None) == str(self.folder / "own/other")
        assert command.located("jointly") == self.on_path

    def test_a_command_that_is_missing_is_refused_with_what_to_do(self):
        os.unlink(self.on_path)
        with pytest.raises(Refusal, match=r"there is no command jointly: .*--jointly PATH"):
            command.located("jointly")
        self.patch("JOINTLY_BIN", str(self.folder / "none"))
        with pytest.raises(Refusal, match=r"JOINTLY_BIN is .*/none, which is no program: .*--jointly PATH"):
            command.located(None)


class Imports(unittest.TestCase):
    def imported(self, code):
        """Runs code without Ray, and returns the modules of this package's extra that it imported."""
        code = f"import sys\nsys.modules['ray'] = None\n{code}\n"
        code += "print(*(name for name in sys.modules if name.startswith('jointly_eval.ray')))\n"
        process = cluster.finished([sys.executable, "-c", code])
        assert process.returncode == 0, process.stderr
        return process.stdout.split()

    def test_the_package_imports_none_of_it(self):
        assert self.imported("import jointly_eval") == []

    def test_what_runs_on_nodes_needs_no_ray(self):
        assert self.imported("import jointly_eval.ray.node") == ["jointly_eval.ray", "jointly_eval.ray.node"]

    def test_nodes_need_not_have_the_package(self):
        cluster.skip_for(type(self), cluster.no_ray())
        from ray import cloudpickle

        cloudpickle.register_pickle_by_value(node)
        self.addCleanup(cloudpickle.unregister_pickle_by_value, node)
        code = """
import sys
sys.modules["jointly_eval"] = None
from ray import cloudpickle
prepare, Worker = cloudpickle.loads(sys.stdin.buffer.read())
worker = Worker({"command": "no such command", "options": [], "plan": {}, "files": {}})
print(worker.start()["refused"])
"""
        process = subprocess.run(
            [sys.executable, "-c", code],
            input=cloudpickle.dumps((node.prepare, node.Worker)),
            capture_output=True,
            check=False,
        )
        assert process.stdout == b"there is no command no such command on it\n", process.stderr.decode()
