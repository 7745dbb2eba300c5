//! Small problems for every kind of input, and assertions that every agent must pass on them; for the agents' tests.

use jointly_sdk::{
    Dataset, Failure, Given, ImageShape, InputClassifier, Inputs, Matrix, Rng, Task, TokenMatrix, Tokens,
};

use crate::settings;

/// A small problem: a task with training examples and test examples.
#[derive(Debug)]
pub struct Trial {
    /// The name of the kind of input.
    pub name: &'static str,
    /// The task that the agent receives.
    pub task: Task,
    /// The training examples.
    pub train: Dataset<Inputs>,
    /// The test examples, from the same distribution.
    pub test: Dataset<Inputs>,
}

const ROWS: usize = 240;

/// Number of draws whose mean prediction must be accurate.
const DRAWS: u64 = 12;

/// The fraction of labels that are replaced by random ones.
const MISTAKEN: f32 = 0.05;

/// The smallest accepted fraction of correctly classified test examples.
const ACCURACY: f32 = 0.85;

/// Returns a problem for each kind of input: numbers, images, texts, categories beside numbers.
pub fn trials() -> [Trial; 4] {
    [numbers(), images(), texts(), categories()]
}

fn inputs(rows: usize, numbers: Vec<f32>, tokens: Vec<u32>) -> Inputs {
    let numbers = Matrix::new(rows, numbers.len() / rows.max(1), numbers).expect("rows of one length");
    let tokens = TokenMatrix::new(rows, tokens.len() / rows.max(1), tokens).expect("rows of one length");
    Inputs { numbers, tokens }
}

/// Creates a problem; `make` appends the row of an input and returns its class.
fn trial(name: &'static str, task: Task, make: impl Fn(&mut Rng, &mut Vec<f32>, &mut Vec<u32>) -> u32) -> Trial {
    let classes = task.num_classes;
    let mut rng = Rng::new(17, classes as u64);
    let mut part = || {
        let (mut numbers, mut tokens) = (Vec::new(), Vec::new());
        let mut label = || {
            let class = make(&mut rng, &mut numbers, &mut tokens);
            if rng.uniform() < MISTAKEN { rng.below(classes) as u32 } else { class }
        };
        let labels = (0..ROWS).map(|_| label()).collect();
        Dataset { inputs: inputs(ROWS, numbers, tokens), labels }
    };
    Trial { name, task, train: part(), test: part() }
}

/// Creates sectors of the plane.
fn numbers() -> Trial {
    let task = Task::new(2, 3);
    trial("numbers", task, |rng, numbers, _| {
        let (x, y) = (rng.normal(), rng.normal());
        numbers.extend([x, y]);
        if x > 0.3 { 0 } else { 1 + u32::from(y > 0.0) }
    })
}

/// Creates images with a bright square, whose corner is the class.
fn images() -> Trial {
    let image = ImageShape { height: 10, width: 9, channels: 1 };
    let task = Task { image: Some(image), ..Task::new(90, 4) };
    trial("images", task, |rng, numbers, _| {
        let class = rng.below(4);
        let (top, left) = (rng.below(2) + 5 * (class / 2), rng.below(2) + 4 * (class % 2));
        for (y, x) in (0..10).flat_map(|y| (0..9).map(move |x| (y, x))) {
            let inside = (top..top + 3).contains(&y) && (left..left + 3).contains(&x);
            numbers.push(if inside { 0.5 + 0.5 * rng.uniform() } else { 0.0 });
        }
        class as u32
    })
}

/// Creates texts that mix words of their class with words common to all; some are short.
fn texts() -> Trial {
    let tokens = Tokens::Text { vocabulary: 60, length: 12 };
    let task = Task { tokens, ..Task::new(0, 3) };
    trial("texts", task, |rng, _, tokens| {
        let class = rng.below(3);
        let words = 6 + rng.below(7);
        for at in 0..12 {
            let own = rng.uniform() < 0.5;
            let word = if own { 10 + 10 * class + rng.below(10) } else { 1 + rng.below(9) };
            tokens.push(if at < words { word as u32 } else { 0 });
        }
        class as u32
    })
}

