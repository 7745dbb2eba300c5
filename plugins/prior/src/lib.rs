//! The agent `prior`: draws from the environment's law itself, and learns nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;

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
        Ok(Self { widths, temperature: task.temperature.unwrap_or(1.0), seed, kept: RefCell::default() })
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
