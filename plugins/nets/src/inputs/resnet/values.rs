//! The values of a residual network's layers at a batch of images, and the gradient with respect to them.

use crate::Image;
use crate::batch_norm;
use crate::convolution::{Images, Room};
use crate::simd::{LANES, Lanes, floats, floats_mut};

use super::border::{Bordered, add};
use super::shape::{Layer, Shape};

/// The arrays of [`Values`] for one layer.
#[derive(Debug)]
struct LayerValues {
    /// The sums of the convolution, without a border; after batch normalisation the normalised values.
    sums: Vec<Lanes>,
    /// The rectified values, with a border of zeros.
    output: Vec<Lanes>,
    /// The mean, the variance and one over the standard deviation of each channel of the minibatch.
    statistics: [Vec<Lanes>; 3],
}

/// The values of every layer at a batch of images.
#[derive(Debug)]
pub(super) struct Values {
    count: usize,
    /// The images, with a border of zeros.
    images: Vec<f32>,
    layers: Vec<LayerValues>,
    room: Room,
    /// The gradient with respect to the output of one layer at a time, with a border.
    slopes: Vec<Lanes>,
    /// The gradient with respect to the sums of one layer at a time, and that of the last layer where a shortcut ended.
    deltas: [Vec<Lanes>; 2],
}

fn bordered(layer: &Layer) -> Bordered {
    Bordered { image: layer.output(), vectors: layer.width() }
}

impl Values {
    /// Makes buffers for at most `count` images.
    pub(super) fn new(shape: &Shape, count: usize) -> Self {
        let zeros = |len: usize| vec![Lanes::splat(0.0); len];
        let of = |layer: &Layer| LayerValues {
            sums: zeros(count * layer.inner()),
            output: zeros(count * layer.bordered()),
            statistics: [(); 3].map(|()| zeros(layer.width())),
        };
        Self {
            count: 0,
            images: vec![0.0; count * numbers(shape.image())],
            layers: shape.layers().iter().map(of).collect(),
            room: Room::default(),
            slopes: Vec::new(),
            deltas: [Vec::new(), Vec::new()],
        }
    }

    /// Makes buffers for at most `count` images and the gradient.
    pub(super) fn for_gradient(shape: &Shape, count: usize) -> Self {
        let longest = |len: fn(&Layer) -> usize| {
            let longest = shape.layers().iter().map(len).max().unwrap_or(0);
            vec![Lanes::splat(0.0); count * longest]
        };
        let deltas = [longest(Layer::inner), longest(Layer::inner)];
        Self { slopes: longest(Layer::bordered), deltas, ..Self::new(shape, count) }
    }

