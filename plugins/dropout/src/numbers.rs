//! Draws of a network under dropout that reads plain numbers.

use jointly_nets::examples::Examples;
use jointly_nets::inputs::Design;
use jointly_nets::simd::{floats, floats_mut};
use jointly_nets::{FirstBiases, Network, Rows, Stream, each_draw, learned, predict, widths};
use jointly_sdk::{Dataset, Failure, Matrix, Task};

use crate::masks::{Masks, Rates};
use crate::sampling::Shared;
use crate::training::{Recipe, train};

/// A trained network; each draw applies its own dropout masks.
#[derive(Debug)]
pub(crate) struct Drawn {
    network: Network,
    widths: Vec<usize>,
    pub(crate) rates: Rates,
    /// Values that all draws share, for networks where that saves work.
    shared: Option<Shared>,
    seed: u64,
}

/// Returns the widths of the layers and the untrained network.
fn start(design: &Design, task: &Task, seed: u64) -> (Vec<usize>, Network) {
    let widths = widths(task, design.hidden.as_deref().unwrap_or_default());
    let network = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
    (widths, network)
}

impl Drawn {
    /// Returns what training has changed, for [`Drawn::restore`].
    pub(crate) fn learned(&self) -> Vec<u8> {
        learned::keep([floats(&self.network.parameters)])
    }

    /// Returns a trained network from the bytes that [`Drawn::learned`] gave of it.
    ///
    /// # Errors
    ///
    /// The bytes are not those of such a network.
    pub(crate) fn restore(
        design: &Design,
        rates: Rates,
        task: &Task,
        seed: u64,
        bytes: &[u8],
    ) -> Result<Self, Failure> {
        let (widths, mut network) = start(design, task, seed);
        learned::restore(bytes, [floats_mut(&mut network.parameters)])?;
        Ok(Self::of(network, widths, rates, seed))
    }

    fn of(network: Network, widths: Vec<usize>, rates: Rates, seed: u64) -> Self {
        let shares = widths.len() == 4 && rates.input == 0.0;
        let shared = shares.then(|| Shared::new(&network, &widths, &rates));
        Self { network, widths, rates, shared, seed }
    }

    /// Trains a network.
    ///
    /// # Errors
    ///
    /// The loss stopped being finite, or the data do not fit the task.
    pub(crate) fn train(
        design: &Design,
        rates: Rates,
        task: &Task,
        data: &Dataset,
        seed: u64,
    ) -> Result<Self, Failure> {
        let Design { learning_rate, batch_size, length, .. } = *design;
        let (widths, network) = start(design, task, seed);
        let recipe = Recipe {
            rates: rates.clone(),
            steps: length.steps(data.labels.len(), batch_size),
            learning_rate,
            penalty: design.penalty.factor(task, data.labels.len()),
        };
        let batches = Stream::Batches.rng(seed, 0);
        let mut examples = Examples::new(task, data, batch_size, batches)?.repeating();
        let network = train(network, &widths, &recipe, &mut examples, seed)?;
        Ok(Self::of(network, widths, rates, seed))
    }

    /// Returns whether anything is dropped; otherwise all draws are the same.
    pub(crate) fn drops(&self) -> bool {
        self.rates.hidden > 0.0
    }

    fn masks(&self, draw: u64) -> Masks {
        Masks::draw(&self.widths, &self.rates, &mut Stream::Parameters.rng(self.seed, draw))
    }

