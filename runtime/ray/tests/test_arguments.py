"""Options of the package are its own, those of `jointly run` are handed on, and what workers need goes to both."""

import os
import subprocess
import sys
import unittest

from jointly_ray.arguments import Arguments
from jointly_ray.refusal import Refusal

from .cluster import PACKAGE


class Options(unittest.TestCase):
    def test_all_but_its_own_are_handed_on_in_their_order(self):
        given = Arguments(
            "run mlp --like old --suite quick --jobs 3 knn:k=2 --address h:1 --out=d --json --jointly j".split()
        )
        self.assertEqual((given.address, given.jobs, given.jointly), ("h:1", 3, "j"))
        self.assertEqual(given.of_run, "mlp --like old --suite quick knn:k=2 --out=d --json".split())
        self.assertEqual(given.of_workers, [])
        self.assertEqual(Arguments(["run", "mlp"]).address, "auto")

    def test_workers_are_told_where_data_are_from_whichever_folder_they_are_in(self):
        given = Arguments("run mlp --data a --data=/b --images ../c --engine interpreter --jointly ./j".split())
        here = os.getcwd()
        images = os.path.join(os.path.dirname(here), "c")
        told = ["--data", os.path.join(here, "a"), "--data", "/b", "--images", images, "--engine", "interpreter"]
        self.assertEqual(given.of_workers, told)
        self.assertEqual(given.jointly, os.path.join(here, "j"))
        self.assertEqual(given.of_run, ["mlp", *given.of_workers])
        self.assertEqual(Arguments("run a.py --native".split()).of_workers, ["--native"])

    def test_bad_input_is_refused(self):
        for words, said in (
            ("", "required"),
            ("walk", "walk"),
            ("run --jobs 0", "whole number of at least 1"),
            ("run --plan-only", "--plan-only leaves units to others"),
            ("run --shard=1/2", "--shard leaves units to others"),
        ):
            with self.assertRaisesRegex(Refusal, said):
                Arguments(words.split())

    def test_without_ray_one_line_says_what_to_do(self):
        # As where no module of that name can be found.
        code = """
import sys
sys.modules["ray"] = None
sys.argv = ["jointly_ray", "run", "mlp", "--jointly", sys.executable]
from jointly_ray.__main__ import main
main()
"""
        process = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, capture_output=True, text=True, check=False)
        self.assertEqual((process.returncode, process.stdout), (2, ""), process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn("ray is not installed", process.stderr)
        self.assertIn("pip install ray", process.stderr)


if __name__ == "__main__":
    unittest.main()
