"""Measures what a run on Ray costs beside its units, on two one-CPU nodes of a cluster of its own.

The overhead of a unit is the workers' time without the units' own, from the first result to the last, divided by the
units. It is the work of the driver and of Ray, the pipes, and whatever else the machine does, whose load is printed.
Throughput compares one worker with two, taken in turns, and beside it one thread of `jointly run` with two, which is
all that the cores of this machine give.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import HOST, PACKAGE, RAY, command, environment_of, obstacle

PROBLEMS = "quick/t10/*/*"
PROBLEMS_OF = 9
#: The units of a throughput run, whose agent takes a tenth of a second for each.
STEADY = ["mlp:steps=%d", 4000, 24]


class Run:
    """A run on the cluster, watched from outside."""

    def __init__(self, address, agents, folder, jobs):
        words = [sys.executable, "-m", "jointly_eval.ray", "run", *agents, "--suite", "quick", "--problems", PROBLEMS]
        words += ["--out", str(folder), "--address", address, "--jointly", command(), "--jobs", str(jobs)]
        process = subprocess.Popen(
            words, cwd=PACKAGE, env=environment_of({}), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        #: The units done, the time, and the driver's memory then, in MiB.
        self.seen = []
        said = []
        for line in process.stderr:
            said.append(line)
            if found := re.match(r"\[(\d+)/(\d+)\]", line):
                self.seen.append((int(found[1]), time.monotonic(), memory(process.pid)))
        if process.wait() != 0:
            sys.exit("".join(said[-3:]))
        summary = next(line for line in reversed(said) if " of work; this process" in line)
        numbers = re.findall(r"[\d.]+", summary)
        self.units, self.elapsed, self.busy = int(numbers[0]), float(numbers[1]), float(numbers[3])
        self.cpu, self.peak = float(numbers[4]), int(numbers[5])

    def rate(self):
        """Units a second, from the first that is told of to the last."""
        return rate(self.seen)

    def held(self, share):
        """Returns the driver's memory when a share of the units was done."""
        return next(memory for done, _, memory in self.seen if done >= share * self.units)


class Alone:
    """A run by `jointly run` on this machine."""

    def __init__(self, agents, folder, jobs):
        words = [command(), "run", *agents, "--suite", "quick", "--problems", PROBLEMS]
        words += ["--out", str(folder), "--jobs", str(jobs)]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.seen = [
            (int(found[1]), time.monotonic())
            for found in (re.match(r"\[(\d+)/(\d+)\]", line) for line in process.stderr)
            if found
        ]
        if process.wait() != 0:
            sys.exit(f"{words[0]} ended with exit code {process.returncode}")

    def rate(self):
        """Units a second, from the first that is told of to the last."""
        return rate(self.seen)


def rate(seen):
    """Units a second, from the first that is told of to the last."""
    (first, begun, *_), (last, ended, *_) = seen[0], seen[-1]
    return (last - first) / (ended - begun)


def memory(pid):
    """Returns the current memory of a process, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) >> 10


def load():
    """Returns the current load of the machine."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def main():
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="of throughput")
    parser.add_argument("--only", choices=("tiny", "throughput"), help="one of the two")
    asked = parser.parse_args()
    if why := obstacle():
        sys.exit(why)
    os.environ.update(RAY)
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "node_ip_address": HOST, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        cluster.add_node(**node)
        cluster.wait_for_nodes()
        with tempfile.TemporaryDirectory() as folder:
            if asked.only != "throughput":
                tiny(cluster.address, Path(folder))
            if asked.only != "tiny":
                throughput(cluster.address, Path(folder), asked.rounds)
    finally:
        cluster.shutdown()


def tiny(address, folder):
    """Measures overhead and memory with units that take a few milliseconds."""
    for variants in (112, 1112):
        agents = [f"knn:k={k}" for k in range(1, variants + 1)]
        run = Run(address, agents, folder / f"tiny{variants}", 2)
        own = run.busy / run.units
        wall = 2 / run.rate() - own
        print(
            f"{run.units} units of {1000 * own:.2f} ms on 2 workers in {run.elapsed:.1f} s: overhead {1000 * wall:.2f} "
            f"ms of a worker a unit, {run.cpu:.2f} ms of the driver's CPU; the driver held {run.held(0.1)} MiB after a "
            f"tenth, {run.held(1)} at the end, {run.peak} at most; {load()}"
        )


def throughput(address, folder, rounds):
    """Measures the throughput of two workers against one."""
    form, steps, variants = STEADY
    agents = [form % (steps + at) for at in range(variants)]
    for number in range(rounds):
        spread, alone = ([], [])
        for jobs in (1, 2):
            spread.append(Run(address, agents, folder / f"steady{number}-{jobs}", jobs).rate())
            alone.append(Alone(agents, folder / f"alone{number}-{jobs}", jobs).rate())
        print(
            f"{variants * PROBLEMS_OF} units of {1 / alone[0]:.3f} s: {spread[0]:.2f} a second by one worker, "
            f"{spread[1]:.2f} by two, {spread[1] / spread[0]:.2f} times as many; without Ray {alone[0]:.2f} and "
            f"{alone[1]:.2f}, {alone[1] / alone[0]:.2f} times; {load()}"
        )


if __name__ == "__main__":
    main()
