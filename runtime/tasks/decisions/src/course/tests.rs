//! Courses of agents whose behaviour is known on paper.

use jointly_classification::{Environment, EnvironmentSpec, EvaluateError};
use jointly_core::classifier::Model;
use jointly_core::inputs::Inputs;
use jointly_core::stream::stream;
use jointly_core::{Score, Seed};

use super::Course;
use crate::options::DecisionOptions;
use crate::problem::{DecisionProblem, Setting};
use crate::score::DecisionScores;
use crate::suites::decision_suite;

const SEED: Seed = Seed::Public(7);

fn problems() -> Vec<DecisionProblem> {
    decision_suite("decisions/bandit").unwrap().problems.into_iter().filter(|it| it.input_dim() == 2).collect()
}

fn law(problem: &DecisionProblem) -> &EnvironmentSpec {
    let Setting::Bandit(law) = &problem.setting else { panic!("{} is a bandit", problem.name) };
    law
}

fn environment(problem: &DecisionProblem) -> Environment {
    Environment::sample(law(problem), &mut stream(SEED, "environment", &problem.name, 0))
}

/// An agent that considers several environments possible; draw m is the one at index `draws[m mod draws.len()]`.
struct Possible<'a> {
    environments: &'a [Environment],
    draws: Vec<usize>,
    /// Adds one to the last bit of an answer when it is asked for a single row.
    fickle: bool,
}

impl Model for Possible<'_> {
    type Error = String;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, String> {
        let first =
            |draw: &u64| self.draws.iter().position(|own| *own == self.draws[*draw as usize % self.draws.len()]);
        Ok(draws.iter().map(|draw| first(draw).unwrap() as u64).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, String> {
        let of =
            |draw: &u64| self.environments[self.draws[*draw as usize % self.draws.len()]].class_probs(inputs.numbers());
        let mut probs: Vec<f32> = draws.iter().flat_map(of).collect();
        if self.fickle && inputs.rows() == 1 {
            probs[0] = f32::from_bits(probs[0].to_bits() + 1);
        }
        Ok(probs)
    }
}

/// Runs a course in which the agent of each round makes a model of what was observed.
fn run<'a>(
    problem: &DecisionProblem,
    options: &DecisionOptions,
    mut model: impl FnMut(&Course, u32) -> Possible<'a>,
) -> DecisionScores {
    let mut course = Course::begin(problem, options, SEED);
    while !course.is_done() {
        let mut model = model(&course, options.draws);
        course.act(&mut model).unwrap();
    }
    course.finish()
}

#[test]
fn an_agent_that_knows_the_environment_has_no_regret_after_the_first_actions() {
    let options = DecisionOptions { draws: 10, steps: 50, growth: 0.5 };
    for problem in &problems()[..3] {
        let known = [environment(problem)];
        let scores = run(problem, &options, |_, draws| Possible {
            environments: &known,
            draws: vec![0; draws as usize],
            fickle: false,
        });
        let stages: Vec<(u32, f64)> = scores.course.iter().map(|stage| (stage.steps, stage.regret.0)).collect();
        assert_eq!(stages.iter().map(|(steps, _)| *steps).collect::<Vec<_>>(), [1, 2, 3, 5, 10, 20, 30, 50]);
        assert!(stages[1..].iter().all(|(_, regret)| *regret == stages[1].1), "{stages:?}");
        assert_eq!(scores.trainings, 9);
    }
}

#[test]
fn an_agent_to_which_all_actions_are_equal_has_the_regret_of_uniform_actions() {
    // A network without weights gives one half everywhere.
    let options = DecisionOptions { draws: 1, steps: 1000, growth: 1.0 };
    let shares: Vec<f64> = problems()
        .iter()
        .map(|problem| {
            let mut flat = law(problem).clone();
            flat.temperature = 1e30;
            let flat = [Environment::sample(&flat, &mut stream(SEED, "flat", "", 0))];
            let scores = run(problem, &options, |_, draws| Possible {
                environments: &flat,
                draws: vec![0; draws as usize],
                fickle: false,
            });
            scores.course.last().unwrap().regret.0 / (1000.0 * scores.uniform.unwrap().0)
        })
        .collect();
    let Score { mean, stderr: error } = Score::of(&shares);
    assert!((mean - 1.0).abs() < 3.0 * error && error < 0.02, "{mean} ±{error}");
}

