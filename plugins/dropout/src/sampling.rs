//! Many draws of a network with two hidden layers, computed together.
//!
//! All draws share the first hidden layer's values and the terms that each of its units adds to the second layer. A
//! draw subtracts the terms of its dropped units from their sum; if the rate is above one half, it adds up the terms
//! of the kept units instead. The sums are of fixed-point numbers: they are exact, so neither method and no order
//! changes a bit, and they avoid the extra cost that a host with canonical NaNs adds to floating-point arithmetic.
#![expect(clippy::inline_always, reason = "a band's sums stay in registers only where its loop sees them")]

use jointly_nets::Network;
use jointly_nets::ints::Ints;
use jointly_nets::simd::{LANES, Lanes, ROUND, floats, floats_mut, vectors};
use jointly_nets::softmax::softmax;
use jointly_sdk::Matrix;

use crate::masks::{Masks, Rates, factor};

/// Number of rows whose softmax is computed together.
const BLOCK: usize = 8;

/// Number of bits in a word of units.
const WORD: usize = u64::BITS as usize;

/// The largest fixed-point term: adding [`ROUND`] rounds numbers below 2^22.
const MAX_TERM: f32 = 4.19e6;

/// The largest sum of such terms, below 2^31.
const MAX_SUM: f32 = 2.1e9;

/// Smaller than every relevant scale of a layer's values; keeps a division finite.
const MIN_BOUND: f32 = 1e-30;

/// The values that all draws of a network with two hidden layers share; `widths` begins with the inputs.
#[derive(Debug)]
pub(crate) struct Shared {
    widths: [usize; 4],
    rate: f32,
    /// The first layer times 1 / (1 - p), its biases last.
    first: Vec<Lanes>,
    /// The second layer, its biases last.
    second: Vec<Lanes>,
    /// For each class but the first, the output weights minus those of the first class.
    output: Vec<Lanes>,
    output_biases: Vec<f32>,
    /// The largest absolute weight and the largest absolute bias of the second layer.
    bounds: [f32; 2],
}

/// One draw in the form that the sums use.
struct Draw {
    /// The units of the first hidden layer whose terms are added: see [`Row::start`].
    terms: Vec<u64>,
    /// [`Shared::output`] without the dropped units.
    output: Vec<Lanes>,
}

/// One row in the form that the sums use.
struct Row {
    /// A bit set of the units of the first hidden layer that are not zero.
    active: Vec<u64>,
    /// The terms that each unit adds to or subtracts from the second layer, `vectors(width)` vectors per unit.
    terms: Vec<Ints>,
    /// The initial value of a draw's sum: all terms, if those of dropped units are subtracted, or none.
    start: Vec<Ints>,
    /// The value of one step of the fixed-point numbers; not finite if the row is not.
    unit: f32,
}

impl Shared {
    /// # Panics
    ///
    /// Panics if the widths are not those of the network, or not four.
    pub(crate) fn new(network: &Network, widths: &[usize], rates: &Rates) -> Self {
        let widths: [usize; 4] = widths.try_into().expect("two hidden layers");
        let [inputs, one, two, classes] = widths;
        let (first, rest) = network.parameters.split_at((inputs + 1) * vectors(one));
        let (second, last) = rest.split_at((one + 1) * vectors(two));
        let scale = factor(true, rates.hidden);
        let first = first.iter().map(|weights| *weights * Lanes::splat(scale)).collect();
        let width = vectors(two) * LANES;
        let mut output = vec![Lanes::splat(0.0); (classes - 1) * vectors(two)];
        let mut rows = floats(last).chunks_exact(vectors(classes) * LANES);
        for (j, row) in rows.by_ref().take(two).enumerate() {
            for (weights, weight) in floats_mut(&mut output).chunks_exact_mut(width).zip(&row[1..]) {
                weights[j] = (weight - row[0]) * scale;
            }
        }
        let biases = rows.next().expect("the biases are last");
        let output_biases = biases[1..classes].iter().map(|bias| bias - biases[0]).collect();
        let largest = |values: &[Lanes]| floats(values).iter().fold(0.0, |max: f32, value| max.max(value.abs()));
        let (weights, biases) = second.split_at(one * vectors(two));
        let bounds = [largest(weights), largest(biases)];
        Self { widths, rate: rates.hidden, first, second: second.to_vec(), output, output_biases, bounds }
    }

