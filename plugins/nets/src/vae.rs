//! A variational autoencoder of the inputs, whose latent representation prior functions may depend on.

use jointly_sdk::{Dataset, Failure, Matrix, Rng, Task};

use crate::adam::Adam;
use crate::examples::Examples;
use crate::layout::layout;
use crate::network::{FirstBiases, Network};
use crate::simd::{floats, floats_mut};
use crate::stack::Stack;
use crate::stream::Stream;

/// The dimension of the latent representation.
const LATENT: usize = 2;

/// Widths of the encoder's hidden layers, in the order from the inputs; the decoder has them in reverse.
const HIDDEN: [usize; 2] = [128, 64];

/// Step size of Adam.
const LEARNING_RATE: f32 = 1e-3;

/// A trained encoder, which gives the mean of the latent representation for an input.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// Maps normalised inputs to the mean of the latent representation, followed by the logarithm of its variance.
    network: Network,
    widths: Vec<usize>,
    normalisation: Normalisation,
}

impl Encoder {
    /// Trains an autoencoder on unlabelled inputs (Kingma and Welling 2014; appendix D.3 of the testbed's paper).
    ///
    /// # Formula
    ///
    /// With u in [0, 1] the normalised inputs, mu and s the encoder's outputs at u, e standard normal, z = mu +
    /// exp(s/2) e and l the decoder's outputs at z, each step lowers the mean over a minibatch of sum_j (log(1 + exp
    /// l_j) - u_j l_j) + 1/2 sum_i (mu_i^2 + exp(s_i) - s_i - 1), the negative evidence lower bound with a Bernoulli
    /// decoder.
    ///
    /// # Errors
    ///
    /// Fails if the loss stops being finite, or if the data do not fit the task.
    pub fn train(task: &Task, inputs: &Matrix, steps: usize, batch_size: usize, seed: u64) -> Result<Self, Failure> {
        let normalisation = Normalisation::of(inputs, task.input_dim);
        // Minibatches have labels; these are not used.
        let data = Dataset { inputs: normalisation.apply(inputs), labels: vec![0; inputs.rows()] };
        let rng = Stream::AutoencoderBatches.rng(seed, 0);
        let mut batches = Examples::new(task, &data, batch_size, rng)?;
        let mut autoencoder = Autoencoder::new(task.input_dim, batches.max_rows(), seed);
        let mut encoder_adam = Adam::new(autoencoder.encoder.gradient.len(), LEARNING_RATE);
        let mut decoder_adam = Adam::new(autoencoder.decoder.gradient.len(), LEARNING_RATE);
        let mut noise = Vec::new();
        for step in 0..steps {
            batches.next_batch();
            let mut rng = Stream::AutoencoderNoise.rng(seed, step as u64);
            noise.clear();
            noise.extend((0..batches.rows() * LATENT).map(|_| rng.normal()));
            if !autoencoder.differentiate(batches.inputs(), batches.stride(), batches.shares(), &noise) {
                let reason = format!("the loss of the autoencoder is not finite at step {step}");
                return Err(Failure::Diverged(reason));
            }
            let Autoencoder { encoder, decoder, .. } = &mut autoencoder;
            encoder_adam.update(&mut encoder.network.parameters, &encoder.gradient, 0.0);
            decoder_adam.update(&mut decoder.network.parameters, &decoder.gradient, 0.0);
        }
        let Autoencoder { encoder, widths, .. } = autoencoder;
        Ok(Self { network: encoder.network, widths, normalisation })
    }

    /// Returns a random linear function of the latent mean, as a network from inputs to `classes` outputs.
    ///
    /// The weights are truncated normal with scale 1 / sqrt(2), and the biases normal with that standard deviation, as
    /// in the first layer of the environment's network: over the inputs, the latent is approximately standard normal.
    pub fn linear_function(&self, classes: usize, rng: &mut Rng) -> Network {
        let linear = Network::new(&[LATENT, classes], FirstBiases::Normal, rng);
        self.followed_by(&linear, classes)
    }

