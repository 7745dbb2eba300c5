"""A worker's process on a node: what it answers, and what is said of it where it ends."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

from jointly_ray import node

UNITS = [("a", "p"), ("b", "p"), ("c", "p")]
HEAD = f"""#!{sys.executable}
import json, os, signal, sys
hello = json.loads(sys.stdin.readline())
print(json.dumps({{"version": "1", "engine": "e", "plan": "d"}}), flush=True)
def units():
    for line in sys.stdin:
        yield json.loads(line)
def say(answer):
    print(json.dumps(answer), flush=True)
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
        say({"belief": "digest", "base64": "YWJj"})
        say({**unit, "seconds": 0.5, "regression": {}})
    elif unit["agent"] == "b":
        say({**unit, "seconds": 0.1, "failed": {"phase": "train", "kind": "trapped", "message": "oh"}})
    else:
        say({"unrun": "no memory"})
""")
        self.assertEqual(worker.start(), {"version": "1", "engine": "e", "plan": "d"})
        believed, failed, unrun = worker.run(UNITS)
        self.assertEqual((believed["belief"], believed["seconds"]), (("digest", b"abc"), 0.5))
        self.assertEqual(believed["line"], b'{"agent": "a", "problem": "p", "seconds": 0.5, "regression": {}}')
        self.assertEqual((failed["failure"], failed["belief"]), ("train: trapped: oh", None))
        self.assertEqual(unrun, {"unrun": "no memory"})

    def test_a_death_is_that_of_the_first_unit_without_an_answer_and_the_next_is_begun_anew(self):
        worker = self.worker("""
for unit in units():
    if unit["agent"] == "b":
        print("out of luck", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    say({**unit, "seconds": 0.5})
""")
        worker.start()
        first, second = worker.run(UNITS)
        self.assertIn("line", first)
        self.assertEqual(second, {"died": "out of luck (killed by SIGKILL)"})
        (third,) = worker.run(UNITS[2:])
        self.assertIn("line", third)

    def test_an_answer_for_another_unit_is_a_death(self):
        worker = self.worker('for unit in units():\n    say({"agent": "z", "problem": "p"})\n')
        worker.start()
        (outcome,) = worker.run(UNITS)
        self.assertIn("another unit than it was asked", outcome["died"])

    def test_a_command_that_refuses_says_why(self):
        refusing = f"#!{sys.executable}\nimport sys\nsys.exit('jointly: another version')\n"
        answer = self.worker("", refusing).start()
        self.assertEqual(answer, {"refused": "jointly: another version (ended with exit code 1)"})
        absent = node.Worker({"command": str(self.folder / "none"), "options": [], "plan": {}, "files": {}})
        self.assertIn("there is no command", absent.start()["refused"])

    def test_files_are_kept_under_their_digest_and_damaged_ones_written_again(self):
        name = "sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.wasm"
        path = self.folder / "agents" / name
        self.assertFalse(node.holds(path))
        node.keep(path, b"abc")
        self.assertTrue(node.holds(path))
        path.write_bytes(b"abd")
        self.assertFalse(node.holds(path))
        self.assertEqual(os.listdir(path.parent), [name])


if __name__ == "__main__":
    unittest.main()