    /// Computes the class probabilities of the networks under these masks, one after the other, at every row.
    pub(crate) fn probs(&self, inputs: &Matrix, masks: &[Masks], out: &mut [f32]) {
        let [dim, _, _, classes] = self.widths;
        let draws: Vec<Draw> = masks.iter().map(|masks| self.draw(masks)).collect();
        let mut row = self.row();
        let others = classes - 1;
        let mut logits = vec![0.0; draws.len() * others * BLOCK];
        let mut sums = vec![Lanes::splat(0.0); others];
        let mut columns = vec![Lanes::splat(0.0); classes];
        let rows = inputs.rows();
        for (b, block) in inputs.values().chunks(BLOCK * dim).enumerate() {
            for (r, inputs) in block.chunks_exact(dim).enumerate() {
                self.prepare(inputs, &mut row);
                for (draw, logits) in draws.iter().zip(logits.chunks_exact_mut(others * BLOCK)) {
                    self.evaluate(&row, draw, &mut sums, &mut logits[r..]);
                }
            }
            let from = b * BLOCK * classes;
            for (logits, out) in logits.chunks_exact(others * BLOCK).zip(out.chunks_exact_mut(rows * classes)) {
                let to = out.len().min(from + BLOCK * classes);
                for (at, out) in out[from..to].chunks_mut(LANES * classes).enumerate() {
                    // Rows past the last one are left from an earlier block: computed, but not written.
                    columns[0] = Lanes::splat(0.0);
                    for (column, logits) in columns[1..].iter_mut().zip(logits.as_chunks::<BLOCK>().0) {
                        *column = Lanes::from_array(*logits.as_chunks().0.get(at).expect("a block is whole vectors"));
                    }
                    softmax(&mut columns);
                    for (k, column) in columns.iter().enumerate() {
                        out.iter_mut().skip(k).step_by(classes).zip(column.to_array()).for_each(|(out, p)| *out = p);
                    }
                }
            }
        }
    }

    /// Returns whether sums start with all terms.
    fn takes_away(&self) -> bool {
        self.rate <= 0.5
    }

    fn draw(&self, masks: &Masks) -> Draw {
        let terms = masks
            .hidden(1)
            .chunks(WORD)
            .map(|kept| kept.iter().rev().fold(0, |word, kept| word << 1 | u64::from(*kept != self.takes_away())));
        let mut output = self.output.clone();
        let width = vectors(self.widths[2]) * LANES;
        for weights in floats_mut(&mut output).chunks_exact_mut(width) {
            weights.iter_mut().zip(masks.hidden(2)).filter(|(_, kept)| !**kept).for_each(|(weight, _)| *weight = 0.0);
        }
        Draw { terms: terms.collect(), output }
    }

    /// Allocates the buffers of a row.
    fn row(&self) -> Row {
        let [_, one, two, _] = self.widths;
        Row {
            active: vec![0; one.div_ceil(WORD)],
            terms: vec![Ints::splat(0); one * vectors(two)],
            start: vec![Ints::splat(0); vectors(two)],
            unit: 1.0,
        }
    }

