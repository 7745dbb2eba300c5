"""Portions of units: each is handed out until it is done or given up, and what they cost decides how many go together."""

import random
import unittest

from jointly_ray.units import DEATHS, MOST, Units

AGENTS, PROBLEMS = ["a", "b", "c"], dict.fromkeys("pqrs", 1)


class Portions(unittest.TestCase):
    def test_units_come_problem_by_problem_and_done_ones_do_not(self):
        units = Units(AGENTS, PROBLEMS, [("b", "p"), ("a", "q"), ("stranger", "p")])
        self.assertEqual((units.total, units.finished, units.left), (12, 2, 10))
        names = []
        while portion := units.portion(2):
            self.assertEqual(len(portion), 1)
            names.append(units.name(portion[0]))
        self.assertEqual(names[:3], [("a", "p"), ("c", "p"), ("b", "q")])
        self.assertEqual(len(set(names)), 10)

    def test_portions_grow_while_units_are_cheap_and_shrink_at_the_end(self):
        units = Units([f"a{i}" for i in range(100)], dict.fromkeys(range(100), 7), [])
        sizes = []
        while portion := units.portion(2):
            sizes.append(len(portion))
            for unit in portion:
                units.has_finished(unit, 0.001)
            units.came_back(0.001 * len(portion))
        self.assertEqual(sizes[:6], [1, 2, 4, 8, 16, 32])
        self.assertEqual(max(sizes), MOST)
        self.assertEqual(sizes[-3:], [1, 1, 1])
        self.assertEqual(sum(sizes), 10_000)

    def test_units_that_take_long_go_one_by_one(self):
        units = Units(AGENTS, dict.fromkeys(range(100), 7), [])
        for seconds in [0.001] * 30:
            unit, *_ = portion = units.portion(1)
            for unit in portion:
                units.has_finished(unit, 60.0 if units.name(unit)[0] == "b" else seconds)
            units.came_back(seconds)
        for _ in range(20):
            portion = units.portion(1)
            labels = [units.name(unit)[0] for unit in portion]
            self.assertNotIn("b", labels[:-1])
            for unit in portion:
                units.has_finished(unit, 60.0 if units.name(unit)[0] == "b" else 0.001)

    def test_what_was_lost_is_asked_again_alone_and_given_up_after_three_deaths(self):
        units = Units(AGENTS, PROBLEMS, [])
        units._most = 8
        lost = units.portion(1)
        self.assertGreater(len(lost), 2)
        units.were_lost(lost)
        again = [units.portion(1) for _ in lost]
        self.assertEqual(again, [[unit] for unit in lost])
        culprit = lost[1]
        for portion in again:
            if portion != [culprit]:
                units.has_finished(portion[0], 0.1)
        for death in range(1, DEATHS + 1):
            self.assertEqual(units.has_killed(culprit, f"death {death}"), death == DEATHS)
            if death < DEATHS:
                self.assertEqual(units.portion(1), [culprit])
        self.assertEqual(units.failed, {culprit: "death 3"})
        rest = []
        while portion := units.portion(1):
            rest += portion
        self.assertEqual(sorted(rest + lost), list(range(12)))

    def test_whatever_happens_each_unit_ends_once(self):
        for seed in range(50):
            chance = random.Random(seed)
            units = Units([f"a{i}" for i in range(7)], dict.fromkeys(range(9), 7), [("a1", 1)])
            killers = set(chance.sample(range(units.total), 3)) - {8}
            ended, flight = [], []
            while units.left:
                while len(flight) < 4 and (portion := units.portion(2)):
                    flight.append(portion)
                portion = flight.pop(chance.randrange(len(flight)))
                if chance.random() < 0.1:
                    units.gives_back(portion)
                elif chance.random() < 0.1 and len(portion) > 1:
                    units.were_lost(portion)
                else:
                    for at, unit in enumerate(portion):
                        if unit in killers:
                            ended += [unit] if units.has_killed(unit, "why") else []
                            units.gives_back(portion[at + 1 :])
                            break
                        units.has_finished(unit, chance.random())
                        ended.append(unit)
                    units.came_back(chance.random())
            self.assertEqual(sorted(ended), [unit for unit in range(units.total) if units.name(unit) != ("a1", 1)])
            self.assertEqual(set(units.failed), killers)
            self.assertEqual((units.portion(2), units.finished + len(killers)), ([], units.total))

    def test_the_estimate_follows_what_agents_have_cost(self):
        units = Units(["slow", "fast", "unknown"], {"p": 4, "q": 2, "r": 1}, [])
        self.assertIsNone(units.seconds_left(1))
        for unit, seconds in ((0, 10.0), (1, 2.0)):
            units.portion(9)
            units.has_finished(unit, seconds)
        # The others cost three quarters of the first, and where nothing is known an agent is as fast as all are.
        self.assertAlmostEqual(units.seconds_left(1), 7.5 + 1.5 + 7 * 12 / 8)
        self.assertAlmostEqual(units.seconds_left(2), 9.75)
        self.assertAlmostEqual(units.expected(3), 5.0)


if __name__ == "__main__":
    unittest.main()
