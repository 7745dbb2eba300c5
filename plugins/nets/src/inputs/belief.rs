//! A Gaussian posterior over the parameters of a network, or of its last layer only, trained by flipout.

use crate::adam::Adam;
use crate::convolution::Images;
use crate::layout::mask_of;
use crate::learned;
use crate::noisy::Deviations;
use crate::normals::Normals;
use crate::simd::{Lanes, floats, floats_mut};
use crate::softmax::exp;
use crate::{Network, Noisy, Progress, Stream};
use jointly_sdk::{Failure, Inputs};

use super::fit::{Course, Setup};
use super::fitted::Fitted;
use super::prior::Prior;
use super::rows::probabilities;

/// Rows that pass through a sampled network together.
const BLOCK: usize = 64;

/// Bounds of the logarithm of a scale, so that its exponential is finite and not zero.
const LOG_SCALES: (f32, f32) = (-20.0, 5.0);

/// The layers that have a posterior; embeddings and whatever stands before them never have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertain {
    /// Convolutions and dense layers.
    AllLayers,
    /// The last dense layer only.
    LastLayer,
}

/// The prior of each parameter, and how the posterior is trained.
#[derive(Clone, Debug)]
pub struct Variational {
    /// The prior distribution of each parameter.
    pub prior: Prior,
    /// The factor of the KL divergence from the prior; with 1 the loss is the negative evidence lower bound per
    /// example.
    pub weight: f32,
    /// The initial standard deviation of the posterior.
    pub initial_scale: f32,
    /// Step size of Adam for the logarithms of the standard deviations.
    pub scale_rate: f32,
}

/// A posterior with a mean and a standard deviation for each uncertain parameter; the other parameters are point
/// estimates.
///
/// # Formula
///
/// Minimises E [mean cross-entropy of a minibatch] + c / T KL(q || p), where T is the number of examples, q has a mean
/// mu and a standard deviation exp(rho) for each uncertain parameter, and p is the prior, with mean zero and standard
/// deviation s. The expectation is estimated with one sample per row, whose deviations have the signs of the row
/// (flipout): d = exp(rho) z for the minibatch, with z standard normal. With g and h the gradients with respect to
/// means and deviations, the gradient of rho is h d + c / T (exp(2 rho) / s^2 - 1), and the divergence adds c / T mu /
/// s^2 to g. If the prior is a mixture, its part of the divergence is sampled: c / T times the derivative of -ln p(mu +
/// d) is added to both g and h, instead of the terms with s.
///
/// After Wen, Vicol, Ba, Tran and Grosse (2018).
#[derive(Debug)]
pub struct Belief {
    /// The trained network; its parameters are the means.
    pub fitted: Fitted,
    /// Index of the first vector of the uncertain parameters.
    from: usize,
    /// The standard deviations of the uncertain parameters; zero where a row is padded.
    scales: Vec<Lanes>,
    seed: u64,
}

impl Setup<'_> {
    /// Returns a trained posterior from the bytes that [`Belief::learned`] gave of it.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not those of such a posterior.
    pub fn believe_again(&self, uncertain: Uncertain, bytes: &[u8]) -> Result<Belief, Failure> {
        let fitted = self.untrained(0);
        let from = first_of(&fitted.network, uncertain);
        let scales = vec![Lanes::splat(0.0); fitted.network.parameters.len() - from];
        let mut belief = Belief { fitted, from, scales, seed: self.seed };
        let [parameters, embeddings, lstm] = belief.fitted.learned_mut();
        learned::restore(bytes, [parameters, embeddings, lstm, floats_mut(&mut belief.scales)])?;
        Ok(belief)
    }

    /// Trains a posterior. Without examples it is the prior, or the Gaussian with the variance of a mixture prior.
    ///
    /// # Errors
    ///
    /// Fails if the loss, or a parameter or standard deviation, is not finite.
    pub fn believe(&self, uncertain: Uncertain, by: &Variational, progress: &mut Progress) -> Result<Belief, Failure> {
        let mut network = self.plan().network(self.seed, 0);
        let blocks = network.blocks();
        let from = first_of(&network, uncertain);
        let flips: Vec<bool> = blocks.iter().map(|block| block.vectors().start >= from).collect();
        let mask = mask_of(&blocks)[from..].to_vec();
        let zero = Lanes::splat(0.0);
        let len = network.parameters.len();
        let divergence = by.weight / self.examples().max(1) as f32;
        let precision = by.prior.precision();
        let (weight, per_square) = (Lanes::splat(divergence), Lanes::splat(precision.unwrap_or(0.0)));

        let mut course = Course::new(self, 0, progress, |noisy| noisy.flipping(&flips));
        let mut adam = Adam::new(len, self.design.learning_rate);
        let mut adam_of_scales = Adam::new(len - from, by.scale_rate);
        let mut logarithms = vec![Lanes::splat(libm::logf(by.initial_scale)); len - from];
        let mut scales = scales_of(&logarithms, &mask);
        let (mut gradient, mut by_deviations) = (vec![zero; len], vec![zero; len]);
        let (mut deviations, mut by_logarithms) = (vec![zero; len], vec![zero; len - from]);
        let mut normals = Normals::new(&mut Stream::Noise.rng(self.seed, 0));
        while course.next_batch()? {
            normals.fill(&mut deviations[from..]);
            deviations[from..].iter_mut().zip(&scales).for_each(|(deviation, scale)| *deviation = *deviation * *scale);
            let flipped = Deviations { values: &deviations, gradient: &mut by_deviations };
            course.differentiate(&network, Some(flipped), &mut gradient);
            for (slope, mean) in gradient[from..].iter_mut().zip(&network.parameters[from..]) {
                *slope = (weight * per_square).mul_add(*mean, *slope);
            }
            if precision.is_none() {
                let drawn = network.parameters[from..].iter().zip(&deviations[from..]);
                let drawn: Vec<Lanes> = drawn.map(|(mean, deviation)| *mean + *deviation).collect();
                by.prior.add_surprise(&drawn, divergence, &mut gradient[from..]);
                by.prior.add_surprise(&drawn, divergence, &mut by_deviations[from..]);
            }
            let slopes = by_deviations[from..].iter().zip(&deviations[from..]).zip(&scales);
            for (out, ((slope, deviation), scale)) in by_logarithms.iter_mut().zip(slopes) {
                let pull = (*scale * *scale).mul_add(per_square, Lanes::splat(-1.0));
                *out = slope.mul_add(*deviation, weight * pull);
            }
            adam.update(&mut network.parameters, &gradient, 0.0);
            adam_of_scales.update(&mut logarithms, &by_logarithms, 0.0);
            scales = scales_of(&logarithms, &mask);
        }
        if self.examples() == 0 {
            network.parameters[from..].fill(zero);
            scales = mask.iter().map(|mask| *mask * Lanes::splat(by.prior.scale())).collect();
        }
        if floats(&scales).iter().any(|scale| !scale.is_finite()) {
            return Err(Failure::Diverged("a standard deviation is not finite at the end of training".into()));
        }
        Ok(Belief { fitted: course.end(network)?, from, scales, seed: self.seed })
    }
}

