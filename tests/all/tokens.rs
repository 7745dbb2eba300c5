//! Agents with inputs other than plain rows of numbers: the tokens, images and numbers that they are given are the
//! host's. These tests call components directly through the host, without a suite.

use std::path::Path;
use std::sync::OnceLock;

use jointly_core::{Classifier as _, Dataset, ImageShape, Inputs, Matrix, Model as _, Task, TokenMatrix, Tokens};
use jointly_host::{
    Agent, Compiler, Execution, Failure, Kind, Limits, Phase, Runtime, Setting, Trace, TrainedClassifier,
};

use crate::guests::guest;

/// Enough for any of these guests.
const LIMITS: Limits = Limits { fuel: 20_000_000_000, memory: 256 << 20, timeout: 1 };

fn agent(name: &str) -> Agent {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let runtime = RUNTIME.get_or_init(|| Runtime::new(Execution::Compiled, Compiler::InProcess, Some(&cache)).unwrap());
    runtime.load(&std::fs::read(guest(name)).unwrap(), LIMITS).unwrap()
}

/// The outcome of training, and the log.
type Trained = (Result<TrainedClassifier, Failure>, Vec<String>);

fn train(name: &str, task: &Task, data: &Dataset, settings: &[(&str, &str)]) -> Trained {
    train_on_all(name, task, data, (None, None), settings)
}

/// Trains with validation examples and with inputs without labels.
fn train_on_all(
    name: &str,
    task: &Task,
    data: &Dataset,
    (validation, unlabelled): (Option<&Dataset>, Option<&Inputs>),
    settings: &[(&str, &str)],
) -> Trained {
    let trace = Trace::default();
    let setting = |(name, value): &(&str, &str)| Setting { name: (*name).into(), value: (*value).into() };
    let settings = settings.iter().map(setting).collect();
    let mut classifier = agent(name).classifier(settings, LIMITS, trace.clone());
    (classifier.train(task, data, validation, unlabelled, SEED), trace.log().0)
}

const SEED: u64 = 0xFEDC_BA98_7654_3210;

/// Combines rows of numbers and of tokens.
fn inputs(rows: usize, numbers: &[f32], tokens: &[u32]) -> Inputs {
    let numbers = Matrix::new(rows, numbers.len() / rows, numbers.to_vec()).unwrap();
    Inputs::new(numbers, TokenMatrix::new(rows, tokens.len() / rows, tokens.to_vec()).unwrap()).unwrap()
}

fn examples(task: &Task, inputs: Inputs, labels: &[u32]) -> Dataset {
    Dataset::new(task, inputs, labels.to_vec()).unwrap()
}

/// Returns a task with texts of at most four words from a vocabulary of `vocabulary` ids.
fn of_texts(vocabulary: u32) -> Task {
    Task { tokens: Tokens::Text { vocabulary, length: 4 }, ..Task::new(0, 2) }
}

