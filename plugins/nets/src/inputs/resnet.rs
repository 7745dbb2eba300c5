//! A residual network of twenty layers that turns an image into the features that a dense layer reads.

mod border;
mod shape;
mod values;

use jointly_sdk::Rng;

use crate::adam::Adam;
use crate::batch_norm::one_over_deviation;
use crate::simd::{Lanes, floats, floats_mut};

use shape::Layer;
pub(super) use shape::Shape;
use values::Values;

/// Images that are evaluated together.
const BLOCK: usize = 16;

/// The weight of a minibatch in the running statistics, once there were several.
const MOMENTUM: f32 = 0.1;

/// The residual network for CIFAR-10 of He, Zhang, Ren and Sun (2016, section 4.2) up to its last layer, which is dense:
/// nineteen convolutions of 3x3, each followed by batch normalisation; shortcuts around each pair of them but the
/// first, without parameters; rectified units; and the mean of each channel over the pixels.
///
/// # Formula
///
/// With a_l the values after layer l, n_l batch normalisation with a trained scale and shift, and w_l the convolution of
/// an image with a border of zeros: a_l = max(0, n_l(w_l a_{l-1}) + s), where s = a_{l-2} for even l above zero and 0
/// otherwise. The layers have 16, 32 and 64 channels; where their number doubles, the stride is two, and the shortcut
/// takes every second pixel and zeros for the new channels. In training, n_l has the statistics of the minibatch; in
/// evaluation their running means, so that the features of an image depend on that image alone.
#[derive(Clone, Debug)]
pub(super) struct Resnet {
    shape: Shape,
    /// The parameters of all layers, then the running means and variances of all layers.
    state: Vec<Lanes>,
}

impl Resnet {
    /// Makes an untrained network: weights are truncated normal with scale `sqrt(2 / fan-in)`, scales are one and shifts
    /// zero.
    pub(super) fn new(shape: Shape, rng: &mut Rng) -> Self {
        let mut state = vec![Lanes::splat(0.0); shape.len()];
        for layer in shape.layers() {
            let weights = floats_mut(&mut state[layer.weights()]);
            let scale = (2.0 / layer.convolution.depth() as f32).sqrt();
            weights.fill_with(|| scale * rng.truncated_normal());
            state[layer.scale()].fill(Lanes::splat(1.0));
            state[layer.variance()].fill(Lanes::splat(1.0));
        }
        Self { shape, state }
    }

    /// Everything that is trained, and the running statistics.
    pub(super) fn values(&self) -> &[f32] {
        floats(&self.state)
    }

    /// Everything that is trained, and the running statistics.
    pub(super) fn values_mut(&mut self) -> &mut [f32] {
        floats_mut(&mut self.state)
    }

    /// Returns the features of every image, by the running statistics. The bits of an image's features depend on that
    /// image alone.
    pub(super) fn features(&self, images: &[f32]) -> Vec<f32> {
        let (numbers, features) = (self.shape.image().numbers(), self.shape.features());
        let count = images.len() / numbers;
        let mut values = Values::new(&self.shape, BLOCK.min(count));
        let mut out = vec![0.0; count * features];
        for (images, out) in images.chunks(BLOCK * numbers).zip(out.chunks_mut(BLOCK * features)) {
            values.read(&self.shape, images.chunks_exact(numbers));
            for (l, layer) in self.shape.layers().iter().enumerate() {
                values.convolve(&self.shape, l, &self.state);
                let (scale, shift) = self.folded(layer);
                values.finish(&self.shape, l, &scale, &shift);
            }
            values.pool(&self.shape, out);
        }
        out
    }

    /// Returns the factor and the summand of each channel that stand for batch normalisation in evaluation.
    fn folded(&self, layer: &Layer) -> (Vec<Lanes>, Vec<Lanes>) {
        let of = |place: std::ops::Range<usize>| &self.state[place];
        let scales = of(layer.scale()).iter().zip(of(layer.variance()));
        let scales: Vec<Lanes> = scales.map(|(scale, variance)| *scale * one_over_deviation(*variance)).collect();
        let shifts = of(layer.shift()).iter().zip(of(layer.mean())).zip(&scales);
        let shifts = shifts.map(|((shift, mean), scale)| *shift - *mean * *scale).collect();
        (scales, shifts)
    }
}

/// The optimiser of a residual network, and what a minibatch leaves for its gradient.
#[derive(Debug)]
pub(super) struct ResnetSteps {
    adam: Adam,
    decay: f32,
    values: Values,
    gradient: Vec<Lanes>,
    /// Minibatches that were read.
    read: usize,
}

impl ResnetSteps {
    /// Prepares for minibatches of at most `rows` images.
    pub(super) fn new(resnet: &Resnet, rows: usize, rate: f32, decay: f32) -> Self {
        let parameters = resnet.shape.parameters();
        Self {
            adam: Adam::new(parameters, rate),
            decay,
            values: Values::for_gradient(&resnet.shape, rows),
            gradient: vec![Lanes::splat(0.0); parameters],
            read: 0,
        }
    }

    /// Writes the features of a minibatch by its own statistics, and includes these in the running ones.
    pub(super) fn write<'a>(&mut self, resnet: &mut Resnet, images: impl Iterator<Item = &'a [f32]>, out: &mut [f32]) {
        self.read += 1;
        // The mean of the first minibatches, then an exponential moving average.
        let share = Lanes::splat(MOMENTUM.max(1.0 / self.read as f32));
        let Resnet { shape, state } = resnet;
        self.values.read(shape, images);
        for (l, layer) in shape.layers().iter().enumerate() {
            self.values.convolve(shape, l, state);
            let [mean, variance] = self.values.normalise(shape, l);
            for (place, found) in [(layer.mean(), mean), (layer.variance(), variance)] {
                for (running, found) in state[place].iter_mut().zip(found) {
                    *running = (*found - *running).mul_add(share, *running);
                }
            }
            self.values.finish(shape, l, &state[layer.scale()], &state[layer.shift()]);
        }
        self.values.pool(shape, out);
    }

    /// Updates the parameters by the gradient with respect to the features that were [written](Self::write) last.
    pub(super) fn step<'s>(&mut self, resnet: &mut Resnet, slopes: impl Iterator<Item = &'s [f32]>) {
        self.differentiate(resnet, slopes);
        let parameters = &mut resnet.state[..resnet.shape.parameters()];
        self.adam.update(parameters, &self.gradient, self.decay);
    }

    /// Computes the gradient with respect to the parameters.
    fn differentiate<'s>(&mut self, resnet: &Resnet, slopes: impl Iterator<Item = &'s [f32]>) {
        let Resnet { shape, state } = resnet;
        self.values.unpool(shape, slopes);
        for l in (0..shape.layers().len()).rev() {
            self.values.backward(shape, l, state, &mut self.gradient);
        }
    }
}

#[cfg(test)]
mod tests;
