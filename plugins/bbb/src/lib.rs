//! The agent `bbb`: a normal belief about every parameter of a network, learnt by backpropagation.

mod posterior;
mod prior;
mod regression;

use jointly_nets::adam::Adam;
use jointly_nets::examples::{Examples, Likelihood};
use jointly_nets::normals::Normals;
use jointly_nets::simd::Lanes;
use jointly_nets::{FirstBiases, Network, Penalty, Progress, Stream, predict, sweeps, widths};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, Positive, Probability, Setting, Sweep, Task, Widths,
    choices, settings, sweep,
};

use posterior::Posterior;
use prior::Prior;

pub use regression::FunctionByBackprop;

choices! {
    /// The law of a parameter before any data are seen.
    enum PriorLaw {
        /// Normal.
        Normal = "normal",
        /// A mixture of two normal laws.
        Mixture = "mixture",
    }
}

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// law of a parameter before any data are seen: normal, whose divergence has a formula, or a mixture of two
        /// normal laws, whose divergence is sampled
        prior: PriorLaw = "normal",
        /// standard deviation of the normal prior, or of the mixture's first part
        sigma_1: Positive = "1",
        /// standard deviation of the mixture's second part
        sigma_2: Positive = "0.75",
        /// probability of the mixture's first part
        mixture: Probability = "0.5",
        /// multiply the divergence from the prior by the input's dimension and the root of the temperature
        adaptive: bool = "yes",
        /// standard deviations with which training starts
        initial_scale: Positive = "0.01",
        /// networks drawn in each step
        draws: Count = "8",
        /// step size of Adam
        learning_rate: Positive = "3e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

impl Settings {
    fn prior(&self) -> Prior {
        match self.prior {
            PriorLaw::Normal => Prior::normal(*self.sigma_1),
            PriorLaw::Mixture => Prior::mixture(*self.sigma_1, *self.sigma_2, *self.mixture),
        }
    }

    /// The factor of the divergence in the loss: 1 / T, times d sqrt(temperature) where adaptive.
    fn complexity(&self, task: &Task, examples: usize) -> f32 {
        Penalty { l2: 1.0, adaptive: self.adaptive }.factor(task, examples)
    }
}

/// Bayes by backprop: a draw is one network from the belief.
///
/// # Formula
///
/// Minimises E [mean cross-entropy of a batch at w] + c / T KL(q || p), where w ~ q, each parameter on its own normal
/// with a mean and a scale that is a softplus, p is the prior, T the number of examples and c = d sqrt(temperature)
/// where adaptive, else 1. The expectation is a mean over a few w, each shared by the whole batch. Means start as a
/// network's parameters do, scales at the setting initial-scale.
///
/// The default stops before it has converged. By the divergence alone, from 0.01 and by steps of 3e-3, Adam takes the
/// scales of a prior of scale 1 to 0.175 in 1000 steps, 0.857 in 2000 and 1.000 in 10000: where there are few examples,
/// and so much divergence in the loss, draws are nearer to one another than those of the best normal belief would be.
///
/// After Blundell, Cornebise, Kavukcuoglu and Wierstra (2015).
#[derive(Debug)]
pub struct BayesByBackprop {
    posterior: Posterior,
    dim: usize,
    seed: u64,
}

impl BayesByBackprop {
    fn network(&self, draw: u64) -> Network {
        let mut normals = Normals::new(&mut Stream::Parameters.rng(self.seed, draw));
        self.posterior.draw(&mut normals, &mut Vec::new())
    }
}

