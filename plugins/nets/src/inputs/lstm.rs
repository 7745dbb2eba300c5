//! A long short-term memory (LSTM) that reads the words of a text in order, and its gradient through time.

use crate::normals::Normals;
use crate::product::{Target, product, tall_product};
use crate::simd::{LANES, Lanes, Left, Right, floats, floats_mut, tile, transpose, vectors};
use crate::softmax::exp;
use jointly_sdk::Rng;

/// Gates of a unit, in the order in which parameters and values hold them: input, forget, candidate, output.
const GATES: usize = 4;

/// Initial bias of the forget gates, so that an untrained cell remembers (Jozefowicz, Zaremba and Sutskever, 2015).
const FORGET: f32 = 1.0;

/// Bound of the argument of the exponential in a sigmoid.
const MOST: f32 = 80.0;

/// An LSTM of one layer; its output for a text is the hidden state after the last word.
///
/// # Formula
///
/// For the embedding x of each word, with h and c zero before the first one: (i, f, g, o) = x W + h U + b, then c :=
/// sigmoid(f) c + sigmoid(i) tanh(g) and h := sigmoid(o) tanh(c). W starts Gaussian with variance 2 / (width + 4 units),
/// the rows of U orthonormal in a random direction, and b zero except for the forget gates, where it is one: in
/// distribution what Keras does, except that its W is uniform.
///
/// After Hochreiter and Schmidhuber (1997), with the forget gates of Gers, Schmidhuber and Cummins (2000).
#[derive(Clone, Debug)]
pub(super) struct Lstm {
    width: usize,
    units: usize,
    /// The rows of W, then those of U, then b: four gates a row, each padded to whole vectors.
    parameters: Vec<Lanes>,
}

/// Returns the number of parameters of an LSTM, with padding; `None` if that overflows.
pub(super) fn parameters(width: usize, units: usize) -> Option<usize> {
    let row = units.checked_next_multiple_of(LANES)?.checked_mul(GATES)?;
    width.checked_add(units)?.checked_add(1)?.checked_mul(row)
}

/// The states of an LSTM at every word of one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// Index of each word's projection.
    words: Vec<u32>,
    /// The values of the gates, and of the hyperbolic tangent of the cells, after each word.
    gates: Vec<Lanes>,
    squashed: Vec<Lanes>,
    /// The cells and hidden states before the first word and after each word.
    cells: Vec<Lanes>,
    hidden: Vec<Lanes>,
}

impl Lstm {
    pub(super) fn new(width: usize, units: usize, rng: &mut Rng) -> Self {
        let stride = GATES * vectors(units);
        let mut parameters = vec![Lanes::splat(0.0); (width + units + 1) * stride];
        let mut normals = vec![Lanes::splat(0.0); vectors((width + units) * GATES * units)];
        Normals::new(rng).fill(&mut normals);
        let kernel = (2.0 / (width + GATES * units) as f32).sqrt();
        let padded = vectors(units) * LANES;
        let gates = floats_mut(&mut parameters).chunks_exact_mut(padded);
        for (i, (gate, normals)) in gates.zip(floats(&normals).chunks_exact(units)).enumerate() {
            let scale = if i < width * GATES { kernel } else { 1.0 };
            gate.iter_mut().zip(normals).take((width + units) * GATES).for_each(|(to, from)| *to = scale * from);
        }
        let bias = (width + units) * GATES * padded;
        orthonormalise(&mut floats_mut(&mut parameters)[width * GATES * padded..bias], GATES * padded);
        floats_mut(&mut parameters)[bias..].fill(0.0);
        floats_mut(&mut parameters)[bias + padded..][..units].fill(FORGET);
        Self { width, units, parameters }
    }

    /// Numbers of the output.
    pub(super) fn units(&self) -> usize {
        self.units
    }

    pub(super) fn parameters(&self) -> &[Lanes] {
        &self.parameters
    }

    pub(super) fn parameters_mut(&mut self) -> &mut [Lanes] {
        &mut self.parameters
    }

    /// Vectors in a row of parameters.
    pub(super) fn stride(&self) -> usize {
        GATES * vectors(self.units)
    }

    fn kernel(&self) -> &[Lanes] {
        &self.parameters[..self.width * self.stride()]
    }

    fn recurrent(&self) -> &[Lanes] {
        &self.parameters[self.width * self.stride()..][..self.units * self.stride()]
    }

