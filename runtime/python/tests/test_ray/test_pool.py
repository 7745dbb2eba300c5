"""Runs with faulty nodes and workers, on a simulated cluster whose every step is scripted here."""

import contextlib
import io
import itertools
import re
import types
import unittest
import unittest.mock

import cluster
import pytest

from jointly_eval.ray.refusal import Failure, Refusal
from jointly_eval.ray.units import Units

HELLO = {"version": "1", "engine": "e", "plan": "d"}
OTHER = {**HELLO, "version": "2"}


class Asked:
    """A request to a node, and its answer once it has come."""

    def __init__(self, node, what, units=()):
        self.node = node
        self.what = what
        self.units = units
        self.answer = None


class Scripted:
    """Replaces Ray: `does` returns a node's answer to a request, or None while the node is still busy.

    If it returns an exception, that is raised where the answer is fetched.
    """

    def __init__(self, does, *nodes, cpus=1):
        self.does = does
        self.cpus = cpus
        self.alive = list(nodes)
        self.asked = []

    def nodes(self):
        cpus = {"Alive": True, "Resources": {"CPU": float(self.cpus)}}
        return [{"NodeID": node, "NodeManagerAddress": f"at {node}", **cpus} for node in self.alive]

    def put(self, thing):
        return thing

    def remote(self, **_):
        return lambda target: types.SimpleNamespace(
            options=lambda scheduling_strategy: self.at(scheduling_strategy, isinstance(target, type))
        )

    def at(self, node, hires):
        actor = types.SimpleNamespace(start=self.method(node, "start"), run=self.method(node, "run"))
        return types.SimpleNamespace(remote=lambda job: actor) if hires else self.method(node, "prepare")

    def method(self, node, what):
        def remote(units=(), *_):
            self.asked.append(Asked(node, what, units))
            return self.asked[-1]

        return types.SimpleNamespace(remote=remote)

    def wait(self, awaited, num_returns, timeout):
        for asked in awaited:
            asked.answer = asked.answer or self.does(asked)
        ready = [asked for asked in awaited if asked.answer]
        return ready[:num_returns], ready[num_returns:]

    def get(self, asked):
        if isinstance(asked.answer, Exception):
            raise asked.answer
        return asked.answer

    def kill(self, actor):
        pass

    def count(self, node, what):
        return sum((asked.node, asked.what) == (node, what) for asked in self.asked)


def well(asked):
    """Answers as a node that works."""
    if asked.what != "run":
        return HELLO
    return [{"line": b"line", "seconds": 0.1, "failure": None, "belief": None} for _ in asked.units]


