//! The agent `sgmcmc`: networks sampled by stochastic-gradient Langevin dynamics.

mod langevin;

use jointly_nets::examples::{Examples, Likelihood};
use jointly_nets::layout;
use jointly_nets::normals::Normals;
use jointly_nets::penalty::temperature;
use jointly_nets::simd::{floats, floats_mut};
use jointly_nets::{Finite, FirstBiases, Network, Progress, Rows, Stream, learned, widths};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Fraction, Given, Matrix, NonNegative, Positive, Setting, Sweep,
    Task, Widths, choices, settings, sweep,
};

use langevin::{Chain, Motion};

choices! {
    /// How the steps of each parameter are scaled.
    enum Preconditioner {
        /// All parameters have the same scale.
        None = "none",
        /// By the root of the mean square of gradients.
        RmsProp = "rmsprop",
    }
}

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// step size
        learning_rate: Positive = "1e-4",
        /// share of its velocity that the chain keeps in a step; 0 is plain Langevin dynamics
        momentum: Fraction = "0.9",
        /// scale of a parameter's steps: none, or the root of its gradients' mean square
        preconditioner: Preconditioner = "none",
        /// prior variance: the weight of the sum of squares of all parameters is the input's dimension times a power
        /// of the temperature, over this variance and the number of examples
        prior_variance: Positive = "0.1",
        /// that power of the temperature: 1 is the paper's appendix B.5, 0.5 the reference implementation's later
        /// root
        temperature_power: NonNegative = "1",
        /// temperature of the noise times the number of examples; 0 is descent without noise
        noise_temperature: NonNegative = "1",
        /// steps of the chain
        steps: Count = "500000",
        /// steps before the first network is kept
        burn_in: Count = "100000",
        /// steps between kept networks
        keep_every: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

impl Settings {
    /// Parses settings under which a network is kept.
    fn checked(settings: &[Setting]) -> Result<Self, Failure> {
        let settings = Self::parse(settings)?;
        let (steps, burn_in) = (*settings.steps, *settings.burn_in);
        if steps < burn_in {
            let reason = format!("burn-in is {burn_in} of {steps} steps, so that no network is kept; lower it");
            return Err(Failure::InvalidSetting(reason));
        }
        Ok(settings)
    }

    fn motion(&self, examples: usize) -> Motion {
        Motion {
            rate: *self.learning_rate,
            momentum: *self.momentum,
            temperature: *self.noise_temperature / examples.max(1) as f32,
            preconditioned: self.preconditioner == Preconditioner::RmsProp,
        }
    }

    /// Returns the factor of the sum of squares in the loss: d temperature^power / (T prior variance).
    fn penalty(&self, task: &Task, examples: usize) -> f32 {
        let signal = temperature(task).powf(*self.temperature_power) * task.input_dim as f32;
        signal / *self.prior_variance / examples.max(1) as f32
    }

    /// Returns whether the network is kept after `steps` steps.
    fn keeps(&self, steps: usize) -> bool {
        steps >= *self.burn_in && (steps - *self.burn_in).is_multiple_of(*self.keep_every)
    }
}

/// Stochastic-gradient Langevin dynamics: a draw is one of the networks that the chain kept, chosen at random.
///
/// # Formula
///
/// The chain's gradient is that of the mean cross-entropy of a batch plus lambda times the sum of squares, at the
/// noise temperature 1 / T. With T examples it samples the distribution proportional to exp(-T loss), the posterior
/// under a normal prior of precision 2 T lambda = 2 d temperature^power / prior variance for every parameter.
#[derive(Debug)]
pub struct Langevin {
    belief: Finite<Network>,
}

