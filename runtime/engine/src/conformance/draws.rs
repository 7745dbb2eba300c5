//! Checks that one draw is one function, which does not depend on the other draws of a call or on earlier calls.

use jointly_host::Failure;

use super::subject::{DRAWS, NUMBERS, Subject, points, sample};

const ROWS: usize = 9;
const ANSWER: usize = ROWS * NUMBERS;

pub(super) fn alone(subject: &Subject) -> Result<(), String> {
    lists_agree(subject, &(0..DRAWS).map(|draw| vec![draw]).collect::<Vec<_>>())
}

pub(super) fn order(subject: &Subject) -> Result<(), String> {
    lists_agree(subject, &[(0..DRAWS).rev().collect(), (0..DRAWS).map(|draw| draw * 5 % DRAWS).collect()])
}

/// Checks a call that is repeated after a different one, and a draw that is repeated in one call.
pub(super) fn again(subject: &Subject) -> Result<(), String> {
    lists_agree(subject, &[vec![u64::MAX, 1 << 40], (0..DRAWS).collect(), vec![3, 3]])
}

pub(super) fn canonical(subject: &Subject) -> Result<(), String> {
    let mut model = subject.trained()?;
    let draws = far_draws();
    let canonical = representatives(&draws, |draws| model.canonical_draws(draws))?;
    let inputs = points(ROWS, 0);
    let own = sample(&mut model, &inputs, &draws)?;
    let theirs = sample(&mut model, &inputs, &canonical)?;
    same_functions(subject, &draws, &canonical, ANSWER, &own, &theirs)
}

/// Returns low and very high draw indices.
pub(super) fn far_draws() -> Vec<u64> {
    (0..DRAWS).chain([1 << 40, u64::MAX]).collect()
}

/// Returns the canonical draws of `draws`. Each canonical draw must be its own canonical draw.
pub(super) fn representatives(
    draws: &[u64],
    mut canonical_draws: impl FnMut(&[u64]) -> Result<Vec<u64>, Failure>,
) -> Result<Vec<u64>, String> {
    let mut ask = |draws: &[u64]| canonical_draws(draws).map_err(|failure| failure.to_string());
    let canonical = ask(draws)?;
    let twice = ask(&canonical)?;
    match (0..draws.len()).find(|at| canonical[*at] != twice[*at]) {
        None => Ok(canonical),
        Some(at) => Err(format!("draw {} has canonical draw {}, whose own is {}", draws[at], canonical[at], twice[at])),
    }
}

/// Checks that draws and their canonical draws, with `answer` numbers each, have equal answers.
pub(super) fn same_functions(
    subject: &Subject,
    draws: &[u64],
    canonical: &[u64],
    answer: usize,
    own: &[f32],
    theirs: &[f32],
) -> Result<(), String> {
    subject.same(own, theirs, |at| {
        let at = at / answer;
        format!("draw {} and its canonical draw {}", draws[at], canonical[at])
    })
}

/// Checks that every list of draws gives each draw the same bits as a single call for that draw at the end.
fn lists_agree(subject: &Subject, lists: &[Vec<u64>]) -> Result<(), String> {
    let mut model = subject.trained()?;
    let inputs = points(ROWS, 0);
    let mut answers = Vec::new();
    for list in lists {
        answers.push(sample(&mut model, &inputs, list)?);
    }
    let together = sample(&mut model, &inputs, &lists.concat())?;
    let mut rest = together.as_slice();
    for (list, answer) in lists.iter().zip(&answers) {
        let (now, later) = rest.split_at(answer.len());
        rest = later;
        subject.same(answer, now, |at| {
            format!(
                "draw {} in a call for {} and in a later one for {}",
                list[at / ANSWER],
                list.len(),
                lists.concat().len()
            )
        })?;
    }
    Ok(())
}
