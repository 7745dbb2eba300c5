//! Trains `mlp` on synthetic texts and clicks as large as those of Ovadia et al. (2019): texts with 30,000 different
//! words, and 26 columns of categories beside 13 numbers. Prints the training time, and accuracy and mean negative
//! log-likelihood on test examples from the same distribution. The arguments are settings:
//!
//!     RUSTFLAGS=-Ctarget-cpu=x86-64-v3 cargo run --release -p jointly-nets --example tokens -- epochs=5

use std::time::Instant;

use jointly_agent_mlp::Mlp;
use jointly_sdk::{Dataset, InputClassifier, Inputs, Matrix, Rng, Setting, Task, TokenMatrix, Tokens};

/// Number of training texts, words per text, size of the vocabulary, and number of topics.
const TEXTS: usize = 5000;
const LENGTH: usize = 250;
const VOCABULARY: usize = 30_000;
const TOPICS: usize = 10;

/// Number of training clicks, of numeric columns and of categorical columns, and categories per column.
const CLICKS: usize = 40_000;
const NUMBERS: usize = 13;
const COLUMNS: usize = 26;
const CATEGORIES: usize = 2000;

/// Number of test examples.
const SCORED: usize = 4000;

fn main() {
    let settings: Vec<Setting> = std::env::args()
        .skip(1)
        .map(|argument| {
            let (name, value) = argument.split_once('=').expect("a setting is name=value");
            Setting { name: name.into(), value: value.into() }
        })
        .collect();
    score("texts", &settings, texts());
    score("clicks", &settings, clicks());
}

fn score(name: &str, settings: &[Setting], (task, train, test): (Task, Dataset<Inputs>, Dataset<Inputs>)) {
    let start = Instant::now();
    let agent = Mlp::train(&task, &train, None, settings, 0).expect("training succeeds");
    let seconds = start.elapsed().as_secs_f64();
    let mut out = vec![0.0; test.labels.len() * task.num_classes];
    agent.sample_probs(&test.inputs, &[0], &mut out).expect("inputs of the task");
    let rows = out.chunks(task.num_classes).zip(&test.labels);
    let hit = |(row, label): &(&[f32], &u32)| row.iter().all(|p| *p <= row[**label as usize]);
    let hits = rows.clone().filter(hit).count() as f64 / test.labels.len() as f64;
    let nll: f64 = rows.map(|(row, label)| -f64::from(row[*label as usize]).ln()).sum::<f64>();
    println!("{name}: {seconds:.1} s, {:.2} % right, NLL {:.4}", 100.0 * hits, nll / test.labels.len() as f64);
}

/// Returns a rank from 0 whose probability is inversely proportional to the rank plus one.
fn zipf(count: usize, rng: &mut Rng) -> usize {
    let largest = (count as f32 + 1.0).ln();
    ((largest * rng.uniform()).exp() as usize - 1).min(count - 1)
}

fn examples(
    task: Task,
    train: usize,
    tokens: usize,
    mut make: impl FnMut(&mut Vec<f32>, &mut Vec<u32>) -> u32,
) -> (Task, Dataset<Inputs>, Dataset<Inputs>) {
    let mut part = |rows: usize| {
        let (mut numbers, mut ids) = (Vec::new(), Vec::new());
        let labels = (0..rows).map(|_| make(&mut numbers, &mut ids)).collect();
        let numbers = Matrix::new(rows, task.input_dim, numbers).expect("rows of one length");
        let tokens = TokenMatrix::new(rows, tokens, ids).expect("rows of one length");
        Dataset { inputs: Inputs { numbers, tokens }, labels }
    };
    let (train, test) = (part(train), part(SCORED));
    (task, train, test)
}

/// Returns texts in which one word in twenty is drawn from the topic's own ranking of words, and the others from a
/// ranking that all topics share.
fn texts() -> (Task, Dataset<Inputs>, Dataset<Inputs>) {
    let tokens = Tokens::Text { vocabulary: VOCABULARY as u32, length: LENGTH };
    let task = Task { tokens, ..Task::new(0, TOPICS) };
    let mut rng = Rng::new(1, 0);
    examples(task, TEXTS, LENGTH, |_, ids| {
        let topic = rng.below(TOPICS);
        let words = 20 + rng.below(LENGTH);
        for at in 0..LENGTH {
            let own = rng.uniform() < 0.05;
            let rank = zipf(VOCABULARY - 2, &mut rng);
            let id = 2 + if own { (rank * 7919 + 1000 * topic) % (VOCABULARY - 2) } else { rank };
            ids.push(if at < words { id as u32 } else { 0 });
        }
        topic as u32
    })
}

/// Returns clicks whose log-odds are a sum of effects of categories, a few of which are frequent, and of numbers.
fn clicks() -> (Task, Dataset<Inputs>, Dataset<Inputs>) {
    let tokens = Tokens::Categories(vec![CATEGORIES as u32; COLUMNS]);
    let task = Task { tokens, ..Task::new(NUMBERS, 2) };
    let mut rng = Rng::new(2, 0);
    let effects: Vec<f32> = (0..COLUMNS * CATEGORIES).map(|_| 0.4 * rng.normal()).collect();
    examples(task, CLICKS, COLUMNS, |numbers, ids| {
        let mut odds = -1.2;
        for column in 0..COLUMNS {
            let id = zipf(CATEGORIES, &mut rng);
            odds += effects[column * CATEGORIES + id];
            ids.push(id as u32);
        }
        for _ in 0..NUMBERS {
            let value = rng.exponential();
            odds += 0.1 * (value - 1.0);
            numbers.push(value);
        }
        u32::from(rng.uniform() < 1.0 / (1.0 + (-odds).exp()))
    })
}
