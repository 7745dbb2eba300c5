//! Bayes by backprop on plain numbers: each step draws a few networks, each shared by the whole batch.

use jointly_nets::adam::Adam;
use jointly_nets::examples::{Examples, Likelihood};
use jointly_nets::inputs::{Design, Prior};
use jointly_nets::normals::Normals;
use jointly_nets::simd::{Lanes, floats, floats_mut};
use jointly_nets::{FirstBiases, Network, Progress, Rows, Stream, each_draw, learned, predict, widths};
use jointly_sdk::{Dataset, Failure, Matrix, Task};

use crate::posterior::Posterior;

/// The settings of training.
pub(crate) struct Training<'a> {
    pub(crate) design: &'a Design,
    pub(crate) prior: &'a Prior,
    /// Factor of the KL divergence in the loss.
    pub(crate) complexity: f32,
    /// Initial standard deviation of every parameter.
    pub(crate) initial_scale: f32,
    /// Step size of Adam for rho; the standard deviations are softplus(rho).
    pub(crate) scale_rate: f32,
    /// Networks drawn in each step.
    pub(crate) draws: usize,
}

/// A trained posterior.
#[derive(Debug)]
pub(crate) struct Trained {
    pub(crate) posterior: Posterior,
    dim: usize,
    seed: u64,
}

impl Training<'_> {
    /// Returns a trained posterior from the bytes that [`Trained::learned`] gave of it.
    ///
    /// # Errors
    ///
    /// The bytes are not those of such a posterior.
    pub(crate) fn restore(&self, task: &Task, seed: u64, bytes: &[u8]) -> Result<Trained, Failure> {
        let mut posterior = self.start(task, seed);
        learned::restore(bytes, [floats_mut(&mut posterior.parameters)])?;
        posterior.scale();
        Ok(Trained { posterior, dim: task.input_dim, seed })
    }

    fn start(&self, task: &Task, seed: u64) -> Posterior {
        let widths = widths(task, self.design.hidden.as_deref().unwrap_or_default());
        let start = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        Posterior::new(start, &widths, self.initial_scale)
    }

    /// Trains a posterior.
    ///
    /// # Errors
    ///
    /// The loss stopped being finite, or the data do not fit the task.
    pub(crate) fn run(&self, task: &Task, data: &Dataset, seed: u64) -> Result<Trained, Failure> {
        let Design { batch_size, learning_rate, length, .. } = *self.design;
        let mut examples = Examples::new(task, data, batch_size, Stream::Batches.rng(seed, 0))?;
        let mut posterior = self.start(task, seed);
        let mut likelihood = Likelihood::new(posterior.network(), examples.max_rows());

        let count = posterior.parameters.len() / 2;
        let [mut adam, mut adam_of_scales] = [learning_rate, self.scale_rate].map(|rate| Adam::new(count, rate));
        let mut gradient = vec![Lanes::splat(0.0); posterior.parameters.len()];
        let mut slopes = vec![Lanes::splat(0.0); count];
        let mut normals = Normals::new(&mut Stream::Noise.rng(seed, 0));
        let mut noise = Vec::new();
        let steps = length.steps(data.labels.len(), batch_size);
        let mut progress = Progress::new(steps);
        for step in 0..steps {
            examples.next_batch();
            gradient.fill(Lanes::splat(0.0));
            for _ in 0..self.draws {
                let network = posterior.draw(&mut normals, &mut noise);
                if !likelihood.differentiate(&network, &examples, examples.targets(), &mut slopes) {
                    return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
                }
                self.prior.add_surprise(&network.parameters, self.complexity, &mut slopes);
                posterior.pull_back(&slopes, &noise, 1.0 / self.draws as f32, &mut gradient);
            }
            posterior.add_divergence(self.prior, self.complexity, &mut gradient);
            let (means, scales) = posterior.parameters.split_at_mut(count);
            adam.update(means, &gradient[..count], 0.0);
            adam_of_scales.update(scales, &gradient[count..], 0.0);
            posterior.scale();
            progress.step();
        }
        Ok(Trained { posterior, dim: task.input_dim, seed })
    }
}

impl Trained {
    /// Returns what training has changed, for [`Training::restore`].
    pub(crate) fn learned(&self) -> Vec<u8> {
        learned::keep([floats(&self.posterior.parameters)])
    }

    /// Returns the network that a draw names.
    pub(crate) fn network(&self, draw: u64) -> Network {
        let mut normals = Normals::new(&mut Stream::Parameters.rng(self.seed, draw));
        self.posterior.draw(&mut normals, &mut Vec::new())
    }

    /// Computes the class probabilities of the networks that the draws name, one after the other.
    ///
    /// # Errors
    ///
    /// The inputs do not have the task's dimension.
    pub(crate) fn probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() && (inputs.rows() == 0 || inputs.cols() == self.dim) {
            return Ok(());
        }
        let rows = Rows::of(inputs);
        each_draw(draws, out, |draw, out| predict(&[&self.network(draw)], &rows, out))
    }
}
