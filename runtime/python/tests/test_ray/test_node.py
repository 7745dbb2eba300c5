"""A worker's process on a node: its answers, and the message when it ends."""

import os
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import pytest

from jointly_eval.ray import node

UNITS = [("a", "p"), ("b", "p"), ("c", "p")]
#: Enough time for all units, in seconds.
LONG = 60.0
#: The file whose content is abc.
ABC = "sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.wasm"
DIGEST = "sha256:" + ABC[len("sha256-") : -len(".wasm")]
HEAD = f"""#!{sys.executable}
import json, os, signal, sys
hello = json.loads(sys.stdin.readline())
print(json.dumps({{"version": "1", "engine": "e", "plan": "d"}}), flush=True)
def units():
    for line in sys.stdin:
        yield json.loads(line)
def say(answer):
    print(json.dumps(answer), flush=True)
DIGEST = {DIGEST!r}
"""


class Workers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def worker(self, body, head=HEAD):
        path = self.folder / "jointly"
        path.write_text(head + body, encoding="utf-8")
        path.chmod(0o755)
        worker = node.Worker({"command": str(path), "options": [], "plan": {}, "files": {}})
        self.addCleanup(worker.stop)
        return worker

    def test_outcomes_come_in_order_with_beliefs_and_failures(self):
        worker = self.worker("""
for unit in units():
    if unit["agent"] == "a":
        say({"belief": DIGEST, "base64": "YWJj"})
        say({**unit, "seconds": 0.5, "regression": {}})
    elif unit["agent"] == "b":
        say({**unit, "seconds": 0.1, "failed": {"phase": "train", "kind": "trapped", "message": "oh"}})
    else:
        say({"unrun": "no memory"})
""")
        assert worker.start() == {"version": "1", "engine": "e", "plan": "d"}
        believed, failed, unrun = worker.run(UNITS, LONG)
        assert (believed["belief"], believed["seconds"]) == ((DIGEST, b"abc"), 0.5)
        assert believed["line"] == b'{"agent": "a", "problem": "p", "seconds": 0.5, "regression": {}}'
        assert (failed["failure"], failed["belief"]) == ("train: trapped: oh", None)
        assert unrun == {"unrun": "no memory"}

    def test_a_death_is_that_of_the_first_unit_without_an_answer_and_the_next_is_begun_anew(self):
        worker = self.worker("""
for unit in units():
    if unit["agent"] == "b":
        print("out of luck", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    say({**unit, "seconds": 0.5})
""")
        worker.start()
        first, second = worker.run(UNITS, LONG)
        assert "line" in first
        assert second == {"died": "out of luck (killed by SIGKILL)"}
        (third,) = worker.run(UNITS[2:], LONG)
        assert "line" in third

    def test_an_answer_for_another_unit_is_a_death(self):
        worker = self.worker('for unit in units():\n    say({"agent": "z", "problem": "p"})\n')
        worker.start()
        (outcome,) = worker.run(UNITS, LONG)
        assert "another unit than it was asked" in outcome["died"]

    def test_no_unit_is_begun_after_the_time_of_a_portion(self):
        worker = self.worker('for unit in units():\n    say({**unit, "seconds": 0.5})\n')
        worker.start()
        # One unit is begun, or the run would never end.
        (first,) = worker.run(UNITS, 0.0)
        assert b'"agent": "a"' in first["line"]
        # Nor was it asked for, and what comes next is not its result.
        second, third = worker.run(UNITS[1:], LONG)
        assert b'"agent": "b"' in second["line"]
        assert b'"agent": "c"' in third["line"]

    def test_half_a_line_is_a_death_and_no_result(self):
        worker = self.worker("""
for unit in units():
    print(json.dumps({**unit, "seconds": 0.5}), end="", flush=True)
    sys.exit("the disk is full")
""")
        worker.start()
        assert worker.run(UNITS, LONG) == [{"died": "the disk is full (ended with exit code 1)"}]

    def test_a_process_that_answers_what_is_no_answer_is_ended(self):
        # It would wait for the next unit, and this for its end.
        for answer in (
            "garbage",
            "3",
            "{}",
            '{"belief": "digest"}',
            '{"belief": "digest", "base64": "YWJj"}',
            '{"agent": "a", "problem": "p", "failed": 3}',
        ):
            worker = self.worker(
                f"for unit in units():\n    print({answer!r}, flush=True)\n    sys.exit(len(sys.stdin.read()))\n"
            )
            worker.start()
            (outcome,) = worker.run(UNITS, LONG)
            assert outcome == {"died": f"it answered {answer!r}; killed by SIGKILL"}
        mute = f"#!{sys.executable}\nimport sys\nprint('garbage', flush=True)\nsys.exit(len(sys.stdin.read()))\n"
        assert self.worker("", mute).start() == {"refused": "killed by SIGKILL"}

    def test_a_process_that_does_not_end_when_all_is_said_is_ended(self):
        worker = self.worker("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.close(1)\nsignal.pause()\n")
        worker.start()
        with unittest.mock.patch.object(node, "GRACE", 0.0):
            assert worker.run(UNITS, LONG) == [{"died": "killed by SIGKILL"}]

    def test_a_process_that_ended_with_nothing_to_do_is_started_anew(self):
        worker = self.worker('for unit in units():\n    say({**unit, "seconds": 0.5})\n')
        worker.start()
        idle = worker._process
        idle.kill()
        os.waitid(os.P_PID, idle.pid, os.WEXITED | os.WNOWAIT)
        assert ["line" in outcome for outcome in worker.run(UNITS, LONG)] == [True] * 3
        assert worker._process.pid != idle.pid

    def test_where_none_can_be_started_anew_no_unit_is_to_blame(self):
        worker = self.worker("for unit in units():\n    os.unlink(sys.argv[0])\n    os._exit(1)\n")
        worker.start()
        assert worker.run(UNITS, LONG) == [{"died": "ended with exit code 1"}]
        (outcome,) = worker.run(UNITS, LONG)
        assert "there is no command" in outcome["refused"]

    def test_a_full_disk_is_no_matter_of_the_unit_before_which_a_process_is_started_anew(self):
        worker = self.worker("")
        for what in ("jointly_eval.ray.node.place", "tempfile.TemporaryFile"):
            with unittest.mock.patch(what, side_effect=OSError(28, "No space left on device")):
                (outcome,) = worker.run(UNITS, LONG)
            assert "No space left on device" in outcome["refused"]

    def test_files_that_were_deleted_are_put_there_again_with_the_next_process(self):
        fetched = []

        def get(reference):
            fetched.append(reference)
            return b"abc"

        worker = self.worker(
            """
path = hello["files"] + "/agents/NAME"
for unit in units():
    if unit["agent"] == "b":
        os.unlink(path)
        os._exit(1)
    say({**unit, "seconds": 0.5, "had": open(path).read()})
""".replace("NAME", ABC)
        )
        worker._job["files"] = {f"agents/{ABC}": "a reference"}
        stored = unittest.mock.patch.dict(sys.modules, {"ray": types.SimpleNamespace(get=get)})
        kept = unittest.mock.patch.dict(os.environ, {"JOINTLY_RAY_CACHE": str(self.folder / "cache")})
        with stored, kept:
            worker.start()
            first, second = worker.run(UNITS, LONG)
            (third,) = worker.run(UNITS[2:], LONG)
        assert b'"had": "abc"' in first["line"]
        assert "died" in second
        assert b'"had": "abc"' in third["line"]
        assert fetched == ["a reference"] * 2

    def test_a_command_that_refuses_says_why(self):
        refusing = f"#!{sys.executable}\nimport sys\nsys.exit('jointly: another version')\n"
        answer = self.worker("", refusing).start()
        assert answer == {"refused": "jointly: another version (ended with exit code 1)"}
        absent = node.Worker({"command": str(self.folder / "none"), "options": [], "plan": {}, "files": {}})
        assert "there is no command" in absent.start()["refused"]

    def test_files_are_kept_under_their_digest_and_damaged_ones_written_again(self):
        path = self.folder / "agents" / ABC
        assert not node.holds(path)
        node.keep(path, b"abc")
        assert node.holds(path)
        path.write_bytes(b"abd")
        assert not node.holds(path)
        # A failed write leaves no file behind.
        with unittest.mock.patch("os.replace", side_effect=OSError("busy")), pytest.raises(OSError, match="busy"):
            node.keep(path, b"abc")
        assert os.listdir(path.parent) == [ABC]
