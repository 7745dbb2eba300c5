//! Checks that training is a function of its arguments, including the seed.

use super::subject::{DRAWS, Learned, NUMBERS, SEED, Subject, points, sample};

/// The number of inputs at which trained agents are compared.
const ROWS: usize = 25;

pub(super) fn same_seed(subject: &Subject) -> Result<(), String> {
    let (mut a, mut b) = (subject.trained()?, subject.trained()?);
    subject.same(&belief(&mut a)?, &belief(&mut b)?, |at| format!("two trainings, number {at} of the answer"))?;
    if a.fuel_used() == b.fuel_used() {
        return Ok(());
    }
    let fuel = |model: &Learned| model.fuel_used().unwrap_or_default();
    Err(format!("two trainings used {} and {} fuel", fuel(&a), fuel(&b)))
}

pub(super) fn parts(subject: &Subject) -> Result<(), String> {
    let whole = subject.trained_whole()?;
    let (parts, whole) = (belief(&mut subject.trained()?)?, belief(&mut { whole })?);
    subject.same(&parts, &whole, |at| {
        let (draw, row) = (at / NUMBERS / ROWS, at / NUMBERS % ROWS);
        format!("draw {draw}, row {row} of the agent joined from its parts and of that trained by one call")
    })
}

pub(super) fn other_seed(subject: &Subject) -> Result<(), String> {
    let other = subject.train(2, 20, SEED + 1, &subject.settings).map_err(|failure| failure.to_string())?;
    let (own, other) = (belief(&mut subject.trained()?)?, belief(&mut { other })?);
    let same = own.iter().zip(&other).all(|(own, other)| own.to_bits() == other.to_bits());
    match (same, subject.agent.description().deterministic) {
        (false, false) | (true, true) => Ok(()),
        (true, false) => {
            Err("another seed gives the same predictions; use the seed, or describe the agent as deterministic".into())
        }
        (false, true) => {
            Err("another seed gives other predictions, and the agent describes itself as deterministic".into())
        }
    }
}

fn belief(model: &mut Learned) -> Result<Vec<f32>, String> {
    let draws: Vec<u64> = (0..DRAWS).collect();
    sample(model, &points(ROWS, 3), &draws)
}
