//! A network's gradient where every example sees a network of its own: other units are dropped, or the weights' deviations have
//! other signs.

use jointly_sdk::Rng;

use crate::convolution::{Convolution, Image, Images, Room};
use crate::front::{Front, Layer};
use crate::layout::Block;
use crate::network::{Network, stride};
use crate::pooling::Pooling;
use crate::product::Target;
use crate::simd::{LANES, Lanes, Right, floats, floats_mut, transpose, vectors};
use crate::sparse::{Pattern, Rectified};

/// The deviations of a network's parameters in a step, and the gradient with respect to them.
#[derive(Debug)]
pub struct Deviations<'a> {
    /// As many as the parameters, in their places; those of the layers that are not flipped are not read.
    pub values: &'a [Lanes],
    /// Is replaced; zero for the layers that are not flipped.
    pub gradient: &'a mut [Lanes],
}

/// What one of the layers does; it reads values of its own and writes the next layer's.
#[derive(Debug)]
enum Step {
    /// A convolution or a dense layer, and the number of its block.
    Linear(Linear, usize),
    Pooling(Pooling),
    /// From pixels to rows.
    Flatten,
}

/// The values of every layer of a network with rectified hidden units, at a batch of rows with noise of their own.
///
/// # Formula
///
/// Dropout: a dense layer reads m_i x_i / (1 - p), where m_i is 0 with probability p and otherwise 1, for each row anew.
///
/// Flipout: a layer with the parameters w and the deviations d has the sums w x + r o (d (s o x)), where r and s are signs
/// with equal probabilities, drawn for each row anew, one for each input, output, channel and filter; a bias has no s. With d
/// of a symmetric law, each row has the law of w + d, and rows have nearly independent gradients though they share one d.
///
/// After Srivastava et al. (2014); Wen, Vicol, Ba, Tran and Grosse (2018).
#[derive(Debug)]
pub struct Noisy {
    front: Option<Front>,
    blocks: Vec<Block>,
    steps: Vec<Step>,
    /// For each dense layer the probability that a number which it reads is dropped.
    rates: Vec<f32>,
    /// For each block whether its deviations have signs of each row.
    flips: Vec<bool>,
    rows: usize,
    max_rows: usize,
    /// The inputs, and what each step writes.
    values: Vec<Vec<Lanes>>,
    /// For each block what the numbers that it reads are multiplied by; empty where none is dropped.
    masks: Vec<Vec<Lanes>>,
    /// For each block the signs of what it reads and of what it writes.
    signs: Vec<[Vec<Lanes>; 2]>,
    work: Work,
}

/// Room that layers share, and what they know of each other's passes.
#[derive(Debug, Default)]
struct Work {
    room: Room,
    /// Where each block's values are not zero.
    patterns: Vec<Pattern>,
    deltas: Pattern,
    transposed: Vec<Lanes>,
    /// The gradient with respect to what a layer reads, by the parameters and by the deviations.
    slopes: [Vec<Lanes>; 2],
    /// What a layer reads and writes, with its signs.
    flipped: [Vec<Lanes>; 2],
}

impl Noisy {
    /// Room for so many rows of networks that are shaped as this one, whose units must be rectified; without any noise.
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

    /// The same with units dropped: for each dense layer the probability, below one, for each number that it reads.
    ///
    /// # Panics
    ///
    /// Where there are not as many probabilities as dense layers.
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

    /// The same with the deviations of some layers flipped: for each block of the network whether its are.
    ///
    /// # Panics
    ///
    /// Where there are not as many flags as blocks.
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

    /// Draws the noise of so many rows.
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
                    // A bias has no sign of its own.
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