impl Classifier for BayesByBackprop {
    fn describe() -> Description {
        Description {
            citation: "Blundell, Cornebise, Kavukcuoglu and Wierstra, Weight uncertainty in neural networks, ICML 2015"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sigma_by_training(), mixture(), sweeps::hidden(), adaptive_by_steps()],
            ..Description::new("bbb", env!("CARGO_PKG_VERSION"), "a normal belief about each parameter of a network")
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let mut examples = Examples::new(task, data, *settings.batch_size, Stream::Batches.rng(seed, 0))?;
        let widths = widths(task, &settings.hidden);
        let start = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        let mut likelihood = Likelihood::new(&start, examples.max_rows());
        let mut posterior = Posterior::new(start, &widths, *settings.initial_scale);
        let (prior, complexity) = (settings.prior(), settings.complexity(task, data.labels.len()));

        let mut adam = Adam::new(posterior.parameters.len(), *settings.learning_rate);
        let mut gradient = vec![Lanes::splat(0.0); posterior.parameters.len()];
        let mut slopes = vec![Lanes::splat(0.0); posterior.parameters.len() / 2];
        let mut normals = Normals::new(&mut Stream::Noise.rng(seed, 0));
        let mut noise = Vec::new();
        let (steps, draws) = (*settings.steps, *settings.draws);
        let mut progress = Progress::new(steps);
        for step in 0..steps {
            examples.next_batch();
            gradient.fill(Lanes::splat(0.0));
            for _ in 0..draws {
                let network = posterior.draw(&mut normals, &mut noise);
                if !likelihood.differentiate(&network, &examples, examples.targets(), &mut slopes) {
                    return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
                }
                prior.add_surprise(&network.parameters, complexity, &mut slopes);
                posterior.pull_back(&slopes, &noise, 1.0 / draws as f32, &mut gradient);
            }
            posterior.add_divergence(&prior, complexity, &mut gradient);
            adam.update(&mut posterior.parameters, &gradient, 0.0);
            posterior.scale();
            progress.step();
        }
        Ok(Self { posterior, dim: task.input_dim, seed })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        if inputs.rows() == 0 && inputs.cols() == self.dim {
            return Ok(());
        }
        predict(&[&self.network(draw)], inputs, out)
    }
}

fn sigma_by_training() -> Sweep {
    let (rates, steps) = (["1e-3", "3e-3"], ["1000", "2000"]);
    let sigmas = ["0.3", "0.5", "0.7", "1", "2"];
    let training = rates.into_iter().flat_map(|rate| steps.map(|steps| (rate, steps)));
    let variants = training.flat_map(|(rate, steps)| {
        sigmas.map(|sigma| vec![("sigma-1", sigma), ("learning-rate", rate), ("steps", steps)])
    });
    sweep("sigma", variants)
}

fn mixture() -> Sweep {
    let (firsts, seconds) = (["1", "2", "4"], ["0.25", "0.3", "0.5", "0.7", "0.75"]);
    let sigmas = firsts.into_iter().flat_map(|one| seconds.map(|two| (one, two)));
    let variants = sigmas.flat_map(|(one, two)| {
        ["0.25", "0.5", "0.75"]
            .map(|weight| vec![("prior", "mixture"), ("sigma-1", one), ("sigma-2", two), ("mixture", weight)])
    });
    // With all the weight on one part the other's scale says nothing.
    let first = firsts.map(|one| vec![("prior", "mixture"), ("sigma-1", one), ("mixture", "1")]);
    let second = seconds.map(|two| vec![("prior", "mixture"), ("sigma-2", two), ("mixture", "0")]);
    sweep("mixture", variants.chain(first).chain(second))
}

fn adaptive_by_steps() -> Sweep {
    let variants = ["yes", "no"].into_iter();
    sweep("steps", variants.flat_map(|yes| ["500", "1000", "10000"].map(|n| vec![("adaptive", yes), ("steps", n)])))
}

