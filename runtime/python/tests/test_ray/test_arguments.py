"""Options of the package are its own, those of `jointly run` are handed on, and what workers need goes to both."""

import os
import sys
import unittest

import pytest
from cluster import finished

from jointly_eval.ray.arguments import Arguments
from jointly_eval.ray.refusal import Refusal


class Options(unittest.TestCase):
    def test_all_but_its_own_are_handed_on_in_their_order(self):
        words = "run mlp --like old --suite quick --jobs 3 knn:k=2 --address h:1 --out=d --json --jointly j"
        given = Arguments(words.split())
        assert (given.address, given.jobs, given.jointly) == ("h:1", 3, "j")
        assert given.of_run == ["mlp", "--like", "old", "--suite", "quick", "knn:k=2", "--out=d", "--json"]
        assert given.of_workers == []
        assert Arguments(["run", "mlp"]).address == "auto"

    def test_workers_are_told_where_data_are_from_whichever_folder_they_are_in(self):
        words = "run mlp --data a --data=/b --images ../c --engine interpreter --jointly ./j"
        given = Arguments(words.split())
        here = os.getcwd()
        images = os.path.join(os.path.dirname(here), "c")
        told = ["--data", os.path.join(here, "a"), "--data", "/b", "--images", images, "--engine", "interpreter"]
        assert given.of_workers == told
        assert given.jointly == os.path.join(here, "j")
        assert given.of_run == ["mlp", *given.of_workers]
        assert Arguments(["run", "a.py", "--native"]).of_workers == ["--native"]

    def test_bad_input_is_refused(self):
        for words, said in (
            ("", "required"),
            ("walk", "walk"),
            ("run --jobs 0", "whole number of at least 1"),
            ("run --plan-only", "--plan-only leaves units to others"),
            ("run --shard=1/2", "--shard leaves units to others"),
        ):
            with pytest.raises(Refusal, match=said):
                Arguments(words.split())

    def test_without_ray_one_line_says_what_to_do(self):
        # As where no module of that name can be found.
        code = """
import sys
sys.modules["ray"] = None
sys.argv = ["jointly_eval.ray", "run", "mlp", "--jointly", sys.executable]
from jointly_eval.ray.__main__ import main
main()
"""
        process = finished([sys.executable, "-c", code])
        assert (process.returncode, process.stdout) == (2, ""), process.stderr
        assert process.stderr.count("\n") == 1, process.stderr
        assert "ray is not installed" in process.stderr
        assert "pip install 'jointly-eval[ray]'" in process.stderr