    /// Computes the part of the gates that one word determines, x W + b, for each of several embeddings.
    pub(super) fn project(&self, embeddings: &[f32], out: &mut Vec<Lanes>) {
        let (stride, rows) = (self.stride(), embeddings.len() / self.width);
        out.clear();
        out.resize(rows * stride, Lanes::splat(0.0));
        let bias = &self.parameters[(self.width + self.units) * stride..];
        let target = Target { out, stride, rows, width: stride };
        let right = Right { values: self.kernel(), stride };
        product(Left::rows(embeddings, self.width), right, self.width, Some(bias), target, |sum, _| sum);
    }

    /// Reads a text, given as indices of projections, and records its states. Returns the last hidden state.
    pub(super) fn forward<'t>(
        &self,
        projections: &[Lanes],
        words: impl Iterator<Item = u32>,
        trace: &'t mut Trace,
    ) -> &'t [f32] {
        let (stride, width) = (self.stride(), vectors(self.units));
        let zero = Lanes::splat(0.0);
        let Trace { words: read, gates, squashed, cells, hidden } = trace;
        read.clear();
        read.extend(words);
        let steps = read.len();
        for (values, len) in [
            (&mut *gates, steps * stride),
            (&mut *squashed, steps * width),
            (&mut *cells, (steps + 1) * width),
            (&mut *hidden, (steps + 1) * width),
        ] {
            values.resize(len, zero);
        }
        cells[..width].fill(zero);
        hidden[..width].fill(zero);
        for (t, word) in read.iter().enumerate() {
            let gates = &mut gates[t * stride..][..stride];
            gates.copy_from_slice(&projections[*word as usize * stride..][..stride]);
            add_row(&floats(&hidden[t * width..][..width])[..self.units], self.recurrent(), gates);
            let (before, after) = cells.split_at_mut((t + 1) * width);
            for v in 0..width {
                let [input, forget, candidate, output] = std::array::from_fn(|gate| gates[gate * width + v]);
                let (input, forget, output) = (sigmoid(input), sigmoid(forget), sigmoid(output));
                let candidate = tanh(candidate);
                let cell = forget.mul_add(before[t * width + v], input * candidate);
                let tangent = tanh(cell);
                after[v] = cell;
                squashed[t * width + v] = tangent;
                hidden[(t + 1) * width + v] = output * tangent;
                for (gate, value) in [input, forget, candidate, output].into_iter().enumerate() {
                    gates[gate * width + v] = value;
                }
            }
        }
        &floats(&hidden[steps * width..])[..self.units]
    }

    /// Adds the gradients with respect to the projections of a text's words and to U, given that with respect to the
    /// last hidden state. Overwrites the gates of the trace.
    pub(super) fn backward(&self, trace: &mut Trace, slopes: &[f32], back: &mut Backward) {
        let (stride, width, steps) = (self.stride(), vectors(self.units), trace.words.len());
        let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
        let mut by_hidden = vec![zero; width];
        floats_mut(&mut by_hidden)[..self.units].copy_from_slice(slopes);
        let mut by_cell = vec![zero; width];
        for t in (0..steps).rev() {
            let gates = &mut trace.gates[t * stride..][..stride];
            for v in 0..width {
                let [input, forget, candidate, output] = std::array::from_fn(|gate| gates[gate * width + v]);
                let tangent = trace.squashed[t * width + v];
                let total = (by_hidden[v] * output).mul_add(one - tangent * tangent, by_cell[v]);
                gates[v] = total * candidate * input * (one - input);
                gates[width + v] = total * trace.cells[t * width + v] * forget * (one - forget);
                gates[2 * width + v] = total * input * (one - candidate * candidate);
                gates[3 * width + v] = by_hidden[v] * tangent * output * (one - output);
                by_cell[v] = total * forget;
            }
            let sums = &mut back.by_projections[trace.words[t] as usize * stride..][..stride];
            sums.iter_mut().zip(&*gates).for_each(|(sum, slope)| *sum = *sum + *slope);
            by_hidden.fill(zero);
            add_row(floats(gates), &back.transposed, &mut by_hidden);
        }
        if steps > 0 {
            let place = self.width * stride..(self.width + self.units) * stride;
            let target = Target { out: &mut back.gradient[place], stride, rows: self.units, width: stride };
            let left = Left::columns(floats(&trace.hidden[..steps * width]), width * LANES);
            let right = Right { values: &trace.gates[..steps * stride], stride };
            product(left, right, steps, None, target, |sum, old| old + sum);
        }
    }
}