    /// Computes the class probabilities of the network under a draw's masks.
    fn plain_probs(&self, rows: &Rows, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[&self.masks(draw).thin(&self.network, &self.widths, &self.rates)], rows, out)
    }

    /// Computes the class probabilities of the networks under the draws' masks, one after the other.
    ///
    /// # Errors
    ///
    /// The inputs do not have the task's dimension.
    pub(crate) fn probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let (cols, dim) = (inputs.cols(), self.widths[0]);
        if cols != dim {
            return Err(Failure::Internal(format!("inputs have {cols} columns; the task has {dim}")));
        }
        if out.is_empty() {
            return Ok(());
        }
        if let Some(shared) = &self.shared {
            let masks: Vec<Masks> = draws.iter().map(|draw| self.masks(*draw)).collect();
            shared.probs(inputs, &masks, out);
            return Ok(());
        }
        let rows = Rows::of(inputs);
        each_draw(draws, out, |draw, out| self.plain_probs(&rows, draw, out))
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::Penalty;
    use jointly_nets::inputs::{Architecture, Length};
    use jointly_sdk::Rng;

    use super::*;

    /// Tolerance between probabilities from the draws' shared sums and from the thinned network, both in single
    /// precision.
    const TOLERANCE: f32 = 1e-5;

    fn task(dim: usize, classes: usize) -> Task {
        Task { temperature: Some(0.25), ..Task::new(dim, classes) }
    }

    /// Creates examples whose classes are bands of the first feature; two classes are half-planes.
    fn data(examples: usize, dim: usize, classes: usize) -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs: Vec<f32> = (0..dim * examples).map(|_| rng.normal()).collect();
        let band = |row: &[f32]| ((row[0] + 1.5).max(0.0) as u32).min(classes as u32 - 1);
        let labels = inputs.chunks(dim).map(band).collect();
        Dataset { inputs: Matrix::new(examples, dim, inputs).unwrap(), labels }
    }

    fn trained(dim: usize, classes: usize, hidden: &[usize], [hidden_rate, input]: [f32; 2], steps: usize) -> Drawn {
        let design = Design {
            network: Architecture::Auto,
            hidden: Some(hidden.to_vec()),
            filters: Vec::new(),
            embedding_width: None,
            units: 32,
            length: Length::Steps(steps),
            batch_size: 100,
            learning_rate: 1e-3,
            penalty: Penalty { l2: 1.0, adaptive: None },
        };
        let rates = Rates { hidden: hidden_rate, input };
        Drawn::train(&design, rates, &task(dim, classes), &data(60, dim, classes), 7).unwrap()
    }

    fn sample(model: &Drawn, inputs: &Matrix, draws: &[u64]) -> Vec<f32> {
        let classes = model.network.outputs();
        let mut out = vec![f32::NAN; draws.len() * inputs.rows() * classes];
        model.probs(inputs, draws, &mut out).unwrap();
        out
    }

    #[test]
    fn draws_that_share_are_the_thinned_networks() {
        for (dim, classes, hidden, rate) in [
            (2, 2, [100, 100], 0.1),
            (3, 4, [70, 50], 0.5),
            (1, 3, [9, 33], 0.7),
            (2, 2, [65, 3], 0.9),
            (2, 2, [5, 7], 0.0),
        ] {
            let model = trained(dim, classes, &hidden, [rate, 0.0], 100);
            assert!(model.shared.is_some());
            let mut inputs = data(37, dim, classes).inputs.values().to_vec();
            inputs[0] = 300.0;
            inputs[dim] = -1e-6;
            let inputs = Matrix::new(37, dim, inputs).unwrap();
            let draws = [5, 0, 1_000_000, 3, 5];
            let together = sample(&model, &inputs, &draws);
            for (draw, together) in draws.into_iter().zip(together.chunks(37 * classes)) {
                let mut plain = vec![0.0; together.len()];
                model.plain_probs(&Rows::of(&inputs), draw, &mut plain).unwrap();
                for (a, b) in together.iter().zip(&plain) {
                    assert!((a - b).abs() < TOLERANCE, "{hidden:?} {rate} draw {draw}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn a_row_of_a_draw_has_the_same_bits_in_any_company() {
        for (hidden, rates) in
            [(&[100, 100][..], [0.3, 0.0]), (&[20, 20, 20], [0.1, 0.0]), (&[100, 100], [0.1, 0.1]), (&[9], [0.5, 0.0])]
        {
            let model = trained(2, 3, hidden, rates, 20);
            let inputs = data(21, 2, 3).inputs;
            let draws = [4, 9, 2, 4];
            let together = sample(&model, &inputs, &draws);
            for (draw, together) in draws.into_iter().zip(together.chunks(21 * 3)) {
                for (i, expected) in together.chunks(3).enumerate() {
                    let alone = Matrix::new(1, 2, inputs.row(i).to_vec()).unwrap();
                    assert_eq!(expected, sample(&model, &alone, &[draw]), "{hidden:?}, row {i} of draw {draw}");
                }
            }
            assert_ne!(together[..63], together[63..126]);
        }
    }

    #[test]
    fn what_is_not_finite_is_not_hidden() {
        let model = trained(2, 2, &[100, 100], [0.1, 0.0], 5);
        // The last row overflows only in some units.
        for row in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [3e38, 3e38]] {
            let inputs = Matrix::new(2, 2, [row, [0.5, 0.5]].concat()).unwrap();
            let probs = sample(&model, &inputs, &[0, 1]);
            assert!(probs[0].is_nan() && probs[4].is_nan() && probs[2].is_finite(), "{row:?}: {probs:?}");
        }
    }
}
