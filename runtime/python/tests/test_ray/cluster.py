"""The built command, commands that stand for it, and clusters of one-CPU nodes, every address of which is 127.0.0.1."""

import contextlib
import http.server
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
HOST = "127.0.0.1"
#: How long a test waits for a run, in seconds.
PATIENCE = 180.0
#: The environment of a cluster on this machine alone.
RAY = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Otherwise Ray replaces 127.0.0.1 by the machine's network address.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    # Otherwise workers yield to everything else that the machine does.
    "RAY_worker_niceness": "0",
}


def command():
    """Returns the built command, or None if it is not built."""
    own = PACKAGE.parents[1] / "target/release/jointly"
    return os.environ.get("JOINTLY_BIN") or (str(own) if own.exists() else shutil.which("jointly"))


def no_ray():
    """Returns why tests that need Ray cannot run here, if they cannot."""
    return f"ray is not installed for {sys.executable}" if importlib.util.find_spec("ray") is None else None


def obstacle():
    """Returns why no run can be spread here, if none can."""
    return no_ray() or (None if command() else "the command is not built; run `make demo`, or name it by JOINTLY_BIN")


def skip_for(tests, why):
    """Skips a class of tests, if there is a reason to."""
    if why and os.environ.get("JOINTLY_CI") == "1":
        raise AssertionError(f"{why}, and continuous integration skips nothing")
    if why:
        print(f"skipped {tests.__name__}: {why}", file=sys.stderr)
        raise unittest.SkipTest(why)


def running():
    """Returns whether a cluster has its head on this machine."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if process.read_bytes().split(b"\0")[0].endswith(b"/gcs_server"):
                return True
    return False


class OnCluster(unittest.TestCase):
    """A cluster for each class of tests: a head with one CPU, and the nodes that tests add."""

    @classmethod
    def setUpClass(cls):
        skip_for(cls, obstacle())
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # If a run names no command, nodes and drivers use the one on their PATH.
        (cls.folder / "right").mkdir()
        (cls.folder / "right/jointly").symlink_to(os.path.abspath(command()))
        path = f"{cls.folder / 'right'}{os.pathsep}{os.environ['PATH']}"
        # A short path, because the sockets are there; only this cluster uses it.
        sockets = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, sockets, ignore_errors=True)
        changed = unittest.mock.patch.dict(os.environ, {**RAY, "PATH": path, "RAY_TMPDIR": sockets})
        changed.start()
        cls.addClassCleanup(changed.stop)
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "node_ip_address": HOST, "include_dashboard": False, "object_store_memory": 100 << 20}
        cls.cluster = Cluster(initialize_head=True, head_node_args=head)
        cls.addClassCleanup(cls.cluster.shutdown)

    def node(self, **options):
        """Another node with one CPU, until the test ends."""
        node = self.cluster.add_node(num_cpus=1, node_ip_address=HOST, object_store_memory=100 << 20, **options)
        self.addCleanup(self.remove, node)
        self.cluster.wait_for_nodes(PATIENCE)
        return node

    def remove(self, node):
        if node in self.cluster.worker_nodes:
            self.cluster.remove_node(node, allow_graceful=False)

    def out(self, name):
        """A directory that nobody has made yet."""
        return self.folder / f"{self.id().rsplit('.', 1)[-1]}-{name}"

    def words(self, arguments, out, own=()):
        """Returns the command line of a run on the cluster."""
        address = ["--address", self.cluster.address, "--jointly", command()]
        return [sys.executable, "-m", "jointly_eval.ray", "run", *arguments, "--out", str(out), *address, *own]

    def spread(self, arguments, out, own=(), environment=None):
        """Runs on the cluster, to the end."""
        return finished(self.words(arguments, out, own), environment)

    def begun(self, arguments, out, own=(), stdout=subprocess.DEVNULL):
        """Starts a run on the cluster, and returns the process, whose standard error can be read."""
        process = subprocess.Popen(
            self.words(arguments, out, own),
            cwd=PACKAGE,
            env=environment_of({}),
            stderr=subprocess.PIPE,
            stdout=stdout,
            text=True,
        )
        # The process is ended with the test, whatever it waits for.
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(patience.cancel)
        return process

    def alone(self, arguments, out):
        """Runs by `jointly run` on this machine."""
        process = finished([command(), "run", *arguments, "--out", str(out)])
        assert process.returncode in (0, 3), process.stderr

    def same(self, out, whole):
        """Asserts that the directories hold the same scores, to the byte."""
        for name in ("plan.json", "scores.json", "leaderboard.csv"):
            assert (out / name).read_bytes() == (whole / name).read_bytes(), name

    def refused(self, process, *texts):
        """Asserts that the process printed one line and ended with exit code 2."""
        assert process.returncode == 2, process.stderr
        assert process.stdout == ""
        assert process.stderr.count("\n") == 1, process.stderr
        for text in texts:
            assert text in process.stderr


@contextlib.contextmanager
def closed_port():
    """A port on which nobody listens: it is bound by a socket that does not."""
    with socket.socket() as held:
        held.bind((HOST, 0))
        yield held.getsockname()[1]


class Silent(http.server.BaseHTTPRequestHandler):
    """A server that does not log requests."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def another_service():
    """A port on which a server other than Ray answers."""
    with http.server.ThreadingHTTPServer((HOST, 0), Silent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def environment_of(other):
    return {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), **other}


def finished(words, environment=None):
    """A process that has ended."""
    return subprocess.run(
        words, cwd=PACKAGE, env=environment_of(environment or {}), capture_output=True, text=True, check=False
    )


def stand_in(path, script):
    """Writes a Python command that replaces the built one, whose path is `REAL` in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"#!{sys.executable}\nimport json, os, signal, subprocess, sys\nREAL = {command()!r}\n"
    path.write_text(head + script, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


#: A worker that is killed in a unit, hands on all others, and counts its deaths in a file.
KILLED = """
if sys.argv[1] != "worker":
    os.execv(REAL, [REAL, *sys.argv[1:]])
real = subprocess.Popen([REAL, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for number, line in enumerate(sys.stdin.buffer):
    asked = json.loads(line)
    if number and (asked["agent"], asked["problem"]) == {unit!r}:
        with open({deaths!r}, "a") as deaths:
            deaths.write("x")
        if os.path.getsize({deaths!r}) <= {times}:
            os.kill(os.getpid(), signal.SIGKILL)
    real.stdin.write(line)
    real.stdin.flush()
    sys.stdout.buffer.write(real.stdout.readline())
    sys.stdout.buffer.flush()
"""

#: A worker that waits in its second unit until somebody opens the gate, a named pipe, for writing. On a node with a
#: part it does not wait: in its first unit it opens the gate and goes on ("opens") or not ("stays"), it has another
#: version ("version"), or it can run nothing ("unrun").
GATED = """
part = os.environ.get("PART")
if sys.argv[1] != "worker":
    os.execv(REAL, [REAL, *sys.argv[1:]])
real = subprocess.Popen([REAL, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for number, line in enumerate(sys.stdin.buffer):
    if number and part == "unrun":
        print(json.dumps({{"unrun": "no memory"}}), flush=True)
        continue
    if number == 1 and part in ("opens", "stays"):
        open({gate!r}, "w").close()
        if part == "stays":
            signal.pause()
    if number == 2 and part is None:
        open({gate!r}).close()
    real.stdin.write(line)
    real.stdin.flush()
    answer = real.stdout.readline()
    if part == "version":
        answer = json.dumps({{**json.loads(answer), "version": "9.9.9"}}).encode() + b"\\n"
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
"""