/// The gradients of a minibatch's texts.
#[derive(Debug, Default)]
pub(super) struct Backward {
    /// The gradient with respect to each projection.
    by_projections: Vec<Lanes>,
    /// The gradient with respect to the parameters.
    pub(super) gradient: Vec<Lanes>,
    /// The gradient with respect to the embeddings of the projections, each padded to whole vectors.
    pub(super) by_embeddings: Vec<Lanes>,
    /// U, and later W, transposed.
    transposed: Vec<Lanes>,
}

impl Backward {
    /// Clears the gradients before the texts of a minibatch, which have `words` different words.
    pub(super) fn start(&mut self, lstm: &Lstm, words: usize) {
        let zero = Lanes::splat(0.0);
        for (values, len) in
            [(&mut self.by_projections, words * lstm.stride()), (&mut self.gradient, lstm.parameters.len())]
        {
            values.clear();
            values.resize(len, zero);
        }
        self.transpose(lstm.recurrent(), lstm.units, lstm.stride() * LANES);
    }

    /// Completes the gradients after the last text.
    pub(super) fn end(&mut self, lstm: &Lstm, embeddings: &[f32]) {
        let (stride, rows, width) = (lstm.stride(), embeddings.len() / lstm.width, vectors(lstm.width));
        self.by_embeddings.clear();
        self.by_embeddings.resize(rows * width, Lanes::splat(0.0));
        if rows == 0 {
            return;
        }
        self.transpose(lstm.kernel(), lstm.width, stride * LANES);
        let right = Right { values: &self.by_projections, stride };
        let target = Target { out: &mut self.gradient, stride, rows: lstm.width, width: stride };
        tall_product(embeddings, lstm.width, right, rows, target);
        let bias = &mut self.gradient[(lstm.width + lstm.units) * stride..];
        for slopes in self.by_projections.chunks_exact(stride) {
            bias.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum = *sum + *slope);
        }
        let left = Left::rows(floats(&self.by_projections), stride * LANES);
        let right = Right { values: &self.transposed, stride: width };
        let target = Target { out: &mut self.by_embeddings, stride: width, rows, width };
        product(left, right, stride * LANES, None, target, |sum, _| sum);
    }

    fn transpose(&mut self, weights: &[Lanes], rows: usize, cols: usize) {
        self.transposed.clear();
        self.transposed.resize(cols * vectors(rows), Lanes::splat(0.0));
        transpose(weights, rows, cols, &mut self.transposed);
    }
}

/// Makes rows of `stride` independent numbers orthonormal, by the modified Gram-Schmidt process, twice for precision.
fn orthonormalise(rows: &mut [f32], stride: usize) {
    for i in 0..rows.len() / stride {
        let (before, rest) = rows.split_at_mut(i * stride);
        let row = &mut rest[..stride];
        for other in before.chunks_exact(stride).chain(before.chunks_exact(stride)) {
            let along: f32 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let norm = row.iter().map(|a| a * a).sum::<f32>().sqrt();
        for a in row {
            *a /= norm;
        }
    }
}

/// Adds `left` times `right` to one row.
fn add_row(left: &[f32], right: &[Lanes], out: &mut [Lanes]) {
    let right = Right { values: right, stride: out.len() };
    let (quads, rest) = out.as_chunks_mut::<4>();
    let done = 4 * quads.len();
    for (j, quad) in quads.iter_mut().enumerate() {
        [*quad] = tile::<1, 4, false>(Left::rows(left, left.len()), right, (0, 4 * j), left.len(), *quad);
    }
    for (j, one) in rest.iter_mut().enumerate() {
        [[*one]] = tile::<1, 1, false>(Left::rows(left, left.len()), right, (0, done + j), left.len(), [*one]);
    }
}

/// Returns 1 / (1 + e^-x); keeps NaN.
fn sigmoid(x: Lanes) -> Lanes {
    let (zero, one, least) = (Lanes::splat(0.0), Lanes::splat(1.0), Lanes::splat(-MOST));
    let bounded = (zero - (zero - x).max(least)).max(least);
    one / (one + exp(zero - bounded))
}

/// Returns the hyperbolic tangent, to a few units of 1e-7; keeps NaN.
fn tanh(x: Lanes) -> Lanes {
    let two = Lanes::splat(2.0);
    two.mul_add(sigmoid(two * x), Lanes::splat(-1.0))
}

#[cfg(test)]
mod tests;
