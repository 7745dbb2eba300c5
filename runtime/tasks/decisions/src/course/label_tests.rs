//! Active learning by an agent whose beliefs are exact.

use jointly_classification::Environment;
use jointly_core::classifier::Model;
use jointly_core::inputs::Inputs;
use jointly_core::stream::stream;
use jointly_core::{Score, Seed};

use super::Course;
use crate::options::DecisionOptions;
use crate::priority::Priority;
use crate::problem::{DecisionProblem, Setting};
use crate::score::{DecisionScores, Lesson};
use crate::suites::decision_suite;

const SEED: Seed = Seed::Public(5);
/// The number of environments that the agent considers possible.
const POSSIBLE: u64 = 40;

fn problems(priority: Priority) -> Vec<DecisionProblem> {
    let of = |problem: &DecisionProblem| {
        problem.input_dim() == 2
            && matches!(&problem.setting, Setting::Labels { priority: own, .. } if *own == priority)
    };
    decision_suite("decisions/active").unwrap().problems.into_iter().filter(of).collect()
}

/// An agent that knows the environment to be one of some: draw m is one of them, with its posterior probability.
struct Posterior<'a> {
    environments: &'a [Environment],
    weights: Vec<f32>,
}

impl Posterior<'_> {
    fn of(&self, draw: u64) -> u64 {
        stream(SEED, "test", "draw", draw).categorical(&self.weights).into()
    }
}

impl Model for Posterior<'_> {
    type Error = String;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, String> {
        // The first draw of the same environment among many.
        let first = |draw: &u64| (0..=*draw).find(|other| self.of(*other) == self.of(*draw)).unwrap();
        Ok(draws.iter().map(first).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, String> {
        let of = |draw: &u64| self.environments[self.of(*draw) as usize].class_probs(inputs.numbers());
        Ok(draws.iter().flat_map(of).collect())
    }
}

fn learn(problem: &DecisionProblem, options: &DecisionOptions) -> DecisionScores {
    let mut course = Course::begin(problem, options, SEED);
    let law = course.environment();
    let sample = |name: &str, index| Environment::sample(law, &mut stream(SEED, name, problem.stream_name(), index));
    let environments: Vec<Environment> =
        (1..POSSIBLE).map(|i| sample("other", i)).chain([sample("environment", 0)]).collect();
    while !course.is_done() {
        let (_, train) = course.examples();
        let log = |environment: &Environment| -> f64 {
            let probs = environment.class_probs(train.inputs().numbers());
            let rows = probs.chunks_exact(3).zip(train.labels());
            rows.map(|(row, label)| libm::log(f64::from(row[*label as usize]).max(1e-30))).sum()
        };
        let logs: Vec<f64> = environments.iter().map(log).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = logs.iter().map(|log| libm::exp(log - most) as f32).collect();
        course.act(&mut Posterior { environments: &environments, weights }).unwrap();
    }
    course.finish()
}

#[test]
fn lessons_begin_alike_and_end_with_all_labels() {
    let options = DecisionOptions { draws: 50, steps: 12, growth: 0.5 };
    let lessons = Priority::ALL.map(|priority| learn(&problems(priority)[0], &options).lessons);
    let labels = |lessons: &[Lesson]| lessons.iter().map(|lesson| lesson.labels).collect::<Vec<_>>();
    for own in &lessons {
        assert_eq!(labels(own), [2, 3, 4, 6, 9, 12]);
        assert_eq!(own[0], lessons[0][0]);
    }
    for chosen in &lessons[1..] {
        assert_ne!(chosen, &lessons[0], "a priority chooses otherwise than chance");
    }
    assert_ne!(lessons[1], lessons[5], "entropy and mutual information choose otherwise");
}

/// An agent that is right about its uncertainty learns more from labels that tell its functions apart.
#[test]
fn mutual_information_teaches_an_exact_agent_more_than_chance() {
    let options = DecisionOptions { draws: 200, steps: 12, growth: 0.0 };
    let courses = |priority| -> Vec<f64> {
        let mean = |lessons: &[Lesson]| lessons.iter().map(|own| own.joint.mean).sum::<f64>() / lessons.len() as f64;
        problems(priority).iter().map(|problem| mean(&learn(problem, &options).lessons)).collect()
    };
    let (chosen, random) = (courses(Priority::MutualInformation), courses(Priority::Uniform));
    let gains: Vec<f64> = random.iter().zip(&chosen).map(|(random, chosen)| random - chosen).collect();
    let Score { mean: gain, stderr: error } = Score::of(&gains);
    assert!(gain > 2.0 * error, "{gain} ±{error}");
}
