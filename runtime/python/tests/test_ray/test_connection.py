"""If no cluster can be joined, one line soon says so."""

import os
import sys
import tempfile
import unittest
import unittest.mock

import cluster
import pytest

from jointly_eval.ray import connection
from jointly_eval.ray.refusal import Refusal


class Probes(unittest.TestCase):
    def test_a_cluster_that_encrypts_is_not_greeted_in_plain_text(self):
        with cluster.another_service() as port:
            address = f"{cluster.HOST}:{port}"
            for told in ("1", "true"):
                with unittest.mock.patch.dict(os.environ, {"RAY_USE_TLS": told}):
                    assert connection.answering(address) == cluster.HOST
            plain = unittest.mock.patch.dict(os.environ, {"RAY_USE_TLS": "0"})
            with plain, pytest.raises(Refusal, match="what answers there is not Ray"):
                connection.answering(address)

    def test_an_address_that_is_none_is_refused_by_where_it_came_from(self):
        told = unittest.mock.patch.dict(os.environ, {"RAY_ADDRESS": "ray://head:10001"})
        found = unittest.mock.patch("importlib.util.find_spec")
        with told, found:
            with pytest.raises(
                Refusal, match=r"^RAY_ADDRESS ray://head:10001: .*; unset it or give --address HOST:PORT"
            ):
                connection.connect("auto")
            with pytest.raises(Refusal, match=r"^--address ray://head:10001: .*HOST:PORT, or auto"):
                connection.connect("ray://head:10001")


class Joins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cluster.skip_for(cls, cluster.no_ray())

    def test_what_ray_refuses_is_one_line(self):
        import ray
        from ray.exceptions import AuthenticationError

        said = unittest.mock.patch.object(sys, "stdout", sys.stdout)
        joined = unittest.mock.patch.object(ray, "init", side_effect=AuthenticationError("no token"))
        known = unittest.mock.patch.object(connection, "answering", return_value="head")
        with said, joined, known:
            with pytest.raises(Refusal, match=r"failed to join a cluster at head:1 .*no token"):
                connection.connect("head:1")
            sys.stdout.close()

    def test_auto_where_no_cluster_runs(self):
        if cluster.running():
            self.skipTest("auto is the cluster that runs on this machine besides")
        with tempfile.TemporaryDirectory() as empty:
            words = ["run", "mlp", "--suite", "quick", "--out", f"{empty}/out", "--jointly", sys.executable]
            process = cluster.finished(
                [sys.executable, "-m", "jointly_eval.ray", *words], {"RAY_TMPDIR": empty, "RAY_ADDRESS": ""}
            )
            assert (process.returncode, process.stdout) == (2, ""), process.stderr
            assert process.stderr.count("\n") == 1, process.stderr
            assert "failed to join a cluster at auto" in process.stderr
            assert not os.path.exists(f"{empty}/out")
