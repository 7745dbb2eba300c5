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

PACKAGE = Path(__file__).parent.parent
HOST = "127.0.0.1"
#: How long a run may take that is waited for, in seconds.
PATIENCE = 180.0
#: What a cluster of this machine alone is started with.
RAY = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Else Ray takes 127.0.0.1 for the machine's address on the network.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    # Else workers give way to whatever the machine does besides.
    "RAY_worker_niceness": "0",
}


def command():
    """The built command, or none where it is not built."""
    own = PACKAGE.parent.parent / "target/release/jointly"
    return os.environ.get("JOINTLY") or (str(own) if own.exists() else shutil.which("jointly"))


def no_ray():
    """Why nothing that needs Ray can be tried here, if so it is."""
    return f"ray is not installed for {sys.executable}" if importlib.util.find_spec("ray") is None else None


def obstacle():
    """Why no run can be spread here, if none can."""
    return no_ray() or (None if command() else "the command is not built; run `make demo`, or name it by JOINTLY")


def skip_for(tests, why):
    """Skips a class of tests, if there is a reason to."""
    if why and os.environ.get("JOINTLY_CI") == "1":
        raise AssertionError(f"{why}, and continuous integration skips nothing")
    if why:
        print(f"skipped {tests.__name__}: {why}", file=sys.stderr)
        raise unittest.SkipTest(why)


def running():
    """Whether some cluster has its head on this machine."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if process.read_bytes().split(b"\0")[0].endswith(b"/gcs_server"):
                return True
    return False


class OnCluster(unittest.TestCase):
    """A cluster for each class of tests: a head with one CPU, and what the tests add."""

    @classmethod
    def setUpClass(cls):
        skip_for(cls, obstacle())
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # Where a run does not say which command, nodes and drivers take that of their PATH.
        (cls.folder / "right").mkdir()
        (cls.folder / "right/jointly").symlink_to(os.path.abspath(command()))
        path = f"{cls.folder / 'right'}{os.pathsep}{os.environ['PATH']}"
        # Short, for its sockets are there, and nobody else's.
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
        """The words of a run on the cluster."""
        address = ["--address", self.cluster.address, "--jointly", command()]
        return [sys.executable, "-m", "jointly_ray", "run", *arguments, "--out", str(out), *address, *own]

    def spread(self, arguments, out, own=(), environment=None):
        """Runs on the cluster, to the end."""
        return finished(self.words(arguments, out, own), environment)

    def begun(self, arguments, out, own=(), stdout=subprocess.DEVNULL):
        """Runs on the cluster, and gives the process with what it says on standard error."""
        process = subprocess.Popen(
            self.words(arguments, out, own),
            cwd=PACKAGE,
            env=environment_of({}),
            stderr=subprocess.PIPE,
            stdout=stdout,
            text=True,
        )
        # Whatever it waits for, the test ends.
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(patience.cancel)
        return process

    def alone(self, arguments, out):
        """The same by `jointly run`."""
        process = finished([command(), "run", *arguments, "--out", str(out)])
        self.assertIn(process.returncode, (0, 3), process.stderr)

    def same(self, out, whole):
        """The directories hold the same scores, to the byte."""
        for name in ("plan.json", "scores.json", "leaderboard.csv"):
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes(), name)

    def refused(self, process, *texts):
        """One line, and exit code 2."""
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(process.stdout, "")
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        for text in texts:
            self.assertIn(text, process.stderr)


@contextlib.contextmanager
def closed_port():
    """A port at which nobody listens, for it is held by one who does not."""
    with socket.socket() as held:
        held.bind((HOST, 0))
        yield held.getsockname()[1]


class Silent(http.server.BaseHTTPRequestHandler):
    """A server that says nothing of what it is asked."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def another_service():
    """A port at which something else than Ray answers."""
    with http.server.ThreadingHTTPServer((HOST, 0), Silent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def environment_of(other):
    return {**os.environ, "PYTHONPATH": str(PACKAGE), **other}


def finished(words, environment=None):
    """A process that has ended."""
    return subprocess.run(
        words, cwd=PACKAGE, env=environment_of(environment or {}), capture_output=True, text=True, check=False
    )


def stand_in(path, script):
    """Writes a command of Python that stands for the built one, which is `REAL` in it."""
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

#: A worker that waits in its second unit until somebody opens the gate, a named pipe, for writing. On a node that has a part it does
#: not wait: it opens the gate in its first unit and goes on ("opens") or not ("stays"), it is of another version ("version"), or it
#: can run nothing ("unrun").
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
