//! Splits a trained network into features and a linear last layer, and samples networks that differ in that layer only.

use jointly_sdk::{Dataset, Failure, Matrix, Progress, Task};

use crate::network::Network;
use crate::predict::outputs;
use crate::product::{Target, product};
use crate::recipe::Recipe;
use crate::simd::{LANES, Lanes, Left, Right, floats, floats_mut, vectors};
use crate::softmax::softmax;
use crate::training::Training;

/// Rows that are multiplied together.
const BLOCK: usize = 64;

/// Draws that are multiplied together.
const GROUP: usize = 16;

/// A network split before its last layer.
#[derive(Clone, Debug)]
pub struct LastLayer {
    body: Body,
    head: Network,
}

/// The part of the network that computes the features.
#[derive(Clone, Debug)]
enum Body {
    /// No layers: the features are the inputs.
    Inputs,
    /// Only the convolutions and poolings in front of the dense layers.
    Front(Network),
    /// All layers but the last.
    Layers(Network),
}

/// The features and the outputs of a split network at rows of inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Hidden {
    /// The units of the last hidden layer, row by row.
    pub features: Vec<f32>,
    /// The outputs of the network, row by row.
    pub logits: Vec<f32>,
}

impl LastLayer {
    /// Trains the first member of the recipe's ensemble and splits it.
    ///
    /// # Errors
    ///
    /// Fails if the loss stops being finite, or if the data do not fit the task.
    pub fn train(recipe: &Recipe, task: &Task, data: &Dataset, seed: u64) -> Result<Self, Failure> {
        let training = Training::new(recipe, task, data, seed)?;
        let network = recipe.start(task, seed, 0);
        Ok(Self::of(&training.run(0, network, None, &[], &mut Progress::new(recipe.steps))?))
    }

    /// Splits a network before its last layer.
    pub fn of(network: &Network) -> Self {
        let body = match network.without_last() {
            Some(body) => Body::Layers(body),
            None if network.front().is_some() => Body::Front(network.clone()),
            None => Body::Inputs,
        };
        Self { body, head: network.last() }
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.head.inputs()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.head.outputs()
    }

    /// Returns the features and the outputs at every row. The bits of a row do not depend on the other rows.
    ///
    /// # Errors
    ///
    /// Fails if the number of columns is not the network's number of inputs.
    pub fn at(&self, inputs: &Matrix) -> Result<Hidden, Failure> {
        let dim = match &self.body {
            Body::Inputs => self.head.inputs(),
            Body::Front(network) | Body::Layers(network) => network.inputs(),
        };
        let (rows, values) = (inputs.rows(), inputs.values());
        if rows > 0 && inputs.cols() != dim {
            return Err(Failure::Internal(format!("inputs have {} columns; the task has {dim}", inputs.cols())));
        }
        let features = match &self.body {
            Body::Inputs => values.to_vec(),
            Body::Front(network) => network.features(values),
            Body::Layers(body) => outputs(body, values).into_iter().map(|value| value.max(0.0)).collect(),
        };
        let logits = outputs(&self.head, &features);
        Ok(Hidden { features, logits })
    }
}

/// Writes the class probabilities of several last layers: `out[(m * rows + t) * classes + k]`.
///
/// # Formula
///
/// Draw m has the logits z_tk + sum_j phi_tj v_mkj at row t, where z are the `logits`, phi the `features`, `width` per
/// row, and v_mkj is `deviations[(m * classes + k) * width + j]`.
///
/// The bits of a probability depend on its row and its draw alone. Each vector holds several rows, so that a draw
/// costs, for each row, `width` multiplications per class and a softmax.
///
/// # Panics
///
/// Panics if the lengths are inconsistent.
pub fn sample_last_layers(
    Hidden { features, logits }: &Hidden,
    (width, classes): (usize, usize),
    deviations: &[f32],
    out: &mut [f32],
) {
    let rows = logits.len() / classes;
    let draw_len = rows * classes;
    let mut block_features = vec![Lanes::splat(0.0); width * vectors(BLOCK)];
    let mut block_logits = vec![Lanes::splat(0.0); classes * vectors(BLOCK)];
    let mut sums = vec![Lanes::splat(0.0); GROUP * classes * vectors(BLOCK)];
    let mut columns = vec![Lanes::splat(0.0); classes];
    for from in (0..rows).step_by(BLOCK) {
        let to = rows.min(from + BLOCK);
        let across = vectors(to - from);
        exchange(&features[from * width..to * width], width, &mut block_features);
        exchange(&logits[from * classes..to * classes], classes, &mut block_logits);
        let groups = deviations.chunks(GROUP * classes * width).zip(out.chunks_mut(GROUP * draw_len));
        for (deviations, out) in groups {
            let right = Right { values: &block_features, stride: vectors(BLOCK) };
            let left_rows = deviations.len() / width;
            let target = Target { out: &mut sums, stride: vectors(BLOCK), rows: left_rows, width: across };
            product(Left::rows(deviations, width), right, width, None, target, |sum, _| sum);
            let draws = sums.chunks_exact(classes * vectors(BLOCK)).zip(out.chunks_exact_mut(draw_len));
            for (sums, out) in draws {
                let out = &mut out[from * classes..to * classes];
                for (v, out) in out.chunks_mut(LANES * classes).enumerate() {
                    for (k, column) in columns.iter_mut().enumerate() {
                        let at = k * vectors(BLOCK) + v;
                        *column = block_logits[at] + sums[at];
                    }
                    softmax(&mut columns);
                    for (k, column) in columns.iter().enumerate() {
                        out.iter_mut().skip(k).step_by(classes).zip(column.to_array()).for_each(|(out, p)| *out = p);
                    }
                }
            }
        }
    }
}

