//! Fits a network to real targets: passes of Adam over the examples, each in a random order.

use jointly_sdk::{Failure, Rng};

use crate::adam::Adam;
use crate::layout::{Block, stride};
use crate::network::{Network, Values};
use crate::point_loss::PointLoss;
use crate::points::{Batch, Points};
use crate::simd::{LANES, Lanes, floats};
use jointly_sdk::Progress;

/// The largest number of parameters of all networks of an agent: 64 MiB.
const MOST_PARAMETERS: usize = 1 << 24;

/// The settings for fitting a network.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The loss, whose mean over the examples is minimised.
    pub loss: PointLoss,
    /// Passes over the examples; the last minibatch of a pass has the remaining examples.
    pub epochs: usize,
    /// Examples per minibatch.
    pub batch_size: usize,
    /// Step size of Adam.
    pub learning_rate: f32,
    /// Whether the step size decreases linearly to zero over the steps.
    pub annealed: bool,
    /// The factor of the sum of squares of all weights, without biases, that is added to the loss.
    pub l2: f32,
}

impl Fit {
    /// Returns the number of steps of a fit to `examples` examples.
    pub fn steps(&self, examples: usize) -> usize {
        self.epochs.saturating_mul(examples.div_ceil(self.batch_size))
    }

    /// Fits a network to the examples at `places`, which may repeat; `rng` orders them. Returns the network unchanged
    /// if there are no places.
    ///
    /// # Errors
    ///
    /// Fails if the loss or a parameter is not finite.
    ///
    /// # Panics
    ///
    /// Panics if the network's inputs do not match the examples, or its outputs the loss.
    pub fn run(
        &self,
        mut network: Network,
        points: &Points,
        places: &[u32],
        rng: &mut Rng,
        progress: &mut Progress,
    ) -> Result<Network, Failure> {
        assert!(network.inputs() == points.dim() && network.outputs() == self.loss.outputs());
        if places.is_empty() {
            return Ok(network);
        }
        let rows = self.batch_size.min(places.len());
        let mut batch = Batch::new(points.dim(), rows);
        let mut gradient = Gradient::new(&network, rows);
        let decay = Decay::new(&network);
        let mut adam = Adam::new(network.parameters.len(), self.learning_rate);
        let mut order = places.to_vec();
        let (mut step, steps) = (0, self.steps(places.len()));
        for epoch in 0..self.epochs {
            shuffle(&mut order, rng);
            let mut total = 0.0;
            for places in order.chunks(self.batch_size) {
                batch.gather(points, places.iter().copied());
                total += gradient.compute(&network, &batch, &self.loss);
                decay.add(&network, self.l2, &mut gradient.parameters);
                if self.annealed {
                    adam.set_rate(self.learning_rate * (1.0 - step as f32 / steps as f32));
                    step += 1;
                }
                adam.update(&mut network.parameters, &gradient.parameters, 0.0);
                progress.step();
            }
            if !total.is_finite() {
                return Err(Failure::Diverged(format!("the loss is not finite in epoch {epoch}")));
            }
        }
        check_parameters(&network)?;
        Ok(network)
    }
}

/// Checks that all parameters are finite after training.
///
/// # Errors
///
/// Fails if a parameter is not finite.
pub fn check_parameters(network: &Network) -> Result<(), Failure> {
    if floats(&network.parameters).iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Failure::Diverged("a parameter is not finite at the end of training".into()))
}

/// Shuffles the numbers.
pub fn shuffle(order: &mut [u32], rng: &mut Rng) {
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i + 1));
    }
}

/// Scratch buffers for the gradient of a minibatch's mean loss.
#[derive(Debug)]
pub struct Gradient {
    values: Values,
    /// The gradient with respect to each parameter.
    pub parameters: Vec<Lanes>,
}

impl Gradient {
    /// Makes buffers for minibatches of at most `rows` rows.
    pub fn new(network: &Network, rows: usize) -> Self {
        let parameters = vec![Lanes::splat(0.0); network.parameters.len()];
        Self { values: Values::new(network, rows), parameters }
    }

    /// Computes the gradient at a minibatch and returns the loss.
    pub fn compute(&mut self, network: &Network, batch: &Batch, loss: &PointLoss) -> f64 {
        network.forward(batch.inputs(), batch.stride(), batch.rows(), &mut self.values);
        let width = stride(network.outputs()) * LANES;
        let mean = loss.differentiate(self.values.outputs(), width, batch.targets());
        network.backward(batch.inputs(), batch.stride(), batch.rows(), &mut self.values, &mut self.parameters);
        mean
    }
}

/// The gradient of the sum of squares of a network's weights, layer by layer.
#[derive(Debug)]
pub struct Decay {
    blocks: Vec<Block>,
}

impl Decay {
    /// Prepares for networks with the layers of this one.
    pub fn new(network: &Network) -> Self {
        Self { blocks: network.blocks() }
    }