    /// Replaces `gradient` by a loss's with respect to the parameters, at the images, or rows of inputs, under the noise
    /// last drawn. The loss replaces the outputs, so many numbers a row, by its gradient with respect to them; what it
    /// returns is passed on. Without deviations no layer is flipped.
    ///
    /// # Panics
    ///
    /// Where there are other rows than noise was drawn for.
    pub fn differentiate<T>(
        &mut self,
        network: &Network,
        mut deviations: Option<Deviations<'_>>,
        images: Images<'_>,
        gradient: &mut [Lanes],
        loss: impl FnOnce(&mut [f32], usize) -> T,
    ) -> T {
        assert_eq!(images.count, self.rows, "noise is drawn for each row");
        let inputs = network.inputs();
        let rows = floats_mut(&mut self.values[0]).chunks_exact_mut(stride(inputs) * LANES);
        for (to, from) in rows.zip(images.values.chunks(images.stride)).take(images.count) {
            to[..inputs].copy_from_slice(&from[..inputs]);
            to[inputs] = 1.0;
        }
        self.forward(&network.parameters, deviations.as_ref().map(|deviations| deviations.values));
        let last = self.steps.len();
        let value = loss(floats_mut(&mut self.values[last]), stride(network.outputs()) * LANES);
        self.backward(&network.parameters, deviations.as_mut(), gradient);
        value
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
            let by_read = (i > 0).then(|| &mut slopes[..reads]);
            let to = (&mut gradient[place.clone()], by_read);
            linear.backward(&parameters[place.clone()], read, delta, rows, (&mut self.work, b), to);
            if let Some(deviations) = deviations.as_deref_mut() {
                if self.flips[b] {
                    let [inputs, outputs] = &self.signs[b];
                    linear.flip_read(i == 0, read, inputs, rows, &mut flipped);
                    let written = rows * linear.written();
                    sums[..written].copy_from_slice(&delta[..written]);
                    linear.flip_written(&mut sums, outputs, rows);
                    let by_read = (i > 0).then(|| &mut flipped_slopes[..reads]);
                    let from = &deviations.values[place.clone()];
                    let to = (&mut deviations.gradient[place], by_read);
                    linear.backward(from, &flipped, &sums, rows, (&mut self.work, b), to);
                    if i > 0 {
                        linear.flip_read(false, &flipped_slopes, inputs, rows, &mut flipped);
                        slopes.iter_mut().zip(&flipped).take(reads).for_each(|(slope, other)| *slope = *slope + *other);
                    }
                } else {
                    deviations.gradient[place].fill(Lanes::splat(0.0));
                }
            }
            if i > 0 {
                // What was dropped is not positive.
                let keeps = Lanes::splat(1.0 / (1.0 - rate(&self.rates, self.blocks.len(), b)));
                let gated = read.iter_mut().zip(&slopes).take(reads);
                gated.for_each(|(value, slope)| *value = (*slope * keeps).where_positive(*value));
            }
            self.work.slopes = [slopes, flipped_slopes];
            self.work.flipped = [flipped, sums];
        }
    }
}

/// The probability that a number which block `b` of so many reads is dropped.
fn rate(rates: &[f32], blocks: usize, b: usize) -> f32 {
    b.checked_sub(blocks - rates.len()).map_or(0.0, |dense| rates[dense])
}

/// A layer with parameters.
#[derive(Debug)]
enum Linear {
    /// A convolution, and how many numbers its images are apart.
    Convolution(Convolution, usize),
    Dense(Block),
}

impl Linear {
    /// Vectors that a row of what it reads has.
    fn read(&self) -> usize {
        match self {
            Self::Convolution(_, stride) => stride / LANES,
            Self::Dense(block) => stride(block.inputs),
        }
    }

    /// Vectors that a row of what it writes has.
    fn written(&self) -> usize {
        match self {
            Self::Convolution(convolution, _) => convolution.output().pixels() * vectors(convolution.output().channels),
            Self::Dense(block) => stride(block.outputs),
        }
    }

    /// Signs that a row of what it reads and a row of what it writes have; the last one of a dense row is the bias's.
    fn signs(&self) -> [usize; 2] {
        match self {
            Self::Convolution(convolution, _) => [convolution.channels(), convolution.output().channels],
            Self::Dense(block) => [block.inputs + 1, block.outputs + 1],
        }
    }