    /// Composes normalisation, encoder and `linear`: the encoder's last layer and `linear` become one layer, and so do
    /// the normalisation and the first layer.
    fn followed_by(&self, linear: &Network, classes: usize) -> Network {
        let mut widths = self.widths.clone();
        *widths.last_mut().expect("inputs and outputs") = classes;
        let mut composed = Network::new(&widths, FirstBiases::Zero, &mut Rng::new(0, 0));
        let (from, to) = (floats(&self.network.parameters), floats_mut(&mut composed.parameters));
        let (from_blocks, to_blocks) = (layout(&self.widths), layout(&widths));
        let last = to_blocks.len() - 1;
        for (from_block, to_block) in from_blocks.iter().zip(&to_blocks).take(last) {
            for i in 0..=from_block.inputs {
                to[to_block.row(i)].copy_from_slice(&from[from_block.row(i)]);
            }
        }
        let first = to_blocks[0];
        for (i, (shift, factor)) in self.normalisation.0.iter().enumerate() {
            for (weight, bias) in first.row(i).zip(first.biases()) {
                to[weight] *= factor;
                to[bias] += shift * to[weight];
            }
        }
        let block = layout(&[LATENT, classes])[0];
        let linear = floats(&linear.parameters);
        for i in 0..=to_blocks[last].inputs {
            let is_bias = i == to_blocks[last].inputs;
            for (k, at) in to_blocks[last].row(i).enumerate() {
                let mean = &from[from_blocks[last].row(i)][..LATENT];
                let sum: f32 = mean.iter().enumerate().map(|(j, mean)| mean * linear[block.row(j)][k]).sum();
                to[at] = if is_bias { sum + linear[block.row(LATENT)][k] } else { sum };
            }
        }
        composed
    }
}

/// Maps each feature of the training inputs to [0, 1] by (x + shift) * factor.
#[derive(Clone, Debug, PartialEq)]
struct Normalisation(Vec<(f32, f32)>);

impl Normalisation {
    /// Maps the smallest and the largest value of each feature to 0 and 1. A constant feature, as with at most one
    /// example, is shifted to 1/2 and keeps its scale.
    fn of(inputs: &Matrix, dim: usize) -> Self {
        let feature = |j: usize| {
            let values = (0..inputs.rows()).map(|i| inputs.row(i)[j]);
            let (low, high) =
                values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            if high > low { (-low, 1.0 / (high - low)) } else { (0.5 - if low.is_finite() { low } else { 0.0 }, 1.0) }
        };
        Self((0..dim).map(feature).collect())
    }

    fn apply(&self, inputs: &Matrix) -> Matrix {
        let columns = self.0.iter().cycle();
        let values = inputs.values().iter().zip(columns).map(|(x, (shift, factor))| (x + shift) * factor);
        Matrix::new(inputs.rows(), inputs.cols(), values.collect()).expect("as many values as before")
    }
}

/// An autoencoder in training.
#[derive(Debug)]
struct Autoencoder {
    encoder: Stack,
    decoder: Stack,
    /// Widths of the encoder.
    widths: Vec<usize>,
    /// The encoder's outputs in the last step.
    latents: Vec<[f32; 2 * LATENT]>,
}

impl Autoencoder {
    fn new(dim: usize, rows: usize, seed: u64) -> Self {
        let widths = vec![dim, HIDDEN[0], HIDDEN[1], 2 * LATENT];
        let decoder = [LATENT, HIDDEN[1], HIDDEN[0], dim];
        Self {
            encoder: Stack::new(&widths, rows, &mut Stream::AutoencoderStart.rng(seed, 0)),
            decoder: Stack::new(&decoder, rows, &mut Stream::AutoencoderStart.rng(seed, 1)),
            widths,
            latents: Vec::new(),
        }
    }

