//! Whole problems, run by agents whose scores are known in closed form.

mod active;
mod correlations;
mod coverage;
mod tables;

use super::*;
use crate::tests::linear::Linear;

/// Finds a problem by name.
fn problem(suite: &str, name: &str) -> RegressionProblem {
    let suite = crate::regression_suite(suite).expect("a suite");
    suite.problems.into_iter().find(|problem| problem.name == name).expect("a problem")
}

fn run<R: Regressor<Error: std::fmt::Debug>>(
    problem: &RegressionProblem,
    agent: &mut R,
    options: &RegressionOptions,
) -> RegressionResult {
    problem.run(agent, None, 0.into(), options, &mut |_| ()).expect("an agent that does not fail")
}

/// Writes a unit to JSON and reads it back, as a journal does.
fn through_json(unit: &RegressionUnit) -> RegressionUnit {
    let text = serde_json::to_string(unit).unwrap();
    let back: RegressionUnit = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    back
}

#[test]
fn scores_are_a_function_of_the_problem_and_survive_json_to_the_bit() {
    let options = RegressionOptions { draws: 20, moment_draws: 50, rounds: 2, ..RegressionOptions::default() };
    for (suite, name) in [
        ("coverage/line", "coverage/line/sim3"),
        ("coverage/gap", "coverage/gap/sim1"),
        ("correlations/synthetic", "correlations/synthetic/d3/set7"),
        ("correlations/active-synthetic", "correlations/active-synthetic/d3/set7/mig"),
    ] {
        let fresh = problem(suite, name);
        let first = run(&fresh, &mut Linear::new(false), &options);
        // Other runs, of this and of other problems, must not change the result.
        let other = if suite == "coverage/gap" { "coverage/gap/sim2" } else { name };
        run(&problem(suite, other), &mut Linear::new(true), &options);
        for again in [&fresh, &problem(suite, name)] {
            assert_eq!(run(again, &mut Linear::new(false), &options), first, "{name}");
        }
        assert_eq!(through_json(&first.scores), first.scores);
        let other_seed = fresh.run(&mut Linear::new(false), None, 1.into(), &options, &mut |_| ()).unwrap();
        assert_ne!(other_seed.scores, first.scores, "{name}");
    }
}

#[test]
fn the_data_do_not_depend_on_the_agent_nor_on_what_is_asked_of_it() {
    let seen = |name: &str, suite: &str, exact, draws| {
        let mut agent = Linear::new(exact);
        run(&problem(suite, name), &mut agent, &RegressionOptions { draws, ..RegressionOptions::default() });
        agent.seen.swap_remove(0)
    };
    let (suite, name) = ("correlations/synthetic", "correlations/synthetic/d1/set0");
    assert_eq!(seen(name, suite, true, 5), seen(name, suite, false, 7));
    // Active learning begins with the training set of the problem of correlations.
    let active = ("correlations/active-synthetic", "correlations/active-synthetic/d1/set0/random");
    assert_eq!(seen(active.1, active.0, true, 5), seen(name, suite, true, 5));
    assert_ne!(seen("correlations/synthetic/d1/set1", suite, true, 5), seen(name, suite, true, 5));
}

#[test]
fn progress_ends_at_one_and_never_goes_back() {
    let options = RegressionOptions { draws: 5, moment_draws: 20, rounds: 3, ..RegressionOptions::default() };
    for (suite, name) in [
        ("coverage/line", "coverage/line/sim0"),
        ("correlations/synthetic", "correlations/synthetic/d1/set0"),
        ("correlations/active-synthetic", "correlations/active-synthetic/d1/set0/tig"),
    ] {
        let mut told = vec![0.0];
        problem(suite, name)
            .run(&mut Linear::new(false), None, 0.into(), &options, &mut |done| told.push(done))
            .unwrap();
        assert!(told.is_sorted() && told.last() == Some(&1.0), "{name}: {told:?}");
    }
}
