//! What an agent answers: whatever it is, the host says what is wrong with it or scores it.

use std::fmt::Debug;
use std::sync::OnceLock;

use jointly_core::regression::{Belief as _, FitError, fit};
use jointly_core::regression::{Noise, PredictionOptions, Process, Regressor as _, Simulation, Sizes, TestSet};
use jointly_core::{Classifier as _, EvaluateError, Evaluation, Inputs, Instance, Matrix, MultimodalClassifier as _};
use jointly_core::{MultimodalDataset, MultimodalModel as _, MultimodalTask, Problem, TokenMatrix, Tokens};
use jointly_host::{Agent, Failure, Interface, LoadError, Trace};
use serde_json::Value;

use crate::{LIMITS, is_one_line, is_the_guests, puppet, runtime};

/// The seed of every case.
const SEED: u64 = 0;

/// How a unit ended, both times it is tried.
type Outcome<T> = Result<T, String>;

/// Has an agent act out the bytes: the first says what it learns, the rest how it answers.
///
/// # Panics
/// Where the host breaks a promise: the same answers give the same result, a failure is the guest's own and is said in one
/// printable line, and a score that is given is a number.
pub fn answers(bytes: &[u8]) {
    let (first, script) = bytes.split_first().unwrap_or((&0, &[]));
    let agent = match runtime().load(&puppet(script), LIMITS) {
        Ok(agent) => agent,
        Err(error) => {
            is_one_line(&error.to_string());
            match error {
                LoadError::Describe(failure) => is_the_guests(&failure),
                LoadError::Name(_) => {}
                other => panic!("the agent can only fail to describe itself: {other}"),
            }
            return;
        }
    };
    match Interface::ALL[usize::from(*first) % Interface::ALL.len()] {
        Interface::Classification => ends_the_same(|| classification(&agent)),
        Interface::Regression => ends_the_same(|| regression(&agent)),
        Interface::Multimodal => ends_the_same(|| multimodal(&agent)),
    }
}

fn ends_the_same<T: Debug>(unit: impl Fn() -> Outcome<T>) {
    // By their text: NaN, where it may stand, equals NaN.
    assert_eq!(format!("{:?}", unit()), format!("{:?}", unit()));
}

/// What a guest's failure says.
fn said(failure: &Failure) -> String {
    is_the_guests(failure);
    failure.to_string()
}

/// No mean in it is NaN.
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

/// Scores it on a problem of the Neural Testbed, with few samples and draws.
fn classification(agent: &Agent) -> Outcome<Value> {
    static PROBLEM: OnceLock<(Problem, Instance, Evaluation)> = OnceLock::new();
    let (problem, instance, evaluation) = PROBLEM.get_or_init(|| {
        let problem = jointly_core::suite("quick").expect("a suite of that name").problems.swap_remove(0);
        let few = Evaluation { taus: vec![1, 12], samples: 2, draws: 5, ..Evaluation::testbed() };
        let instance = problem.instance(SEED);
        (problem, instance, few)
    });
    let mut configured = agent.with(Vec::new(), LIMITS, Trace::default());
    let mut model =
        configured.train(&problem.task(), instance.train(), instance.validation(), SEED).map_err(|f| said(&f))?;
    match jointly_core::evaluate(&mut model, problem, instance, evaluation, SEED, &mut |_| ()) {
        Ok(scores) => {
            let scores = serde_json::to_value(scores).expect("scores are JSON");
            are_numbers(&scores);
            Ok(scores)
        }
        Err(EvaluateError::Agent(failure)) => Err(said(&failure)),
        Err(EvaluateError::Inconsistent(message)) => {
            is_one_line(&message);
            Err(message)
        }
    }
}

/// Scores it on a toy of a few rows, coverage and all, and asks for its moments together.
fn regression(agent: &Agent) -> Outcome<String> {
    static TOY: OnceLock<(Process, Simulation, TestSet)> = OnceLock::new();
    let (process, simulation, test) = TOY.get_or_init(|| {
        let process = Process::gap(Noise::Normal).with_sizes(Sizes { train: 4, validation: 2, test: 5 });
        let instance = process.instance(SEED);
        let (simulation, test) = (instance.simulation(0), instance.test(0));
        (process, simulation, test)
    });
    let mut configured = agent.regressor(Vec::new(), LIMITS, Trace::default());
    let mut asked = configured
        .train(&process.task(), &simulation.train, simulation.validation.as_ref(), SEED)
        .map_err(|f| said(&f))?;
    let moments = asked.gaussian(test.data().inputs()).map_err(|failure| said(&failure))?;
    if let Some(moments) = &moments {
        assert!(moments.covariance().iter().chain(moments.mean()).all(|value| value.is_finite()), "{moments:?}");
    }
    let options = PredictionOptions { draws: 7, ..PredictionOptions::paper(SEED, process.name()) };
    let scored = fit(&mut configured, &process.task(), &simulation.train, simulation.validation.as_ref(), SEED)
        .and_then(|mut fitted| {
            jointly_core::regression::evaluate(&mut fitted, test.data(), Some(test), &options, &mut |_| ())
        });
    match scored {
        Ok(evaluated) => {
            are_numbers(&serde_json::to_value(&evaluated.scores).expect("scores are JSON"));
            Ok(format!("{evaluated:?}"))
        }
        Err(FitError::Agent(failure)) => Err(said(&failure)),
        Err(other) => {
            is_one_line(&other.to_string());
            Err(other.to_string())
        }
    }
}

/// Asks for probabilities where inputs have categories.
fn multimodal(agent: &Agent) -> Outcome<Vec<f32>> {
    let task = MultimodalTask { num_classes: 3, numbers: 1, image: None, tokens: Tokens::Categories(vec![4]) };
    let numbers = Matrix::new(3, 1, vec![-1.0, 0.0, 1.0]).expect("three rows of one number");
    let tokens = TokenMatrix::new(3, 1, vec![0, 3, 1]).expect("three rows of one token");
    let inputs = Inputs::new(numbers, tokens).expect("as many rows");
    let data = MultimodalDataset::new(&task, inputs.clone(), vec![0, 2, 1]).expect("labels of three classes");
    let mut configured = agent.multimodal(Vec::new(), LIMITS, Trace::default());
    let mut model = configured.train(&task, &data, None, SEED).map_err(|failure| said(&failure))?;
    let canonical = model.canonical_draws(&[0, 1, 2]).map_err(|failure| said(&failure))?;
    let probs = model.sample_probs(&inputs, &canonical).map_err(|failure| said(&failure))?;
    assert!(probs.chunks_exact(3).all(|row| jointly_core::distribution_defect(row).is_none()), "{probs:?}");
    Ok(probs)
}
