//! Training of one member by steps of Adam, with a fixed function added to its logits.

use jointly_nets::adam::Adam;
use jointly_nets::examples::{Examples, Likelihood};
use jointly_nets::layout::layout;
use jointly_nets::loss::Targets;
use jointly_nets::simd::Lanes;
use jointly_nets::start::TRUNCATED_VARIANCE;
use jointly_nets::{Network, Stream};
use jointly_sdk::{Dataset, Failure, Task};

/// The settings of training a member.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// Number of steps of Adam.
    pub(crate) steps: usize,
    /// Number of examples in a batch.
    pub(crate) batch_size: usize,
    /// Step size of Adam.
    pub(crate) learning_rate: f32,
    /// The factor of the penalty in the loss.
    pub(crate) penalty: f32,
    /// The point from which the penalty measures the parameters.
    pub(crate) pull: Pull,
}

/// The point to which the penalty pulls the parameters.
#[derive(Clone, Debug)]
pub(crate) enum Pull {
    /// To zero, with equal strengths.
    Zero,
    /// To their initial values, each with its strength.
    Start(Vec<Lanes>),
}

impl Pull {
    /// Creates the pull to the initial values that the log-prior implies, with half the inverse of each parameter's
    /// initial variance as its strength. The network has these widths, and its outputs are multiplied by `scale`. The
    /// prior is the distribution of [`all_drawn`](jointly_nets::start::all_drawn), with truncated normal
    /// distributions replaced by normal ones.
    pub(crate) fn to_start(widths: &[usize], scale: f32) -> Self {
        let blocks = layout(widths);
        let mut strengths = Vec::new();
        for (l, block) in blocks.iter().enumerate() {
            let deviation = if l + 1 == blocks.len() { scale } else { 1.0 };
            let strength = 0.5 * block.inputs as f32 / (TRUNCATED_VARIANCE * deviation * deviation);
            strengths.resize(block.vectors().end, Lanes::splat(strength));
        }
        Self::Start(strengths)
    }
}

/// Trains a network with `offsets`, one row per example, added to its logits.
///
/// # Formula
///
/// Minimises the mean over examples of CE(f(x, theta) + offset(x), y), plus penalty |theta|^2 or penalty sum_i s_i
/// (theta_i - theta_0i)^2 with the strengths s of the pull to the initial values.
///
/// # Errors
///
/// The loss stopped being finite, or the data do not fit the task.
pub(crate) fn train(
    mut network: Network,
    offsets: Vec<f32>,
    recipe: &Recipe,
    task: &Task,
    data: &Dataset,
    seed: u64,
) -> Result<Network, Failure> {
    let examples = Examples::new(task, data, recipe.batch_size, Stream::Batches.rng(seed, 0))?;
    let mut examples = examples.offset(offsets);
    let mut likelihood = Likelihood::new(&network, examples.max_rows());
    let mut adam = Adam::new(network.parameters.len(), recipe.learning_rate);
    let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
    let slope = 2.0 * recipe.penalty;
    let start = network.parameters.clone();
    for step in 0..recipe.steps {
        examples.next_batch();
        let targets = Targets { weights: examples.shares(), ..examples.targets() };
        if !likelihood.differentiate(&network, &examples, targets, &mut gradient) {
            return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
        }
        let decay = match &recipe.pull {
            Pull::Zero => slope,
            Pull::Start(strengths) => {
                let parameters = network.parameters.iter().zip(&start).zip(strengths);
                for (gradient, ((value, start), strength)) in gradient.iter_mut().zip(parameters) {
                    *gradient = (*value - *start).mul_add(*strength * Lanes::splat(slope), *gradient);
                }
                0.0
            }
        };
        adam.update(&mut network.parameters, &gradient, decay);
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats;
    use jointly_nets::start::all_drawn;
    use jointly_sdk::{Matrix, Rng};

    use super::*;

    const WIDTHS: [usize; 3] = [2, 6, 2];

    fn train_from(start: Network, pull: Pull) -> Network {
        let recipe = Recipe { steps: 1000, batch_size: 10, learning_rate: 1e-2, penalty: 1.0, pull };
        let task = Task::new(2, 2);
        let nothing = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        train(start, Vec::new(), &recipe, &task, &nothing, 0).unwrap()
    }

    #[test]
    fn without_data_a_member_stays_where_it_started_or_goes_to_zero() {
        let start = all_drawn(&WIDTHS, &mut Rng::new(0, 0));
        let anchored = train_from(start.clone(), Pull::to_start(&WIDTHS, 2.0));
        assert_eq!(floats(&anchored.parameters), floats(&start.parameters));
        let free = train_from(start, Pull::Zero);
        assert!(floats(&free.parameters).iter().all(|value| value.abs() < 1e-2));
    }

    #[test]
    fn strengths_are_half_the_inverse_variances_of_the_start() {
        const DRAWS: u64 = 4000;
        const SCALE: f32 = 2.0;
        let widths = [2, 6, 4, 2];
        let Pull::Start(strengths) = Pull::to_start(&widths, SCALE) else { unreachable!("a pull to the start") };
        let mut squares = vec![0.0; floats(&strengths).len()];
        for draw in 0..DRAWS {
            let start = all_drawn(&widths, &mut Rng::new(2, draw)).scaled(SCALE);
            squares.iter_mut().zip(floats(&start.parameters)).for_each(|(sum, value)| *sum += value * value);
        }
        for at in layout(&widths).into_iter().flat_map(|block| block.weights().chain(block.biases())) {
            let product = 2.0 * floats(&strengths)[at] * squares[at] / DRAWS as f32;
            // Five standard errors of a variance.
            assert!((product - 1.0).abs() < 5.0 * (2.0 / DRAWS as f32).sqrt(), "{at}: {product}");
        }
    }
}
