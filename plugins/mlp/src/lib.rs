//! The agent `mlp`: one network, the point estimate with which every other agent is compared.

use jointly_nets::inputs::{Auto, Fitted, Setup, Sort};
use jointly_nets::{Finite, Penalty, sweeps};
use jointly_sdk::{
    Dataset, Description, Failure, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting, Task,
};

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 32) {
        /// weight of the sum of squares of all parameters, over the number of examples; auto is 1 for plain numbers,
        /// 0 for other inputs
        l2: Auto<NonNegative> = "auto",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
    }
}

/// A single network: every draw is the same function.
///
/// On plain numbers it is the testbed's own baseline, with a penalty on the squares of the parameters. On other
/// inputs it is the baseline of Hendrycks and Gimpel (2017), with the networks and the training of Ovadia et al. (Can
/// you trust your model's uncertainty?, NeurIPS 2019, appendix A.1): Adam, 20 epochs, rectified units. Their networks
/// for texts use an LSTM (`network=lstm`); the default is the mean of the words' embeddings.
#[derive(Debug)]
pub struct Mlp(Finite<Fitted>);

impl InputClassifier for Mlp {
    fn describe() -> Description {
        let summary = "a single network: one function, no uncertainty about it";
        Description {
            citation:
                "Hendrycks and Gimpel, A baseline for detecting misclassified and out-of-distribution examples in \
                       neural networks, ICLR 2017"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::l2_by_adaptive(),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
                sweeps::one("batch-size", &["32", "64", "128", "256"]),
            ],
            ..Description::new("mlp", env!("CARGO_PKG_VERSION"), summary)
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
        let l2 = settings.l2.or(Sort::of(task).choose(1.0, 0.0));
        let penalty = Penalty { l2, adaptive: settings.adaptive.0 };
        let design = settings.design(task, *settings.learning_rate, penalty)?;
        let setup = Setup::new(&design, task, data, 1, seed)?;
        let fitted = setup.fit(0, &mut Progress::new(setup.steps()))?;
        Ok(Self(Finite::in_order(vec![fitted])))
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.sample_probs(inputs, draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.0.canonical_draw(draw)
    }
}

jointly_sdk::export!(input_classifier: Mlp);

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, Rng, TokenMatrix};
    use jointly_testkit::settings;
    use jointly_testkit::trials::{accuracy, sample, trials};

    use super::*;

    jointly_testkit::trials!(Mlp, &[("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]);

    #[test]
    fn convolutions_learn_too_and_all_draws_are_one() {
        let [_, images, ..] = trials();
        let settings =
            settings(&[("network", "lenet"), ("filters", "4,8"), ("hidden", "20"), ("learning-rate", "3e-3")]);
        let agent = Mlp::train(&images.task, &images.train, None, &settings, 1).unwrap();
        assert!(accuracy(&agent, &images) > 0.9);
        let probs = sample(&agent, &images.task, &images.test.inputs, &[9, 1 << 50]);
        let (one, other) = probs.split_at(probs.len() / 2);
        assert!(one == other);
        assert_eq!(agent.canonical_draw(9), 0);
    }

    #[test]
    fn a_resnet_learns_and_a_row_has_the_same_bits_in_any_company() {
        let [numbers, images, ..] = trials();
        let resnet = settings(&[("network", "resnet20"), ("learning-rate", "3e-3"), ("epochs", "6")]);
        let agent = Mlp::train(&images.task, &images.train, None, &resnet, 1).unwrap();
        assert!(accuracy(&agent, &images) > 0.9);
        let probs = sample(&agent, &images.task, &images.test.inputs, &[0]);
        let alone = images.test.inputs.numbers.row(7).to_vec();
        let alone = Inputs {
            numbers: Matrix::new(1, alone.len(), alone).unwrap(),
            tokens: TokenMatrix::new(1, 0, Vec::new()).unwrap(),
        };
        assert!(sample(&agent, &images.task, &alone, &[0]) == probs[7 * 4..8 * 4]);
        assert!(matches!(Mlp::train(&numbers.task, &numbers.train, None, &resnet, 1), Err(Failure::Unsupported(_))));
    }

    #[test]
    fn an_lstm_learns_the_order_of_words_which_a_mean_of_embeddings_cannot() {
        let [_, _, mut texts, _] = trials();
        // Words 1 and 2 stand somewhere in a text of 12 or fewer words; the class is which of them comes first.
        for (part, stream) in [(&mut texts.train, 0), (&mut texts.test, 1)] {
            let (mut rng, mut tokens) = (Rng::new(5, stream), Vec::new());
            for label in &mut part.labels {
                let words = 4 + rng.below(9);
                let mut text: Vec<u32> =
                    (0..12).map(|at| if at < words { 3 + rng.below(9) as u32 } else { 0 }).collect();
                let (one, other) = (rng.below(words / 2), words / 2 + rng.below(words - words / 2));
                *label = rng.below(2) as u32;
                (text[one], text[other]) = if *label == 0 { (1, 2) } else { (2, 1) };
                tokens.extend(text);
            }
            part.inputs.tokens = TokenMatrix::new(part.labels.len(), 12, tokens).unwrap();
        }
        let learnt = |network: &str| {
            let settings = settings(&[("network", network), ("learning-rate", "1e-2"), ("batch-size", "16")]);
            let agent = Mlp::train(&texts.task, &texts.train, None, &settings, 1).unwrap();
            accuracy(&agent, &texts)
        };
        let (lstm, embedding) = (learnt("lstm"), learnt("embedding"));
        assert!(lstm > 0.95 && embedding < 0.65, "{lstm} {embedding}");
    }

    #[test]
    fn a_heavy_penalty_leaves_all_classes_alike() {
        for trial in trials() {
            let penalised =
                settings(&[("l2", "1000"), ("adaptive", "no"), ("steps", "300"), ("learning-rate", "1e-2")]);
            let agent = Mlp::train(&trial.task, &trial.train, None, &penalised, 1).unwrap();
            let probs = sample(&agent, &trial.task, &trial.test.inputs, &[0]);
            let even = 1.0 / trial.task.num_classes as f32;
            assert!(probs.iter().all(|p| (p - even).abs() < 0.15), "{}", trial.name);
        }
    }
}