/// Returns the index of the first vector of the uncertain parameters.
fn first_of(network: &Network, uncertain: Uncertain) -> usize {
    let blocks = network.blocks();
    let first = if uncertain == Uncertain::AllLayers { 0 } else { blocks.len() - 1 };
    blocks[first].vectors().start
}

/// Returns the exponentials of the bounded logarithms; zero where a row is padded.
fn scales_of(logarithms: &[Lanes], mask: &[Lanes]) -> Vec<Lanes> {
    let (low, high) = (Lanes::splat(LOG_SCALES.0), Lanes::splat(LOG_SCALES.1));
    let zero = Lanes::splat(0.0);
    let scale = |(value, mask): (&Lanes, &Lanes)| exp((high - (high - *value).max(zero)).max(low)) * *mask;
    logarithms.iter().zip(mask).map(scale).collect()
}

impl Belief {
    /// Returns what training has changed, for [`Setup::believe_again`].
    pub fn learned(&self) -> Vec<u8> {
        [self.fitted.learned(), learned::keep([floats(&self.scales)])].concat()
    }

    /// Returns the deviations that a draw adds to the means of the uncertain parameters.
    fn deviations(&self, draw: u64) -> Vec<Lanes> {
        let mut deviations = vec![Lanes::splat(0.0); self.scales.len()];
        Normals::new(&mut Stream::Parameters.rng(self.seed, draw)).fill(&mut deviations);
        deviations.iter_mut().zip(&self.scales).for_each(|(deviation, scale)| *deviation = *deviation * *scale);
        deviations
    }

    /// Writes the deviations that a draw adds to the means of the last layer, class by class:
    /// `out[k * (inputs + 1) + j]`.
    ///
    /// # Panics
    ///
    /// Panics if layers before the last are uncertain.
    pub fn last_deviations(&self, draw: u64, out: &mut [f32]) {
        let blocks = self.fitted.network.blocks();
        let block = blocks[blocks.len() - 1];
        assert_eq!(block.vectors().start, self.from, "the last layer alone is uncertain");
        let deviations = self.deviations(draw);
        let width = block.inputs + 1;
        for (j, row) in floats(&deviations).chunks_exact(floats(&deviations).len() / width).enumerate() {
            let column = out.iter_mut().skip(j).step_by(width);
            column.zip(&row[..block.outputs]).for_each(|(out, deviation)| *out = *deviation);
        }
    }

    /// Returns the network that a draw names: a sample of all uncertain parameters.
    pub fn network(&self, draw: u64) -> Network {
        let mut network = self.fitted.network.clone();
        let uncertain = network.parameters[self.from..].iter_mut();
        uncertain.zip(self.deviations(draw)).for_each(|(value, deviation)| *value = *value + deviation);
        network
    }

    /// The mean of the standard deviations.
    pub fn mean_scale(&self) -> f64 {
        let used = floats(&self.scales).iter().filter(|scale| **scale > 0.0);
        let (sum, count) = used.fold((0.0, 0.0), |(sum, count), scale| (sum + f64::from(*scale), count + 1.0));
        sum / f64::max(count, 1.0)
    }

    /// Writes the class probabilities of the networks that the draws name, one after the other:
    /// `out[(m * rows + t) * classes + k]`. Each network is sampled once for all rows.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task.
    pub fn probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let read = self.fitted.read(inputs)?;
        if out.is_empty() {
            return Ok(());
        }
        let (dim, classes) = (read.cols(), self.fitted.classes());
        let mut noisy = Noisy::new(&self.fitted.network, BLOCK.min(read.rows()));
        let mut columns = vec![Lanes::splat(0.0); classes];
        for (draw, out) in draws.iter().zip(out.chunks_exact_mut(read.rows() * classes)) {
            let network = self.network(*draw);
            for (block, out) in read.values().chunks(BLOCK * dim).zip(out.chunks_mut(BLOCK * classes)) {
                let images = Images { values: block, stride: dim, count: block.len() / dim };
                let (outputs, stride) = noisy.outputs(&network, images);
                probabilities(&outputs[..images.count * stride], stride, &mut columns, out);
            }
        }
        Ok(())
    }
}
