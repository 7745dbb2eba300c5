//! The transformer that turns a problem's examples into pseudo-observations.

use jointly_kernels::Rows;

const WIDTH: usize = 64;
const HEADS: usize = 4;
const HEAD: usize = WIDTH / HEADS;
const DEPTH: usize = 4;
const FEATURES: usize = 6;
/// The numbers by which a head weighs the distance, its square and the correlation.
const BIASES: usize = 3;

/// The dense layers of `weights.bin` in its order: how many there are of each shape, their inputs and their outputs.
const SHAPES: [(usize, usize, usize); 9] = [
    (1, FEATURES, WIDTH),
    (DEPTH, WIDTH, 3 * WIDTH),
    (DEPTH, WIDTH, BIASES * HEADS),
    (DEPTH, WIDTH, HEAD),
    (DEPTH, WIDTH + HEAD, WIDTH),
    (DEPTH, WIDTH, 2 * WIDTH),
    (DEPTH, 2 * WIDTH, WIDTH),
    (1, WIDTH, 2),
    (1, WIDTH, 1),
];

/// The weights that `train.py` has learned, little-endian `f32`.
static WEIGHTS: &[u8] = include_bytes!("weights.bin");

/// A dense layer: `inputs` rows of `outputs` weights, and `outputs` biases.
#[derive(Clone, Debug)]
struct Dense {
    outputs: usize,
    weights: Vec<f32>,
    biases: Vec<f32>,
}

impl Dense {
    /// Returns the layer's values at every row of `h`.
    fn of(&self, h: &[f32]) -> Vec<f32> {
        let inputs = self.weights.len() / self.outputs;
        let mut out = Vec::with_capacity(h.len() / inputs * self.outputs);
        for row in h.chunks_exact(inputs) {
            let start = out.len();
            out.extend_from_slice(&self.biases);
            for (value, weights) in row.iter().zip(self.weights.chunks_exact(self.outputs)) {
                add(&mut out[start..], *value, weights);
            }
        }
        out
    }
}

/// A problem as the network reads it.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    /// (labels of class 1 - labels of class 0) / labels, at each distinct input.
    pub(crate) fractions: &'a [f32],
    /// The number of labels of each distinct input.
    pub(crate) counts: &'a [f32],
    /// The covariances between the inputs.
    pub(crate) covariances: &'a Rows,
    /// The number of features of an input.
    pub(crate) dim: usize,
    /// The temperature of the problem.
    pub(crate) temperature: f32,
}

/// Pseudo-observations of the logits' difference times the temperature.
#[derive(Debug)]
pub(crate) struct Sites {
    /// The pseudo-observation of each distinct input.
    pub(crate) means: Vec<f64>,
    /// The variance of its noise.
    pub(crate) variances: Vec<f64>,
    /// The factor of the covariances.
    pub(crate) amplitude: f64,
}

/// Computes the pseudo-observations of a problem in one pass. Without examples the amplitude is 1.
///
/// The network reads covariances instead of inputs, so its result is invariant to rotations of the inputs, and to the
/// order of the examples but for rounding.
pub(crate) fn sites(context: &Context<'_>) -> Sites {
    if context.counts.is_empty() {
        return Sites { means: Vec::new(), variances: Vec::new(), amplitude: 1.0 };
    }
    let [embed, project, by, summed, merge, widen, narrow, each, all] = &weights();
    let own: Vec<f64> = (0..context.counts.len()).map(|i| context.covariances.row(i)[i]).collect();
    let correlations = correlations(context.covariances, &own);
    let mut h = embed[0].of(&features(context, &own));
    for l in 0..DEPTH {
        let g = normalised(&h);
        let merged = attention(&project[l].of(&g), &by[l].of(&g), &summed[l].of(&g), &correlations);
        add(&mut h, 1.0, &merge[l].of(&merged));
        let mut hidden = widen[l].of(&normalised(&h));
        for unit in &mut hidden {
            *unit = unit.max(0.0);
        }
        add(&mut h, 1.0, &narrow[l].of(&hidden));
    }
    let g = normalised(&h);
    let out = each[0].of(&g);
    let mean = |((out, own), fraction): ((&[f32], &f64), &f32)| own.sqrt() * f64::from(fraction + 2.0 * out[0]);
    let variance = |(out, own): (&[f32], &f64)| own * libm::exp(bounded(2.0 * out[1], -11.0, 8.0));
    let mut pooled = vec![0.0; WIDTH];
    for row in g.chunks_exact(WIDTH) {
        add(&mut pooled, 1.0 / own.len() as f32, row);
    }
    Sites {
        means: out.chunks_exact(2).zip(&own).zip(context.fractions).map(mean).collect(),
        variances: out.chunks_exact(2).zip(&own).map(variance).collect(),
        amplitude: libm::exp(bounded(0.5 * all[0].of(&pooled)[0], -1.0, 1.0)),
    }
}

