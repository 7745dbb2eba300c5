//! The agent `prior`: draws from the environment's law itself, and learns nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use jointly_nets::penalty::temperature;
use jointly_nets::{FirstBiases, Network, Stream, predict};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, settings};

/// Hidden layers of the environment where the task does not tell.
const DEFAULT_HIDDEN_LAYERS: u32 = 2;

/// Units in a hidden layer of the environment.
const WIDTH: usize = 50;

/// How many networks are kept between calls, at about 11 KiB each for inputs of two features.
const KEPT: usize = 1024;

settings! {
    /// There is nothing to set.
    struct Settings {}
}

/// A fresh network for every draw.
#[derive(Debug)]
pub struct Prior {
    widths: Vec<usize>,
    temperature: f32,
    seed: u64,
    /// The networks of the draws seen first; the host asks for the same draws call after call.
    kept: RefCell<BTreeMap<u64, Network>>,
}

impl Prior {
    fn network(&self, draw: u64) -> Network {
        let mut rng = Stream::Prior.rng(self.seed, draw);
        Network::new(&self.widths, FirstBiases::Normal, &mut rng).scaled(1.0 / self.temperature)
    }
}

impl Classifier for Prior {
    fn describe() -> Description {
        let summary = "networks drawn from the environment's own law, without regard to the data";
        Description::new("prior", env!("CARGO_PKG_VERSION"), summary)
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Settings::parse(settings)?;
        let mut widths = vec![WIDTH; task.hidden_layers.unwrap_or(DEFAULT_HIDDEN_LAYERS) as usize + 2];
        widths[0] = task.input_dim;
        *widths.last_mut().expect("inputs and outputs") = task.num_classes;
        Ok(Self { widths, temperature: temperature(task), seed, kept: RefCell::default() })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let mut kept = self.kept.borrow_mut();
        if let Some(network) = kept.get(&draw) {
            return predict(&[network], inputs, out);
        }
        let network = self.network(draw);
        predict(&[&network], inputs, out)?;
        if kept.len() < KEPT {
            kept.insert(draw, network);
        }
        Ok(())
    }
}

jointly_sdk::export!(classifier: Prior);

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 1e-6;

    fn prior(temperature: Option<f32>) -> Prior {
        let task = Task { input_dim: 2, num_classes: 3, temperature, hidden_layers: Some(1) };
        let data = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        Prior::train(&task, &data, None, &[], 5).unwrap()
    }

    fn probs(prior: &Prior, draw: u64) -> Vec<f32> {
        let inputs = Matrix::new(2, 2, vec![1.0, -0.5, 0.3, 2.0]).unwrap();
        let mut out = vec![0.0; 6];
        prior.probs(&inputs, draw, &mut out).unwrap();
        out
    }

    #[test]
    fn a_draw_names_a_network_whether_it_is_kept_or_not() {
        let prior = prior(None);
        let first = probs(&prior, 1);
        assert_eq!(first, probs(&prior, 1));
        assert_ne!(first, probs(&prior, 2));
        for draw in 3..3 + KEPT as u64 {
            probs(&prior, draw);
        }
        assert_eq!(prior.kept.borrow().len(), KEPT);
        assert_eq!(probs(&prior, u64::MAX), probs(&prior, u64::MAX));
    }

    #[test]
    fn logits_are_divided_by_the_temperature() {
        let log_odds = |probs: &[f32]| (probs[0] / probs[1]).ln();
        let (warm, cold) = (log_odds(&probs(&prior(None), 0)), log_odds(&probs(&prior(Some(0.5)), 0)));
        assert!((2.0 * warm - cold).abs() < TOLERANCE * (1.0 + cold.abs()) * 10.0, "{warm} {cold}");
    }
}