    fn forward(
        &self,
        parameters: &[Lanes],
        read: &[Lanes],
        rows: usize,
        (room, pattern): (&mut Room, &mut Pattern),
        out: &mut [Lanes],
        rectified: bool,
    ) {
        match self {
            Self::Convolution(convolution, stride) => {
                let images = Images { values: floats(read), stride: *stride, count: rows };
                convolution.forward(parameters, images, room, out, rectified);
            }
            Self::Dense(block) => {
                let width = vectors(block.outputs);
                let (weights, biases) = parameters.split_at(block.inputs * width);
                let left = Rectified { values: read, stride: stride(block.inputs) };
                let right = Right { values: weights, stride: width };
                let target = Target { out, stride: stride(block.outputs), rows, width };
                let finish = |sum: Lanes, _| if rectified { sum.relu() } else { sum };
                pattern.product(left, right, block.inputs, Some(biases), target, finish);
            }
        }
    }

    fn backward(
        &self,
        parameters: &[Lanes],
        read: &[Lanes],
        delta: &[Lanes],
        rows: usize,
        (work, b): (&mut Work, usize),
        (gradient, by_read): (&mut [Lanes], Option<&mut [Lanes]>),
    ) {
        match self {
            Self::Convolution(convolution, stride) => {
                let images = Images { values: floats(read), stride: *stride, count: rows };
                convolution.backward(parameters, images, delta, &mut work.room, gradient, by_read.map(floats_mut));
            }
            Self::Dense(block) => {
                let (width, inputs) = (vectors(block.outputs), vectors(block.inputs));
                let delta = Rectified { values: delta, stride: stride(block.outputs) };
                let right = Right { values: delta.values, stride: delta.stride };
                let left = Rectified { values: read, stride: stride(block.inputs) };
                let target = Target { out: gradient, stride: width, rows: block.inputs + 1, width };
                work.patterns[b].transposed_product(left, right, rows, target);
                let Some(by_read) = by_read else { return };
                let transposed = &mut work.transposed[..block.outputs * inputs];
                transpose(parameters, block.inputs, block.outputs, transposed);
                let right = Right { values: transposed, stride: inputs };
                let target = Target { out: by_read, stride: stride(block.inputs), rows, width: inputs };
                work.deltas.product(delta, right, block.outputs, None, target, |sum, _| sum);
            }
        }
    }

    /// What the layer reads, times its signs; the network's own inputs are not padded.
    fn flip_read(&self, own: bool, read: &[Lanes], signs: &[Lanes], rows: usize, out: &mut [Lanes]) {
        match self {
            Self::Convolution(convolution, stride) if own => {
                let channels = convolution.channels();
                let signs = floats(signs).chunks_exact(channels.next_multiple_of(LANES));
                let pairs = floats(read).chunks_exact(*stride).zip(floats_mut(out).chunks_exact_mut(*stride));
                for ((read, out), signs) in pairs.zip(signs).take(rows) {
                    let values = read.iter().zip(signs[..channels].iter().cycle());
                    out.iter_mut().zip(values).for_each(|(out, (value, sign))| *out = value * sign);
                }
            }
            _ => {
                let width = vectors(self.signs()[0]);
                let pairs = read.chunks_exact(self.read()).zip(out.chunks_exact_mut(self.read()));
                for ((read, out), signs) in pairs.zip(signs.chunks_exact(width)).take(rows) {
                    for (read, out) in read.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                        let values = read.iter().zip(signs);
                        out.iter_mut().zip(values).for_each(|(out, (value, sign))| *out = *value * *sign);
                    }
                }
            }
        }
    }

    /// Gives what the layer has written, or a gradient with respect to that, its signs.
    fn flip_written(&self, sums: &mut [Lanes], signs: &[Lanes], rows: usize) {
        let width = vectors(self.signs()[1]);
        for (row, signs) in sums.chunks_exact_mut(self.written()).zip(signs.chunks_exact(width)).take(rows) {
            for pixel in row.chunks_exact_mut(width) {
                pixel.iter_mut().zip(signs).for_each(|(sum, sign)| *sum = *sum * *sign);
            }
        }
    }
}