class Pools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cluster.skip_for(cls, cluster.no_ray())

    def setUp(self):
        from jointly_eval.ray import pool

        self.pool = pool
        self.said = []
        self.units = Units(["a", "b", "c"], dict.fromkeys("pqrs", 1), [])
        # The cluster is asked for its nodes at each step.
        self.patch("LOOK", -1.0)
        self.patch("_on", lambda node: node)

    def patch(self, name, value):
        patched = unittest.mock.patch.object(self.pool, name, value)
        patched.start()
        self.addCleanup(patched.stop)

    def run_on(self, does, *nodes, then=None, cpus=1, jobs=None):
        """Runs all units as the driver does; calls `then` with the cluster after each step. Returns the cluster."""
        scripted = Scripted(does, *nodes, cpus=cpus)
        self.patch("ray", scripted)
        pool = self.pool.Pool({}, HELLO, self.units, jobs, self.said.append)
        pool.open(0.0)
        while self.units.left:
            for unit, outcome, node in pool.results(0.0):
                if "line" in outcome:
                    self.units.has_finished(unit, outcome["seconds"], node)
                else:
                    self.units.has_failed(unit, outcome.get("died") or outcome["unrun"], node)
            if then:
                then(scripted)
        return scripted

    def lost(self):
        from ray.exceptions import RayError

        return RayError("the process died")

    def test_a_problem_too_large_for_every_machine_ends_no_run_of_others(self):
        done = {"line": b"line", "seconds": 0.1, "failure": None, "belief": None}

        def does(asked):
            if asked.what != "run":
                return HELLO
            return [{"unrun": "no memory"} if problem == "p" else done for _, problem in asked.units]

        for nodes, cpus in (["x"], 1), (["x"], 8), (["x", "y"], 4), (["x", "y", "z"], 16):
            self.units = Units([f"a{at}" for at in range(60)], dict.fromkeys("pqrs", 1), [])
            self.run_on(does, *nodes, cpus=cpus)
            assert (self.units.finished, len(self.units.failed)) == (180, 60), (nodes, cpus)
        assert not any("left out" in line for line in self.said), self.said

    def test_workers_with_nothing_to_do_go_with_their_node(self):
        self.units = Units(["a", "b"], {"p": 1}, [])
        steps = []

        def then(scripted):
            steps.append(None)
            if "x" in scripted.alive and any(asked.what == "run" for asked in scripted.asked):
                scripted.alive.remove("x")
            if len(steps) == 8:
                scripted.alive.append("y")

        def does(asked):
            return self.lost() if asked.node == "x" and asked.what == "run" else well(asked)

        self.run_on(does, "x", then=then, cpus=8)
        assert (self.units.finished, self.units.failed) == (2, {})

    def test_a_node_on_which_no_more_workers_start_keeps_those_that_did(self):
        # One of four is lost in a unit, and none takes its place.
        self.units = Units([f"a{at}" for at in range(40)], dict.fromkeys("pq", 1), [])
        starts, runs = iter([HELLO] * 4), iter([self.lost()])

        def does(asked):
            if asked.what == "start":
                return next(starts, None) or self.lost()
            return next(runs, None) or well(asked) if asked.what == "run" else well(asked)

        self.run_on(does, "x", cpus=4)
        assert (self.units.finished, self.units.failed) == (80, {})
        assert not any("left out" in line for line in self.said), self.said

    def test_a_node_whose_first_look_is_lost_is_looked_at_again_before_any_unit(self):
        answers = {"y": iter([self.lost(), self.lost(), OTHER])}

        def does(asked):
            return next(answers["y"]) if asked.node == "y" else well(asked)

        with pytest.raises(Refusal, match=r"the node at y cannot take part: .* version 2") as refused:
            self.run_on(does, "x", "y")
        assert not isinstance(refused.value, Failure)
        assert self.units.finished == 0

    def test_a_node_that_cannot_be_looked_at_is_left_out(self):
        done = self.run_on(lambda asked: self.lost() if asked.node == "y" else well(asked), "x", "y")
        assert (done.count("y", "prepare"), done.count("y", "start"), self.units.finished) == (3, 0, 12)
        assert len(self.said) == 1
        assert "the node at y is left out: 3 workers ended there" in self.said[0]
        self.units = Units(["a"], {"p": 1}, [])
        with pytest.raises(Failure, match="no node of the cluster is left"):
            self.run_on(lambda asked: self.lost(), "y")

    def test_who_has_not_answered_is_said(self):
        self.patch("PATIENCE", -1.0)
        times = itertools.count()

        def late(asked):
            return None if asked.node == "y" and next(times) < 5 else well(asked)

        self.run_on(late, "x", "y")
        assert "the node at y has not said yet which command it has" in " ".join(self.said)

    def test_workers_that_do_not_start_are_said(self):
        self.patch("PATIENCE", -1.0)
        times = itertools.count()
        self.run_on(lambda asked: None if asked.what == "start" and next(times) < 5 else well(asked), "x")
        assert "no worker has started yet" in " ".join(self.said)

    def test_a_node_of_another_version_that_joins_late_is_left_out(self):
        def joins(scripted):
            if self.units.finished and "y" not in scripted.alive:
                scripted.alive.append("y")

        done = self.run_on(lambda asked: OTHER if asked.node == "y" else well(asked), "x", then=joins)
        assert (done.count("y", "prepare"), done.count("y", "start"), self.units.finished) == (1, 0, 12)
        assert len(self.said) == 1
        assert "the node at y is left out: its command has the version 2, and the one here has 1" in self.said[0]

    def test_a_worker_that_cannot_be_replaced_costs_its_node_and_no_unit(self):
        # The actor is lost, and the next is refused; or its process is, and the next of the same actor is refused.
        for first, then in ((self.lost(), OTHER), ([{"refused": "gone"}], HELLO)):
            self.said.clear()
            self.units = Units(["a", "b", "c"], dict.fromkeys("pqrs", 1), [])
            of_y = {"prepare": iter([HELLO]), "start": iter([HELLO, then]), "run": iter([first])}
            self.run_on(lambda asked, of_y=of_y: next(of_y[asked.what]) if asked.node == "y" else well(asked), "x", "y")
            assert (self.units.finished, self.units.failed) == (12, {})
            assert "the node at y is left out: " in self.said[-1]

    def test_what_has_come_is_handed_on_before_the_last_node_is_left_out(self):
        def does(asked):
            # Both are ready at once, and what ends the run comes first.
            return [{"refused": "gone"}] if asked.what == "run" and asked.node == "y" else well(asked)

        def leaves(scripted):
            if self.units.finished and "x" in scripted.alive:
                scripted.alive.remove("x")

        with pytest.raises(Failure) as ended:
            self.run_on(does, "y", "x", then=leaves)
        assert "no node of the cluster is left" in str(ended.value)
        assert self.units.finished > 0

    def test_a_node_that_runs_nothing_is_left_out_but_not_the_last_one(self):
        def unrun(asked):
            return [{"unrun": "no memory"}] * len(asked.units) if asked.what == "run" else HELLO

        self.run_on(lambda asked: unrun(asked) if asked.node == "y" else well(asked), "x", "y")
        assert (self.units.finished, self.units.failed) == (12, {})
        assert len(self.said) == 1
        assert re.search("the node at y is left out: 3 units in a row could not be run .*: no memory", self.said[0])
        self.units = Units(["a", "b", "c"], dict.fromkeys("pqrs", 1), [])
        self.said.clear()
        self.run_on(unrun, "y", cpus=4)
        assert (len(self.units.failed), self.said) == (12, [])

    def test_units_that_fail_everywhere_condemn_no_node_however_many_are_in_flight(self):
        units = ["slow", "bad1", "bad2", "bad3"], dict.fromkeys("pqrstu", 1)
        for nodes, of_problem in itertools.product((["x"], ["x", "y"], ["x", "y", "z"]), (False, True)):
            self.units, late = Units(*units, []), {}

            def does(asked, of_problem=of_problem, late=late):
                if asked.what != "run":
                    return HELLO
                outcomes = []
                for agent, problem in asked.units:
                    if problem == "p" if of_problem else agent != "slow":
                        outcomes.append({"unrun": "no memory"})
                    else:
                        outcomes += well(types.SimpleNamespace(what="run", units=[agent]))
                # Failures are heard first, by far.
                late[asked] = late.get(asked, 0) + 1
                return None if "line" in outcomes[0] and late[asked] < 9 else outcomes

            with self.subTest(nodes=nodes, of_problem=of_problem):
                self.run_on(does, *nodes, cpus=4)
                failed = {self.units.name(unit) for unit in self.units.failed}
                bad = itertools.product(units[0], "p") if of_problem else itertools.product(units[0][1:], units[1])
                assert (failed, self.said) == (set(bad), [])

    def test_a_bad_node_with_many_in_flight_costs_no_unit(self):
        self.units = Units([f"a{i}" for i in range(6)], dict.fromkeys(range(90), 1), [])

        def unrun(asked):
            return [{"unrun": "no memory"}] * len(asked.units) if asked.what == "run" else HELLO

        self.run_on(lambda asked: unrun(asked) if asked.node in ("w", "z") else well(asked), "w", "x", "y", "z", cpus=4)
        assert (self.units.finished, self.units.failed) == (540, {})
        assert len(self.said) == 2

    def test_a_worker_that_waits_for_a_cpu_is_moved_to_another_node(self):
        self.patch("PATIENCE", -1.0)
        # What another job has is the first of the nodes.
        done = self.run_on(
            lambda asked: None if (asked.node, asked.what) == ("a", "start") else well(asked), "a", "b", jobs=1
        )
        assert (self.units.finished, done.count("a", "start"), done.count("b", "start")) == (12, 1, 1)

    def test_a_last_node_that_died_is_waited_for_and_not_condemned(self):
        def does(asked):
            if asked.node == "x" and asked.what == "run" and self.units.finished:
                return self.lost()
            return well(asked)

        steps = itertools.count()

        def goes(scripted):
            if self.units.finished and "x" in scripted.alive:
                scripted.alive.clear()
            if not scripted.alive and next(steps) > 3:
                scripted.alive.append("y")

        done = self.run_on(does, "x", then=goes)
        assert (self.units.finished, self.units.failed) == (12, {})
        assert "left out" not in " ".join(self.said)
        assert done.count("y", "run") > 0

    def test_where_the_last_node_has_gone_for_long_the_run_ends(self):
        self.patch("PATIENCE", -1.0)

        def goes(scripted):
            return scripted.alive.clear() if self.units.finished else None

        def gone(asked):
            return self.lost() if asked.what == "run" and self.units.finished else well(asked)

        with pytest.raises(Failure, match="no node of the cluster is left"):
            self.run_on(gone, "x", then=goes)
        assert "left out" not in " ".join(self.said)

    def test_portions_do_not_grow_by_units_that_failed(self):
        grown = unittest.mock.patch.object(Units, "came_back")

        def unrun(asked):
            return [{"unrun": "no memory"}] if asked.what == "run" else HELLO

        for does, times in ((unrun, 0), (well, 2)):
            self.units = Units(["a", "b"], {"p": 1}, [])
            with grown as came_back:
                self.run_on(does, "x")
            assert came_back.call_count == times