    /// Adds the gradient of `factor` times the sum over all layers to `gradient`.
    pub fn add(&self, network: &Network, factor: f32, gradient: &mut [Lanes]) {
        for l in 0..self.blocks.len() {
            self.add_layer(network, l, factor, gradient);
        }
    }

    /// Adds the gradient of `factor` times the sum over layer `l` to `gradient`.
    pub fn add_layer(&self, network: &Network, l: usize, factor: f32, gradient: &mut [Lanes]) {
        if factor == 0.0 {
            return;
        }
        let block = self.blocks[l];
        let weights = block.inputs * crate::simd::vectors(block.outputs);
        let parameters = &network.parameters[block.vectors()][..weights];
        for (gradient, weight) in gradient[block.vectors()].iter_mut().zip(parameters) {
            *gradient = weight.mul_add(Lanes::splat(2.0 * factor), *gradient);
        }
    }
}

/// Checks that networks fit into an agent's memory.
///
/// # Errors
///
/// Fails if `size` networks of the given widths have more than 2^24 parameters together.
pub fn affordable(widths: &[usize], size: usize) -> Result<(), Failure> {
    let layer =
        |pair: &[usize]| pair[0].checked_add(1).and_then(|rows| rows.checked_mul(pair[1].div_ceil(LANES) * LANES));
    let mut total = Some(0usize);
    for pair in widths.windows(2) {
        total = total.zip(layer(pair)).and_then(|(total, layer)| total.checked_add(layer));
    }
    match total.and_then(|total| total.checked_mul(size)) {
        Some(total) if total <= MOST_PARAMETERS => Ok(()),
        _ => Err(Failure::InvalidSetting(format!(
            "{size} networks of widths {widths:?} have more than {MOST_PARAMETERS} parameters"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, RegressionTask, Targets};

    use super::*;
    use crate::Activation;
    use crate::layout::layout;
    use crate::point_loss::Head;
    use crate::predict::outputs;
    use crate::simd::floats_mut;
    use crate::start::glorot;

    /// Step of a central difference in single precision, and tolerance for a derivative computed with it.
    const STEP: f32 = 5e-3;
    const TOLERANCE: f64 = 3e-3;

    fn sine(rows: usize) -> Points {
        let inputs: Vec<f32> = (0..rows).map(|i| 4.0 * i as f32 / rows as f32 - 2.0).collect();
        let targets = inputs.iter().map(|x| (2.0 * x).sin()).collect();
        let data = Targets { inputs: Matrix::new(rows, 1, inputs).unwrap(), targets };
        Points::new(&RegressionTask { input_dim: 1, noise_std: None }, &data).unwrap()
    }

    fn fit(loss: PointLoss) -> Fit {
        Fit { loss, epochs: 200, batch_size: 32, learning_rate: 5e-3, annealed: false, l2: 0.0 }
    }

    fn all(points: &Points) -> Vec<u32> {
        (0..points.len() as u32).collect()
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        for activation in [Activation::Relu, Activation::Tanh] {
            for loss in [PointLoss::Squared, PointLoss::Gaussian(Head::Softplus)] {
                let points = sine(9);
                let mut network = glorot(&[1, 7, 5, loss.outputs()], &mut Rng::new(3, 0)).with_activation(activation);
                // Move away from the kinks at zero.
                for block in layout(&[1, 7, 5, loss.outputs()]) {
                    let parameters = floats_mut(&mut network.parameters);
                    block.biases().for_each(|at| parameters[at] = 0.1 + 0.01 * (at % 7) as f32);
                }
                let mut batch = Batch::new(1, 9);
                batch.gather(&points, 0..9);
                let mut gradient = Gradient::new(&network, 9);
                let l2 = 0.3;
                let decay = Decay::new(&network);
                gradient.compute(&network, &batch, &loss);
                decay.add(&network, l2, &mut gradient.parameters);
                let analytic = floats(&gradient.parameters).to_vec();
                let mut objective = |network: &Network| {
                    let squares: f32 = decay
                        .blocks
                        .iter()
                        .flat_map(|block| block.weights())
                        .map(|at| floats(&network.parameters)[at].powi(2))
                        .sum();
                    gradient.compute(network, &batch, &loss) + f64::from(l2 * squares)
                };
                let mut compared = 0;
                for block in layout(&[1, 7, 5, loss.outputs()]) {
                    for at in block.weights().chain(block.biases()) {
                        let original = floats(&network.parameters)[at];
                        let mut moved = |by: f32| {
                            floats_mut(&mut network.parameters)[at] = original + by;
                            let value = objective(&network);
                            floats_mut(&mut network.parameters)[at] = original;
                            value
                        };
                        let (forward, backward, here) = (moved(STEP), moved(-STEP), moved(0.0));
                        // Skip parameters whose one-sided differences disagree: a unit's kink lies between.
                        if activation == Activation::Relu && (forward + backward - 2.0 * here).abs() > 2e-5 {
                            continue;
                        }
                        let difference = (forward - backward) / f64::from(2.0 * STEP);
                        let found = f64::from(analytic[at]);
                        assert!(
                            (difference - found).abs() < TOLERANCE,
                            "{activation:?} {loss:?} at {at}: {difference} {found}"
                        );
                        compared += 1;
                    }
                }
                assert!(compared > 20, "{compared}");
            }
        }
    }

    #[test]
    fn a_sine_is_learnt_with_either_unit() {
        for activation in [Activation::Relu, Activation::Tanh] {
            let points = sine(200);
            let network = glorot(&[1, 40, 30, 1], &mut Rng::new(1, 0)).with_activation(activation);
            let fit = fit(PointLoss::Squared);
            let mut progress = Progress::new(fit.steps(points.len()));
            let fitted = fit.run(network, &points, &all(&points), &mut Rng::new(2, 0), &mut progress).unwrap();
            let found = outputs(&fitted, points.inputs());
            let error: f32 = found.iter().zip(points.targets()).map(|(m, y)| (m - y).powi(2)).sum::<f32>() / 200.0;
            assert!(error < 2e-3, "{activation:?}: {error}");
        }
    }

    #[test]
    fn noise_that_varies_is_learnt() {
        let rows = 1000;
        let mut rng = Rng::new(4, 0);
        let inputs: Vec<f32> = (0..rows).map(|i| 2.0 * i as f32 / rows as f32 - 1.0).collect();
        let targets = inputs.iter().map(|x| (if *x < 0.0 { 0.1 } else { 0.5 }) * rng.normal()).collect();
        let data = Targets { inputs: Matrix::new(rows, 1, inputs).unwrap(), targets };
        let points = Points::new(&RegressionTask { input_dim: 1, noise_std: None }, &data).unwrap();
        for head in [Head::Softplus, Head::Log] {
            let fit = fit(PointLoss::Gaussian(head));
            let network = glorot(&[1, 20, 2], &mut Rng::new(1, 0));
            let mut progress = Progress::new(1);
            let fitted = fit.run(network, &points, &all(&points), &mut Rng::new(2, 0), &mut progress).unwrap();
            let out = outputs(&fitted, &[-0.6, 0.6]);
            let deviations = [out[1], out[3]].map(|output| head.variance(output).sqrt());
            assert!((0.07..0.14).contains(&deviations[0]) && (0.4..0.62).contains(&deviations[1]), "{deviations:?}");
        }
    }

    #[test]
    fn pinball_finds_the_quantiles() {
        let rows = 2000;
        let mut rng = Rng::new(4, 0);
        let targets: Vec<f32> = (0..rows).map(|_| rng.normal()).collect();
        let data = Targets { inputs: Matrix::new(rows, 1, vec![0.0; rows]).unwrap(), targets };
        let points = Points::new(&RegressionTask { input_dim: 1, noise_std: None }, &data).unwrap();
        let fit = Fit { learning_rate: 1e-2, ..fit(PointLoss::Pinball(vec![0.1, 0.5, 0.9])) };
        let network = glorot(&[1, 4, 3], &mut Rng::new(1, 0));
        let fitted = fit.run(network, &points, &all(&points), &mut Rng::new(2, 0), &mut Progress::new(1)).unwrap();
        for (found, expected) in outputs(&fitted, &[0.0]).into_iter().zip([-1.2816, 0.0, 1.2816]) {
            assert!((found - expected).abs() < 0.15, "{found} for {expected}");
        }
    }

    #[test]
    fn nothing_to_fit_changes_nothing_and_divergence_is_told() {
        let points = sine(5);
        let network = glorot(&[1, 4, 1], &mut Rng::new(1, 0));
        let fit = fit(PointLoss::Squared);
        let same = fit.run(network.clone(), &points, &[], &mut Rng::new(2, 0), &mut Progress::new(1)).unwrap();
        assert_eq!(floats(&same.parameters), floats(&network.parameters));
        let mut wild = network;
        floats_mut(&mut wild.parameters).fill(f32::MAX);
        let failure = fit.run(wild, &points, &all(&points), &mut Rng::new(2, 0), &mut Progress::new(1)).unwrap_err();
        assert_eq!(failure, Failure::Diverged("the loss is not finite in epoch 0".into()));
    }

    #[test]
    fn silly_sizes_are_refused() {
        assert!(affordable(&[13, 400, 400, 1], 10).is_ok());
        for (widths, size) in [(&[1, 100_000, 100_000, 1][..], 1), (&[1, 50, 1], usize::MAX), (&[1, usize::MAX, 1], 1)]
        {
            assert!(matches!(affordable(widths, size), Err(Failure::InvalidSetting(_))), "{widths:?}");
        }
    }
}
