//! Checks inputs other than plain numbers, and inputs without labels: an agent handles them or says that it does not.

use crate::agent::TrainedClassifier;
use jointly_core::{Dataset, ImageShape, Inputs, Matrix, Model as _, Task, TokenMatrix, Tokens};

use super::draws;
use super::subject::{NUMBERS, SEED, Subject, points};
use super::tasks::UNSUPPORTED;

const EXAMPLES: usize = 24;
/// Numbers in the answer of one draw for all examples.
const ANSWER: usize = EXAMPLES * NUMBERS;
const SIDE: usize = 8;
const WORDS: u32 = 12;

pub(super) fn images(subject: &Subject) -> Result<(), String> {
    let image = ImageShape::new(SIDE, SIDE, 1).expect("a size of images");
    let task = Task { image: Some(image), ..Task::new(64, 2) };
    // The left or the right half is bright.
    let pixel = |i: usize, at: usize| {
        let bright = (at % SIDE < SIDE / 2) == i.is_multiple_of(2);
        if bright { 0.5 + 0.02 * (i as f32) } else { 0.1 }
    };
    let inputs = |from: usize| {
        let values = (from..from + EXAMPLES).flat_map(|i| (0..SIDE * SIDE).map(move |at| pixel(i, at)));
        Matrix::new(EXAMPLES, SIDE * SIDE, values.collect()).expect("pixels of whole images").into()
    };
    manages(subject, &task, inputs, None)
}

pub(super) fn texts(subject: &Subject) -> Result<(), String> {
    let length = 6;
    let task = Task { tokens: Tokens::Text { vocabulary: WORDS, length }, ..Task::new(0, 2) };
    // Words from one half of the vocabulary, padded at the end.
    let word = |i: usize, at: u32| match at {
        4.. => 0,
        _ => 2 + 5 * (i % 2) as u32 + (i as u32 / 2 + at) % 5,
    };
    let inputs = |from: usize| {
        let values = (from..from + EXAMPLES).flat_map(|i| (0..length).map(move |at| word(i, at))).collect();
        of_tokens(0, Vec::new(), length as usize, values)
    };
    manages(subject, &task, inputs, None)
}

pub(super) fn categories(subject: &Subject) -> Result<(), String> {
    let task = Task { tokens: Tokens::Categories(vec![2, WORDS]), ..Task::new(1, 2) };
    let inputs = |from: usize| {
        let rows = from..from + EXAMPLES;
        let numbers = rows.clone().map(|i| i as f32 / 10.0).collect();
        of_tokens(1, numbers, 2, rows.flat_map(|i| [(i % 2) as u32, i as u32 % WORDS]).collect())
    };
    manages(subject, &task, inputs, None)
}

fn of_tokens(columns: usize, numbers: Vec<f32>, tokens: usize, ids: Vec<u32>) -> Inputs {
    let numbers = Matrix::new(EXAMPLES, columns, numbers).expect("a number for each row");
    let tokens = TokenMatrix::new(EXAMPLES, tokens, ids).expect("tokens for each row");
    Inputs::new(numbers, tokens).expect("as many rows")
}

/// Checks inputs without labels: training must be a function of them as of all other data.
pub(super) fn unlabelled(subject: &Subject) -> Result<(), String> {
    let inputs = |from: usize| points(EXAMPLES, from).into();
    // There are more of them than labelled examples.
    let unlabelled = points(2 * EXAMPLES, 2 * EXAMPLES).into();
    manages(subject, &Task::new(2, 2), inputs, Some(&unlabelled))
}

/// Checks that training twice gives the same bits, that a row or a draw alone has the bits that it has among others,
/// and that a canonical draw has the bits of the draws that it stands for. The agent may refuse the task instead.
fn manages(
    subject: &Subject,
    task: &Task,
    inputs: impl Fn(usize) -> Inputs,
    unlabelled: Option<&Inputs>,
) -> Result<(), String> {
    let data = |from| {
        let labels = (0..EXAMPLES as u32).map(|i| i % 2).collect();
        Dataset::new(task, inputs(from), labels).expect("examples of the task")
    };
    let (train, validation) = (data(0), data(EXAMPLES));
    let train = || subject.train_on(task, &train, Some(&validation), unlabelled, SEED, &subject.settings);
    let mut model = match train() {
        Err(failure) if failure.message.starts_with(UNSUPPORTED) => return Ok(()),
        trained => trained.map_err(|failure| failure.to_string())?,
    };
    let (inputs, draws) = (validation.inputs(), draws::far_draws());
    let together = ask(&mut model, inputs, &draws)?;
    let again = ask(&mut train().map_err(|failure| failure.to_string())?, inputs, &draws)?;
    subject.same(&together, &again, |at| format!("two trainings, number {at} of the answer"))?;
    let row = EXAMPLES / 2;
    let alone = ask(&mut model, &inputs.select(&[row]), &draws)?;
    let among = together.chunks_exact(ANSWER).flat_map(|answer| &answer[row * NUMBERS..(row + 1) * NUMBERS]);
    let among: Vec<f32> = among.copied().collect();
    subject.same(&alone, &among, |at| format!("draw {}, row {row} alone and among {EXAMPLES}", draws[at / NUMBERS]))?;
    for (draw, among) in draws.iter().zip(together.chunks_exact(ANSWER)) {
        let alone = ask(&mut model, inputs, &[*draw])?;
        subject
            .same(&alone, among, |at| format!("row {}, draw {draw} alone and among {}", at / NUMBERS, draws.len()))?;
    }
    let canonical = draws::representatives(&draws, |draws| model.canonical_draws(draws))?;
    let theirs = ask(&mut model, inputs, &canonical)?;
    draws::same_functions(subject, &draws, &canonical, ANSWER, &together, &theirs)
}

fn ask(model: &mut TrainedClassifier, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, String> {
    model.sample_probs(inputs, draws).map_err(|failure| failure.to_string())
}