@contextlib.contextmanager
def pools_are(pool):
    """Gives drivers this pool, and hides what they print."""
    from jointly_eval.ray import driver

    with unittest.mock.patch.object(driver, "Pool", return_value=pool), contextlib.redirect_stderr(io.StringIO()):
        yield


class Drivers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cluster.skip_for(cls, cluster.no_ray())

    def test_a_cluster_that_fails_is_said_in_a_line_with_what_goes_on(self):
        from ray.exceptions import AuthenticationError, RayError, RpcError

        from jointly_eval.ray import driver

        for error in (RpcError("lost the head"), AuthenticationError("no token"), RayError("lost")):
            command = unittest.mock.Mock(plan=unittest.mock.Mock(side_effect=error))
            with pytest.raises(Failure, match=r"the cluster failed .*to go on: again"):
                driver.run(None, command, "again")

    def test_where_the_cluster_ends_what_has_come_is_kept_and_the_command_said(self):
        from jointly_eval.ray import driver

        units, journal = Units(["a", "b"], {"p": 1}, []), unittest.mock.Mock()
        outcome = {"line": b"line", "seconds": 0.1, "failure": None, "belief": None}
        ended = Failure("no node is left")
        pool = unittest.mock.Mock(
            results=unittest.mock.Mock(side_effect=[[(units.portion(1, "x", set)[0], outcome, "x")], ended]),
            size=lambda: 1,
        )
        told = "no node is left; 1 of 2 units are done and kept; to go on: again"
        with pools_are(pool), pytest.raises(Failure, match=told):
            driver.carry_out({}, HELLO, units, journal, None, "again")
        journal.append.assert_called_once_with(b"line", None)
        pool.close.assert_called_once_with()

    def test_where_nothing_can_be_run_the_run_ends_with_what_goes_on(self):
        from jointly_eval.ray import driver

        units = Units(["a"], dict.fromkeys(range(40), 1), [])

        def take(_):
            return [(unit, {"unrun": "no memory"}, "x") for unit in units.portion(1, "x", lambda: {"x"})]

        pool = unittest.mock.Mock(results=take, size=lambda: 1)
        told = r"30 units .*no memory; 0 of 40 units are done .*to go on: again"
        with pools_are(pool), pytest.raises(Failure, match=told):
            driver.carry_out({}, HELLO, units, unittest.mock.Mock(), None, "again")