    /// Computes the values that all draws share at a row.
    ///
    /// # Formula
    ///
    /// With h the first layer's values over 1 - p, a unit adds h_u W_uj to the second layer's sum j. As a fixed-point
    /// number this is the integer nearest to h_u W_uj / unit, with the unit chosen such that no term and no sum of
    /// terms overflows.
    fn prepare(&self, inputs: &[f32], row: &mut Row) {
        let [dim, one, two, _] = self.widths;
        let width = vectors(one);
        let mut hidden = self.first[dim * width..].to_vec();
        for (input, weights) in inputs.iter().zip(self.first.chunks_exact(width)) {
            for (sum, weight) in hidden.iter_mut().zip(weights) {
                *sum = weight.mul_add(Lanes::splat(*input), *sum);
            }
        }
        let hidden = &floats(&hidden)[..one];
        // NaN and infinity propagate.
        let larger = |max: f32, value: &f32| if value.is_nan() || *value > max { *value } else { max };
        let largest = hidden.iter().fold(0.0, larger);
        let [weight, bias] = self.bounds;
        let bound = (largest * weight).max(bias).max(MIN_BOUND) + 0.0 * largest;
        let unit = bound / MAX_TERM.min(MAX_SUM / (one + 1) as f32);
        row.unit = unit;

        let fixed = |factor: f32, weight: Lanes| {
            let rounded = weight.mul_add(Lanes::splat(factor / unit), Lanes::splat(ROUND));
            Ints::of_bits(rounded) - Ints::of_bits(Lanes::splat(ROUND))
        };
        let width = vectors(two);
        let (weights, biases) = self.second.split_at(one * width);
        for (start, bias) in row.start.iter_mut().zip(biases) {
            *start = fixed(1.0, *bias);
        }
        row.active.fill(0);
        for (u, value) in hidden.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            row.active[u / WORD] |= 1 << (u % WORD);
            let terms = &mut row.terms[u * width..][..width];
            for ((term, weight), start) in terms.iter_mut().zip(&weights[u * width..]).zip(&mut row.start) {
                *term = fixed(*value, *weight);
                if self.takes_away() {
                    *start = *start + *term;
                    *term = Ints::splat(0) - *term;
                }
            }
        }
    }

    /// Computes the logits of every class but the first, minus that of the first: `logits[k * BLOCK]`.
    fn evaluate(&self, row: &Row, draw: &Draw, sums: &mut [Lanes], logits: &mut [f32]) {
        let width = row.start.len();
        sums.fill(Lanes::splat(0.0));
        let mut j = 0;
        while j < width {
            j += match width - j {
                13.. => band::<13>(row, draw, j, sums),
                12 => band::<12>(row, draw, j, sums),
                8.. => band::<8>(row, draw, j, sums),
                4.. => band::<4>(row, draw, j, sums),
                _ => band::<1>(row, draw, j, sums),
            };
        }
        let logits = logits.iter_mut().step_by(BLOCK);
        for ((logit, sum), bias) in logits.zip(sums).zip(&self.output_biases) {
            *logit = sum.to_array().into_iter().sum::<f32>() * row.unit + bias;
        }
    }
}

/// Adds the contribution of N vectors of the second layer's units, from vector `j` on, to the logits; returns N.
#[inline(always)]
fn band<const N: usize>(row: &Row, draw: &Draw, j: usize, sums: &mut [Lanes]) -> usize {
    let width = row.start.len();
    let mut values = [Ints::splat(0); N];
    values.copy_from_slice(&row.start[j..j + N]);
    for (w, (terms, active)) in draw.terms.iter().zip(&row.active).enumerate() {
        let mut word = terms & active;
        while word != 0 {
            let u = w * WORD + word.trailing_zeros() as usize;
            word &= word - 1;
            let terms = &row.terms[u * width + j..][..N];
            for (value, term) in values.iter_mut().zip(terms) {
                *value = *value + *term;
            }
        }
    }
    let values = values.map(|value| value.relu().to_lanes());
    for (sum, weights) in sums.iter_mut().zip(draw.output.chunks_exact(width)) {
        let weights = &weights[j..j + N];
        // Two chains of additions, so that each waits less for its previous term.
        let mut chains = [*sum, Lanes::splat(0.0)];
        for (n, (value, weight)) in values.iter().zip(weights).enumerate() {
            chains[n % 2] = value.mul_add(*weight, chains[n % 2]);
        }
        *sum = chains[0] + chains[1];
    }
    N
}
