//! Arbitrary answers of an agent: the host reports what is wrong with them, or scores them.

use std::fmt::Debug;
use std::sync::OnceLock;

use jointly_classification::Evaluation;
use jointly_classification::{EvaluateError, Instance, Problem};
use jointly_core::regression::{Belief as _, Regressor as _};
use jointly_core::{Classifier as _, Dataset, Inputs, Matrix, Model as _, Task, TokenMatrix, Tokens};
use jointly_host::{Agent, Description, Failure, LoadError, Trace};
use jointly_regression::{FitError, Noise, PredictionOptions, Process, Simulation, Sizes, TestSet, fit};
use serde_json::Value;

use crate::puppet::told;
use crate::{Ending, LIMITS, is_one_line, is_presentable, is_the_guests, puppet, runtime};

/// The seed of every case.
const SEED: u64 = 0;

/// The outcome of a unit, or how it failed, with the message.
type Outcome<T> = Result<T, (Ending, String)>;

/// Runs an agent that acts as the bytes say: the first byte selects its task (description, or a kind of training), the
/// rest its answers.
///
/// # Panics
/// When the host breaks a promise: the same answers give the same result, a failure is the guest's own and is reported
/// in one printable line, and a score is a number.
pub fn answers(bytes: &[u8]) -> Ending {
    let (first, script) = bytes.split_first().unwrap_or((&0, &[]));
    match first % 4 {
        0 => ends_the_same(|| classification(script)),
        1 => ends_the_same(|| regression(script)),
        2 => ends_the_same(|| tokens(script)),
        _ => ends_the_same(|| description(script)),
    }
}

fn ends_the_same<T: Debug>(unit: impl Fn() -> Outcome<T>) -> Ending {
    let first = unit();
    // Compared as text, so that NaN, where it is allowed, equals NaN.
    assert_eq!(format!("{first:?}"), format!("{:?}", unit()));
    first.map_or_else(|(ending, _)| ending, |_| Ending::Answered)
}

/// Returns how a guest's failure is counted, and its message.
fn said(failure: &Failure) -> (Ending, String) {
    (is_the_guests(failure), failure.to_string())
}

/// Returns how an agent that contradicts itself is counted, and the message.
fn inconsistent(message: String) -> (Ending, String) {
    is_one_line(&message);
    (Ending::Inconsistent, message)
}

/// Asserts that no mean in the scores is NaN.
fn are_numbers(scores: &Value) {
    match scores {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            assert!(name != "mean" || value != "nan", "{scores}");
            are_numbers(value);
        }),
        Value::Array(values) => values.iter().for_each(are_numbers),
        _ => {}
    }
}

/// Returns the agent that is honest except as its settings say; it is compiled once, because that costs more than a
/// case.
fn honest() -> &'static Agent {
    static HONEST: OnceLock<Agent> = OnceLock::new();
    HONEST.get_or_init(|| runtime().load(&puppet(&[]), LIMITS).expect("an honest puppet loads"))
}

/// Loads an agent that describes itself by the script.
fn description(script: &[u8]) -> Outcome<Description> {
    match runtime().load(&puppet(script), LIMITS) {
        Ok(agent) => {
            is_presentable(agent.description());
            Ok(agent.description().clone())
        }
        Err(error) => {
            is_one_line(&error.to_string());
            let ending = match &error {
                LoadError::Describe(failure) => is_the_guests(failure),
                LoadError::Name(_) | LoadError::Text(_) => Ending::NotLoaded,
                other => panic!("the agent can only fail to describe itself: {other}"),
            };
            Err((ending, error.to_string()))
        }
    }
}