/// Returns the exact posterior over equally probable environments, given the examples of a course.
fn posterior(course: &Course, environments: &[Environment]) -> Vec<f64> {
    let train = course.examples().1;
    let likelihood = |environment: &Environment| -> f64 {
        let probs = environment.class_probs(train.inputs().numbers());
        let of = |(row, label): (&[f32], &u32)| libm::log(f64::from(row[*label as usize]).max(1e-30));
        probs.chunks_exact(2).zip(train.labels()).map(of).sum()
    };
    let logs: Vec<f64> = environments.iter().map(likelihood).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| libm::exp(log - most)).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Returns the regret of an exact Bayesian agent that knows the environment to be one of some.
fn exact_regret(problem: &DecisionProblem, options: &DecisionOptions, others: usize) -> f64 {
    let other = |i| Environment::sample(law(problem), &mut stream(SEED, "other", &problem.name, i));
    let environments: Vec<Environment> = (0..others as u64).map(other).chain([environment(problem)]).collect();
    let scores = run(problem, options, |course, draws| {
        let weights: Vec<f32> = posterior(course, &environments).into_iter().map(|weight| weight as f32).collect();
        let mut source = stream(course.seed(), "draws", "", 0);
        let draws = (0..draws).map(|_| source.categorical(&weights) as usize).collect();
        Possible { environments: &environments, draws, fickle: false }
    });
    scores.course.last().unwrap().regret.0
}

/// Batches cost an exact agent little: with batches of a quarter, and one training an action, the regrets agree within
/// their error, and both are below the bound of Thompson sampling.
///
/// # Source
/// Russo and Van Roy, "An Information-Theoretic Analysis of Thompson Sampling" (2016), proposition 3: the expected regret
/// of T actions among A is at most sqrt(A H T / 2), where H is the entropy of the best action. An agent that knows five
/// environments takes one of at most five actions, each the best in one of them, and H is at most ln 5.
#[test]
fn regret_in_batches_and_step_by_step_agree_and_stay_below_the_bound() {
    let steps = 120;
    let options = |growth| DecisionOptions { draws: 30, steps, growth };
    let warm: Vec<DecisionProblem> = problems().into_iter().filter(|problem| law(problem).temperature > 0.4).collect();
    let regrets = |growth| -> Vec<f64> { warm.iter().map(|it| exact_regret(it, &options(growth), 4)).collect() };
    let (single, batched) = (regrets(0.0), regrets(0.25));
    let differences: Vec<f64> = batched.iter().zip(&single).map(|(batched, single)| batched - single).collect();
    let mean = |values: &[f64]| Score::of(values).mean;
    let Score { mean: difference, stderr: error } = Score::of(&differences);
    let random =
        |problem| Course::begin(problem, &options(1.0), SEED).arms.uniform_regret().unwrap() * f64::from(steps);
    let uniform = mean(&warm.iter().map(random).collect::<Vec<f64>>());
    assert!(difference.abs() < 3.0 * error && error < 0.1 * uniform, "{difference} ±{error}, uniform {uniform}");
    let bound = (0.5 * 5.0 * libm::log(5.0) * f64::from(steps)).sqrt();
    // Uniform actions are above the bound, so that it says something.
    assert!(uniform > bound, "{uniform} {bound}");
    assert!(mean(&single) < bound && mean(&batched) < bound, "{} {} {bound}", mean(&single), mean(&batched));
}

#[test]
fn courses_repeat_and_answers_that_change_are_found() {
    let problem = &problems()[0];
    let options = DecisionOptions { draws: 7, steps: 40, growth: 1.0 };
    assert_eq!(exact_regret(problem, &options, 3).to_bits(), exact_regret(problem, &options, 3).to_bits());
    let known = [environment(problem)];
    let mut course = Course::begin(problem, &options, SEED);
    let error = course.act(&mut Possible { environments: &known, draws: vec![0; 7], fickle: true }).unwrap_err();
    let EvaluateError::Inconsistent(message) = error else { panic!("{error}") };
    assert!(message.contains("of the batch after 2 actions") && message.contains("alone"), "{message}");
}