/// Transposes a block, with zeros past the last row: number j of row i goes to `j * BLOCK + i`.
fn exchange(rows: &[f32], width: usize, out: &mut [Lanes]) {
    debug_assert_eq!(floats(out).len(), width * BLOCK.next_multiple_of(LANES));
    for (j, out) in floats_mut(out).chunks_exact_mut(BLOCK).enumerate() {
        let column = rows.iter().skip(j).step_by(width).copied().chain(std::iter::repeat(0.0));
        out.iter_mut().zip(column).for_each(|(out, value)| *out = value);
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Rng, softmax};

    use super::*;
    use crate::network::FirstBiases;
    use crate::predict::{Rows, predict};

    /// Tolerance for probabilities computed from sums of a few products.
    const TOLERANCE: f32 = 1e-5;

    fn normals(len: usize, stream: u64) -> Vec<f32> {
        let mut rng = Rng::new(3, stream);
        (0..len).map(|_| rng.normal()).collect()
    }

    #[test]
    fn a_network_taken_apart_says_the_same() {
        for widths in [&[3, 7, 5, 2][..], &[2, 50, 50, 3], &[4, 10, 2], &[3, 2]] {
            let network = Network::new(widths, FirstBiases::Normal, &mut Rng::new(1, 0));
            let apart = LastLayer::of(&network);
            assert_eq!((apart.features(), apart.classes()), (widths[widths.len() - 2], widths[widths.len() - 1]));
            let inputs = Matrix::new(70, widths[0], normals(70 * widths[0], 0)).unwrap();
            let mut expected = vec![0.0; 70 * apart.classes()];
            predict(&[&network], &Rows::of(&inputs), &mut expected).unwrap();
            let hidden = apart.at(&inputs).unwrap();
            let mut probs = hidden.logits.clone();
            probs.chunks_mut(apart.classes()).for_each(softmax);
            assert!(probs.iter().zip(&expected).all(|(p, expected)| (p - expected).abs() < TOLERANCE), "{widths:?}");
            let some = Matrix::new(3, widths[0], inputs.values()[20 * widths[0]..23 * widths[0]].to_vec()).unwrap();
            let some = apart.at(&some).unwrap();
            assert_eq!(some.logits, hidden.logits[20 * apart.classes()..23 * apart.classes()]);
            assert_eq!(some.features, hidden.features[20 * apart.features()..23 * apart.features()]);
            assert!(apart.at(&Matrix::new(1, widths[0] + 1, vec![0.0; widths[0] + 1]).unwrap()).is_err());
        }
    }

    #[test]
    fn draws_agree_with_plain_loops_in_any_company() {
        for (rows, draws, width, classes) in [(150, 37, 5, 2), (64, 16, 13, 3), (1, 1, 1, 2), (3, 20, 50, 11)] {
            let hidden = Hidden { features: normals(rows * width, 1), logits: normals(rows * classes, 2) };
            let deviations = normals(draws * classes * width, 3);
            let sample = |hidden: &Hidden, deviations: &[f32]| {
                let draws = deviations.len() / (classes * width);
                let mut out = vec![f32::NAN; draws * hidden.logits.len()];
                sample_last_layers(hidden, (width, classes), deviations, &mut out);
                out
            };
            let out = sample(&hidden, &deviations);
            for m in 0..draws {
                for t in 0..rows {
                    let features = &hidden.features[t * width..][..width];
                    let logit = |k: usize| {
                        let deviation = &deviations[(m * classes + k) * width..][..width];
                        let sum: f32 = features.iter().zip(deviation).map(|(phi, v)| phi * v).sum();
                        hidden.logits[t * classes + k] + sum
                    };
                    let mut expected: Vec<f32> = (0..classes).map(logit).collect();
                    softmax(&mut expected);
                    let found = &out[(m * rows + t) * classes..][..classes];
                    assert!(found.iter().zip(&expected).all(|(p, q)| (p - q).abs() < TOLERANCE), "{m} {t}");
                }
            }
            let (m, t) = (draws - 1, rows - 1);
            let alone = Hidden {
                features: hidden.features[t * width..].to_vec(),
                logits: hidden.logits[t * classes..].to_vec(),
            };
            let expected = &out[(m * rows + t) * classes..][..classes];
            assert_eq!(sample(&alone, &deviations[m * classes * width..]), expected);
        }
    }
}
