//! Training of one member: steps of Adam around a fixed function.

use jointly_nets::adam::Adam;
use jointly_nets::loss::{CrossEntropy, Targets};
use jointly_nets::minibatch::Minibatches;
use jointly_nets::network::{Values, stride};
use jointly_nets::simd::{LANES, Lanes};
use jointly_nets::{Network, Stream};
use jointly_sdk::{Dataset, Failure, Task};

/// How a member is trained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// Steps of Adam.
    pub(crate) steps: usize,
    /// Examples in a batch.
    pub(crate) batch_size: usize,
    /// Step size of Adam.
    pub(crate) learning_rate: f32,
    /// The factor of the sum of squares in the loss.
    pub(crate) penalty: f32,
    /// Whether the squares are those of the distance from the start.
    pub(crate) anchored: bool,
}

/// Trains a network, with `offsets` added to its logits: a row of them for each example.
///
/// # Formula
///
/// Minimises the mean over examples of CE(f(x, theta) + offset(x), y), plus penalty |theta - theta_0|^2 where anchored and
/// penalty |theta|^2 where not.
///
/// # Errors
///
/// A loss that stopped being finite, or data that do not fit the task.
pub(crate) fn train(
    mut network: Network,
    offsets: &[f32],
    recipe: &Recipe,
    task: &Task,
    data: &Dataset,
    seed: u64,
) -> Result<Network, Failure> {
    let classes = task.num_classes;
    let mut batches = Minibatches::new(task, data, recipe.batch_size, Stream::Batches.rng(seed, 0))?;
    let mut values = Values::new(&network, batches.max_rows());
    let mut loss = CrossEntropy::new(classes);
    let mut adam = Adam::new(network.parameters.len(), recipe.learning_rate);
    let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
    let decay = 2.0 * recipe.penalty;
    let anchor = if recipe.anchored { network.parameters.clone() } else { Vec::new() };
    let mut batch_offsets = Vec::new();
    for step in 0..recipe.steps {
        batches.advance();
        let (rows, inputs, inputs_stride) = (batches.labels().len(), batches.inputs(), batches.stride());
        batch_offsets.clear();
        for example in batches.examples() {
            batch_offsets.extend_from_slice(&offsets[*example as usize * classes..][..classes]);
        }
        network.forward(inputs, inputs_stride, rows, &mut values);
        let targets = Targets { labels: batches.labels(), weights: batches.shares(), offsets: &batch_offsets };
        if !loss.differentiate(values.outputs(), stride(classes) * LANES, targets) {
            return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
        }
        network.backward(inputs, inputs_stride, rows, &mut values, &mut gradient);
        // Adam pulls to zero; this turns it into a pull to the anchor.
        for (gradient, anchor) in gradient.iter_mut().zip(&anchor) {
            *gradient = anchor.mul_add(Lanes::splat(-decay), *gradient);
        }
        adam.update(&mut network.parameters, &gradient, decay);
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use jointly_nets::FirstBiases;
    use jointly_nets::simd::floats;
    use jointly_sdk::{Matrix, Rng};

    use super::*;

    const RECIPE: Recipe = Recipe { steps: 300, batch_size: 10, learning_rate: 1e-2, penalty: 1.0, anchored: true };

    fn trained(recipe: &Recipe) -> (Network, Network) {
        let start = Network::new(&[2, 6, 2], FirstBiases::Truncated, &mut Rng::new(0, 0));
        let task = Task { input_dim: 2, num_classes: 2, temperature: None, hidden_layers: None };
        let nothing = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        (train(start.clone(), &[], recipe, &task, &nothing, 0).unwrap(), start)
    }

    #[test]
    fn without_data_a_member_stays_at_its_anchor_or_goes_to_zero() {
        let (network, start) = trained(&RECIPE);
        let pairs = floats(&network.parameters).iter().zip(floats(&start.parameters));
        assert!(pairs.into_iter().all(|(value, start)| (value - start).abs() < 1e-3));
        let (network, _) = trained(&Recipe { anchored: false, ..RECIPE });
        assert!(floats(&network.parameters).iter().all(|value| value.abs() < 1e-2));
    }
}
