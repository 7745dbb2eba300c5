//! The gradient of a network under noise that is drawn for each example: dropout, or flipout, in which the deviations
//! of the weights have other signs for each example.

mod linear;

use jointly_sdk::Rng;

use crate::convolution::{Image, Images};
use crate::front::{Front, Layer};
use crate::layout::{Block, stride};
use crate::network::{Network, ones};
use crate::pooling::Pooling;
use crate::simd::{LANES, Lanes, floats, floats_mut, vectors};
use crate::sparse::Pattern;

use linear::{Linear, Work};

/// The deviations of a network's parameters in one step, and the gradient with respect to them.
#[derive(Debug)]
pub struct Deviations<'a> {
    /// One value for each parameter, in the layout of the parameters; layers that are not flipped are not read.
    pub values: &'a [Lanes],
    /// Overwritten by the gradient; zero for the layers that are not flipped.
    pub gradient: &'a mut [Lanes],
}

/// One operation of the network. It reads the values of its own index and writes those of the next.
#[derive(Debug)]
enum Step {
    /// A convolution or a dense layer, and the index of its block.
    Linear(Linear, usize),
    Pooling(Pooling),
    /// Copies the pixels of an image into one row.
    Flatten,
}

/// The values of every layer of a network with rectified hidden units, at a batch of rows with separate noise.
///
/// # Formula
///
/// Dropout: a dense layer reads m_i x_i / (1 - p), where m_i is 0 with probability p and 1 otherwise, drawn for each
/// row.
///
/// Flipout: a layer with the parameters w and the deviations d has the sums w x + r o (d (s o x)), where r and s are
/// signs with equal probabilities, drawn for each row: one s for each input or input channel, one r for each output or
/// filter. The bias input has no sign s. If d has a symmetric distribution, each row has the distribution of w + d, and
/// the gradients of the rows are nearly independent although they share one d.
///
/// After Srivastava et al. (2014); Wen, Vicol, Ba, Tran and Grosse (2018).
#[derive(Debug)]
pub struct Noisy {
    front: Option<Front>,
    blocks: Vec<Block>,
    steps: Vec<Step>,
    /// The probability, for each dense layer, that one of its inputs is dropped.
    rates: Vec<f32>,
    /// Whether the deviations of each block get random signs per row.
    flips: Vec<bool>,
    /// Whether the gradient with respect to the inputs is computed too.
    by_inputs: bool,
    rows: usize,
    max_rows: usize,
    /// The inputs, and what each step writes.
    values: Vec<Vec<Lanes>>,
    /// The factors of each block's inputs; empty if none is dropped.
    masks: Vec<Vec<Lanes>>,
    /// The signs of the inputs and of the outputs of each block.
    signs: Vec<[Vec<Lanes>; 2]>,
    work: Work,
}

impl Noisy {
    /// Makes buffers for `max_rows` rows of networks with the shape of `network`, whose units must be rectified;
    /// without noise.
    pub fn new(network: &Network, max_rows: usize) -> Self {
        let (front, blocks) = (network.front().cloned(), network.blocks());
        let mut steps = Vec::new();
        let mut lens = vec![max_rows * stride(network.inputs())];
        let mut convolutions = 0;
        let mut read = stride(network.inputs()) * LANES;
        for layer in front.iter().flat_map(|front| &front.layers) {
            let Image { channels, .. } = layer.output();
            steps.push(match layer {
                Layer::Convolution(convolution, _) => {
                    let linear = Linear::Convolution(convolution.clone(), read);
                    convolutions += 1;
                    Step::Linear(linear, convolutions - 1)
                }
                Layer::Pooling(pooling) => Step::Pooling(*pooling),
            });
            read = layer.output().pixels() * vectors(channels) * LANES;
            lens.push(max_rows * read / LANES);
        }
        if let Some(front) = &front {
            steps.push(Step::Flatten);
            lens.push(max_rows * stride(front.features()));
        }
        for (b, block) in blocks.iter().enumerate().skip(convolutions) {
            steps.push(Step::Linear(Linear::Dense(*block), b));
            lens.push(max_rows * stride(block.outputs));
        }
        let zeros = |len: usize| vec![Lanes::splat(0.0); len];
        let longest = lens.iter().copied().max().unwrap_or(0);
        let transposed = blocks.iter().map(|block| block.outputs * vectors(block.inputs)).max();
        let count = blocks.len();
        Self {
            rates: vec![0.0; count - convolutions],
            flips: vec![false; count],
            by_inputs: false,
            rows: 0,
            max_rows,
            values: lens.into_iter().map(zeros).collect(),
            masks: vec![Vec::new(); count],
            signs: (0..count).map(|_| [Vec::new(), Vec::new()]).collect(),
            work: Work {
                patterns: vec![Pattern::default(); count],
                transposed: zeros(transposed.unwrap_or(0)),
                slopes: [zeros(longest), Vec::new()],
                ..Work::default()
            },
            front,
            blocks,
            steps,
        }
    }

