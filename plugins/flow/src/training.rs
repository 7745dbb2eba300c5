//! Training by steps of Adam on the variational bound.

use jointly_nets::adam::Adam;
use jointly_nets::examples::{Examples, Likelihood};
use jointly_nets::layout::layout;
use jointly_nets::loss::Targets;
use jointly_nets::simd::{Lanes, floats, floats_mut};
use jointly_nets::{FirstBiases, Network, Penalty, Progress, Stream, widths};
use jointly_sdk::{Dataset, Failure, Task};

use crate::Settings;
use crate::belief::Belief;

/// The network over whose parameters the distribution is.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    network: Network,
    /// The positions of its parameters among the padding.
    places: Vec<usize>,
}

impl Base {
    fn new(task: &Task, hidden: &[usize], seed: u64) -> Self {
        let widths = widths(task, hidden);
        let network = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        let places = layout(&widths).into_iter().flat_map(|block| block.weights().chain(block.biases())).collect();
        Self { network, places }
    }

    /// Returns the number of parameters.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    fn gather(&self, padded: &[Lanes]) -> Vec<f32> {
        let padded = floats(padded);
        self.places.iter().map(|place| padded[*place]).collect()
    }

    /// Returns the network with these parameters.
    pub(crate) fn with(&mut self, parameters: &[f32]) -> &Network {
        let padded = floats_mut(&mut self.network.parameters);
        for (place, value) in self.places.iter().zip(parameters) {
            padded[*place] = *value;
        }
        &self.network
    }
}

/// Minimises the mean cross-entropy of the distribution's draws plus the weighted divergence from the prior.
pub(crate) fn train(settings: &Settings, task: &Task, data: &Dataset, seed: u64) -> Result<(Base, Belief), Failure> {
    let mut examples = Examples::new(task, data, *settings.batch_size, Stream::Batches.rng(seed, 0))?;
    let mut base = Base::new(task, &settings.hidden, seed);
    let means = base.gather(&base.network.parameters);
    let flows = *settings.flows;
    let mut belief = Belief::new(&means, *settings.initial_scale, flows, &mut Stream::FlowStart.rng(seed, 0));
    let complexity = Penalty { l2: 1.0, adaptive: settings.adaptive.0 }.factor(task, data.labels.len());
    let precision = settings.sigma.powi(-2);
    let share = 1.0 / *settings.draws as f32;

    let mut likelihood = Likelihood::new(&base.network, examples.max_rows());
    let mut slopes = vec![Lanes::splat(0.0); base.network.parameters.len()];
    let mut gradient = vec![Lanes::splat(0.0); belief.parameters.len()];
    let mut adam = Adam::new(belief.parameters.len(), *settings.learning_rate);
    let mut rng = Stream::FlowNoise.rng(seed, 0);
    let steps = *settings.steps;
    let mut progress = Progress::new(steps);
    for step in 0..steps {
        examples.next_batch();
        let sampler = belief.sampler();
        let mut sums = sampler.sums();
        for _ in 0..*settings.draws {
            let draw = sampler.draw(&mut rng);
            let network = base.with(&draw.point);
            let targets = Targets { weights: examples.shares(), ..examples.targets() };
            if !likelihood.differentiate(network, &examples, targets, &mut slopes) {
                return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
            }
            sampler.add(draw, &base.gather(&slopes), (share, complexity, precision), &mut sums);
        }
        sampler.finish(&sums, (complexity, precision), &mut gradient);
        adam.update(&mut belief.parameters, &gradient, 0.0);
        progress.step();
    }
    Ok((base, belief))
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, Rng, Setting};

    use super::*;

    #[test]
    fn flows_bend_still_when_training_ends() {
        const DRAWS: u64 = 50;
        let mut rng = Rng::new(1, 0);
        let inputs: Vec<f32> = (0..40).map(|_| rng.normal()).collect();
        let labels = inputs.chunks(2).map(|row| u32::from(row[0] > row[1])).collect();
        let data = Dataset { inputs: Matrix::new(20, 2, inputs).unwrap(), labels };
        let task = Task { temperature: Some(0.1), ..Task::new(2, 2) };
        let steps = Setting { name: "steps".into(), value: "1000".into() };
        let settings = Settings::parse(&[steps]).unwrap();
        let (_, belief) = train(&settings, &task, &data, 0).unwrap();
        let sampler = belief.sampler();
        let slopes = (0..DRAWS).map(|draw| sampler.draw(&mut Rng::new(2, draw)).slope());
        let mean = slopes.sum::<f32>() / DRAWS as f32;
        assert!(mean > 0.3, "{mean}");
    }
}
