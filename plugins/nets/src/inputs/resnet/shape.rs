//! The layers of a residual network for images of one shape, and where their parameters lie.

use std::ops::Range;

use jointly_sdk::Failure;

use crate::Image;
use crate::convolution::Convolution;
use crate::simd::{LANES, vectors};

/// Side length of a filter, in pixels.
const KERNEL: usize = 3;

/// Channels of each stage. They fill whole vectors, so that no pixel is padded.
const CHANNELS: [usize; 3] = [16, 32, 64];

/// Blocks of two convolutions in each stage.
const BLOCKS: usize = 3;

/// The largest number of values that training may hold for a minibatch: 512 MiB, half of what an agent may hold unless
/// its user allows more.
const MOST_NUMBERS: usize = 1 << 27;

/// A convolution, its batch normalisation, and where their parameters lie.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) convolution: Convolution,
    /// The distance between the pixels at which the filters are applied.
    pub(super) stride: usize,
    /// Index of the first vector of the parameters: weights, a row of biases that stay zero, scales, shifts.
    from: usize,
    /// Index of the first vector of the running statistics: means, variances.
    statistics: usize,
}

impl Layer {
    /// The shape of the output, without a border.
    pub(super) fn output(&self) -> Image {
        self.convolution.output()
    }

    /// The number of vectors in a pixel of the output.
    pub(super) fn width(&self) -> usize {
        vectors(self.output().channels)
    }

    /// The number of vectors of an output image with its border.
    pub(super) fn bordered(&self) -> usize {
        let Image { height, width, .. } = self.output();
        (height + 2) * (width + 2) * self.width()
    }

    /// The number of vectors of an output image without a border.
    pub(super) fn inner(&self) -> usize {
        self.output().pixels() * self.width()
    }

    fn place(&self, rows: Range<usize>) -> Range<usize> {
        self.from + rows.start * self.width()..self.from + rows.end * self.width()
    }

    pub(super) fn weights(&self) -> Range<usize> {
        self.place(0..self.convolution.depth())
    }

    /// Weights and biases, as the convolution takes them.
    pub(super) fn filters(&self) -> Range<usize> {
        self.place(0..self.convolution.depth() + 1)
    }

    pub(super) fn biases(&self) -> Range<usize> {
        let depth = self.convolution.depth();
        self.place(depth..depth + 1)
    }

    pub(super) fn scale(&self) -> Range<usize> {
        let depth = self.convolution.depth();
        self.place(depth + 1..depth + 2)
    }

    pub(super) fn shift(&self) -> Range<usize> {
        let depth = self.convolution.depth();
        self.place(depth + 2..depth + 3)
    }

    /// The running means.
    pub(super) fn mean(&self) -> Range<usize> {
        self.statistics..self.statistics + self.width()
    }

    /// The running variances.
    pub(super) fn variance(&self) -> Range<usize> {
        self.statistics + self.width()..self.statistics + 2 * self.width()
    }
}

/// The layers for images of one shape.
#[derive(Clone, Debug)]
pub(in crate::inputs) struct Shape {
    image: Image,
    layers: Vec<Layer>,
    parameters: usize,
}

impl Shape {
    /// Returns the layers for images of this shape, which are trained in minibatches of `batch_size`.
    ///
    /// # Errors
    ///
    /// Fails if an image has no pixel, or if a minibatch needs more than 2^27 numbers.
    pub(in crate::inputs) fn new(image: Image, batch_size: usize) -> Result<Self, Failure> {
        let Image { height, width, channels } = image;
        // Half of the values are in the seven layers of the first stage, each before and after its normalisation.
        let room = [height, width, channels.saturating_add(CHANNELS[0]), 8 * BLOCKS, batch_size];
        let room = room.into_iter().try_fold(1usize, usize::checked_mul);
        if room.is_none_or(|room| room > MOST_NUMBERS) {
            return Err(Failure::InvalidSetting(format!(
                "network=resnet20 needs more than {} MiB for minibatches of {batch_size} images of {height} x {width} \
                 pixels: use a smaller batch-size, or smaller images",
                (MOST_NUMBERS * size_of::<f32>()) >> 20
            )));
        }
        let convolutions: Vec<(Convolution, usize)> = convolutions(image).ok_or_else(|| {
            Failure::Unsupported(format!("network=resnet20 cannot read images of {height} x {width} x {channels}"))
        })?;
        let mut layers = Vec::new();
        let mut parameters = 0;
        for (convolution, stride) in convolutions {
            let len = (convolution.depth() + 3) * vectors(convolution.output().channels);
            layers.push(Layer { convolution, stride, from: parameters, statistics: 0 });
            parameters += len;
        }
        let mut statistics = parameters;
        for layer in &mut layers {
            layer.statistics = statistics;
            statistics += 2 * layer.width();
        }
        Ok(Self { image, layers, parameters })
    }

    /// The shape of an image.
    pub(super) fn image(&self) -> Image {
        self.image
    }

    pub(super) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The number of features.
    pub(in crate::inputs) fn features(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.output().channels)
    }

    /// The number of vectors of parameters.
    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }

    /// The number of vectors of parameters and running statistics.
    pub(super) fn len(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.variance().end)
    }

    /// The number of parameters and running statistics.
    pub(in crate::inputs) fn numbers(&self) -> usize {
        self.len() * LANES
    }

    /// Returns the layer from which the shortcut that ends at layer `l` starts, if one ends there.
    pub(super) fn shortcut(&self, l: usize) -> Option<usize> {
        l.checked_sub(2).filter(|from| from.is_multiple_of(2) && l < self.layers.len())
    }
}

/// Returns the convolutions, which read images with a border of zeros, and their strides.
fn convolutions(image: Image) -> Option<Vec<(Convolution, usize)>> {
    let mut shape = image;
    let mut add = |channels: usize, stride: usize| {
        let bordered = Image { height: shape.height + 2, width: shape.width + 2, ..shape };
        let convolution = Convolution::new(bordered, shape.channels, channels, KERNEL)?.strided(stride);
        shape = convolution.output();
        Some((convolution, stride))
    };
    if image.pixels() == 0 {
        return None;
    }
    let first = add(CHANNELS[0], 1);
    let stages = CHANNELS.iter().enumerate();
    let others = stages.flat_map(|(stage, channels)| (0..2 * BLOCKS).map(move |at| (stage, at, *channels)));
    let others = others.map(|(stage, at, channels)| add(channels, if stage > 0 && at == 0 { 2 } else { 1 }));
    let others: Vec<_> = others.collect();
    [first].into_iter().chain(others).collect()
}