    /// Copies images into their borders.
    pub(super) fn read<'a>(&mut self, shape: &Shape, images: impl Iterator<Item = &'a [f32]>) {
        let Image { width, channels, .. } = shape.image();
        let row = (width + 2) * channels;
        self.count = 0;
        for (to, from) in self.images.chunks_exact_mut(numbers(shape.image())).zip(images) {
            let rows = to.chunks_exact_mut(row).skip(1).zip(from.chunks_exact(width * channels));
            rows.for_each(|(to, from)| to[channels..][..from.len()].copy_from_slice(from));
            self.count += 1;
        }
    }

    /// Computes the sums of layer `l`.
    pub(super) fn convolve(&mut self, shape: &Shape, l: usize, state: &[Lanes]) {
        let (before, after) = self.layers.split_at_mut(l);
        let images = read_by(shape, l, &self.images, before, self.count);
        let layer = &shape.layers()[l];
        layer.convolution.forward(&state[layer.filters()], images, &mut self.room, &mut after[0].sums, false);
    }

    /// Normalises the sums of layer `l`, and returns the means and the variances.
    pub(super) fn normalise(&mut self, shape: &Shape, l: usize) -> [&[Lanes]; 2] {
        let len = self.count * shape.layers()[l].inner();
        let LayerValues { sums, statistics: [mean, variance, inverse], .. } = &mut self.layers[l];
        batch_norm::normalise(&mut sums[..len], mean, variance, inverse);
        [mean, variance]
    }

    /// Computes the rectified values of layer `l`: scaled, shifted, and with those of the shortcut that ends there.
    pub(super) fn finish(&mut self, shape: &Shape, l: usize, scale: &[Lanes], shift: &[Lanes]) {
        let (layer, count) = (&shape.layers()[l], self.count);
        let (before, after) = self.layers.split_at_mut(l);
        let LayerValues { sums, output, .. } = &mut after[0];
        let (to, width) = (bordered(layer), layer.width());
        for (at, sums) in to.pixels(count, 1).zip(sums.chunks_exact(width)) {
            for (v, to) in output[at..][..width].iter_mut().enumerate() {
                *to = sums[v].mul_add(scale[v], shift[v]);
            }
        }
        if let Some(from) = shape.shortcut(l) {
            let stride = shape.layers()[l - 1].stride;
            let place = bordered(&shape.layers()[from]);
            let taken = (&before[from].output[..], place.pixels(count, stride), place.vectors);
            add(taken, (output, to.pixels(count, 1), width));
        }
        // The border is zero before and after.
        for value in output.iter_mut() {
            *value = value.relu();
        }
    }

    /// Writes the mean over the pixels of each channel of the last layer, image by image.
    pub(super) fn pool(&self, shape: &Shape, out: &mut [f32]) {
        let Some((layer, values)) = shape.layers().last().zip(self.layers.last()) else { return };
        let (width, image) = (layer.width(), layer.output());
        let share = Lanes::splat(1.0 / image.pixels() as f32);
        let output = values.output.chunks_exact(layer.bordered()).take(self.count);
        for (image, out) in output.zip(out.chunks_exact_mut(width * LANES)) {
            let mut sum = vec![Lanes::splat(0.0); width];
            for pixel in image.chunks_exact(width) {
                sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum = *sum + *value);
            }
            for sum in &mut sum {
                *sum = *sum * share;
            }
            out.copy_from_slice(floats(&sum));
        }
    }

    /// Sets the gradient with respect to the last layer's output from that with respect to what [`pool`](Self::pool)
    /// wrote.
    pub(super) fn unpool<'s>(&mut self, shape: &Shape, slopes: impl Iterator<Item = &'s [f32]>) {
        let Some(layer) = shape.layers().last() else { return };
        let share = 1.0 / layer.output().pixels() as f32;
        let images = floats_mut(&mut self.slopes).chunks_exact_mut(layer.bordered() * LANES);
        for (image, slopes) in images.zip(slopes) {
            for pixel in image.chunks_exact_mut(slopes.len()) {
                pixel.iter_mut().zip(slopes).for_each(|(to, slope)| *to = share * slope);
            }
        }
    }

    /// Computes the gradient with respect to the parameters of layer `l`, and replaces the gradient with respect to its
    /// output by that with respect to the output of the layer before.
    pub(super) fn backward(&mut self, shape: &Shape, l: usize, state: &[Lanes], gradient: &mut [Lanes]) {
        let (layer, count) = (&shape.layers()[l], self.count);
        let Self { images, layers, room, slopes, deltas: [delta, held], .. } = self;
        let (before, after) = layers.split_at_mut(l);
        let LayerValues { sums, output, statistics: [_, _, inverse] } = &after[0];
        let (width, len) = (layer.width(), count * layer.inner());
        let (delta, sums) = (&mut delta[..len], &sums[..len]);
        for (at, delta) in bordered(layer).pixels(count, 1).zip(delta.chunks_exact_mut(width)) {
            for (v, delta) in delta.iter_mut().enumerate() {
                *delta = slopes[at + v].where_positive(output[at + v]);
            }
        }
        if shape.shortcut(l).is_some() {
            held[..len].copy_from_slice(delta);
        }
        let (filters, normalisation) =
            gradient[layer.filters().start..layer.shift().end].split_at_mut(layer.filters().len());
        let (by_scale, by_shift) = normalisation.split_at_mut(width);
        batch_norm::backward(delta, sums, (&state[layer.scale()], inverse), (by_scale, by_shift));
        let read = read_by(shape, l, images, before, count);
        let by_inputs = (l > 0).then(|| &mut floats_mut(slopes)[..count * read.stride]);
        layer.convolution.backward(&state[layer.filters()], read, delta, room, filters, by_inputs);
        // Batch normalisation takes away what a bias would add.
        gradient[layer.biases()].fill(Lanes::splat(0.0));
        // The shortcut that ends at the next layer starts where this layer starts.
        if let Some(from) = shape.shortcut(l + 1) {
            let end = &shape.layers()[l + 1];
            let taken = (&held[..], (0..).step_by(end.width()), end.width());
            let place = bordered(&shape.layers()[from]);
            add(taken, (slopes, place.pixels(count, layer.stride), place.vectors));
        }
    }
}

/// The number of values of an image with its border.
fn numbers(Image { height, width, channels }: Image) -> usize {
    (height + 2) * (width + 2) * channels
}

/// Returns what layer `l` reads: the images, or the output of the layer before.
fn read_by<'a>(shape: &Shape, l: usize, images: &'a [f32], before: &'a [LayerValues], count: usize) -> Images<'a> {
    match before.last() {
        None => Images { values: images, stride: numbers(shape.image()), count },
        Some(values) => {
            let stride = shape.layers()[l - 1].bordered() * LANES;
            Images { values: floats(&values.output), stride, count }
        }
    }
}