    /// Adds dropout with one probability, below one, for each dense layer: that of each of its inputs to be dropped.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many probabilities as dense layers.
    #[must_use]
    pub fn dropping(mut self, rates: &[f32]) -> Self {
        assert_eq!(rates.len(), self.rates.len(), "a rate for each dense layer");
        self.rates = rates.to_vec();
        let convolutions = self.blocks.len() - rates.len();
        for ((mask, block), rate) in self.masks[convolutions..].iter_mut().zip(&self.blocks[convolutions..]).zip(rates)
        {
            let len = if *rate > 0.0 { self.max_rows * stride(block.inputs) } else { 0 };
            *mask = vec![Lanes::splat(1.0); len];
        }
        self
    }

    /// Adds flipout to some layers: one flag for each block of the network.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many flags as blocks.
    #[must_use]
    pub fn flipping(mut self, flips: &[bool]) -> Self {
        assert_eq!(flips.len(), self.flips.len(), "a flag for each layer");
        self.flips = flips.to_vec();
        let longest = self.work.slopes[0].len();
        for step in &self.steps {
            let Step::Linear(linear, b) = step else { continue };
            if flips[*b] {
                let lens = linear.signs().map(|numbers| self.max_rows * numbers.next_multiple_of(LANES) / LANES);
                self.signs[*b] = lens.map(|len| vec![Lanes::splat(1.0); len]);
                let room = |room: &mut Vec<Lanes>| room.resize(longest, Lanes::splat(0.0));
                self.work.flipped.iter_mut().for_each(room);
                room(&mut self.work.slopes[1]);
            }
        }
        self
    }

    /// Also computes the gradient with respect to the inputs, for [`by_inputs`](Self::by_inputs).
    ///
    /// # Panics
    ///
    /// Panics if the network has convolutions: the gradient with respect to images is not computed.
    #[must_use]
    pub fn differentiating_inputs(mut self) -> Self {
        assert!(self.front.is_none(), "images have no gradient");
        self.by_inputs = true;
        self
    }

    /// Returns the rows of the gradient with respect to the inputs from the last
    /// [`differentiate`](Self::differentiate), each followed by padding.
    pub fn by_inputs(&self) -> impl Iterator<Item = &[f32]> {
        let width = self.blocks[0].inputs;
        let rows = floats(&self.work.slopes[0]).chunks_exact(stride(width) * LANES);
        rows.take(if self.by_inputs { self.rows } else { 0 })
    }

    /// Returns the outputs at the images, or rows of inputs, without noise, and the length of a row; the outputs come
    /// first in each row. The bits of a row depend on that row alone.
    ///
    /// # Panics
    ///
    /// Panics if there are more rows than the buffers hold, or if units are dropped.
    pub fn outputs(&mut self, network: &Network, images: Images<'_>) -> (&[f32], usize) {
        assert!(self.rates.iter().all(|rate| *rate == 0.0), "units are dropped");
        self.rows = images.count;
        self.read(network, images);
        self.forward(&network.parameters, None);
        (floats(&self.values[self.steps.len()]), stride(network.outputs()) * LANES)
    }

