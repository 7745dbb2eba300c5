//! Searches by agents whose behaviour is known on paper.

use std::convert::Infallible;

use jointly_core::correlations::{Cholesky, Dense};
use jointly_core::matrix::Matrix;
use jointly_core::regression::{Belief, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets};
use jointly_core::stream::stream;
use jointly_core::{Score, Seed};

use super::Course;
use crate::arms::NOISE;
use crate::objective::Objective;
use crate::options::DecisionOptions;
use crate::problem::{DecisionProblem, Setting};
use crate::rule::Rule;
use crate::score::{DecisionScores, Stage};
use crate::suites::decision_suite;

const SEED: Seed = Seed::Public(11);

fn problems(objective: Objective, rule: Rule) -> Vec<DecisionProblem> {
    let of = |problem: &DecisionProblem| matches!(&problem.setting, Setting::Search { objective: own, rule: by } if (*own, *by) == (objective, rule));
    decision_suite("decisions/optimize").unwrap().problems.into_iter().filter(of).collect()
}

/// Runs a course in which an agent is trained anew before each batch.
fn run<R: Regressor<Error = Infallible>>(
    problem: &DecisionProblem,
    options: &DecisionOptions,
    agent: &mut R,
) -> DecisionScores {
    let mut course = Course::begin(problem, options, SEED);
    while !course.is_done() {
        let mut fitted = course.fit(agent).unwrap();
        course.search(&mut fitted).unwrap();
    }
    course.finish()
}

/// Bayesian linear regression on standardised inputs: w0 + w x, with weights of N(0, 1 / d) in the function's own units. It is
/// near the posterior of a random linear function, whose weights have the same variance and a fixed length.
struct Linear;

struct Weights {
    mean: Vec<f64>,
    precision: Cholesky,
    noise: f32,
    seed: u64,
}

/// Returns the features, one row per feature; the first feature is 1.
fn features(inputs: &Matrix) -> Dense {
    let value = |i: usize, row: usize| if i == 0 { 1.0 } else { f64::from(inputs.row(row)[i - 1]) };
    Dense::from_fn(inputs.cols() + 1, inputs.rows(), value)
}

impl Regressor for Linear {
    type Belief = Weights;
    type Error = Infallible;

    fn train(
        &mut self,
        task: &RegressionTask,
        train: &Targets,
        _: Option<&Targets>,
        seed: u64,
    ) -> Result<Weights, Infallible> {
        let noise = task.noise_std.unwrap();
        // The noise is known in both units, which tells the agent's unit.
        let unit = f64::from(noise / NOISE);
        let features = features(train.inputs());
        let weight = 1.0 / (f64::from(noise) * f64::from(noise));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let ridge = |i, j| if i == j { f64::from(task.input_dim) / (unit * unit) } else { 0.0 };
        let precision =
            Dense::symmetric(features.rows(), |i, j| weight * dot(features.row(i), features.row(j)) + ridge(i, j));
        let precision = Cholesky::exact(&precision).unwrap();
        let targets: Vec<f64> = train.targets().iter().map(|&y| f64::from(y)).collect();
        let right: Vec<f64> = (0..features.rows()).map(|i| weight * dot(features.row(i), &targets)).collect();
        Ok(Weights { mean: precision.solve(&right), precision, noise, seed })
    }
}

impl Belief for Weights {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.to_vec())
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        let features = features(inputs);
        let mut half = features.clone();
        self.precision.half_solve(&mut half);
        let mut means = Vec::new();
        for &draw in draws {
            let mut source = stream(self.seed, "test", "weights", draw);
            let z: Vec<f64> = (0..half.rows()).map(|_| source.normal()).collect();
            let value = |t: usize| -> f64 {
                (0..half.rows()).map(|i| self.mean[i] * features[(i, t)] + z[i] * half[(i, t)]).sum()
            };
            means.extend((0..inputs.rows()).map(|t| value(t) as f32));
        }
        let noise = vec![self.noise; means.len()];
        Ok(FunctionSamples::new(inputs.rows(), draws.len(), means, noise).unwrap())
    }

    fn gaussian(&mut self, _: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        Ok(None)
    }

    fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        Ok(None)
    }
}

/// One function without doubt: the noise-free objective, or the same value everywhere.
#[derive(Clone, Copy)]
enum Certain<'a> {
    Truth(Objective, &'a DecisionProblem),
    Flat,
}

struct Value {
    function: Option<(Matrix, Vec<f64>)>,
}

impl Regressor for Certain<'_> {
    type Belief = Value;
    type Error = Infallible;

    fn train(&mut self, _: &RegressionTask, _: &Targets, _: Option<&Targets>, _: u64) -> Result<Value, Infallible> {
        let Certain::Truth(objective, problem) = *self else { return Ok(Value { function: None }) };
        let source = |purpose| stream(SEED, purpose, problem.stream_name(), 0);
        let inputs = objective.inputs(problem.actions() as usize, &mut source("actions"));
        let values = objective.values(&inputs, &mut source("objective"));
        // The agent knows inputs by their order alone: it is asked for all of them, or for a few that it finds again.
        let units = jointly_regression::Standardization::of_each(&inputs, &[0.0]);
        Ok(Value { function: Some((units.inputs(&inputs).unwrap(), values)) })
    }
}