/// Returns a task of each kind, its description by the SDK, and three of its inputs.
fn kinds() -> [(Task, &'static str, Inputs); 5] {
    let plain = Task::new(2, 3);
    let image = ImageShape::new(1, 2, 3).ok();
    // Extreme numbers, a negative zero, and a subnormal number.
    let odd = [-0.0, f32::MAX, f32::MIN_POSITIVE / 4.0, 1.0 / 3.0, -1e-30, f32::MIN];
    let pixels: Vec<f32> = (0..18_u8).map(|i| f32::from(i) / 17.0).collect();
    [
        (
            Task { temperature: Some(0.25), hidden_layers: Some(2), ..plain.clone() },
            "Task { input_dim: 2, num_classes: 3, image: None, tokens: Absent, temperature: Some(0.25), hidden_layers: \
             Some(2) }",
            inputs(3, &odd, &[]),
        ),
        (
            Task { input_dim: 6, image, ..plain.clone() },
            "Task { input_dim: 6, num_classes: 3, image: Some(ImageShape { height: 1, width: 2, channels: 3 }), tokens: \
             Absent, temperature: None, hidden_layers: None }",
            inputs(3, &pixels, &[]),
        ),
        (
            Task { input_dim: 0, tokens: Tokens::Text { vocabulary: 70_000, length: 2 }, ..plain.clone() },
            "Task { input_dim: 0, num_classes: 3, image: None, tokens: Text { vocabulary: 70000, length: 2 }, temperature: \
             None, hidden_layers: None }",
            inputs(3, &[], &[69_999, 0, 1, 0, 256, 65_536]),
        ),
        (
            Task { tokens: Tokens::Categories(vec![2, u32::MAX, 7]), ..plain.clone() },
            "Task { input_dim: 2, num_classes: 3, image: None, tokens: Categories([2, 4294967295, 7]), temperature: None, \
             hidden_layers: None }",
            inputs(3, &odd, &[1, u32::MAX - 1, 6, 0, 0, 0, 1, 1 << 31, 3]),
        ),
        (
            Task { input_dim: 6, image, tokens: Tokens::Categories(vec![5]), ..plain },
            "Task { input_dim: 6, num_classes: 3, image: Some(ImageShape { height: 1, width: 2, channels: 3 }), tokens: \
             Categories([5]), temperature: None, hidden_layers: None }",
            inputs(3, &pixels, &[4, 0, 2]),
        ),
    ]
}

/// Computes FNV-1a, as the guest does.
fn digest(draw: u64, numbers: &[f32], tokens: &[u32]) -> u64 {
    let numbers = numbers.iter().flat_map(|number| number.to_bits().to_le_bytes());
    let tokens = tokens.iter().flat_map(|id| id.to_le_bytes());
    let bytes = draw.to_le_bytes().into_iter().chain(numbers).chain(tokens);
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[test]
pub(crate) fn tells_inputs() {
    for (task, said, inputs) in kinds() {
        let (data, other) = (examples(&task, inputs.clone(), &[2, 0, 1]), examples(&task, inputs.select(&[1]), &[1]));
        let further = inputs.select(&[2, 1, 2]);
        let (trained, log) = train_on_all("tells-inputs", &task, &data, (Some(&other), Some(&further)), &[]);
        let tell_inputs = |what: &str, inputs: &Inputs| {
            format!("{what}: {:?} {:?}", inputs.numbers().values(), inputs.tokens().values())
        };
        let tell = |what: &str, data: &Dataset| format!("{} {:?}", tell_inputs(what, data.inputs()), data.labels());
        let told = [tell("train", &data), tell("validation", &other), tell_inputs("unlabelled", &further)];
        assert_eq!(log, [&[said.to_owned()][..], &told, &[format!("seed: {SEED}")]].concat());
        let (_, log) = train("tells-inputs", &task, &other, &[]);
        assert_eq!(log[1..], [tell("train", &other), format!("seed: {SEED}")]);

        let (mut model, draws) = (trained.unwrap(), [0, 7, u64::MAX, 1 << 40]);
        assert_eq!(model.canonical_draws(&draws).unwrap(), draws);
        let found = model.sample_probs(&inputs, &draws).unwrap();
        let first = |draw: u64, row: usize| {
            let digest = digest(draw, inputs.numbers().row(row), inputs.tokens().row(row));
            (digest >> 40) as f32 / (1 << 24) as f32
        };
        let expected = draws.iter().flat_map(|&draw| (0..3).map(move |row| (draw, row)));
        for ((draw, row), probs) in expected.zip(found.chunks_exact(3)) {
            assert_eq!(probs[0].to_bits(), first(draw, row).to_bits(), "draw {draw} at row {row} of {said}");
        }
        let none = inputs.select(&[]);
        assert_eq!((model.sample_probs(&none, &draws), model.sample_probs(&inputs, &[])), (Ok(vec![]), Ok(vec![])));
    }
}

#[test]
pub(crate) fn misindexes_tokens() {
    let task = of_texts(12);
    let texts = |last: u32| examples(&task, inputs(2, &[], &[2, 3, 0, 0, 5, last, 1, 0]), &[0, 1]);
    assert!(train("misindexes-tokens", &task, &texts(7), &[]).0.is_ok());
    let failure = train("misindexes-tokens", &task, &texts(8), &[]).0.map(|_| ()).unwrap_err();
    assert_eq!((failure.phase, failure.kind), (Phase::Train, Kind::Trapped));
    let said = "index out of bounds: the len is 8 but the index is 8";
    assert!(failure.message.contains(said) && failure.message.lines().count() == 1, "{failure}");
}

#[test]
pub(crate) fn refuses_tokens() {
    let task = of_texts(12);
    let texts = examples(&task, inputs(1, &[], &[2, 3, 0, 0]), &[1]);
    let failure = train("refuses-tokens", &task, &texts, &[]).0.map(|_| ()).unwrap_err();
    assert_eq!((failure.phase, failure.kind), (Phase::Train, Kind::AgentFailure));
    assert_eq!(failure.message, "unsupported task: there are tokens, and this reads numbers");
}

/// An agent whose description does not say `tokens` takes part in tasks without tokens.
#[test]
fn agents_that_take_no_tokens_are_given_none() {
    for (task, _, inputs) in kinds() {
        let data = examples(&task, inputs.clone(), &[2, 0, 1]);
        let (trained, log) = train("tattle", &task, &data, &[]);
        if task.tokens == Tokens::Absent {
            let mut model = trained.unwrap();
            let bytes = inputs.numbers().values().iter().flat_map(|number| number.to_le_bytes());
            let labels = data.labels().iter().flat_map(|label| label.to_le_bytes());
            let bytes = bytes.chain(labels).chain(SEED.to_le_bytes());
            let hash = bytes
                .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
            assert_eq!(log, [format!("train {hash:016x}")]);
            assert_eq!(model.sample_probs(&inputs, &[3]).unwrap(), [1.0_f32 / 3.0; 9]);
        } else {
            let failure = trained.map(|_| ()).unwrap_err();
            assert_eq!((failure.phase, failure.kind), (Phase::Load, Kind::AgentFailure));
            assert!(failure.message.contains("tokens") && log.is_empty(), "{failure}");
        }
        let failure = train("certain", &task, &data, &[]).0.map(|_| ()).unwrap_err();
        assert_eq!((failure.phase, failure.kind), (Phase::Load, Kind::AgentFailure));
        assert!(failure.message.contains("classification"), "{failure}");
    }
}

/// The number of draws from the posterior, and the tolerance for their means in standard errors.
const DRAWS: u64 = 4000;
const ERRORS: f64 = 5.0;

/// Asserts that the mean over draws of a class's probability at each input is near the exact value, given its variance.
fn posterior(model: &mut TrainedClassifier, inputs: &Inputs, class: usize, expected: &[(f64, f64)]) {
    let draws: Vec<u64> = (0..DRAWS).collect();
    let probs = model.sample_probs(inputs, &draws).unwrap();
    for (row, (mean, variance)) in expected.iter().enumerate() {
        let at = |draw: usize| f64::from(probs[(draw * inputs.rows() + row) * 2 + class]);
        let found = (0..draws.len()).map(at).sum::<f64>() / DRAWS as f64;
        let spread = (0..draws.len()).map(|draw| (at(draw) - found).powi(2)).sum::<f64>() / DRAWS as f64;
        let tolerance = ERRORS * (variance / DRAWS as f64).sqrt();
        assert!((found - mean).abs() < tolerance, "row {row}: {found}, expected {mean} within {tolerance}");
        assert!((spread / variance - 1.0).abs() < 0.2, "row {row}: variance {spread}, expected {variance}");
    }
}

/// For a text without words, the class probability depends only on the class counts: a Beta variable.
#[test]
pub(crate) fn naive_bayes() {
    let beta = |a: f64, b: f64| (a / (a + b), a * b / ((a + b).powi(2) * (a + b + 1.0)));
    let task = of_texts(6);
    // Words 2 and 3 are in class 0, and 4 and 5 in class 1, which is more frequent.
    let tokens = [2, 3, 2, 0, 4, 5, 5, 4, 4, 4, 5, 0, 5, 4, 0, 0];
    let data = examples(&task, inputs(4, &[], &tokens), &[0, 1, 1, 1]);
    let empty = inputs(1, &[], &[0; 4]);
    for (strength, number) in [("1", 1.0), ("0.25", 0.25), ("30", 30.0)] {
        let mut model = train("naive-bayes", &task, &data, &[("strength", strength)]).0.unwrap();
        posterior(&mut model, &empty, 1, &[beta(3.0 + number, 1.0 + number)]);
        // Without data both classes are equally likely, whatever the words.
        let none = examples(&task, empty.select(&[]), &[]);
        let mut model = train("naive-bayes", &task, &none, &[("strength", strength)]).0.unwrap();
        posterior(&mut model, &empty, 0, &[beta(number, number)]);
    }
    let mut model = train("naive-bayes", &task, &data, &[]).0.unwrap();
    let words = inputs(3, &[], &[2, 3, 2, 3, 4, 5, 4, 5, 4, 0, 0, 0]);
    let draws: Vec<u64> = (0..DRAWS).collect();
    let probs = model.sample_probs(&words, &draws).unwrap();
    let mean =
        |row: usize| (0..draws.len()).map(|draw| f64::from(probs[(draw * 3 + row) * 2])).sum::<f64>() / DRAWS as f64;
    let [first, second, third] = [0, 1, 2].map(mean);
    assert!(first > 0.9 && second < 0.05 && second < third && third < 0.3, "{first} {second} {third}");
    // Neither the order of words nor the padding of a text matters.
    let shuffled = inputs(3, &[], &[3, 3, 2, 2, 5, 5, 4, 4, 0, 0, 4, 0]);
    let other = model.sample_probs(&shuffled, &draws).unwrap();
    assert!(probs.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-5));
}

/// A category is counted only in its own column, and a number by the side of the mean that it is on.
#[test]
fn naive_bayes_of_categories_and_numbers() {
    let task = Task { tokens: Tokens::Categories(vec![2, 3]), ..Task::new(1, 2) };
    let rows = 40;
    // The second category is the class; the first category and the number are uninformative.
    let numbers: Vec<f32> = (0..rows).map(|i| (i / 4) as f32).collect();
    let tokens: Vec<u32> = (0..rows).flat_map(|i| [(i / 2 % 2) as u32, (i % 2) as u32]).collect();
    let labels: Vec<u32> = (0..rows as u32).map(|i| i % 2).collect();
    let data = examples(&task, inputs(rows, &numbers, &tokens), &labels);
    let mut model = train("naive-bayes", &task, &data, &[]).0.unwrap();
    let asked = inputs(4, &[-9.0, 99.0, -9.0, 99.0], &[0, 0, 1, 0, 0, 1, 1, 1]);
    let draws: Vec<u64> = (0..200).collect();
    let probs = model.sample_probs(&asked, &draws).unwrap();
    for (at, row) in probs.chunks_exact(2).enumerate() {
        let class = usize::from(at % 4 >= 2);
        assert!(row[class] > 0.5, "row {} of draw {}: {row:?}", at % 4, at / 4);
    }
}
