"""Portions: each unit is handed out until it is done or given up; the cost of units decides how many go together."""

import itertools
import math
import random
import unittest

import pytest

from jointly_eval.ray.blame import IN_A_ROW, TRIES, Blame
from jointly_eval.ray.units import GIVEN_UP, MOST, PORTION_SECONDS, Units

AGENTS, PROBLEMS = ["a", "b", "c"], dict.fromkeys("pqrs", 1)
HERE, THERE = "here", "there"


class Cluster:
    """Units, handed out to the workers of some nodes."""

    def __init__(self, units, *nodes):
        self.units = units
        self.nodes = set(nodes)

    def takes(self, node, workers=2, idle=False):
        return self.units.portion(workers, node, lambda: self.nodes, idle)

    def works(self, node):
        """A node takes a portion and finishes it."""
        portion = self.takes(node)
        for unit in portion:
            self.units.has_finished(unit, 0.1, node)
        return portion

    def fails(self, node):
        """A node takes a portion and dies in its first unit."""
        portion = self.takes(node)
        if portion:
            self.units.gives_back(portion[1:])
            self.units.has_failed(portion[0], "why", node)
        return portion[:1]


def here():
    """One node."""
    return {HERE}


class Portions(unittest.TestCase):
    def test_units_come_problem_by_problem_and_done_ones_do_not(self):
        units = Units(AGENTS, PROBLEMS, [("b", "p"), ("a", "q"), ("stranger", "p")])
        assert (units.total, units.finished, units.left) == (12, 2, 10)
        names = []
        while portion := units.portion(2, HERE, here):
            assert len(portion) == 1
            names.append(units.name(portion[0]))
        assert names[:3] == [("a", "p"), ("c", "p"), ("b", "q")]
        assert len(set(names)) == 10

    def test_portions_grow_while_units_are_cheap_and_shrink_at_the_end(self):
        units = Units([f"a{i}" for i in range(100)], dict.fromkeys(range(100), 7), [])
        sizes = []
        while portion := units.portion(2, HERE, here):
            sizes.append(len(portion))
            for unit in portion:
                units.has_finished(unit, 0.001, HERE)
            units.came_back(0.001 * len(portion))
        # Each agent has one unit that is alone.
        assert sizes[:100] == [1] * 100
        assert max(sizes) == MOST
        assert sizes[-3:] == [1, 1, 1]
        assert sum(sizes) == 10_000

    def test_portions_double_while_they_come_back_soon(self):
        units = Units(["a"], dict.fromkeys(range(1000), 7), [])
        sizes = []
        for _ in range(6):
            portion = units.portion(1, HERE, here)
            sizes.append(len(portion))
            for unit in portion:
                units.has_finished(unit, 0.0001, HERE)
            units.came_back(0.0001 * len(portion))
        assert sizes == [1, 2, 4, 8, 16, 32]

    def test_a_portion_is_half_a_second_of_work_at_most(self):
        units = Units(AGENTS, dict.fromkeys(range(100), 7), [])
        took = {"a": 0.001, "b": 60.0, "c": 0.2}
        together = 0
        for _ in range(30):
            portion = units.portion(1, HERE, here)
            spent = [took[units.name(unit)[0]] for unit in portion]
            assert len(portion) == 1 or sum(spent) <= PORTION_SECONDS, spent
            together = max(together, len(portion))
            for unit, seconds in zip(portion, spent, strict=True):
                units.has_finished(unit, seconds, HERE)
            units.came_back(min(spent))
        assert together > 1

    def test_an_agent_of_which_nothing_is_known_goes_alone_whatever_others_have_cost(self):
        # All units of the first agent are cheap, and those of the second come when portions have grown.
        done = [("costly", problem) for problem in range(500)]
        units = Units(["cheap", "costly"], dict.fromkeys(range(520), 7), done)
        seen = []
        while portion := units.portion(1, HERE, here):
            labels = [units.name(unit)[0] for unit in portion]
            seen.append(labels)
            if "costly" in labels:
                break
            for unit in portion:
                units.has_finished(unit, 0.0001, HERE)
            units.came_back(0.0001 * len(portion))
        assert max(map(len, seen)) > 20
        assert seen[-1] == ["costly"]
        # Two of them do not go together before one is done, and not after it either.
        costly = []
        for _ in range(20):
            more = units.portion(1, HERE, here)
            assert len(more) == 1 or "costly" not in [units.name(unit)[0] for unit in more], more
            costly += [unit for unit in more if units.name(unit)[0] == "costly"]
        assert len(costly) > 3
        for unit in costly:
            units.has_finished(unit, 60.0, HERE)
        assert len(units.portion(1, HERE, here)) == 1

    def test_what_was_lost_is_asked_again_alone_and_given_up_after_three_deaths(self):
        units = Units(AGENTS, PROBLEMS, [])
        for unit in [units.portion(1, HERE, here)[0] for _ in AGENTS]:
            units.has_finished(unit, 0.001, HERE)
        units._most = 8
        lost = units.portion(1, HERE, here)
        assert len(lost) > 2
        units.were_lost(lost)
        again = [units.portion(1, HERE, here) for _ in lost]
        assert again == [[unit] for unit in lost]
        culprit = lost[1]
        for portion in again:
            if portion != [culprit]:
                units.has_finished(portion[0], 0.1, HERE)
        for death in range(1, TRIES + 1):
            assert units.has_failed(culprit, f"death {death}", HERE) == (death == TRIES)
            if death < TRIES:
                # First the node is given another unit, which shows that it can run units.
                for other in units.portion(1, HERE, here) if death == 1 else ():
                    assert other != culprit
                    units.has_finished(other, 0.1, HERE)
                assert units.portion(1, HERE, here) == [culprit]
        assert units.failed == {culprit: "death 3"}
        assert units.blame.condemned == {}
        while portion := units.portion(1, HERE, here):
            for unit in portion:
                units.has_finished(unit, 0.1, HERE)
        assert (units.finished, units.left) == (11, 0)

    def test_a_unit_is_not_offered_where_it_failed_nor_where_others_did(self):
        units = Units(AGENTS, PROBLEMS, [])
        cluster = Cluster(units, HERE, THERE, "elsewhere")
        (unit,) = cluster.fails(HERE)
        (other,) = cluster.fails("elsewhere")
        assert unit != other
        # The node where it failed does not get it while another can, where it comes first once that is known to work.
        assert unit not in cluster.works(HERE)
        assert unit not in cluster.works(THERE)
        assert cluster.works(THERE) == [unit]
        assert cluster.works(THERE) == [other]

    def test_an_idle_worker_need_not_wait_for_a_node_that_is_trusted_and_busy(self):
        units = Units(["a", "b", "c"], {"p": 1}, [])
        cluster = Cluster(units, HERE, THERE, "idle")
        cluster.works(THERE)
        assert cluster.fails(HERE) == [1]
        assert cluster.takes("idle") == [2]
        assert (cluster.takes("idle"), cluster.takes("idle", idle=True)) == ([], [1])
        # But the last try is for a node that is known to work.
        units.has_failed(1, "why", "idle")
        assert (cluster.takes("idle", idle=True), cluster.takes(HERE, idle=True)) == ([], [])
        assert cluster.works(THERE) == [1]

    def test_a_unit_that_failed_and_is_given_back_has_still_failed(self):
        units = Units(["a", "b", "c"], {"p": 1}, [])
        cluster = Cluster(units, HERE, THERE)
        (failed,) = cluster.fails(HERE)
        cluster.works(THERE)
        for again in (units.gives_back, units.were_lost):
            assert cluster.takes(THERE) == [failed]
            again([failed])
            assert failed not in units._again
        assert cluster.works(THERE) == [failed]

    def test_what_fails_at_the_same_time_counts_once_and_a_suspected_node_is_given_one_unit_at_a_time(self):
        units = Units(AGENTS, dict.fromkeys(range(9), 1), [])
        cluster = Cluster(units, HERE, THERE)
        flight = [cluster.takes(HERE)[0] for _ in range(5)]
        cluster.works(THERE)
        for unit in flight:
            units.has_failed(unit, "why", HERE)
        assert len(cluster.takes(HERE)) == 1
        assert cluster.takes(HERE) == []
        while units.left > 1:
            cluster.works(THERE)
        assert units.blame.condemned == {}

    def test_where_nothing_can_be_run_no_more_is_tried_until_what_is_in_hand_has_come(self):
        units = Units(["a"], dict.fromkeys(range(2 * GIVEN_UP), 1), [])
        cluster = Cluster(units, HERE)
        (slow,) = cluster.takes(HERE)
        while cluster.fails(HERE):
            pass
        assert (len(units.failed), units.are_hopeless()) == (GIVEN_UP, False)
        units.has_finished(slow, 0.1, HERE)
        while cluster.fails(HERE):
            pass
        assert (len(units.failed), units.left) == (2 * GIVEN_UP - 1, 0)
        hopeless = Units(["a"], dict.fromkeys(range(2 * GIVEN_UP), 1), [])
        while Cluster(hopeless, HERE).fails(HERE):
            pass
        assert hopeless.are_hopeless()

    def test_where_it_is_the_last_node_or_all_have_failed_a_unit_is_tried_again(self):
        units = Units(["a"], {"p": 1}, [])
        cluster = Cluster(units, HERE, THERE)
        assert cluster.fails(HERE) == [0]
        assert cluster.takes(HERE) == []
        assert cluster.fails(THERE) == [0]
        assert cluster.fails(HERE) == [0]
        assert units.failed == {0: "why"}
        alone = Units(["a"], {"p": 1}, [])
        assert [Cluster(alone, HERE).fails(HERE) for _ in range(TRIES)] == [[0]] * TRIES
        assert alone.failed == {0: "why"}

    def test_a_node_that_runs_nothing_is_condemned_and_no_unit_is_given_up_for_it(self):
        for bad in (["x"], ["x", "y", "z"]):
            units = Units([f"a{i}" for i in range(6)], dict.fromkeys(range(9), 7), [])
            cluster = Cluster(units, HERE, *bad)
            out, taken = set(), dict.fromkeys(bad, 0)
            while units.left:
                # These nodes fail faster than the other works.
                for node in bad * 2:
                    if node not in out:
                        taken[node] += len(cluster.fails(node))
                    if node in units.blame.condemned:
                        del units.blame.condemned[node]
                        units.blame.forget(node)
                        cluster.nodes.discard(node)
                        out.add(node)
                cluster.works(HERE)
            assert (units.failed, out) == ({}, set(bad))
            assert taken == dict.fromkeys(bad, IN_A_ROW)
            assert units.blame.condemned == {}

    def test_what_failed_on_a_node_that_is_left_out_counts_no_more(self):
        blame = Blame()
        for unit in range(IN_A_ROW):
            assert blame.condemned == {}
            blame.hands_out(unit, THERE, probe=False)
            blame.failed(unit, THERE, f"why {unit}")
        for unit in range(1, IN_A_ROW):
            blame.worked(unit, HERE)
        assert blame.condemned == {}
        blame.worked(0, HERE)
        assert "could not be run there, and were elsewhere; the last because: why 2" in blame.condemned[THERE]
        blame.failed(0, THERE, "why")
        blame.acquit(THERE)
        assert [blame.failed(0, HERE, "why") for _ in range(TRIES)] == [False, False, True]

    def test_units_that_fail_everywhere_condemn_no_node_that_runs_others(self):
        # All units of an agent and of the first problem, which is too large for any node; or all of half of the agents.
        cases = (["a5"], [0]), (["a3", "a4", "a5"], [])
        for nodes, (agents, problems) in itertools.product(([HERE], [HERE, THERE]), cases):
            units = Units([f"a{i}" for i in range(6)], dict.fromkeys(range(9), 7), [])
            cluster = Cluster(units, *nodes)
            names = {unit: units.name(unit) for unit in range(units.total)}
            bad = {unit for unit, (agent, problem) in names.items() if agent in agents or problem in problems}
            turn = 0
            while units.left > len(bad - set(units.failed)):
                turn += 1
                node = nodes[turn % len(nodes)]
                for unit in cluster.takes(node):
                    if unit in bad:
                        units.has_failed(unit, "why", node)
                    else:
                        units.has_finished(unit, 0.6, node)
                assert units.blame.condemned == {}
            assert units.failed

    def test_whatever_happens_each_unit_ends_once(self):
        for seed in range(50):
            chance = random.Random(seed)
            units = Units([f"a{i}" for i in range(7)], dict.fromkeys(range(9), 7), [("a1", 1)])
            killers = set(chance.sample(range(units.total), 3)) - {8}
            cluster = Cluster(units, HERE, THERE)
            ended, flight = [], []
            while units.left:
                for node in (HERE, THERE, HERE, THERE)[len(flight) :]:
                    if portion := cluster.takes(node):
                        flight.append((node, portion))
                node, portion = flight.pop(chance.randrange(len(flight)))
                if chance.random() < 0.1:
                    units.gives_back(portion)
                elif chance.random() < 0.1 and len(portion) > 1:
                    units.were_lost(portion)
                else:
                    for at, unit in enumerate(portion):
                        if unit in killers:
                            ended += [unit] if units.has_failed(unit, "why", node) else []
                            units.gives_back(portion[at + 1 :])
                            break
                        units.has_finished(unit, chance.random() / 9, node)
                        ended.append(unit)
                    units.came_back(chance.random())
            assert sorted(ended) == [unit for unit in range(units.total) if units.name(unit) != ("a1", 1)]
            assert set(units.failed) == killers
            assert (units.portion(2, HERE, here), units.finished + len(killers)) == ([], units.total)

    def test_the_estimate_follows_what_agents_have_cost(self):
        units = Units(["slow", "fast", "unknown"], {"p": 4, "q": 2, "r": 1}, [])
        assert units.seconds_left(1) is None
        for unit, seconds in ((0, 10.0), (1, 2.0)):
            units.portion(9, HERE, here)
            units.has_finished(unit, seconds, HERE)
        # The agent of which nothing is known may take a thousand times as long.
        assert units.seconds_left(1) is None
        # Its units count as infinitely long, whatever those of other agents take.
        assert units.expected(3) == pytest.approx(5.0)
        assert units.expected(2) == math.inf
        units.portion(9, HERE, here)
        units.has_finished(2, 4.0, HERE)
        # The others cost three quarters of the first.
        assert units.seconds_left(1) == pytest.approx(0.75 * (10 + 2 + 4))
        assert units.seconds_left(2) == pytest.approx(6.0)
