//! Checks that one draw is one function: its prediction for a row does not depend on the other rows.

use super::subject::{DRAWS, NUMBERS, Subject, points, sample};

const ROWS: usize = 23;

pub(super) fn alone(subject: &Subject) -> Result<(), String> {
    picks_agree(subject, (0..ROWS).map(|row| vec![row]).collect())
}

pub(super) fn order(subject: &Subject) -> Result<(), String> {
    picks_agree(subject, vec![(0..ROWS).rev().collect(), (0..ROWS).map(|row| row * 7 % ROWS).collect()])
}

/// Checks rows again at the end of a batch of several hundred.
pub(super) fn batch(subject: &Subject) -> Result<(), String> {
    const OTHERS: usize = 300;
    let mut model = subject.trained()?;
    let draws: Vec<u64> = (0..DRAWS).collect();
    let all = points(OTHERS + ROWS, 0);
    let few = all.select(&(OTHERS..OTHERS + ROWS).collect::<Vec<_>>());
    let among = sample(&mut model, &all, &draws)?;
    let without = sample(&mut model, &few, &draws)?;
    for (m, without) in without.chunks_exact(ROWS * NUMBERS).enumerate() {
        let start = (m * (OTHERS + ROWS) + OTHERS) * NUMBERS;
        subject.same(without, &among[start..start + without.len()], |at| {
            format!("draw {m}, row {} without and with {OTHERS} others", at / NUMBERS)
        })?;
    }
    Ok(())
}

/// Checks that every selection of rows gives each row the bits that it has when all rows are given together.
fn picks_agree(subject: &Subject, picks: Vec<Vec<usize>>) -> Result<(), String> {
    let mut model = subject.trained()?;
    let draws: Vec<u64> = (0..DRAWS).collect();
    let inputs = points(ROWS, 0);
    let together = sample(&mut model, &inputs, &draws)?;
    for pick in picks {
        let picked = sample(&mut model, &inputs.select(&pick), &draws)?;
        let expected: Vec<f32> = (0..draws.len())
            .flat_map(|m| pick.iter().map(move |row| (m * ROWS + row) * NUMBERS))
            .flat_map(|start| together[start..start + NUMBERS].iter().copied())
            .collect();
        subject.same(&picked, &expected, |at| {
            let (m, i) = (at / NUMBERS / pick.len(), at / NUMBERS % pick.len());
            format!("draw {m}, row {} among {} rows and among {ROWS}", pick[i], pick.len())
        })?;
    }
    Ok(())
}