/// Puts a one behind each of so many rows of `width` values.
fn ones(values: &mut [Lanes], width: usize, rows: usize) {
    let ones = floats_mut(values).iter_mut().skip(width).step_by(stride(width) * LANES);
    ones.take(rows).for_each(|one| *one = 1.0);
}

/// Fills the row with 1 and -1, a bit each.
fn draw_signs(row: &mut [f32], rng: &mut Rng) {
    for signs in row.chunks_mut(u64::BITS as usize) {
        let bits = rng.next_u64();
        for (i, sign) in signs.iter_mut().enumerate() {
            *sign = if bits >> i & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::FirstBiases;
    use crate::plain;
    use crate::{Image, Stage};

    /// Of a central difference in double precision.
    const STEP: f64 = 1e-5;
    /// Of a number of order one that was computed in single precision.
    const TOLERANCE: f64 = 3e-5;

    const ROWS: usize = 5;

    fn networks() -> Vec<Network> {
        let mut rng = Rng::new(3, 0);
        let image = Image { height: 7, width: 8, channels: 2 };
        let stages = [
            Stage::Convolution { filters: 5, kernel: 3 },
            Stage::Convolution { filters: 9, kernel: 2 },
            Stage::Pooling { size: 2 },
        ];
        let front = |stages: &[Stage]| Front::new(image, stages).unwrap();
        let mut networks = vec![
            Network::new(&[3, 2], FirstBiases::Normal, &mut rng),
            Network::new(&[4, 16, 7, 3], FirstBiases::Normal, &mut rng),
            Network::convolutional(front(&stages), &[11], 3, &mut rng),
            Network::convolutional(front(&stages[..1]), &[], 2, &mut rng),
        ];
        for network in &mut networks {
            for block in network.blocks() {
                let parameters = floats_mut(&mut network.parameters);
                block.biases().for_each(|at| parameters[at] = 0.2 * rng.normal());
            }
        }
        networks
    }

    fn inputs(network: &Network, rng: &mut Rng) -> Vec<f32> {
        (0..ROWS * network.inputs()).map(|_| rng.normal()).collect()
    }

    fn images<'a>(network: &Network, inputs: &'a [f32]) -> Images<'a> {
        Images { values: inputs, stride: network.inputs(), count: ROWS }
    }

    /// The parameters that a row sees: its signs times the deviations, and the network's own.
    fn of_row(noisy: &Noisy, means: &[f64], deviations: &[f64], r: usize) -> Vec<f64> {
        let mut parameters = means.to_vec();
        for (b, block) in noisy.blocks.iter().enumerate().filter(|(b, _)| noisy.flips[*b]) {
            let signs = noisy.steps.iter().find_map(|step| match step {
                Step::Linear(linear, at) if *at == b => Some(linear.signs()),
                _ => None,
            });
            let [read, written] = signs.unwrap().map(|numbers| numbers.next_multiple_of(LANES));
            let inputs = &floats(&noisy.signs[b][0])[r * read..];
            let outputs = &floats(&noisy.signs[b][1])[r * written..];
            let channels = signs.unwrap()[0];
            for i in 0..=block.inputs {
                let sign = if i == block.inputs { 1.0 } else { inputs[i % channels] };
                for (j, at) in block.row(i).enumerate() {
                    parameters[at] += f64::from(sign * outputs[j]) * deviations[at];
                }
            }
        }
        parameters
    }

    fn masks(noisy: &Noisy, r: usize) -> Vec<Vec<f64>> {
        let convolutions = noisy.blocks.len() - noisy.rates.len();
        let dense = noisy.masks[convolutions..].iter().zip(&noisy.blocks[convolutions..]);
        let row = |(mask, block): (&Vec<Lanes>, &Block)| {
            let row = floats(mask).chunks_exact(stride(block.inputs) * LANES).nth(r);
            row.map_or(Vec::new(), |row| row[..block.inputs].iter().map(|value| f64::from(*value)).collect())
        };
        dense.map(row).collect()
    }

    fn doubles(values: &[Lanes]) -> Vec<f64> {
        floats(values).iter().map(|value| f64::from(*value)).collect()
    }

    #[test]
    fn gradients_agree_with_finite_differences_in_double_precision() {
        for network in networks() {
            let blocks = network.blocks();
            let dense = blocks.len() - network.convolutions();
            let all: Vec<bool> = vec![true; blocks.len()];
            let last: Vec<bool> = (0..blocks.len()).map(|b| b + 1 == blocks.len()).collect();
            let none = vec![false; blocks.len()];
            for (rate, flips) in [(0.0, &none), (0.4, &none), (0.0, &all), (0.0, &last), (0.3, &all)] {
                let mut rng = Rng::new(8, blocks.len() as u64);
                let mut noisy = Noisy::new(&network, ROWS + 1).dropping(&vec![rate; dense]).flipping(flips);
                let deviations: Vec<Lanes> = {
                    let mut deviations = network.clone().parameters;
                    floats_mut(&mut deviations).iter_mut().for_each(|value| *value *= 0.5 * rng.normal());
                    deviations
                };
                let (means, away) = (doubles(&network.parameters), doubles(&deviations));
                // Twice, so that what an earlier step leaves behind would be noticed.
                for _ in 0..2 {
                    let rows = inputs(&network, &mut rng);
                    let outputs = network.outputs();
                    let slopes: Vec<f32> = (0..ROWS * outputs).map(|_| rng.normal()).collect();
                    noisy.draw(ROWS, &mut rng);
                    let mut gradient = vec![Lanes::splat(f32::NAN); network.parameters.len()];
                    let mut by_deviations = gradient.clone();
                    let flip = Deviations { values: &deviations, gradient: &mut by_deviations };
                    let found = noisy.differentiate(
                        &network,
                        Some(flip),
                        images(&network, &rows),
                        &mut gradient,
                        |values, stride| {
                            let mut found = Vec::new();
                            for (row, slopes) in values.chunks_exact_mut(stride).zip(slopes.chunks(outputs)) {
                                found.extend(row[..outputs].iter().map(|value| f64::from(*value)));
                                row[..outputs].copy_from_slice(slopes);
                            }
                            found
                        },
                    );
                    let objective = |means: &[f64], away: &[f64], compare: bool| {
                        let mut total = 0.0;
                        for r in 0..ROWS {
                            let row: Vec<f64> = rows[r * network.inputs()..][..network.inputs()]
                                .iter()
                                .map(|x| f64::from(*x))
                                .collect();
                            let expected =
                                plain::outputs(&network, &of_row(&noisy, means, away, r), &masks(&noisy, r), &row);
                            for (k, expected) in expected.iter().enumerate() {
                                let found = found[r * outputs + k];
                                assert!(
                                    !compare || (found - expected).abs() < TOLERANCE * (1.0 + expected.abs()),
                                    "{found} {expected}"
                                );
                                total += expected * f64::from(slopes[r * outputs + k]);
                            }
                        }
                        total
                    };
                    objective(&means, &away, true);
                    let (mut moved, mut compared) = (0, 0);
                    for (b, block) in blocks.iter().enumerate() {
                        for at in block.weights().chain(block.biases()) {
                            for (of_deviation, gradient) in [(false, &gradient), (true, &by_deviations)] {
                                let shifted = |by: f64| {
                                    let (mut means, mut away) = (means.clone(), away.clone());
                                    let which = if of_deviation { &mut away } else { &mut means };
                                    which[at] += by;
                                    objective(&means, &away, false)
                                };
                                let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                                let derivative = f64::from(floats(gradient)[at]);
                                let error = (difference - derivative).abs() / (1.0 + difference.abs());
                                assert!(error < TOLERANCE, "{b} at {at} {of_deviation}: {difference} {derivative}");
                                compared += 1;
                                moved += usize::from(difference != 0.0);
                            }
                        }
                    }
                    assert!(moved > compared / 8, "{moved} of {compared}");
                }
            }
        }
    }

    #[test]
    fn without_noise_the_gradient_is_the_networks() {
        for network in networks() {
            let mut rng = Rng::new(1, 0);
            let rows = inputs(&network, &mut rng);
            let outputs = network.outputs();
            let slopes: Vec<f32> = (0..ROWS * outputs).map(|_| rng.normal()).collect();
            let put = |values: &mut [f32], stride: usize| {
                let rows = values.chunks_exact_mut(stride).zip(slopes.chunks(outputs));
                rows.for_each(|(row, slopes)| row[..outputs].copy_from_slice(slopes));
            };
            let mut noisy = Noisy::new(&network, ROWS);
            noisy.draw(ROWS, &mut rng);
            let mut found = vec![Lanes::splat(f32::NAN); network.parameters.len()];
            noisy.differentiate(&network, None, images(&network, &rows), &mut found, put);

            let inputs_stride = stride(network.inputs()) * LANES;
            let mut with_ones = vec![0.0; ROWS * inputs_stride];
            for (to, from) in with_ones.chunks_mut(inputs_stride).zip(rows.chunks(network.inputs())) {
                to[..from.len()].copy_from_slice(from);
                to[from.len()] = 1.0;
            }
            let mut values = crate::network::Values::new(&network, ROWS);
            network.forward(&with_ones, inputs_stride, ROWS, &mut values);
            put(values.outputs(), stride(outputs) * LANES);
            let mut expected = vec![Lanes::splat(f32::NAN); network.parameters.len()];
            network.backward(&with_ones, inputs_stride, ROWS, &mut values, &mut expected);
            for at in network.blocks().iter().flat_map(|block| block.weights().chain(block.biases())) {
                assert_eq!(floats(&found)[at], floats(&expected)[at], "{at}");
            }
        }
    }

    #[test]
    fn numbers_are_dropped_and_signs_drawn_as_often_as_they_should_be() {
        const MANY: usize = 3000;
        let network = Network::new(&[6, 10, 2], FirstBiases::Zero, &mut Rng::new(0, 0));
        let rates = [0.2, 0.7];
        let mut noisy = Noisy::new(&network, MANY).dropping(&rates).flipping(&[true, false]);
        noisy.draw(MANY, &mut Rng::new(1, 0));
        for ((mask, block), rate) in noisy.masks.iter().zip(&noisy.blocks).zip(rates) {
            let rows = floats(mask).chunks_exact(stride(block.inputs) * LANES);
            let numbers: Vec<f32> = rows.flat_map(|row| row[..block.inputs].to_vec()).collect();
            let kept = numbers.iter().filter(|factor| **factor == 1.0 / (1.0 - rate)).count();
            let dropped = numbers.iter().filter(|factor| **factor == 0.0).count();
            assert_eq!(kept + dropped, numbers.len());
            // Five standard errors.
            let slack = 5.0 * (rate * (1.0 - rate) / numbers.len() as f32).sqrt();
            assert!((dropped as f32 / numbers.len() as f32 - rate).abs() < slack, "{dropped} for {rate}");
        }
        let sums = noisy.signs[0].each_ref().map(|signs| {
            let width = signs.len() / MANY * LANES;
            let rows = floats(signs).chunks_exact(width);
            (0..6).map(|j| rows.clone().map(|row| row[j]).sum::<f32>()).fold(0.0, |max: f32, sum| max.max(sum.abs()))
        });
        assert!(sums.iter().all(|sum| *sum > 0.0 && *sum < 5.0 * (MANY as f32).sqrt()), "{sums:?}");
        assert!(noisy.signs[1].iter().all(Vec::is_empty));
    }
}
