//! Samples of functions from a posterior over real-valued functions.

use jointly_sdk::{Failure, FunctionSamples, Matrix};

use crate::choice::Choice;
use crate::network::Network;
use crate::points::check_inputs;
use crate::predict::outputs;

/// The values of a function and the standard deviations of its noise, one of each per row.
pub type Answer = (Vec<f32>, Vec<f32>);

/// Returns a network's outputs at every row: `out[t * outputs + k]`.
///
/// # Errors
///
/// Fails if the inputs have another number of features, or if an output is not finite.
pub fn evaluate(network: &Network, inputs: &Matrix) -> Result<Vec<f32>, Failure> {
    check_inputs(inputs, network.inputs())?;
    if inputs.rows() == 0 {
        return Ok(Vec::new());
    }
    let out = outputs(network, inputs.values());
    check_finite(&out)?;
    Ok(out)
}

/// Checks that values are finite, as the host requires.
///
/// # Errors
///
/// Fails if a value is not finite.
pub fn check_finite(values: &[f32]) -> Result<(), Failure> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Failure::Internal("an output of a network overflows at these inputs".into()))
}

/// Returns the functions of the draws for a posterior over finitely many functions; each function is evaluated once.
///
/// # Errors
///
/// Fails if `function` fails.
pub fn sample_finite(
    choice: &Choice,
    draws: &[u64],
    rows: usize,
    mut function: impl FnMut(usize) -> Result<Answer, Failure>,
) -> Result<FunctionSamples, Failure> {
    let mut samples =
        FunctionSamples { means: vec![0.0; draws.len() * rows], noise_stds: vec![0.0; draws.len() * rows] };
    let FunctionSamples { means, noise_stds } = &mut samples;
    let mut places = std::collections::BTreeMap::new();
    for (m, draw) in draws.iter().enumerate() {
        let to = m * rows;
        if let Some(from) = places.insert(choice.function(*draw), to) {
            means.copy_within(from..from + rows, to);
            noise_stds.copy_within(from..from + rows, to);
        } else {
            let (mean, noise) = function(choice.function(*draw))?;
            means[to..to + rows].copy_from_slice(&mean);
            noise_stds[to..to + rows].copy_from_slice(&noise);
        }
    }
    Ok(samples)
}

/// Returns the functions of the draws, evaluated one after the other.
///
/// # Errors
///
/// Fails if `function` fails.
pub fn sample_each(
    draws: &[u64],
    rows: usize,
    mut function: impl FnMut(u64) -> Result<Answer, Failure>,
) -> Result<FunctionSamples, Failure> {
    let mut samples = FunctionSamples {
        means: Vec::with_capacity(draws.len() * rows),
        noise_stds: Vec::with_capacity(draws.len() * rows),
    };
    for draw in draws {
        let (mean, noise) = function(*draw)?;
        samples.means.extend(mean);
        samples.noise_stds.extend(noise);
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::start::glorot;

    #[test]
    fn draws_of_one_function_are_alike_and_it_is_asked_once() {
        let choice = Choice::new(1, 3);
        let draws: Vec<u64> = (0..40).collect();
        let mut asked = Vec::new();
        let samples = sample_finite(&choice, &draws, 2, |function| {
            asked.push(function);
            Ok((vec![function as f32; 2], vec![1.0; 2]))
        });
        let samples = samples.unwrap();
        asked.sort_unstable();
        assert_eq!(asked, [0, 1, 2]);
        for (draw, means) in draws.iter().zip(samples.means.chunks(2)) {
            assert_eq!(means, [choice.function(*draw) as f32; 2]);
        }
        let same = sample_each(&draws, 2, |draw| Ok((vec![choice.function(draw) as f32; 2], vec![1.0; 2]))).unwrap();
        assert_eq!(samples, same);
    }

    #[test]
    fn what_overflows_or_does_not_fit_is_refused() {
        let network = glorot(&[1, 4, 1], &mut Rng::new(0, 0));
        assert_eq!(evaluate(&network, &Matrix::new(0, 0, Vec::new()).unwrap()).unwrap(), [0.0; 0]);
        for (cols, value) in [(2, 0.0), (1, f32::INFINITY), (1, f32::NAN)] {
            assert!(evaluate(&network, &Matrix::new(1, cols, vec![value; cols]).unwrap()).is_err());
        }
    }
}
