"""Runs on a Ray cluster have the bytes of runs on one machine, whatever goes wrong on the way."""

import json
import os
import re
import shlex
import signal
import sys

import cluster
from cluster import GATED, KILLED, stand_in

AGENTS = ["uniform", "mlp:steps=20", "knn:k=3"]
SUITE = ["--suite", "quick", "--problems", "quick/t10/*/*"]
FEW = ["--suite", "quick", "--problems", "quick/t10/temp0.1/*"]
#: Agents whose units take long enough that something can happen in the middle.
SLOW = ["ensemble:size=4", "ensemble:size=5", "ensemble:size=6", "mlp"]


class Runs(cluster.OnCluster):
    def test_two_nodes_have_the_bytes_of_one_machine(self):
        self.node(env_vars={"PART": "opens"})
        arguments = [*AGENTS, *SUITE]
        self.alone(arguments, self.out("alone"))
        process = self.spread(arguments, self.out("ray"), ["--jointly", self.gated()])
        assert process.returncode == 0, process.stderr
        self.same(self.out("ray"), self.out("alone"))
        assert "scores, leaderboard and journal are in" in process.stdout
        assert re.search(r"\[\d+/27\] .* on quick/.*; about \d+ (s|min) left", process.stderr)
        assert re.search(r"27 units in .* on 2 workers", process.stderr)
        assert "done already" not in process.stderr
        # Running it again shows the finished run and needs no worker.
        again = self.spread(arguments, self.out("ray"), ["--jobs", "1", "--json"])
        assert again.returncode == 0, again.stderr
        assert again.stdout.encode() == (self.out("alone") / "scores.json").read_bytes()
        assert "workers" not in again.stderr
        assert "27 of 27 units are done already; showing them" in again.stderr

    def test_the_question_of_another_run_is_taken_from_the_folder_in_which_it_is_asked(self):
        self.alone([*AGENTS, *FEW], self.out("alone"))
        process = self.spread(["--like", os.path.relpath(self.out("alone"), cluster.PACKAGE)], self.out("ray"))
        assert process.returncode == 0, process.stderr
        assert "9 units in" in process.stderr
        self.same(self.out("ray"), self.out("alone"))

    def test_a_node_that_is_removed_in_the_middle_costs_no_result(self):
        arguments = [*AGENTS, *FEW]
        self.alone(arguments, self.out("alone"))
        node = self.node(env_vars={"PART": "stays"})
        own = ["--json", "--jointly", self.gated()]
        with open(self.out("printed"), "w", encoding="utf-8") as printed:
            process = self.begun(arguments, self.out("ray"), own, stdout=printed)
        said = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("[2/"):
                self.remove(node)
        assert process.wait() == 0, "".join(said)
        self.same(self.out("ray"), self.out("alone"))
        # The node's processes are killed one after another: Ray reports the loss, or the worker the end of its process.
        assert re.search("was lost|is tried again: killed by SIGKILL", "".join(said)), "".join(said)
        # Ray reports it, but not on these streams.
        assert self.out("printed").read_bytes() == (self.out("alone") / "scores.json").read_bytes()

    def test_a_driver_that_is_killed_goes_on_where_it_was(self):
        arguments = [*SLOW, *SUITE]
        self.alone(arguments, self.out("alone"))
        process = self.begun(arguments, self.out("ray"))
        for line in process.stderr:
            if line.startswith("[3/"):
                break
        process.kill()
        process.wait()
        journal = self.out("ray") / "results.jsonl"
        with open(journal, "ab") as torn:
            torn.write(b'{"agent":"ml')
        before = journal.read_bytes().count(b"\n")
        assert before >= 3
        again = self.spread(arguments, self.out("ray"))
        assert again.returncode == 0, again.stderr
        assert f"{before} of 36 units are done already; going on" in again.stderr
        assert f"{36 - before} units in" in again.stderr
        self.same(self.out("ray"), self.out("alone"))

    def test_beliefs_travel_too(self):
        agents = ["bootstrap:epochs=1,size=2", "bootstrap:epochs=2,size=3"]
        arguments = [*agents, "--suite", "quick/correlations", "--problems", "quick/correlations/d1/set[01]"]
        self.alone(arguments, self.out("alone"))
        process = self.spread(arguments, self.out("ray"))
        assert process.returncode == 0, process.stderr
        self.same(self.out("ray"), self.out("alone"))
        kept = [
            {path.name: path.read_bytes() for path in (out / "beliefs").iterdir()}
            for out in (self.out("ray"), self.out("alone"))
        ]
        assert kept[0] == kept[1]
        assert len(kept[0]) == 4

    def test_a_failure_of_an_agent_is_recorded_and_not_tried_again(self):
        arguments = ["uniform", "mlp", *FEW, "--fuel", "2000000"]
        self.alone(arguments, self.out("alone"))
        process = self.spread(arguments, self.out("ray"))
        assert process.returncode == 3, process.stderr
        assert "failed: train: out-of-fuel" in process.stderr
        self.same(self.out("ray"), self.out("alone"))
        assert "6 units in" in process.stderr

    def test_a_worker_that_dies_twice_in_a_unit_is_replaced(self):
        out, deaths = self.out("ray"), self.out("deaths")
        unit = ("mlp:steps=20", "quick/t10/temp0.1/seed1")
        path = stand_in(self.folder / "twice/jointly", KILLED.format(unit=unit, deaths=str(deaths), times=2))
        self.alone([*AGENTS, *FEW], self.out("alone"))
        process = self.spread([*AGENTS, *FEW], out, ["--jointly", path])
        assert process.returncode == 0, process.stderr
        assert deaths.read_text() == "xxx"
        self.same(out, self.out("alone"))

    def test_a_unit_in_which_three_workers_die_is_named_and_not_recorded(self):
        out, deaths = self.out("ray"), self.out("deaths")
        unit = ("mlp:steps=20", "quick/t10/temp0.1/seed1")
        path = stand_in(self.folder / "thrice/jointly", KILLED.format(unit=unit, deaths=str(deaths), times=9))
        process = self.spread([*AGENTS, *FEW], out, ["--jointly", path])
        assert (process.returncode, process.stdout) == (3, ""), process.stderr
        last = process.stderr.splitlines()[-1]
        assert "1 of 9 units could not be run, each tried three times" in last
        assert "mlp:steps=20 on quick/t10/temp0.1/seed1: killed by SIGKILL" in last
        again = f"{shlex.quote(os.path.abspath(sys.executable))} -m jointly_eval.ray run {AGENTS[0]} "
        assert re.search(re.escape(f"to try them again: {again}") + ".*--jointly " + re.escape(path), last)
        assert "left out" not in process.stderr
        assert deaths.read_text() == "xxx"
        units = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
        assert len(units) == 8
        assert unit not in [(line["agent"], line["problem"]) for line in units]
        assert not (out / "scores.json").exists()
        # The command that it names, by a command that does not die.
        self.alone([*AGENTS, *FEW], self.out("alone"))
        assert self.spread([*AGENTS, *FEW], out).returncode == 0
        self.same(out, self.out("alone"))

    def test_another_version_on_a_node_is_refused_before_any_unit(self):
        # It says that it is of the same version, or is asked for more than it knows.
        for name, body, said in (
            (
                "lies",
                'print(json.dumps({"version": "9.9.9", "engine": "e", "plan": "d"}), flush=True)',
                "version 9.9.9",
            ),
            ("ends", 'sys.exit("jointly: the plan was made by version 0.1.0 and this is 9.9.9")', "this is 9.9.9"),
        ):
            with self.subTest(name):
                folder = self.folder / name
                stand_in(folder / "jointly", f"sys.stdin.readline()\n{body}\nsys.stdin.read()\n")
                node = self.node(env_vars={"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"})
                out = self.out(name)
                words = [*AGENTS, *FEW, "--out", str(out), "--address", self.cluster.address]
                process = cluster.finished([sys.executable, "-m", "jointly_eval.ray", "run", *words])
                self.refused(process, "the node 127.0.0.1 cannot take part", said)
                assert (out / "results.jsonl").read_bytes() == b""
                self.remove(node)

    def gated(self):
        """A command that waits at a gate."""
        os.mkfifo(self.out("gate"))
        return stand_in(self.folder / self.id() / "jointly", GATED.format(gate=str(self.out("gate"))))

    def held(self, begun, text, times):
        """Runs on the head, held in its second unit until a text was printed `times` times; calls `begun` when the
        first unit is done. Returns the output.
        """
        arguments = [*AGENTS, *SUITE]
        self.alone(arguments, self.out("alone"))
        process = self.begun(arguments, self.out("ray"), ["--jointly", self.gated()])
        said = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("[1/"):
                begun()
            if text in line and sum(text in other for other in said) == times:
                with open(self.out("gate"), "w", encoding="utf-8"):
                    pass
        assert process.wait() == 0, "".join(said)
        self.same(self.out("ray"), self.out("alone"))
        return "".join(said)

    def test_a_node_that_can_run_nothing_is_left_out(self):
        self.node(env_vars={"PART": "unrun"})
        said = self.held(lambda: None, "is tried again", 3)
        assert re.search("node 127.0.0.1 is left out: 3 units in a row could not be run .*: no memory", said)
        assert "27 units in" in said

    def test_a_node_of_another_version_that_joins_late_is_left_out(self):
        said = self.held(lambda: self.node(env_vars={"PART": "version"}), "is left out", 1)
        assert re.search("node 127.0.0.1 is left out: its command has the version 9.9.9, and the one here has", said)
        assert "27 units in" in said

    def test_what_jointly_run_refuses_is_refused_in_its_words(self):
        process = self.spread([*AGENTS, "--suite", "slow"], self.out("ray"))
        self.refused(process, "jointly: there is no suite slow")
        assert not self.out("ray").exists()
        done = self.spread(["uniform", *FEW], self.out("other"))
        assert done.returncode == 0, done.stderr
        self.refused(self.spread(["mlp", *FEW], self.out("other")), "holds another plan")

    def test_a_directory_that_another_run_holds_is_refused(self):
        process = self.begun([*SLOW, *SUITE], self.out("ray"))
        for line in process.stderr:
            if line.startswith("[1/"):
                break
        # It does not end meanwhile.
        process.send_signal(signal.SIGSTOP)
        self.refused(self.spread([*SLOW, *SUITE], self.out("ray")), "is being written by another run")

    def test_an_address_where_no_cluster_is_is_refused(self):
        with cluster.closed_port() as port, cluster.another_service() as other:
            for address, said in (
                (f"{cluster.HOST}:{port}", f"there is no cluster at {cluster.HOST}:{port}"),
                (f"{cluster.HOST}:{other}", "what answers there is not Ray"),
                ("nowhere", "HOST:PORT"),
                ("ray://127.0.0.1:1", "HOST:PORT"),
            ):
                process = self.spread([*AGENTS, *FEW], self.out("ray"), ["--address", address])
                self.refused(process, said)
        assert not self.out("ray").exists()

    def test_no_command_is_refused(self):
        process = self.spread([*AGENTS, *FEW], self.out("ray"), ["--jointly", str(self.folder / "none")])
        self.refused(process, "there is no command", "--jointly PATH")