/// Reads the layers from the file: the weights of all layers of a shape, then their biases.
fn weights() -> [Vec<Dense>; 9] {
    let (numbers, _) = WEIGHTS.as_chunks::<4>();
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let mut take = |len: usize| -> Vec<f32> { numbers.by_ref().take(len).collect() };
    SHAPES.map(|(count, inputs, outputs)| {
        let (weights, biases) = (take(count * inputs * outputs), take(count * outputs));
        let layers = weights.chunks_exact(inputs * outputs).zip(biases.chunks_exact(outputs));
        layers.map(|(weights, biases)| Dense { outputs, weights: weights.to_vec(), biases: biases.to_vec() }).collect()
    })
}

/// Returns what is known of every input: its labels, and the problem's size, dimension and temperature.
fn features(context: &Context<'_>, own: &[f64]) -> Vec<f32> {
    let size = own.len() as f64;
    let mean = own.iter().sum::<f64>() / size;
    let log = |value: f64| libm::log(value) as f32;
    let shared = [log(f64::from(context.temperature)) / 2.0, log(context.dim as f64) / 2.0, log(size) / 4.0];
    let mut out = Vec::with_capacity(own.len() * FEATURES);
    for ((fraction, count), own) in context.fractions.iter().zip(context.counts).zip(own) {
        out.extend([*fraction, log(f64::from(*count)) / 4.0]);
        out.extend(shared);
        out.push(2.0 * log(own / mean));
    }
    out
}

fn correlations(covariances: &Rows, own: &[f64]) -> Vec<f32> {
    let mut out = Vec::with_capacity(own.len() * own.len());
    for (row, a) in covariances.iter().zip(own) {
        out.extend(row.iter().zip(own).map(|(c, b)| (c / (a * b).sqrt()).clamp(-1.0, 1.0) as f32));
    }
    out
}

/// Returns, for every example, what the heads read from the examples, and the sum of `summed` weighted by correlation
/// over the root of the number of examples.
///
/// A head's score of an example is the product of query and key over the root of their length, less the distance and
/// its square, plus the correlation, each times a number that depends on the reading example (`by`).
fn attention(projected: &[f32], by: &[f32], summed: &[f32], correlations: &[f32]) -> Vec<f32> {
    let size = summed.len() / HEAD;
    let by_root = 1.0 / (size as f32).sqrt();
    let mut out = vec![0.0; size * (WIDTH + HEAD)];
    let mut scores = vec![0.0; size];
    for (i, out) in out.chunks_exact_mut(WIDTH + HEAD).enumerate() {
        let row = &correlations[i * size..][..size];
        let by = by[i * BIASES * HEADS..].chunks_exact(BIASES);
        let query = projected[i * 3 * WIDTH..][..WIDTH].chunks_exact(HEAD);
        for (head, (query, by)) in query.zip(by).enumerate() {
            let at = head * HEAD;
            let keys = projected.chunks_exact(3 * WIDTH).map(|row| &row[WIDTH + at..][..HEAD]);
            let values = projected.chunks_exact(3 * WIDTH).map(|row| &row[2 * WIDTH + at..][..HEAD]);
            for ((score, correlation), key) in scores.iter_mut().zip(row).zip(keys) {
                let square = 2.0 * (1.0 - correlation);
                let product: f32 = query.iter().zip(key).map(|(q, k)| q * k).sum();
                *score = product / (HEAD as f32).sqrt() - by[0] * square.max(1e-12).sqrt() - by[1] * square
                    + by[2] * correlation;
            }
            jointly_sdk::softmax(&mut scores);
            for (share, value) in scores.iter().zip(values) {
                add(&mut out[at..at + HEAD], *share, value);
            }
        }
        for (correlation, value) in row.iter().zip(summed.chunks_exact(HEAD)) {
            add(&mut out[WIDTH..], correlation * by_root, value);
        }
    }
    out
}

/// Moves and scales every row to the mean 0 and the variance 1.
fn normalised(h: &[f32]) -> Vec<f32> {
    let mut out = h.to_vec();
    for row in out.chunks_exact_mut(WIDTH) {
        let mean = row.iter().sum::<f32>() / WIDTH as f32;
        let variance = row.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / WIDTH as f32;
        let scale = 1.0 / (variance + 1e-5).sqrt();
        for value in row {
            *value = (*value - mean) * scale;
        }
    }
    out
}

/// Bends a number into a range, with a slope that is 1 in its middle and nowhere 0.
fn bounded(value: f32, least: f64, most: f64) -> f64 {
    let (middle, half) = (f64::midpoint(least, most), (most - least) / 2.0);
    middle + half * libm::tanh((f64::from(value) - middle) / half)
}

/// Adds `factor` times `values` to `to`.
fn add(to: &mut [f32], factor: f32, values: &[f32]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += factor * value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_as_many_numbers_as_the_layers() {
        let numbers: usize = SHAPES.iter().map(|(count, inputs, outputs)| count * (inputs + 1) * outputs).sum();
        assert_eq!(WEIGHTS.len(), 4 * numbers);
        assert!(weights().iter().flatten().flat_map(|layer| layer.weights.iter()).all(|weight| weight.is_finite()));
    }
}