    /// Computes the gradient of the loss, in which each row is weighted by its share, and returns whether it is finite.
    fn differentiate(&mut self, inputs: &[f32], stride: usize, shares: &[f32], noise: &[f32]) -> bool {
        let dim = self.widths[0];
        let rows = shares.len();
        let Self { encoder, decoder, latents, .. } = self;
        encoder.inputs().zip(inputs.chunks_exact(stride)).take(rows).for_each(|(to, from)| {
            to[..dim].copy_from_slice(&from[..dim]);
        });
        encoder.forward(rows);

        latents.clear();
        latents.extend(encoder.outputs().take(rows).map(|row| std::array::from_fn(|i| row[i])));
        let noisy = decoder.inputs().zip(latents.iter()).zip(noise.chunks_exact(LATENT));
        for ((input, latent), noise) in noisy {
            for i in 0..LATENT {
                input[i] = latent[i] + (0.5 * latent[LATENT + i]).exp() * noise[i];
            }
        }
        decoder.forward(rows);

        let mut finite = true;
        let reconstructions = decoder.outputs().zip(inputs.chunks_exact(stride)).zip(shares);
        for ((logits, inputs), share) in reconstructions {
            for (logit, input) in logits.iter_mut().zip(&inputs[..dim]) {
                *logit = share * (1.0 / (1.0 + (-*logit).exp()) - input);
                finite &= logit.is_finite();
            }
        }
        decoder.backward(rows);

        let slopes = encoder.outputs().zip(decoder.inputs()).zip(latents.iter()).zip(noise.chunks_exact(LATENT));
        for ((((out, slope), latent), noise), share) in slopes.zip(shares) {
            for i in 0..LATENT {
                let (mean, deviation) = (latent[i], (0.5 * latent[LATENT + i]).exp());
                out[i] = slope[i] + share * mean;
                out[LATENT + i] = 0.5 * (slope[i] * noise[i] * deviation + share * (deviation * deviation - 1.0));
                finite &= out[i].is_finite() && out[LATENT + i].is_finite();
            }
        }
        encoder.backward(rows);
        finite
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::outputs;

    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-5;
    /// Tolerance for a derivative of order one in single precision.
    const TOLERANCE: f64 = 1e-4;

    const DIM: usize = 3;
    const ROWS: usize = 6;

    fn task() -> Task {
        Task::new(DIM, 2)
    }

    /// Returns points that alternate between two clusters around opposite corners of a cube.
    fn clusters(examples: usize) -> Dataset {
        let mut rng = Rng::new(1, 0);
        let centre = |i: usize| if i.is_multiple_of(2) { 2.0 } else { -2.0 };
        let inputs = (0..examples).flat_map(|i| [0; DIM].map(|_| centre(i) + 0.5 * rng.normal())).collect();
        Dataset { inputs: Matrix::new(examples, DIM, inputs).unwrap(), labels: vec![0; examples] }
    }

    /// Returns the outputs of a network at one input, computed in double precision.
    fn plain(widths: &[usize], parameters: &[f64], mut values: Vec<f64>) -> Vec<f64> {
        for (l, block) in layout(widths).iter().enumerate() {
            let mut sums: Vec<f64> = block.biases().map(|at| parameters[at]).collect();
            for (i, value) in values.iter().enumerate() {
                sums.iter_mut().zip(block.row(i)).for_each(|(sum, at)| *sum += value * parameters[at]);
            }
            let last = l + 2 == widths.len();
            values = sums.into_iter().map(|sum| if last { sum } else { sum.max(0.0) }).collect();
        }
        values
    }

    /// Returns the negative evidence lower bound, computed in double precision.
    fn loss(encoder: &[f64], decoder: &[f64], inputs: &Matrix, shares: &[f32], noise: &[f32]) -> f64 {
        let encoder_widths = [DIM, HIDDEN[0], HIDDEN[1], 2 * LATENT];
        let decoder_widths = [LATENT, HIDDEN[1], HIDDEN[0], DIM];
        let mut total = 0.0;
        for (i, share) in shares.iter().enumerate() {
            let input: Vec<f64> = inputs.row(i).iter().map(|u| f64::from(*u)).collect();
            let latent = plain(&encoder_widths, encoder, input.clone());
            let (mean, log_variance) = latent.split_at(LATENT);
            let noise = noise[i * LATENT..][..LATENT].iter().map(|e| f64::from(*e));
            let noisy = mean.iter().zip(log_variance).zip(noise).map(|((mean, s), e)| mean + (s / 2.0).exp() * e);
            let logits = plain(&decoder_widths, decoder, noisy.collect());
            let reconstruction: f64 = logits.iter().zip(&input).map(|(l, u)| (1.0 + l.exp()).ln() - u * l).sum();
            let divergence: f64 = mean.iter().zip(log_variance).map(|(m, s)| m * m + s.exp() - s - 1.0).sum();
            total += f64::from(*share) * (reconstruction + 0.5 * divergence);
        }
        total
    }

    #[test]
    fn gradient_of_the_bound_agrees_with_finite_differences() {
        let data = clusters(ROWS);
        let inputs = Normalisation::of(&data.inputs, DIM).apply(&data.inputs);
        let padded: Vec<f32> = (0..ROWS).flat_map(|i| [inputs.row(i), &[1.0]].concat()).collect();
        let mut rng = Rng::new(2, 0);
        let noise: Vec<f32> = (0..ROWS * LATENT).map(|_| rng.normal()).collect();
        let shares: Vec<f32> = (0..ROWS).map(|i| 0.1 * (i + 1) as f32).collect();
        let mut autoencoder = Autoencoder::new(DIM, ROWS, 0);
        assert!(autoencoder.differentiate(&padded, DIM + 1, &shares, &noise));

        let doubles = |values: &[crate::simd::Lanes]| floats(values).iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
        let (encoder, decoder) = (&autoencoder.encoder, &autoencoder.decoder);
        let mut parameters = [doubles(&encoder.network.parameters), doubles(&decoder.network.parameters)];
        let gradients = [doubles(&encoder.gradient), doubles(&decoder.gradient)];
        for part in 0..2 {
            let mut largest = 0.0f64;
            // A prime stride reaches all layers; padding has no gradient in either computation.
            for at in
                (0..parameters[part].len()).step_by(37).filter(|at| parameters[part][*at] != 0.0).collect::<Vec<_>>()
            {
                let original = parameters[part][at];
                let mut shifted = |by: f64| {
                    parameters[part][at] = original + by;
                    loss(&parameters[0], &parameters[1], &inputs, &shares, &noise)
                };
                let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                parameters[part][at] = original;
                let derivative = gradients[part][at];
                assert!((difference - derivative).abs() < TOLERANCE, "{part}, {at}: {difference} and {derivative}");
                largest = largest.max(derivative.abs());
            }
            assert!(largest > 100.0 * TOLERANCE, "the gradient vanishes");
        }
    }

    #[test]
    fn clusters_part_in_the_latent() {
        let data = clusters(60);
        let encoder = Encoder::train(&task(), &data.inputs, 500, 30, 0).unwrap();
        let mut identity = Network::new(&[LATENT, LATENT], FirstBiases::Zero, &mut Rng::new(0, 0));
        let block = layout(&[LATENT, LATENT])[0];
        for (i, row) in (0..LATENT).map(|i| block.row(i)).enumerate() {
            row.enumerate().for_each(|(j, at)| floats_mut(&mut identity.parameters)[at] = f32::from(u8::from(i == j)));
        }
        let latents = outputs(&encoder.followed_by(&identity, LATENT), data.inputs.values());
        let of = |cluster: usize, i: usize| {
            let rows = latents.chunks(LATENT).skip(cluster).step_by(2);
            let values: Vec<f32> = rows.map(|row| row[i]).collect();
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / values.len() as f32;
            (mean, variance)
        };
        let gap: f32 = (0..LATENT).map(|i| (of(0, i).0 - of(1, i).0).powi(2)).sum();
        let spread: f32 = (0..LATENT).map(|i| of(0, i).1 + of(1, i).1).sum();
        assert!(gap > 4.0 * spread && gap > 1.0, "gap {gap}, spread {spread}");
    }

    #[test]
    fn a_function_of_the_latent_composes_normalisation_encoder_and_linear_map() {
        let data = clusters(20);
        let encoder = Encoder::train(&task(), &data.inputs, 20, 10, 3).unwrap();
        let linear = Network::new(&[LATENT, 3], FirstBiases::Normal, &mut Rng::new(9, 0));
        let composed = outputs(&encoder.followed_by(&linear, 3), data.inputs.values());
        let latents = outputs(&encoder.network, encoder.normalisation.apply(&data.inputs).values());
        let means: Vec<f32> = latents.chunks(2 * LATENT).flat_map(|row| row[..LATENT].to_vec()).collect();
        let expected = outputs(&linear, &means);
        assert!(composed.iter().zip(expected).all(|(value, expected)| (f64::from(value - expected)).abs() < TOLERANCE));
    }

    #[test]
    fn features_come_to_the_unit_interval() {
        let inputs = Matrix::new(3, 2, vec![-3.0, 7.0, 1.0, 7.0, 0.0, 7.0]).unwrap();
        let normalised = Normalisation::of(&inputs, 2).apply(&inputs);
        assert_eq!(normalised.values(), [0.0, 0.5, 1.0, 0.5, 0.75, 0.5]);
        let nothing = Matrix::new(0, 2, Vec::new()).unwrap();
        assert_eq!(Normalisation::of(&nothing, 2), Normalisation(vec![(0.5, 1.0); 2]));
    }
}