/// Creates columns of categories that determine the class together with a number.
fn categories() -> Trial {
    let task = Task { tokens: Tokens::Categories(vec![4, 30, 2]), ..Task::new(1, 2) };
    trial("categories", task, |rng, numbers, tokens| {
        let (a, b, c) = (rng.below(4), rng.below(30), rng.below(2));
        let x = 5.0 * rng.normal();
        numbers.push(x);
        tokens.extend([a, b, c].map(|id| id as u32));
        u32::from(if a < 2 { x > 0.0 } else { c == 0 })
    })
}

/// Returns the rows of some inputs at `places`, in that order.
///
/// # Panics
///
/// Panics if there is no such row.
pub fn rows(from: &Inputs, places: &[usize]) -> Inputs {
    let numbers = places.iter().flat_map(|place| from.numbers.row(*place).to_vec()).collect();
    let tokens = places.iter().flat_map(|place| from.tokens.row(*place).to_vec()).collect();
    Inputs {
        numbers: Matrix::new(places.len(), from.numbers.cols(), numbers).expect("rows of one length"),
        tokens: TokenMatrix::new(places.len(), from.tokens.cols(), tokens).expect("rows of one length"),
    }
}

fn train<A: InputClassifier>(trial: &Trial, pairs: &[(&str, &str)], seed: u64) -> A {
    let trained = A::train(&trial.task, &trial.train, Some(&trial.test), &settings(pairs), seed);
    trained.unwrap_or_else(|failure| panic!("{}: {failure}", trial.name))
}

/// Trains the agent in parts, if it has any.
fn joined<A: InputClassifier>(trial: &Trial, pairs: &[(&str, &str)], seed: u64) -> Option<A> {
    let (task, settings) = (&trial.task, &settings(pairs)[..]);
    let count = A::parts(task, settings).expect("settings that training accepts")?;
    let given = Given { task, data: &trial.train, validation: Some(&trial.test), unlabelled: None, settings, seed };
    let parts: Result<Vec<_>, Failure> = (0..count).map(|part| A::train_part(given, part)).collect();
    let joined = parts.and_then(|parts| A::join(given, &parts));
    Some(joined.unwrap_or_else(|failure| panic!("{}: {failure}", trial.name)))
}

/// Computes the class probabilities of the draws, one after the other.
///
/// # Panics
///
/// Panics if the agent gives up.
pub fn sample<A: InputClassifier>(agent: &A, task: &Task, inputs: &Inputs, draws: &[u64]) -> Vec<f32> {
    let mut out = vec![f32::NAN; draws.len() * inputs.rows() * task.num_classes];
    agent.sample_probs(inputs, draws, &mut out).expect("inputs of the task");
    out
}

/// Returns the fraction of test examples for which the mean of the draws has the right class.
pub fn accuracy<A: InputClassifier>(agent: &A, trial: &Trial) -> f32 {
    let classes = trial.task.num_classes;
    let draws: Vec<u64> = (0..DRAWS).collect();
    let probs = sample(agent, &trial.task, &trial.test.inputs, &draws);
    let block = trial.test.labels.len() * classes;
    let mean: Vec<f32> = (0..block).map(|at| probs.iter().skip(at).step_by(block).sum()).collect();
    let hit = |(row, label): (&[f32], &u32)| row.iter().all(|p| *p <= row[*label as usize]);
    mean.chunks(classes).zip(&trial.test.labels).filter(|pair| hit(*pair)).count() as f32 / ROWS as f32
}

