//! The agent `bbb`: a mean-field Gaussian posterior over a network's parameters, learnt by backpropagation.

mod numbers;
mod posterior;
mod regression;

use jointly_nets::inputs::{Auto, Belief, Prior, Reader, Setup, Sort, Uncertain, Variational};
use jointly_nets::penalty::{adaptive_factor, is_adaptive};
use jointly_nets::{Penalty, sweeps};
use jointly_sdk::{
    Count, Dataset, Description, Failure, Given, InputClassifier, Inputs, NonNegative, Positive, Probability, Progress,
    Setting, Sweep, Task, choices, sweep,
};

use numbers::{Trained, Training};

pub use regression::FunctionByBackprop;

choices! {
    /// The prior distribution of a parameter.
    enum PriorLaw {
        /// Normal.
        Normal = "normal",
        /// A mixture of two normal distributions.
        Mixture = "mixture",
    }
}

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 64) {
        /// prior of a parameter: normal, whose divergence has a closed form, or a mixture of two normal
        /// distributions, whose divergence is sampled
        prior: PriorLaw = "normal",
        /// standard deviation of the normal prior, or of the mixture's first part
        sigma_1: Positive = "1",
        /// standard deviation of the mixture's second part
        sigma_2: Positive = "0.75",
        /// probability of the mixture's first part
        mixture: Probability = "0.5",
        /// factor of the divergence from the prior; 1 makes the loss the negative evidence lower bound
        kl_weight: NonNegative = "1",
        /// multiply that factor by the input's dimension and the root of the temperature; auto is yes for up to
        /// 100 plain numbers, no for other inputs
        adaptive: Auto<bool> = "auto",
        /// initial standard deviations
        initial_scale: Positive = "0.01",
        /// networks drawn in each step, for plain numbers only; auto is 8, and for other inputs a perturbation of
        /// each row
        draws: Auto<Count> = "auto",
        /// step size of Adam for the means; auto is 3e-3 for plain numbers, 1e-3 for other inputs
        learning_rate: Auto<Positive> = "auto",
        /// step size of Adam for the standard deviations; auto is that of the means for plain numbers, 1e-3 for other
        /// inputs
        scale_rate: Auto<Positive> = "auto",
    }
}

impl Settings {
    fn prior(&self) -> Prior {
        match self.prior {
            PriorLaw::Normal => Prior::normal(*self.sigma_1),
            PriorLaw::Mixture => Prior::mixture(*self.sigma_1, *self.sigma_2, *self.mixture),
        }
    }

    /// Returns the factor of the divergence in the loss, times the number of examples.
    fn weight(&self, task: &Task) -> f32 {
        let adaptive = self.adaptive.0.unwrap_or(Sort::of(task) == Sort::Numbers && is_adaptive(None, task));
        *self.kl_weight * if adaptive { adaptive_factor(task) } else { 1.0 }
    }
}

/// Bayes by backprop: a draw is one network from the posterior, the same for all rows of all calls.
///
/// # Formula
///
/// Minimises E [mean cross-entropy of a batch at w] + c / T KL(q || p), where w ~ q with an independent normal
/// distribution for each parameter, p is the prior, T the number of examples, and c = d sqrt(temperature) if
/// adaptive, else 1. Means are initialised like a network's parameters, scales at the setting initial-scale.
///
/// On plain numbers it follows Blundell, Cornebise, Kavukcuoglu and Wierstra (2015): a scale is a softplus, and the
/// expectation is a mean over a few w, each shared by the whole batch. The default stops before convergence. Under
/// the divergence alone, starting at 0.01 with steps of 3e-3, Adam moves the scales of a prior of scale 1 to 0.175 in
/// 1000 steps, 0.857 in 2000 and 1.000 in 10000. So with few examples, where the divergence weighs much in the loss,
/// draws are closer to one another than draws of the best normal posterior.
///
/// On other inputs it uses the flipout of Wen et al. (2018), as Ovadia et al. (Can you trust your model's
/// uncertainty?, NeurIPS 2019, appendix A.6) train it; biases are uncertain here too. A scale is an exponential, and
/// the expectation is one sample per row. Embedding tables are point estimates, as is the mean over the words of a
/// text; the layers that read them are uncertain. The defaults are approximately those that maximise the likelihood
/// of 1,000 held-out images of MNIST after training on 8,000. With these defaults the scales have not converged from
/// 0.01. With scale-rate=1e-2 they reach the maximum of the evidence lower bound, but then fewer images are
/// classified correctly, and predictions on rotated images are less confident.
#[derive(Debug)]
pub struct BayesByBackprop(Posterior);