jointly_sdk::export!(classifier: BayesByBackprop, regressor: FunctionByBackprop);

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    fn setting(name: &str, value: &str) -> Setting {
        Setting { name: name.into(), value: value.into() }
    }

    fn task() -> Task {
        Task { temperature: Some(0.25), ..Task::new(2, 2) }
    }

    fn data(examples: usize) -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs: Vec<f32> = (0..2 * examples).map(|_| rng.normal()).collect();
        let labels = inputs.chunks(2).map(|row| u32::from(row[0] > 0.0)).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    fn train(examples: usize, settings: &[(&str, &str)], seed: u64) -> BayesByBackprop {
        let settings: Vec<Setting> = settings.iter().map(|(name, value)| setting(name, value)).collect();
        BayesByBackprop::train(&task(), &data(examples), None, &settings, seed).unwrap()
    }

    fn probs(model: &BayesByBackprop, inputs: &Matrix, draw: u64) -> Vec<f32> {
        let mut out = vec![f32::NAN; inputs.rows() * 2];
        model.probs(inputs, draw, &mut out).unwrap();
        out
    }

    #[test]
    fn classes_are_learnt_and_training_depends_on_the_seed_alone() {
        for prior in ["normal", "mixture"] {
            let inputs = data(60).inputs;
            let settings = [("prior", prior), ("steps", "400"), ("hidden", "20")];
            let [one, same, other] = [1, 1, 2].map(|seed| train(60, &settings, seed));
            let expected = probs(&one, &inputs, 3);
            assert_eq!(expected, probs(&same, &inputs, 3));
            assert_ne!(expected, probs(&other, &inputs, 3));
            assert_ne!(expected, probs(&one, &inputs, 4));
            let hits =
                expected.chunks(2).zip(&data(60).labels).filter(|(row, label)| row[**label as usize] > 0.5).count();
            assert!(hits >= 54, "{prior}: {hits} of 60");
        }
    }

    #[test]
    fn without_data_the_belief_becomes_the_prior() {
        let model = train(0, &[("hidden", "30"), ("steps", "3000"), ("sigma-1", "0.5"), ("learning-rate", "1e-2")], 0);
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for draw in 0..50 {
            for value in
                jointly_nets::simd::floats(&model.network(draw).parameters).iter().filter(|value| **value != 0.0)
            {
                sum += value;
                squares += value * value;
                count += 1.0;
            }
        }
        // Five standard errors of 50 draws of 152 parameters, and what training leaves.
        assert!((sum / count).abs() < 5.0 * 0.5 / 7600f32.sqrt() + 0.01, "mean {}", sum / count);
        assert!(
            (squares / count / 0.25 - 1.0).abs() < 5.0 * (2.0 / 7600f32).sqrt() + 0.02,
            "variance {}",
            squares / count
        );
    }

    /// Of the scales that the documentation gives to three digits.
    const TOLERANCE: f32 = 6e-4;

    #[test]
    fn scales_are_on_their_way_to_the_priors_as_documented() {
        for (steps, expected) in [("1000", 0.175), ("2000", 0.857), ("10000", 1.0)] {
            let model = train(0, &[("hidden", "1"), ("draws", "1"), ("steps", steps)], 0);
            let scale = model.posterior.scale_of(0);
            assert!((scale - expected).abs() < TOLERANCE, "{steps} steps: {scale}");
        }
    }

    #[test]
    fn a_mixture_of_one_part_is_trained_and_in_the_sweep() {
        for weight in ["0", "1"] {
            let settings = [("prior", "mixture"), ("mixture", weight), ("steps", "50"), ("hidden", "5")];
            let found = probs(&train(20, &settings, 0), &data(20).inputs, 0);
            assert!(found.chunks(2).all(|row| (row[0] + row[1] - 1.0).abs() < 1e-5), "{weight}: {found:?}");
        }
        let weights = |expected: &str| {
            let is = |setting: &Setting| setting.name == "mixture" && setting.value == expected;
            mixture().variants.iter().filter(|variant| variant.iter().any(is)).count()
        };
        assert_eq!(["0", "0.25", "0.5", "0.75", "1"].map(weights), [5, 15, 15, 15, 3]);
    }

    #[test]
    fn complexity_is_adaptive() {
        let settings = |adaptive: &str| Settings::parse(&[setting("adaptive", adaptive)]).unwrap();
        assert_eq!(settings("yes").complexity(&task(), 10), 0.1);
        assert_eq!(settings("yes").complexity(&Task { temperature: Some(4.0), ..task() }, 10), 0.4);
        assert_eq!(settings("no").complexity(&task(), 0), 1.0);
    }

    #[test]
    fn suggested_variants_are_accepted_and_others_refused() {
        for sweep in BayesByBackprop::describe().sweeps {
            for variant in sweep.variants {
                assert!(Settings::parse(&variant).is_ok(), "{variant:?}");
            }
        }
        assert!(matches!(Settings::parse(&[setting("mixture", "1.5")]), Err(Failure::InvalidSetting(_))));
        assert!(matches!(Settings::parse(&[setting("depth", "3")]), Err(Failure::InvalidSetting(_))));
    }
}