    /// Draws the noise of `rows` rows.
    pub fn draw(&mut self, rows: usize, rng: &mut Rng) {
        self.rows = rows;
        for step in &self.steps {
            let Step::Linear(linear, b) = step else { continue };
            if self.flips[*b] {
                for (signs, numbers) in self.signs[*b].iter_mut().zip(linear.signs()) {
                    for row in floats_mut(signs).chunks_exact_mut(numbers.next_multiple_of(LANES)).take(rows) {
                        draw_signs(&mut row[..numbers], rng);
                    }
                }
                if let Linear::Dense(block) = linear {
                    // The bias input has no sign.
                    let ones = floats_mut(&mut self.signs[*b][0]).iter_mut().skip(block.inputs);
                    ones.step_by(stride(block.inputs) * LANES).for_each(|one| *one = 1.0);
                }
            }
            let rate = rate(&self.rates, self.blocks.len(), *b);
            if rate > 0.0 {
                let (width, keeps) = (self.blocks[*b].inputs, 1.0 / (1.0 - rate));
                for row in floats_mut(&mut self.masks[*b]).chunks_exact_mut(stride(width) * LANES).take(rows) {
                    row[..width].fill_with(|| if rng.uniform() >= rate { keeps } else { 0.0 });
                }
            }
        }
    }

    /// Replaces `gradient` by the gradient of a loss with respect to the parameters, at the images, or rows of inputs,
    /// under the noise that was drawn last. `loss` gets the outputs and the length of a row, and must replace the
    /// outputs by its gradient with respect to them; its return value is passed on. Without deviations no layer is
    /// flipped.
    ///
    /// # Panics
    ///
    /// Panics if noise was drawn for another number of rows.
    pub fn differentiate<T>(
        &mut self,
        network: &Network,
        mut deviations: Option<Deviations<'_>>,
        images: Images<'_>,
        gradient: &mut [Lanes],
        loss: impl FnOnce(&mut [f32], usize) -> T,
    ) -> T {
        assert_eq!(images.count, self.rows, "noise is drawn for each row");
        self.read(network, images);
        self.forward(&network.parameters, deviations.as_ref().map(|deviations| deviations.values));
        let last = self.steps.len();
        let value = loss(floats_mut(&mut self.values[last]), stride(network.outputs()) * LANES);
        self.backward(&network.parameters, deviations.as_mut(), gradient);
        value
    }

    /// Copies the inputs and writes a one behind each row.
    fn read(&mut self, network: &Network, images: Images<'_>) {
        let inputs = network.inputs();
        let rows = floats_mut(&mut self.values[0]).chunks_exact_mut(stride(inputs) * LANES);
        for (to, from) in rows.zip(images.values.chunks(images.stride)).take(images.count) {
            to[..inputs].copy_from_slice(&from[..inputs]);
            to[inputs] = 1.0;
        }
    }

    fn forward(&mut self, parameters: &[Lanes], deviations: Option<&[Lanes]>) {
        let rows = self.rows;
        for (i, step) in self.steps.iter().enumerate() {
            let (before, after) = self.values.split_at_mut(i + 1);
            let (read, out) = (&mut before[i], &mut after[0]);
            match step {
                Step::Pooling(pooling) => pooling.forward(read, rows, out),
                Step::Flatten => {
                    if let Some(front) = &self.front {
                        front.flatten(read, rows, out);
                        ones(out, front.features(), rows);
                    }
                }
                Step::Linear(linear, b) => {
                    let place = self.blocks[*b].vectors();
                    read.iter_mut().zip(&self.masks[*b]).for_each(|(value, factor)| *value = *value * *factor);
                    let rectified = i + 1 < self.steps.len();
                    let deviations = deviations.filter(|_| self.flips[*b]);
                    let work = (&mut self.work.room, &mut self.work.patterns[*b]);
                    linear.forward(
                        &parameters[place.clone()],
                        read,
                        rows,
                        work,
                        out,
                        rectified && deviations.is_none(),
                    );
                    if let Some(deviations) = deviations {
                        let [flipped, sums] = &mut self.work.flipped;
                        let [inputs, outputs] = &self.signs[*b];
                        linear.flip_read(i == 0, read, inputs, rows, flipped);
                        let work = (&mut self.work.room, &mut self.work.patterns[*b]);
                        linear.forward(&deviations[place], flipped, rows, work, sums, false);
                        linear.flip_written(sums, outputs, rows);
                        for (out, sum) in out.iter_mut().zip(&*sums).take(rows * linear.written()) {
                            *out = *out + *sum;
                            if rectified {
                                *out = out.relu();
                            }
                        }
                    }
                    if let (Linear::Dense(block), true) = (linear, rectified) {
                        ones(out, block.outputs, rows);
                    }
                }
            }
        }
    }