/// Asserts that every kind of input is learnt, that each row of a draw is a distribution, and that training depends
/// only on the seed.
///
/// # Panics
///
/// Panics if the assertion fails.
pub fn learns_by_its_seed<A: InputClassifier>(pairs: &[(&str, &str)]) {
    for trial in trials() {
        let [one, same, other] = [1, 1, 2].map(|seed| train::<A>(&trial, pairs, seed));
        let found = accuracy(&one, &trial);
        assert!(found >= ACCURACY, "{}: {found}", trial.name);
        let probs = |agent: &A| sample(agent, &trial.task, &trial.test.inputs, &[3, 0]);
        let expected = probs(&one);
        assert!(expected == probs(&same), "{}", trial.name);
        assert!(expected != probs(&other), "{}", trial.name);
        for row in expected.chunks(trial.task.num_classes) {
            assert!(row.iter().all(|p| *p > 0.0) && (row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
        }
    }
}

/// Asserts that a draw, and its canonical draw, has the same bits at a row whatever the other rows and draws are, and
/// also if the agent is trained in parts.
///
/// # Panics
///
/// Panics if the assertion fails.
pub fn draws_are_functions<A: InputClassifier>(pairs: &[(&str, &str)]) {
    let others = pairs.iter().copied().filter(|(name, _)| !["epochs", "steps", "hidden"].contains(name));
    let quick: Vec<_> = others.chain([("epochs", "2")]).collect();
    let lenet = [&quick[..], &[("network", "lenet"), ("filters", "3,5"), ("hidden", "9")]].concat();
    let shallow = [&quick[..], &[("hidden", "none")]].concat();
    let deep = [&quick[..], &[("hidden", "7,30,5")]].concat();
    let lstm = [&quick[..], &[("network", "lstm")]].concat();
    let deep_lstm = [&quick[..], &[("network", "lstm"), ("units", "7"), ("hidden", "9,5")]].concat();
    for trial in trials() {
        let cases = match trial.name {
            "images" => vec![&quick, &lenet, &shallow, &deep],
            "texts" => vec![&quick, &deep, &lstm, &deep_lstm],
            _ => vec![&quick, &deep],
        };
        for pairs in cases {
            let agent = train::<A>(&trial, pairs, 4);
            let (task, inputs) = (&trial.task, &trial.test.inputs);
            let draws = [4, 9, 2, 1 << 40, 4, 17];
            let together = sample(&agent, task, inputs, &draws);
            if let Some(joined) = joined::<A>(&trial, pairs, 4) {
                assert!(sample(&joined, task, inputs, &draws) == together, "{} {pairs:?}: its parts", trial.name);
                assert_eq!(draws.map(|draw| joined.canonical_draw(draw)), draws.map(|draw| agent.canonical_draw(draw)));
            }
            let classes = task.num_classes;
            let reversed: Vec<usize> = (0..ROWS).rev().step_by(7).collect();
            for (draw, together) in draws.into_iter().zip(together.chunks(ROWS * classes)) {
                let canonical = agent.canonical_draw(draw);
                assert_eq!(agent.canonical_draw(canonical), canonical);
                for draw in [draw, canonical] {
                    let again = sample(&agent, task, &rows(inputs, &reversed), &[draw]);
                    for (place, again) in reversed.iter().zip(again.chunks(classes)) {
                        assert_eq!(again, &together[place * classes..][..classes], "{} {pairs:?}", trial.name);
                    }
                }
                let alone = sample(&agent, task, &rows(inputs, &[65]), &[draw]);
                assert_eq!(alone, &together[65 * classes..][..classes], "{} {pairs:?}", trial.name);
            }
            assert!(sample(&agent, task, inputs, &[]).is_empty());
            assert!(sample(&agent, task, &rows(inputs, &[]), &[1, 2]).is_empty());
        }
    }
}

/// Asserts that training works without examples, with one example and with a constant number, and that the draws are
/// distributions.
///
/// # Panics
///
/// Panics if the assertion fails.
pub fn survives_few_rows<A: InputClassifier>(pairs: &[(&str, &str)]) {
    for trial in trials() {
        for few in [&[][..], &[7], &[7, 7, 7]] {
            let labels = few.iter().map(|place| trial.train.labels[*place]).collect();
            let data = Dataset { inputs: rows(&trial.train.inputs, few), labels };
            for validation in [None, Some(&data)] {
                let agent = A::train(&trial.task, &data, validation, &settings(pairs), 1).expect("an agent");
                let probs = sample(&agent, &trial.task, &trial.test.inputs, &[0, 5]);
                assert!(probs.iter().all(|p| *p > 0.0 && *p <= 1.0), "{}: {few:?}", trial.name);
            }
        }
    }
    // A task without inputs still has classes.
    let task = Task::new(0, 2);
    let data = Dataset { inputs: inputs(5, Vec::new(), Vec::new()), labels: vec![0, 1, 1, 1, 1] };
    let agent = A::train(&task, &data, None, &settings(pairs), 1).expect("an agent");
    let probs = sample(&agent, &task, &data.inputs, &[0]);
    assert!(probs.iter().all(|p| *p > 0.0 && *p <= 1.0), "{probs:?}");
}

/// Asserts that unknown settings, and networks that do not fit the inputs, are refused by name, and that suggested
/// variants are accepted.
///
/// # Panics
///
/// Panics if the assertion fails.
pub fn refuses_by_name<A: InputClassifier>() {
    let [numbers, images, texts, categories] = trials();
    let failure = |trial: &Trial, pairs: &[(&str, &str)]| {
        let trained = A::train(&trial.task, &trial.train, None, &settings(pairs), 1);
        trained.err().unwrap_or_else(|| panic!("{}: {pairs:?} is accepted", trial.name))
    };
    for (name, value) in [
        ("depth", "3"),
        ("epochs", "0"),
        ("batch-size", "none"),
        ("learning-rate", "0"),
        ("network", "resnet"),
        ("hidden", "0"),
        ("filters", "some"),
        ("embedding-width", "0"),
        ("units", "0"),
        ("steps", "0"),
    ] {
        match failure(&images, &[(name, value)]) {
            Failure::InvalidSetting(reason) => assert!(reason.contains(name), "{reason}"),
            other => panic!("{name}={value}: {other}"),
        }
    }
    let lengths = [("steps", "5"), ("epochs", "5")];
    assert!(matches!(failure(&numbers, &lengths), Failure::InvalidSetting(reason) if reason.contains("epochs=5")));
    for (trial, network) in
        [(&numbers, "lenet"), (&texts, "lenet"), (&texts, "mlp"), (&categories, "mlp"), (&categories, "lstm")]
    {
        match failure(trial, &[("network", network)]) {
            Failure::Unsupported(reason) => assert!(reason.contains("network="), "{reason}"),
            other => panic!("{}: {other}", trial.name),
        }
    }
    let lenet = ("network", "lenet");
    for pairs in [&[lenet, ("filters", "2,2,2,2,2,2")][..], &[lenet, ("filters", "none")], &[("hidden", "70000,70000")]]
    {
        assert!(matches!(failure(&images, pairs), Failure::InvalidSetting(_)), "{pairs:?}");
    }
    let mut stranger = rows(&texts.train.inputs, &[0]);
    stranger.tokens = TokenMatrix::new(1, 12, vec![60; 12]).expect("a row");
    let data = Dataset { inputs: stranger, labels: vec![0] };
    assert!(matches!(A::train(&texts.task, &data, None, &[], 1), Err(Failure::Internal(_))));

    let nothing = Dataset { inputs: rows(&images.train.inputs, &[]), labels: Vec::new() };
    let description = A::describe();
    assert!(!description.citation.is_empty() && !description.sweeps.is_empty());
    for sweep in description.sweeps {
        assert!(sweep.variants.len() > 1, "{}", sweep.name);
        for variant in sweep.variants {
            assert!(A::train(&images.task, &nothing, None, &variant, 1).is_ok(), "{variant:?}");
        }
    }
}

/// Declares the tests that every agent passes, with settings under which it learns the small problems.
#[macro_export]
macro_rules! trials {
    ($agent:ty, $settings:expr) => {
        #[test]
        fn every_kind_of_input_is_learnt_by_the_seed_alone() {
            $crate::trials::learns_by_its_seed::<$agent>($settings);
        }

        #[test]
        fn draws_are_functions_bit_for_bit_in_any_company() {
            $crate::trials::draws_are_functions::<$agent>($settings);
        }

        #[test]
        fn few_rows_and_none_are_survived() {
            $crate::trials::survives_few_rows::<$agent>($settings);
        }

        #[test]
        fn strangers_are_refused_by_name() {
            $crate::trials::refuses_by_name::<$agent>();
        }
    };
}
