//! The agent `svi`: a normal belief about each parameter of a network, learnt by flipout.

use jointly_modal::{Belief, Prior, Setup, Uncertain};
use jointly_nets::sweeps;
use jointly_sdk::{
    Dataset, Description, Failure, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting, Task,
};

jointly_modal::settings! {
    struct Settings(batch_size: "64", learning_rate: "1e-3") {
        /// standard deviation of each parameter before any data are seen
        prior_scale: Positive = "1",
        /// factor of the divergence from that prior; 1 makes the loss the evidence's lower bound
        kl_weight: NonNegative = "1",
        /// standard deviations with which training starts
        initial_scale: Positive = "0.01",
        /// step size of Adam for the logarithms of the standard deviations
        scale_rate: Positive = "1e-3",
    }
}

/// Stochastic variational inference of all layers, dense and convolutional: a draw is one sample of all their weights, the same
/// for all rows of all calls.
///
/// The tables of embeddings stay points, as does the mean of a text's words: what is uncertain is what reads them.
///
/// The defaults are those under which 1,000 held-out images of MNIST are about the likeliest behind 8,000. They leave the standard
/// deviations on their way from 0.01: with scale-rate=1e-2 these arrive where the evidence's lower bound is the highest, and fewer
/// images are classified as they should be, with less confidence where they are turned.
///
/// After Ovadia et al. (Can you trust your model's uncertainty?, NeurIPS 2019, appendix A.6), with the mean field of Graves (2011)
/// and Blundell et al. (2015) and the gradient of Wen et al. (2018). Here biases are uncertain too.
#[derive(Debug)]
pub struct Svi(Belief);

impl Svi {
    /// What is believed of the parameters.
    pub fn belief(&self) -> &Belief {
        &self.0
    }
}

impl InputClassifier for Svi {
    fn describe() -> Description {
        Description {
            citation: "Wen, Vicol, Ba, Tran and Grosse, Flipout: efficient pseudo-independent weight perturbations on \
                       mini-batches, ICLR 2018; Blundell, Cornebise, Kavukcuoglu and Wierstra, Weight uncertainty in neural \
                       networks, ICML 2015"
                .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("prior-scale", &["0.1", "0.3", "1", "3"]),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..Description::new("svi", env!("CARGO_PKG_VERSION"), "a normal belief about each parameter, learnt by flipout")
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let design = settings.design();
        // A standard deviation for each parameter.
        let setup = Setup::new(&design, task, data, 2, seed)?;
        let prior = Prior {
            scale: *settings.prior_scale,
            weight: *settings.kl_weight,
            initial_scale: *settings.initial_scale,
            scale_rate: *settings.scale_rate,
        };
        setup.believe(Uncertain::AllLayers, &prior, &mut Progress::new(setup.steps())).map(Self)
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.probs(inputs, draws, out)
    }
}

jointly_sdk::export!(input_classifier: Svi);

#[cfg(test)]
mod tests {
    use jointly_modal::trials::{self, sample, trials};

    use super::*;

    jointly_modal::trials!(
        Svi,
        &[("hidden", "20"), ("epochs", "60"), ("batch-size", "16"), ("learning-rate", "1e-2"), ("kl-weight", "0.1")]
    );

    fn trained(data: &Dataset<Inputs>, task: &Task, pairs: &[(&str, &str)]) -> Svi {
        let setting = |(name, value): &(&str, &str)| Setting { name: (*name).into(), value: (*value).into() };
        Svi::train(task, data, None, &pairs.iter().map(setting).collect::<Vec<_>>(), 1).unwrap()
    }

    /// As many steps, of as many examples each.
    fn scale_of(examples: usize, epochs: &str) -> f64 {
        let [numbers, ..] = trials();
        let places: Vec<usize> = (0..examples).collect();
        let labels = numbers.train.labels[..examples].to_vec();
        let data = Dataset { inputs: trials::rows(&numbers.train.inputs, &places), labels };
        let fast = [("prior-scale", "1"), ("initial-scale", "0.1"), ("learning-rate", "1e-2"), ("scale-rate", "1e-2")];
        let pairs = [&fast[..], &[("hidden", "5"), ("epochs", epochs), ("batch-size", "8")]].concat();
        trained(&data, &numbers.task, &pairs).belief().mean_scale()
    }

    #[test]
    fn deviations_shrink_where_data_are_many_and_are_the_priors_without() {
        let (few, more, many) = (scale_of(8, "1500"), scale_of(48, "250"), scale_of(240, "50"));
        assert!(many < 0.8 * more && more < 0.9 * few && few < 1.0, "{few} {more} {many}");
        assert!((scale_of(0, "5") - 1.0).abs() < 1e-6);
    }

    #[test]
    fn without_likelihood_the_belief_goes_to_the_prior() {
        let [numbers, ..] = trials();
        let pairs = [
            ("hidden", "9"),
            ("epochs", "150"),
            ("batch-size", "16"),
            ("prior-scale", "0.3"),
            ("kl-weight", "1e5"),
            ("scale-rate", "1e-2"),
            ("learning-rate", "1e-2"),
        ];
        let agent = trained(&numbers.train, &numbers.task, &pairs);
        assert!((agent.belief().mean_scale() - 0.3).abs() < 0.01, "{}", agent.belief().mean_scale());
        let means = jointly_nets::simd::floats(&agent.belief().fitted.network.parameters);
        assert!(means.iter().all(|mean| mean.abs() < 0.03));
    }

    #[test]
    fn convolutions_are_uncertain_too() {
        let [_, images, ..] = trials();
        let lenet = [("network", "lenet"), ("filters", "3,4"), ("hidden", "9"), ("epochs", "2"), ("kl-weight", "0")];
        let agent = trained(&images.train, &images.task, &lenet);
        let networks = [0, 1].map(|draw| agent.belief().network(draw));
        for block in networks[0].blocks() {
            let numbers = networks.each_ref().map(|network| jointly_nets::simd::floats(&network.parameters));
            assert!(block.weights().chain(block.biases()).all(|at| numbers[0][at] != numbers[1][at]));
        }
        let probs = sample(&agent, &images.task, &images.test.inputs, &[0, 1]);
        assert!(probs[..probs.len() / 2] != probs[probs.len() / 2..]);
    }
}