#[derive(Debug)]
enum Posterior {
    /// The posterior of a network that reads plain numbers.
    Numbers(Box<Reader>, Box<Trained>),
    Inputs(Box<Belief>),
}

impl InputClassifier for BayesByBackprop {
    fn describe() -> Description {
        let summary = "a normal posterior of each parameter of a network, learnt by backpropagation";
        Description {
            citation:
                "Blundell, Cornebise, Kavukcuoglu and Wierstra, Weight uncertainty in neural networks, ICML 2015; Wen, \
                       Vicol, Ba, Tran and Grosse, Flipout: efficient pseudo-independent weight perturbations on \
                       mini-batches, ICLR 2018"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![sigma_by_training(), mixture(), sweeps::hidden(), adaptive_by_steps()],
            ..Description::new("bbb", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::learn(task, data, settings, seed, None)
    }

    fn parts(_: &Task, _: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(Some(1))
    }

    fn train_part(Given { task, data, settings, seed, .. }: Given<'_, Inputs>, _: u32) -> Result<Vec<u8>, Failure> {
        Ok(match Self::learn(task, data, settings, seed, None)?.0 {
            Posterior::Numbers(_, trained) => trained.learned(),
            Posterior::Inputs(belief) => belief.learned(),
        })
    }

    fn join(given: Given<'_, Inputs>, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        let Given { task, data, settings, seed, .. } = given;
        Self::learn(task, data, settings, seed, parts.first().map(Vec::as_slice))
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        match &self.0 {
            Posterior::Numbers(reader, trained) => trained.probs(&*reader.plain(inputs)?, draws, out),
            Posterior::Inputs(belief) => belief.probs(inputs, draws, out),
        }
    }
}

impl BayesByBackprop {
    /// Trains a posterior, or restores it from what an earlier training has learned.
    fn learn(
        task: &Task,
        data: &Dataset<Inputs>,
        settings: &[Setting],
        seed: u64,
        learned: Option<&[u8]>,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let sort = Sort::of(task);
        let learning_rate = settings.learning_rate.or(sort.choose(3e-3, 1e-3));
        let design = settings
            .design(task, learning_rate, Penalty::NONE)?
            .with_uncertain_convolutions("bbb has a posterior over them")?;
        // As large as two networks: a mean and a standard deviation for each parameter.
        let setup = Setup::new(&design, task, data, 2, seed)?;
        let (prior, weight, initial_scale) = (settings.prior(), settings.weight(task), *settings.initial_scale);
        let scale_rate = settings.scale_rate.or(sort.choose(learning_rate, 1e-3));
        let Some((task, data)) = setup.plain() else {
            if let Some(draws) = settings.draws.0.as_deref() {
                return Err(Failure::InvalidSetting(format!(
                    "draws={draws}: only plain numbers have them; leave auto"
                )));
            }
            let by = Variational { prior, weight, initial_scale, scale_rate };
            let belief = match learned {
                None => setup.believe(Uncertain::AllLayers, &by, &mut Progress::new(setup.steps()))?,
                Some(bytes) => setup.believe_again(Uncertain::AllLayers, bytes)?,
            };
            return Ok(Self(Posterior::Inputs(Box::new(belief))));
        };
        let draws = settings.draws.or(8);
        let complexity = weight / data.labels.len().max(1) as f32;
        let by = Training { design: &design, prior: &prior, complexity, initial_scale, scale_rate, draws };
        let trained = match learned {
            None => by.run(task, data, seed)?,
            Some(bytes) => by.restore(task, seed, bytes)?,
        };
        Ok(Self(Posterior::Numbers(Box::new(setup.reader().clone()), Box::new(trained))))
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
    // If one part has all the weight, the other's scale has no effect.
    let first = firsts.map(|one| vec![("prior", "mixture"), ("sigma-1", one), ("mixture", "1")]);
    let second = seconds.map(|two| vec![("prior", "mixture"), ("sigma-2", two), ("mixture", "0")]);
    sweep("mixture", variants.chain(first).chain(second))
}

fn adaptive_by_steps() -> Sweep {
    let variants = ["yes", "no"].into_iter();
    sweep("steps", variants.flat_map(|yes| ["500", "1000", "10000"].map(|n| vec![("adaptive", yes), ("steps", n)])))
}

jointly_sdk::export!(input_classifier: BayesByBackprop, regressor: FunctionByBackprop);

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats;
    use jointly_testkit::trials::{self, Trial, sample, trials};
    use jointly_testkit::{half_plane, no_examples, plane, setting, settings};

    use super::*;

    jointly_testkit::trials!(
        BayesByBackprop,
        &[("hidden", "20"), ("epochs", "60"), ("batch-size", "16"), ("learning-rate", "1e-2"), ("kl-weight", "0.1")]
    );

    /// Trains the agent on plain numbers.
    fn on_numbers(data: Dataset, pairs: &[(&str, &str)], seed: u64) -> (BayesByBackprop, Inputs) {
        let data = Dataset { inputs: Inputs::from(data.inputs), labels: data.labels };
        let agent = BayesByBackprop::train(&plane(Some(0.25)), &data, None, &settings(pairs), seed).unwrap();
        (agent, data.inputs)
    }

    fn trained(agent: &BayesByBackprop) -> &Trained {
        match &agent.0 {
            Posterior::Numbers(_, trained) => trained,
            Posterior::Inputs(_) => panic!("plain numbers"),
        }
    }

    fn belief(agent: &BayesByBackprop) -> &Belief {
        match &agent.0 {
            Posterior::Numbers(..) => panic!("images, texts or categories"),
            Posterior::Inputs(belief) => belief,
        }
    }

    #[test]
    fn either_prior_learns_plain_numbers() {
        for prior in ["normal", "mixture"] {
            let data = half_plane(60, 3);
            let labels = data.labels.clone();
            let (agent, inputs) = on_numbers(data, &[("prior", prior), ("steps", "400"), ("hidden", "20")], 1);
            let probs = sample(&agent, &plane(None), &inputs, &[3]);
            let hits = jointly_testkit::correct(&probs, &labels);
            assert!(hits >= 54, "{prior}: {hits} of 60");
        }
    }

    #[test]
    fn without_data_the_posterior_becomes_the_prior() {
        let pairs = [("hidden", "30"), ("steps", "3000"), ("sigma-1", "0.5"), ("learning-rate", "1e-2")];
        let (agent, _) = on_numbers(no_examples(2), &pairs, 0);
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for draw in 0..50 {
            let network = trained(&agent).network(draw);
            for value in floats(&network.parameters).iter().filter(|value| **value != 0.0) {
                sum += value;
                squares += value * value;
                count += 1.0;
            }
        }
        // Five standard errors of 50 draws of 152 parameters, plus a margin for the error of training.
        assert!((sum / count).abs() < 5.0 * 0.5 / 7600f32.sqrt() + 0.01, "mean {}", sum / count);
        let variance = squares / count;
        assert!((variance / 0.25 - 1.0).abs() < 5.0 * (2.0 / 7600f32).sqrt() + 0.02, "variance {variance}");
    }

    /// Half a unit of the third digit that the documentation gives, with a margin.
    const TOLERANCE: f32 = 6e-4;

    #[test]
    fn scales_are_on_their_way_to_the_priors_as_documented() {
        for (steps, expected) in [("1000", 0.175), ("2000", 0.857), ("10000", 1.0)] {
            let (agent, _) = on_numbers(no_examples(2), &[("hidden", "1"), ("draws", "1"), ("steps", steps)], 0);
            let scale = trained(&agent).posterior.scale_of(0);
            assert!((scale - expected).abs() < TOLERANCE, "{steps} steps: {scale}");
        }
    }

    #[test]
    fn scales_move_by_a_rate_of_their_own() {
        let moved = |rate: &str| {
            let pairs = [("hidden", "1"), ("draws", "1"), ("steps", "100"), ("scale-rate", rate)];
            let (agent, _) = on_numbers(no_examples(2), &pairs, 0);
            trained(&agent).posterior.scale_of(0)
        };
        assert!(moved("3e-2") > moved("3e-3") && moved("3e-3") == moved("auto"));
    }

    #[test]
    fn a_mixture_of_one_part_is_trained_and_in_the_sweep() {
        let mixture_of = |weight| [("prior", "mixture"), ("mixture", weight), ("steps", "50"), ("hidden", "5")];
        for (trial, weight) in trials().iter().flat_map(|trial| ["0", "1"].map(|weight| (trial, weight))) {
            let agent = agent_of(trial, &mixture_of(weight));
            let found = sample(&agent, &trial.task, &trial.test.inputs, &[0]);
            assert!(found.iter().all(|p| p.is_finite()), "{weight}: {}", trial.name);
        }
        let weights = |expected: &str| {
            let is = |setting: &Setting| setting.name == "mixture" && setting.value == expected;
            mixture().variants.iter().filter(|variant| variant.iter().any(is)).count()
        };
        assert_eq!(["0", "0.25", "0.5", "0.75", "1"].map(weights), [5, 15, 15, 15, 3]);
    }

    #[test]
    fn the_divergence_is_adaptive_for_plain_numbers() {
        let [_, images, ..] = trials();
        let weight =
            |adaptive: &str, task: &Task| Settings::parse(&[setting("adaptive", adaptive)]).unwrap().weight(task);
        assert_eq!(weight("auto", &plane(Some(0.25))), 1.0);
        assert_eq!(weight("auto", &plane(Some(4.0))), 4.0);
        assert_eq!(weight("no", &plane(Some(4.0))), 1.0);
        assert_eq!((weight("auto", &images.task), weight("yes", &images.task)), (1.0, 90.0));
    }

    fn agent_of(trial: &Trial, pairs: &[(&str, &str)]) -> BayesByBackprop {
        BayesByBackprop::train(&trial.task, &trial.train, None, &settings(pairs), 1).unwrap()
    }

    /// Returns the mean scale after training on `examples` examples; `epochs` is such that calls with examples take
    /// equally many steps.
    fn scale_of(examples: usize, epochs: &str) -> f64 {
        let [_, _, mut texts, _] = trials();
        let places: Vec<usize> = (0..examples).collect();
        let labels = texts.train.labels[..examples].to_vec();
        texts.train = Dataset { inputs: trials::rows(&texts.train.inputs, &places), labels };
        let fast = [("initial-scale", "0.1"), ("learning-rate", "1e-2"), ("scale-rate", "1e-2"), ("batch-size", "8")];
        let pairs = [&fast[..], &[("hidden", "5"), ("embedding-width", "3"), ("epochs", epochs)]].concat();
        belief(&agent_of(&texts, &pairs)).mean_scale()
    }

    #[test]
    fn deviations_shrink_where_data_are_many_and_are_the_priors_without() {
        let (few, more, many) = (scale_of(8, "1500"), scale_of(48, "250"), scale_of(240, "50"));
        assert!(many < 0.8 * more && more < 0.9 * few && few < 1.0, "{few} {more} {many}");
        assert!((scale_of(0, "5") - 1.0).abs() < 1e-6);
    }

    #[test]
    fn without_likelihood_the_posterior_goes_to_the_prior() {
        let [_, _, texts, _] = trials();
        // The divergence of a mixture with all the weight on one part is sampled, so the posterior is only close to
        // the prior.
        for (prior, slack) in
            [(&[("sigma-1", "0.3")][..], 0.01), (&[("prior", "mixture"), ("sigma-1", "0.3"), ("mixture", "1")], 0.03)]
        {
            let rest = [
                ("hidden", "9"),
                ("epochs", "150"),
                ("batch-size", "16"),
                ("kl-weight", "1e5"),
                ("scale-rate", "1e-2"),
                ("learning-rate", "1e-2"),
            ];
            let agent = agent_of(&texts, &[prior, &rest].concat());
            let scale = belief(&agent).mean_scale();
            assert!((scale - 0.3).abs() < slack, "{scale}");
            let means = floats(&belief(&agent).fitted.network.parameters);
            assert!(means.iter().all(|mean| mean.abs() < 10.0 * slack as f32));
        }
    }

    #[test]
    fn convolutions_are_uncertain_too() {
        let [_, images, ..] = trials();
        let lenet = [("network", "lenet"), ("filters", "3,4"), ("hidden", "9"), ("epochs", "2"), ("kl-weight", "0")];
        let agent = agent_of(&images, &lenet);
        let networks = [0, 1].map(|draw| belief(&agent).network(draw));
        for block in networks[0].blocks() {
            let numbers = networks.each_ref().map(|network| floats(&network.parameters));
            assert!(block.weights().chain(block.biases()).all(|at| numbers[0][at] != numbers[1][at]));
        }
        let probs = sample(&agent, &images.task, &images.test.inputs, &[0, 1]);
        assert!(probs[..probs.len() / 2] != probs[probs.len() / 2..]);
    }

    #[test]
    fn networks_are_drawn_in_a_step_for_plain_numbers_alone() {
        let [_, images, ..] = trials();
        let refused = BayesByBackprop::train(&images.task, &images.train, None, &settings(&[("draws", "2")]), 1);
        jointly_testkit::assert_invalid(refused, "draws=2 of images");
    }

    #[test]
    fn a_resnet_is_refused_with_the_agents_that_take_it() {
        let [_, images, ..] = trials();
        let resnet = settings(&[("network", "resnet20")]);
        let refused = BayesByBackprop::train(&images.task, &images.train, None, &resnet, 1);
        jointly_testkit::assert_invalid(
            refused,
            "resnet20 with mlp, temperature-scaling, ensemble, ll-dropout or ll-svi",
        );
    }
}