impl Belief for Value {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(vec![0; draws.len()])
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        let value = |row: usize| match &self.function {
            None => 0.5,
            Some((known, values)) => {
                let place = (0..known.rows()).find(|&place| known.row(place) == inputs.row(row)).unwrap();
                values[place] as f32
            }
        };
        let means: Vec<f32> = draws.iter().flat_map(|_| (0..inputs.rows()).map(value)).collect();
        let noise = vec![0.1; means.len()];
        Ok(FunctionSamples::new(inputs.rows(), draws.len(), means, noise).unwrap())
    }

    fn gaussian(&mut self, _: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        Ok(None)
    }

    fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        Ok(None)
    }
}

#[test]
fn an_agent_that_knows_the_function_errs_only_in_its_first_actions() {
    let options = DecisionOptions { draws: 10, steps: 30, growth: 0.5 };
    for objective in [Objective::Branin, Objective::Hartmann3, Objective::Ackley] {
        for rule in Rule::ALL {
            let problem = &problems(objective, rule)[0];
            let scores = run(problem, &options, &mut Certain::Truth(objective, problem));
            let first = scores.course.iter().find(|stage| stage.steps > problem.first()).unwrap();
            let last = scores.course.last().unwrap();
            assert_eq!((last.regret, last.simple.unwrap().0), (first.regret, 0.0), "{}", problem.name);
        }
    }
}

#[test]
fn an_agent_to_which_all_inputs_are_equal_has_the_regret_of_uniform_actions() {
    let options = DecisionOptions { draws: 10, steps: 500, growth: 1.0 };
    for rule in Rule::ALL {
        let share = |problem: &DecisionProblem| {
            let scores = run(problem, &options, &mut Certain::Flat);
            scores.course.last().unwrap().regret.0 / (500.0 * scores.uniform.unwrap().0)
        };
        let shares: Vec<f64> = problems(Objective::Branin, rule).iter().map(share).collect();
        let Score { mean, stderr: error } = Score::of(&shares);
        assert!((mean - 1.0).abs() < 3.0 * error && error < 0.02, "{mean} ±{error}");
    }
}

#[test]
fn both_rules_begin_alike_and_have_the_same_function() {
    let options = DecisionOptions { draws: 20, steps: 30, growth: 0.2 };
    let courses = Rule::ALL.map(|rule| run(&problems(Objective::Network(2), rule)[3], &options, &mut Linear));
    let [thompson, improvement] = courses;
    assert_eq!(
        (thompson.course[..3].to_vec(), thompson.uniform),
        (improvement.course[..3].to_vec(), improvement.uniform)
    );
    assert_ne!(thompson.course, improvement.course);
}

/// The regret of Bayesian linear regression on random linear functions is below the bound of exact Thompson sampling.
///
/// # Source
/// Russo and Van Roy, "An Information-Theoretic Analysis of Thompson Sampling" (2016), proposition 5 with the sub-Gaussian
/// rewards of its appendix: the expected regret of T actions is at most sqrt(2 s^2 d H T), where H is at most the logarithm
/// of the number of actions and s^2 is the variance of a reward: 1 by the function and .01 by noise.
#[test]
fn linear_regression_on_linear_functions_has_the_known_rate() {
    let options = |growth| DecisionOptions { draws: 1000, steps: 100, growth };
    let problems = problems(Objective::Linear, Rule::Thompson);
    let courses = |growth| -> Vec<DecisionScores> {
        problems.iter().map(|problem| run(problem, &options(growth), &mut Linear)).collect()
    };
    let (single, batched) = (courses(0.0), courses(0.1));
    let mean = |courses: &[DecisionScores], stage: usize| {
        Score::of(&courses.iter().map(|scores| scores.course[stage].regret.0).collect::<Vec<f64>>())
    };
    let stages = single[0].course.len();
    // The first ten actions are random, and the bound is above all that a few actions can cost.
    let late = |(_, stage): &(usize, &Stage)| stage.steps >= 20;
    for (stage, Stage { steps, .. }) in single[0].course.iter().enumerate().filter(late) {
        let steps = f64::from(*steps);
        let bound = (2.0 * 1.01 * 5.0 * libm::log(1000.0) * steps).sqrt();
        for courses in [&single, &batched] {
            assert!(mean(courses, stage).mean < bound, "{steps} actions: {} {bound}", mean(courses, stage).mean);
        }
    }
    // Uniform actions break the bound, so that it says something; and the second half costs little more than the first.
    let uniform = Score::of(&single.iter().map(|scores| scores.uniform.unwrap().0 * 100.0).collect::<Vec<f64>>()).mean;
    assert!(uniform > (2.0 * 1.01 * 5.0 * libm::log(1000.0) * 100.0_f64).sqrt(), "{uniform}");
    let (half, whole) = (mean(&single, stages - 2).mean, mean(&single, stages - 1).mean);
    assert!(whole < 1.3 * half, "{half} after 50 actions, {whole} after 100");
    let last = |scores: &DecisionScores| scores.course[stages - 1].regret.0;
    let differences: Vec<f64> =
        batched.iter().zip(&single).map(|(batched, single)| last(batched) - last(single)).collect();
    let Score { mean: difference, stderr: error } = Score::of(&differences);
    assert!(difference.abs() < 3.0 * error && error < 0.05 * uniform, "{difference} ±{error}");
}