impl Classifier for Langevin {
    fn describe() -> Description {
        Description {
            citation: "Welling and Teh, Bayesian learning via stochastic gradient Langevin dynamics, ICML 2011".into(),
            parameters: Settings::parameters(),
            sweeps: vec![rate_by_prior_variance_and_momentum(), preconditioned()],
            ..Description::new(
                "sgmcmc",
                env!("CARGO_PKG_VERSION"),
                "networks that a chain of noisy descent passes through",
            )
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::checked(settings)?;
        let steps = *settings.steps;
        let mut examples = Examples::new(task, data, *settings.batch_size, Stream::Batches.rng(seed, 0))?;
        let widths = widths(task, &settings.hidden);
        let mut network = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        let mut likelihood = Likelihood::new(&network, examples.max_rows());
        let mask = layout::mask(&widths);
        let mut chain = Chain::new(mask.len(), settings.motion(data.labels.len()));
        let decay = 2.0 * settings.penalty(task, data.labels.len());
        let mut normals = Normals::new(&mut Stream::Noise.rng(seed, 0));
        let (mut gradient, mut noise) = (mask.clone(), mask.clone());
        let mut networks = Vec::new();
        let mut progress = Progress::new(steps);
        for step in 0..steps {
            examples.next_batch();
            if !likelihood.differentiate(&network, &examples, examples.targets(), &mut gradient) {
                return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
            }
            normals.fill(&mut noise);
            noise.iter_mut().zip(&mask).for_each(|(noise, mask)| *noise = noise.where_positive(*mask));
            chain.step(&mut network.parameters, &gradient, decay, &noise);
            if settings.keeps(step + 1) {
                networks.push(network.clone());
            }
            progress.step();
        }
        Ok(Self { belief: Finite::new(seed, networks) })
    }

    fn parts(_: &Task, _: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(Some(1))
    }

    fn train_part(Given { task, data, settings, seed, .. }: Given<'_>, _: u32) -> Result<Vec<u8>, Failure> {
        let chain = Self::train(task, data, None, settings, seed)?;
        Ok(learned::keep(chain.belief.functions().iter().map(|network| floats(&network.parameters))))
    }

    fn join(Given { task, settings, seed, .. }: Given<'_>, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        let settings = Settings::checked(settings)?;
        let kept = (1..=*settings.steps).filter(|steps| settings.keeps(*steps)).count();
        let start = Network::new(&widths(task, &settings.hidden), FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        let mut networks = vec![start; kept];
        let learned = parts.first().map(Vec::as_slice).unwrap_or_default();
        learned::restore(learned, networks.iter_mut().map(|network| floats_mut(&mut network.parameters)))?;
        Ok(Self { belief: Finite::new(seed, networks) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.belief.probs(&Rows::of(inputs), draw, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.belief.canonical_draw(draw)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.belief.sample_probs(&Rows::of(inputs), draws, out)
    }
}

fn rate_by_prior_variance_and_momentum() -> Sweep {
    let rates = ["1e-5", "5e-5", "1e-4", "5e-4", "1e-3", "5e-3", "1e-2"];
    let variances = ["0.05", "0.1", "0.2"];
    let priors = ["0", "0.9"].into_iter().flat_map(|momentum| variances.map(|variance| (momentum, variance)));
    let variants = priors.flat_map(|(momentum, variance)| {
        rates.map(|rate| vec![("learning-rate", rate), ("prior-variance", variance), ("momentum", momentum)])
    });
    sweep("learning-rate", variants)
}

fn preconditioned() -> Sweep {
    let variants = ["0.05", "0.1", "0.2"].into_iter().flat_map(|variance| {
        ["1e-4", "5e-4", "1e-3", "5e-3"]
            .map(|rate| vec![("learning-rate", rate), ("prior-variance", variance), ("preconditioner", "rmsprop")])
    });
    sweep("preconditioner", variants)
}

jointly_sdk::export!(classifier: Langevin);

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats;
    use jointly_sdk::Rng;
    use jointly_testkit::{assert_draws_are_functions, assert_invalid, plane, probs, settings};

    use super::*;

    fn data(examples: usize) -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs: Vec<f32> = (0..2 * examples).map(|_| rng.normal()).collect();
        let labels = inputs.chunks(2).map(|row| u32::from(row[0] > 0.0)).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    fn train(examples: usize, settings: &[(&str, &str)], seed: u64) -> Result<Langevin, Failure> {
        Langevin::train(&plane(Some(0.25)), &data(examples), None, &self::settings(settings), seed)
    }

    #[test]
    fn classes_are_learnt_and_training_depends_on_the_seed_alone() {
        let sample = |model: &Langevin| {
            let (inputs, draws) = (data(60).inputs, (0..20).collect::<Vec<u64>>());
            assert_draws_are_functions(model, &inputs, 2, &draws);
            probs(model, &inputs, 2, &draws)
        };
        for (preconditioner, rate) in [("none", "1e-2"), ("rmsprop", "1e-3")] {
            let settings = [
                ("hidden", "9"),
                ("preconditioner", preconditioner),
                ("prior-variance", "5"),
                ("learning-rate", rate),
                ("steps", "3000"),
                ("burn-in", "1000"),
                ("keep-every", "200"),
            ];
            let [one, same, other] = [1, 1, 2].map(|seed| train(60, &settings, seed).unwrap());
            assert_eq!(one.belief.functions().len(), 11);
            let probs = sample(&one);
            assert_eq!(probs, sample(&same));
            assert_ne!(probs, sample(&other));
            let labels = data(60).labels;
            let hits = probs.chunks(2).zip(labels.iter().cycle()).filter(|(row, label)| row[**label as usize] > 0.5);
            assert!(hits.count() > 20 * 54, "{preconditioner}");
        }
    }

    #[test]
    fn without_data_the_chain_samples_the_prior() {
        let settings = [("hidden", "20"), ("learning-rate", "2e-3"), ("steps", "20000"), ("burn-in", "5000")];
        let model = train(0, &[&settings[..], &[("keep-every", "500")]].concat(), 0).unwrap();
        let (mut squares, mut count) = (0.0, 0.0);
        for network in model.belief.functions() {
            for value in floats(&network.parameters).iter().filter(|value| **value != 0.0) {
                squares += f64::from(value * value);
                count += 1.0;
            }
        }
        assert_eq!(count, 31.0 * 102.0);
        // The precision is 2 d temperature / prior variance = 10. The interval between kept networks reduces their
        // covariance to a hundredth.
        let tolerance = 5.0 * (2.0f64 / count).sqrt();
        assert!((squares / count * 10.0 - 1.0).abs() < tolerance, "{}", squares / count);
    }

    #[test]
    fn networks_are_kept_after_the_burn_in() {
        let settings = Settings::parse(&[]).unwrap();
        assert_eq!((0..=*settings.steps).filter(|steps| settings.keeps(*steps)).count(), 401);
        assert!(settings.keeps(100_000) && !settings.keeps(100_001) && !settings.keeps(99_000));
        let failure = train(10, &[("steps", "50")], 0).unwrap_err();
        assert!(matches!(failure, Failure::InvalidSetting(reason) if reason.contains("lower it")));
    }

    #[test]
    fn temperature_and_penalty_are_per_example() {
        let settings = Settings::parse(&self::settings(&[("prior-variance", "0.5")])).unwrap();
        assert_eq!(settings.motion(50).temperature, 0.02);
        assert_eq!(settings.penalty(&plane(Some(0.25)), 10), 0.25 * 2.0 / 0.5 / 10.0);
        let root = self::settings(&[("prior-variance", "0.5"), ("temperature-power", "0.5")]);
        assert_eq!(Settings::parse(&root).unwrap().penalty(&plane(Some(0.25)), 10), 0.5 * 2.0 / 0.5 / 10.0);
    }

    #[test]
    fn a_momentum_of_one_is_refused() {
        assert_invalid(Settings::parse(&settings(&[("momentum", "1")])), "momentum=1");
    }
}
