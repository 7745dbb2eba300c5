//! A normal posterior of each parameter of a network, or of its last layer alone, trained by flipout.

use crate::adam::Adam;
use crate::convolution::Images;
use crate::layout::mask_of;
use crate::noisy::Deviations;
use crate::normals::Normals;
use crate::simd::{Lanes, floats};
use crate::softmax::exp;
use crate::{Network, Noisy, Progress, Stream};
use jointly_sdk::{Failure, Inputs};

use super::fit::{Course, Setup};
use super::fitted::Fitted;
use super::prior::Prior;
use super::rows::probabilities;

/// Rows that pass through a drawn network together.
const BLOCK: usize = 64;

/// The logarithm of a scale stays between these, so that its exponential is finite and not zero.
const LOG_SCALES: (f32, f32) = (-20.0, 5.0);

/// Which layers are uncertain; embeddings never are, nor is what stands before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertain {
    /// Convolutions and dense layers.
    AllLayers,
    /// The last dense layer alone.
    LastLayer,
}

/// The prior of each parameter, and how the posterior is trained.
#[derive(Clone, Debug)]
pub struct Variational {
    /// The distribution of each parameter before any data are seen.
    pub prior: Prior,
    /// Factor of the divergence from the prior; 1 makes the loss the evidence's lower bound.
    pub weight: f32,
    /// Standard deviation with which training starts.
    pub initial_scale: f32,
    /// Step size of Adam for the logarithms of the standard deviations.
    pub scale_rate: f32,
}

/// A mean and a standard deviation of each uncertain parameter; the others are points.
///
/// # Formula
///
/// Minimises E [mean cross-entropy of a batch] + c / T KL(q || p), where T is the number of examples, q has a mean and a standard
/// deviation exp(rho) for each uncertain parameter, and p is the prior, with mean zero. The expectation is one sample a row, whose
/// deviations have signs of the row (flipout): d = exp(rho) z for the batch, z standard normal. With g and h the gradients with
/// respect to means and deviations, that of rho is h d + c / T (exp(2 rho) / s^2 - 1), and the divergence adds c / T mu / s^2 to g.
/// Where the prior is a mixture its part of the divergence is sampled: c / T times the derivative of -ln p(mu + d) is added to both
/// g and h, in place of what has s.
///
/// After Wen, Vicol, Ba, Tran and Grosse (2018).
#[derive(Debug)]
pub struct Belief {
    /// Whose network has the means.
    pub fitted: Fitted,
    /// Where the uncertain parameters start, in vectors.
    from: usize,
    /// Their standard deviations; zero where a row is padded.
    scales: Vec<Lanes>,
    seed: u64,
}

impl Setup<'_> {
    /// Trains a posterior. Without examples it is the prior, or the normal distribution of its variance.
    ///
    /// # Errors
    ///
    /// A loss that stopped being finite.
    pub fn believe(&self, uncertain: Uncertain, by: &Variational, progress: &mut Progress) -> Result<Belief, Failure> {
        let mut network = self.plan().network(self.seed, 0);
        let blocks = network.blocks();
        let first = if uncertain == Uncertain::AllLayers { 0 } else { blocks.len() - 1 };
        let flips: Vec<bool> = (0..blocks.len()).map(|b| b >= first).collect();
        let from = blocks[first].vectors().start;
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

/// The exponentials of logarithms, which are kept in bounds; zero where a row is padded.
fn scales_of(logarithms: &[Lanes], mask: &[Lanes]) -> Vec<Lanes> {
    let (low, high) = (Lanes::splat(LOG_SCALES.0), Lanes::splat(LOG_SCALES.1));
    let zero = Lanes::splat(0.0);
    let scale = |(value, mask): (&Lanes, &Lanes)| exp((high - (high - *value).max(zero)).max(low)) * *mask;
    logarithms.iter().zip(mask).map(scale).collect()
}

impl Belief {
    /// What a draw adds to the means of the uncertain parameters.
    fn deviations(&self, draw: u64) -> Vec<Lanes> {
        let mut deviations = vec![Lanes::splat(0.0); self.scales.len()];
        Normals::new(&mut Stream::Parameters.rng(self.seed, draw)).fill(&mut deviations);
        deviations.iter_mut().zip(&self.scales).for_each(|(deviation, scale)| *deviation = *deviation * *scale);
        deviations
    }

    /// What a draw adds to the last layer's means, class by class: `out[k * (inputs + 1) + j]`.
    ///
    /// # Panics
    ///
    /// Where more than the last layer is uncertain, or there is less room.
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

    /// The network that a draw names: a sample of all uncertain parameters.
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

    /// Class probabilities of the networks that the draws name, one after the other: `out[(m * rows + t) * classes + k]`. Each is
    /// drawn once for all rows.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's.
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
