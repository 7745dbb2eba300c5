//! Stochastic gradient descent at a constant step size, from a trained network.

use jointly_nets::convolution::Images;
use jointly_nets::inputs::Fitted;
use jointly_nets::loss::{CrossEntropy, Targets};
use jointly_nets::simd::Lanes;
use jointly_nets::{Network, Noisy};
use jointly_sdk::{Dataset, Failure, Inputs, Matrix, Rng, TokenMatrix};

/// Gradient descent with momentum.
///
/// # Formula
///
/// v = momentum v + g + decay theta, theta = theta - rate v.
#[derive(Debug)]
pub(crate) struct Sgd {
    rate: Lanes,
    momentum: Lanes,
    decay: Lanes,
    velocity: Vec<Lanes>,
}

impl Sgd {
    /// Makes an optimiser for `len` vectors of parameters.
    pub(crate) fn new(len: usize, rate: f32, momentum: f32, decay: f32) -> Self {
        let [rate, momentum, decay] = [-rate, momentum, decay].map(Lanes::splat);
        Self { rate, momentum, decay, velocity: vec![Lanes::splat(0.0); len] }
    }

    /// Moves the parameters.
    fn update(&mut self, parameters: &mut [Lanes], gradient: &[Lanes]) {
        for ((value, slope), velocity) in parameters.iter_mut().zip(gradient).zip(&mut self.velocity) {
            let slope = value.mul_add(self.decay, *slope);
            *velocity = velocity.mul_add(self.momentum, slope);
            *value = velocity.mul_add(self.rate, *value);
        }
    }
}

/// The continued training of a network on minibatches that are drawn with replacement, so that gradients are noisy
/// however few examples there are. Embeddings and an LSTM stay as they were trained.
#[derive(Debug)]
pub(crate) struct Descent<'a> {
    fitted: &'a Fitted,
    data: &'a Dataset<Inputs>,
    sgd: Sgd,
    batches: Rng,
    batch_size: usize,
    noisy: Noisy,
    loss: CrossEntropy,
    gradient: Vec<Lanes>,
    weights: Vec<f32>,
}

impl<'a> Descent<'a> {
    /// Prepares the steps in minibatches of `batch_size` examples, of which there is at least one.
    pub(crate) fn new(
        fitted: &'a Fitted,
        data: &'a Dataset<Inputs>,
        batch_size: usize,
        sgd: Sgd,
        mut batches: Rng,
    ) -> Self {
        let mut noisy = Noisy::new(&fitted.network, batch_size);
        // All minibatches have the same number of rows, without noise.
        noisy.draw(batch_size, &mut batches);
        Self {
            data,
            sgd,
            batches,
            batch_size,
            noisy,
            loss: CrossEntropy::new(fitted.classes()),
            gradient: vec![Lanes::splat(0.0); fitted.network.parameters.len()],
            weights: vec![1.0 / batch_size as f32; batch_size],
            fitted,
        }
    }

    /// Moves the network by one step, and returns whether the loss was finite.
    ///
    /// # Errors
    ///
    /// The inputs do not fit the task.
    pub(crate) fn step(&mut self, network: &mut Network) -> Result<bool, Failure> {
        let examples = self.data.labels.len();
        let batch: Vec<usize> = (0..self.batch_size).map(|_| self.batches.below(examples)).collect();
        let inputs = rows(&self.data.inputs, &batch)?;
        let read = self.fitted.read(&inputs)?;
        let labels: Vec<u32> = batch.iter().map(|example| self.data.labels[*example]).collect();
        let images = Images { values: read.values(), stride: read.cols(), count: batch.len() };
        let Self { loss, weights, .. } = self;
        let finite = self.noisy.differentiate(network, None, images, &mut self.gradient, |outputs, stride| {
            loss.differentiate(outputs, stride, Targets { labels: &labels, weights, offsets: &[] })
        });
        self.sgd.update(&mut network.parameters, &self.gradient);
        Ok(finite)
    }
}

/// Returns some rows of the inputs.
fn rows(from: &Inputs, places: &[usize]) -> Result<Inputs, Failure> {
    let numbers = places.iter().flat_map(|place| from.numbers.row(*place)).copied().collect();
    let tokens = places.iter().flat_map(|place| from.tokens.row(*place)).copied().collect();
    let numbers = Matrix::new(places.len(), from.numbers.cols(), numbers);
    let tokens = TokenMatrix::new(places.len(), from.tokens.cols(), tokens);
    let rows = numbers.zip(tokens).map(|(numbers, tokens)| Inputs { numbers, tokens });
    rows.ok_or_else(|| Failure::Internal("rows of another length".into()))
}

#[cfg(test)]
mod tests {
    use jointly_nets::simd::{LANES, floats, floats_mut};

    use super::*;
    use crate::moments::Moments;

    /// Runs descent on the loss curvature (theta - optimum)^2 / 2 of each of many parameters, under normal noise of its
    /// gradient, and returns the moments over the parameters of the distribution that it reaches: mean and variance.
    fn stationary(rate: f32, momentum: f32, curvature: f32, decay: f32, optimum: f32, noise: f32) -> (f64, f64) {
        const VECTORS: usize = 64;
        const BURN_IN: usize = 400;
        const STEPS: usize = 4000;
        let mut sgd = Sgd::new(VECTORS, rate, momentum, decay);
        let mut parameters = vec![Lanes::splat(0.0); VECTORS];
        let mut gradient = parameters.clone();
        let mut rng = Rng::new(2, 0);
        let (mut first, mut second) = (0.0, 0.0);
        let mut moments = Moments::new(VECTORS, 0);
        for step in 0..STEPS {
            for (slope, value) in floats_mut(&mut gradient).iter_mut().zip(floats(&parameters)) {
                *slope = curvature * (value - optimum) + noise * rng.normal();
            }
            sgd.update(&mut parameters, &gradient);
            if step >= BURN_IN {
                moments.add(&parameters);
                let squares = floats(&parameters).iter().map(|value| f64::from(*value).powi(2));
                second += squares.sum::<f64>();
            }
        }
        let posterior = moments.posterior(1.0).unwrap();
        first += floats(&posterior.mean).iter().map(|mean| f64::from(*mean)).sum::<f64>();
        let mean = first / (VECTORS * LANES) as f64;
        (mean, second / (VECTORS * LANES * (STEPS - BURN_IN)) as f64 - mean * mean)
    }

    #[test]
    fn on_a_parabola_snapshots_have_the_optimum_as_mean_and_the_stationary_variance() {
        for (rate, momentum, decay) in [(0.1, 0.0, 0.0), (0.05, 0.9, 0.0), (0.05, 0.5, 0.3)] {
            let (curvature, optimum, noise) = (0.8f32, 1.5f32, 0.6f32);
            let (mean, variance) = stationary(rate, momentum, curvature, decay, optimum, noise);
            // With the penalty the loss is a parabola of curvature a = curvature + decay around curvature optimum / a.
            let [r, m, a, s] = [rate, momentum, curvature + decay, noise].map(f64::from);
            let center = f64::from(curvature * optimum) / a;
            // From v' = m v + a x + noise and x' = x - r v': the variance of x in the stationary distribution.
            let expected = r * (1.0 + m) * s * s / ((1.0 - m) * a * (2.0 * (1.0 + m) - r * a));
            assert!((mean / center - 1.0).abs() < 0.01, "{mean} for {center}");
            assert!((variance / expected - 1.0).abs() < 0.05, "{variance} for {expected}");
        }
    }
}