/// Scores the agent on a problem of the Neural Testbed, with few samples and draws.
fn classification(script: &[u8]) -> Outcome<Value> {
    static PROBLEM: OnceLock<(Problem, Instance, Evaluation)> = OnceLock::new();
    let (problem, instance, evaluation) = PROBLEM.get_or_init(|| {
        let problem = jointly_classification::suite("quick").expect("a suite of that name").problems.swap_remove(0);
        let few = Evaluation { taus: vec![1, 12], samples: 2, draws: 5, ..Evaluation::testbed() };
        let instance = problem.instance(SEED.into());
        (problem, instance, few)
    });
    let mut configured = honest().classifier(vec![told(script)], LIMITS, Trace::default());
    let trained = configured.train(&problem.task(), instance.train(), instance.validation(), None, SEED);
    let mut model = trained.map_err(|failure| said(&failure))?;
    match jointly_classification::evaluate(&mut model, problem, instance, evaluation, SEED.into(), &mut |_| ()) {
        Ok(scores) => {
            let scores = serde_json::to_value(scores).expect("scores are JSON");
            are_numbers(&scores);
            Ok(scores)
        }
        Err(EvaluateError::Agent(failure)) => Err(said(&failure)),
        Err(EvaluateError::Inconsistent(message)) => Err(inconsistent(message)),
    }
}

/// Scores the agent on a small simulation of a few rows, including coverage, and asks for its joint moments.
fn regression(script: &[u8]) -> Outcome<String> {
    static TOY: OnceLock<(Process, Simulation, TestSet)> = OnceLock::new();
    let (process, simulation, test) = TOY.get_or_init(|| {
        let process = Process::gap(Noise::Normal).with_sizes(Sizes { train: 4, validation: 2, test: 5 });
        let instance = process.instance(SEED.into());
        let (simulation, test) = (instance.simulation(0), instance.test(0));
        (process, simulation, test)
    });
    let mut configured = honest().regressor(vec![told(script)], LIMITS, Trace::default());
    let mut asked = configured
        .train(&process.task(), &simulation.train, simulation.validation.as_ref(), SEED)
        .map_err(|f| said(&f))?;
    let moments = asked.gaussian(test.data().inputs()).map_err(|failure| said(&failure))?;
    if let Some(moments) = &moments {
        assert!(moments.covariance().iter().chain(moments.mean()).all(|value| value.is_finite()), "{moments:?}");
    }
    let options = PredictionOptions { draws: 7, ..PredictionOptions::paper(SEED.into(), process.name()) };
    let scored = fit(&mut configured, &process.task(), &simulation.train, simulation.validation.as_ref(), SEED)
        .and_then(|mut fitted| {
            jointly_regression::evaluate(&mut fitted, test.data(), Some(test), &options, &mut |_| ())
        });
    match scored {
        Ok(evaluated) => {
            let text = format!("{evaluated:?}");
            assert!(!text.contains("NaN"), "{text}");
            Ok(text)
        }
        Err(FitError::Agent(failure)) => Err(said(&failure)),
        Err(FitError::Inconsistent(message) | FitError::Moments(message)) => Err(inconsistent(message)),
        Err(other) => panic!("the agent can only fail or contradict itself: {other}"),
    }
}

/// Asks for probabilities at inputs with categories, after a training that includes inputs without labels.
fn tokens(script: &[u8]) -> Outcome<Vec<f32>> {
    let task = Task { tokens: Tokens::Categories(vec![4]), ..Task::new(1, 3) };
    let numbers = Matrix::new(3, 1, vec![-1.0, 0.0, 1.0]).expect("three rows of one number");
    let tokens = TokenMatrix::new(3, 1, vec![0, 3, 1]).expect("three rows of one token");
    let inputs = Inputs::new(numbers, tokens).expect("as many rows");
    let data = Dataset::new(&task, inputs.clone(), vec![0, 2, 1]).expect("labels of three classes");
    let mut configured = honest().classifier(vec![told(script)], LIMITS, Trace::default());
    let mut model = configured.train(&task, &data, None, Some(&inputs), SEED).map_err(|failure| said(&failure))?;
    let canonical = model.canonical_draws(&[0, 1, 2]).map_err(|failure| said(&failure))?;
    let probs = model.sample_probs(&inputs, &canonical).map_err(|failure| said(&failure))?;
    assert_eq!(probs.len(), 3 * 3 * 3);
    assert!(probs.chunks_exact(3).all(|row| jointly_core::distribution_defect(row).is_none()), "{probs:?}");
    Ok(probs)
}