    fn backward(&mut self, parameters: &[Lanes], mut deviations: Option<&mut Deviations<'_>>, gradient: &mut [Lanes]) {
        let rows = self.rows;
        for (i, step) in self.steps.iter().enumerate().rev() {
            let (before, after) = self.values.split_at_mut(i + 1);
            let (read, delta) = (&mut before[i], &after[0]);
            let (linear, b) = match step {
                Step::Linear(linear, b) => (linear, *b),
                Step::Pooling(pooling) => {
                    pooling.backward(read, rows, delta);
                    continue;
                }
                Step::Flatten => {
                    if let Some(front) = &self.front {
                        front.unflatten(delta, rows, read);
                    }
                    continue;
                }
            };
            let place = self.blocks[b].vectors();
            let Work { slopes: [slopes, flipped_slopes], flipped: [flipped, sums], .. } = &mut self.work;
            let (mut slopes, mut flipped_slopes) = (std::mem::take(slopes), std::mem::take(flipped_slopes));
            let (mut flipped, mut sums) = (std::mem::take(flipped), std::mem::take(sums));
            let reads = rows * linear.read();
            let wanted = i > 0 || self.by_inputs;
            let by_read = wanted.then(|| &mut slopes[..reads]);
            let to = (&mut gradient[place.clone()], by_read);
            linear.backward(&parameters[place.clone()], read, delta, rows, (&mut self.work, b), to);
            if let Some(deviations) = deviations.as_deref_mut() {
                if self.flips[b] {
                    let [inputs, outputs] = &self.signs[b];
                    linear.flip_read(i == 0, read, inputs, rows, &mut flipped);
                    let written = rows * linear.written();
                    sums[..written].copy_from_slice(&delta[..written]);
                    linear.flip_written(&mut sums, outputs, rows);
                    let by_read = wanted.then(|| &mut flipped_slopes[..reads]);
                    let from = &deviations.values[place.clone()];
                    let to = (&mut deviations.gradient[place], by_read);
                    linear.backward(from, &flipped, &sums, rows, (&mut self.work, b), to);
                    if wanted {
                        linear.flip_read(false, &flipped_slopes, inputs, rows, &mut flipped);
                        slopes.iter_mut().zip(&flipped).take(reads).for_each(|(slope, other)| *slope = *slope + *other);
                    }
                } else {
                    deviations.gradient[place].fill(Lanes::splat(0.0));
                }
            }
            if i > 0 {
                // A dropped value is zero, so it is not positive.
                let keeps = Lanes::splat(1.0 / (1.0 - rate(&self.rates, self.blocks.len(), b)));
                let gated = read.iter_mut().zip(&slopes).take(reads);
                gated.for_each(|(value, slope)| *value = (*slope * keeps).where_positive(*value));
            } else {
                slopes.iter_mut().zip(&self.masks[b]).for_each(|(slope, factor)| *slope = *slope * *factor);
            }
            self.work.slopes = [slopes, flipped_slopes];
            self.work.flipped = [flipped, sums];
        }
    }
}

/// Returns the probability that an input of block `b` of `blocks` is dropped.
fn rate(rates: &[f32], blocks: usize, b: usize) -> f32 {
    b.checked_sub(blocks - rates.len()).map_or(0.0, |dense| rates[dense])
}

/// Fills the row with 1 and -1, using one random bit for each.
fn draw_signs(row: &mut [f32], rng: &mut Rng) {
    for signs in row.chunks_mut(u64::BITS as usize) {
        let bits = rng.next_u64();
        for (i, sign) in signs.iter_mut().enumerate() {
            *sign = if bits >> i & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
}

#[cfg(test)]
mod tests;
