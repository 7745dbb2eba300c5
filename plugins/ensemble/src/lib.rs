//! The agent `ensemble`: networks that differ only in their initialisation.

mod regression;

use jointly_nets::inputs::{Auto, Design, Fitted, Setup, Sort};
use jointly_nets::learned::{restored, several};
use jointly_nets::{Finite, Penalty, sweeps};
use jointly_sdk::{
    Count, Dataset, Description, Failure, Given, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting,
    Task,
};

pub use regression::Regression;

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 32) {
        /// number of members; auto is 100 for plain numbers, 10 for other inputs
        size: Auto<Count> = "auto",
        /// weight of the sum of squares of all parameters of a member, over the number of examples; auto is 1 for
        /// plain numbers, 0 for other inputs
        l2: Auto<NonNegative> = "auto",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
    }
}

/// Returns the description that classification and regression share.
fn description() -> Description {
    Description {
        citation:
            "Lakshminarayanan, Pritzel and Blundell, Simple and scalable predictive uncertainty estimation using \
                   deep ensembles, NeurIPS 2017"
                .into(),
        ..Description::new("ensemble", env!("CARGO_PKG_VERSION"), "networks that differ in where they start")
    }
}

/// A deep ensemble of the networks of `mlp`, after Lakshminarayanan, Pritzel and Blundell (2017), without adversarial
/// examples.
///
/// On plain numbers members share their batches, and a draw names a member at random, as in the testbed. On other
/// inputs members also differ in the order of the examples. Draw m is then member m modulo the size, so that a few
/// draws are different members; the size is ten as in Ovadia et al. (Can you trust your model's uncertainty?, NeurIPS
/// 2019).
#[derive(Debug)]
pub struct DeepEnsemble(Finite<Fitted>);

impl Settings {
    fn size(&self, task: &Task) -> usize {
        self.size.or(Sort::of(task).choose(100, 10))
    }

    /// Returns the design of each member.
    fn members(&self, task: &Task) -> Result<Design, Failure> {
        let l2 = self.l2.or(Sort::of(task).choose(1.0, 0.0));
        self.design(task, *self.learning_rate, Penalty { l2, adaptive: self.adaptive.0 })
    }
}

impl DeepEnsemble {
    fn of(task: &Task, seed: u64, members: Vec<Fitted>) -> Self {
        Self(if Sort::of(task) == Sort::Numbers { Finite::new(seed, members) } else { Finite::in_order(members) })
    }
}

impl InputClassifier for DeepEnsemble {
    fn describe() -> Description {
        Description {
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::l2_by_adaptive(),
                sweeps::size(),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..description()
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
        let design = settings.members(task)?;
        let size = settings.size(task);
        let setup = Setup::new(&design, task, data, size, seed)?;
        let mut progress = Progress::new(setup.steps().saturating_mul(size));
        let members = (0..size as u64).map(|member| setup.fit(member, &mut progress));
        Ok(Self::of(task, seed, members.collect::<Result<_, _>>()?))
    }

    fn parts(task: &Task, settings: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(several(Settings::parse(settings)?.size(task)))
    }

    fn train_part(given: Given<'_, Inputs>, part: u32) -> Result<Vec<u8>, Failure> {
        let Given { task, data, settings, seed, .. } = given;
        let settings = Settings::parse(settings)?;
        let design = settings.members(task)?;
        let setup = Setup::new(&design, task, data, settings.size(task), seed)?;
        Ok(setup.fit(part.into(), &mut Progress::new(setup.steps()))?.learned())
    }

    fn join(given: Given<'_, Inputs>, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        let Given { task, data, settings, seed, .. } = given;
        let settings = Settings::parse(settings)?;
        let design = settings.members(task)?;
        let size = settings.size(task);
        let setup = Setup::new(&design, task, data, size, seed)?;
        Ok(Self::of(task, seed, restored(size, parts, |member, bytes| setup.restore(member, bytes))?))
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.sample_probs(inputs, draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.0.canonical_draw(draw)
    }
}

jointly_sdk::export!(input_classifier: DeepEnsemble, regressor: Regression);

#[cfg(test)]
mod tests {
    use jointly_testkit::settings;
    use jointly_testkit::trials::{sample, trials};

    use super::*;

    jointly_testkit::trials!(
        DeepEnsemble,
        &[("size", "3"), ("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]
    );

    #[test]
    fn draws_are_the_members_in_order_and_members_are_independent() {
        let [_, _, texts, _] = trials();
        let train = |size: &str| {
            let settings = settings(&[("size", size), ("epochs", "2")]);
            DeepEnsemble::train(&texts.task, &texts.train, None, &settings, 1).unwrap()
        };
        let agent = train("3");
        assert_eq!([0, 1, 2, 3, 302].map(|draw| agent.canonical_draw(draw)), [0, 1, 2, 0, 2]);
        let probs = sample(&agent, &texts.task, &texts.test.inputs, &[0, 1, 2, 3]);
        let draws: Vec<&[f32]> = probs.chunks(probs.len() / 4).collect();
        assert!(draws[0] == draws[3] && draws[0] != draws[1] && draws[1] != draws[2] && draws[0] != draws[2]);
        // A larger ensemble contains the members of a smaller one.
        assert!(draws[2] == sample(&train("4"), &texts.task, &texts.test.inputs, &[2]));
    }

    #[test]
    fn on_plain_numbers_draws_name_members_at_random() {
        let [numbers, ..] = trials();
        let settings = settings(&[("size", "3"), ("steps", "20")]);
        let agent = DeepEnsemble::train(&numbers.task, &numbers.train, None, &settings, 1).unwrap();
        let canonical: Vec<u64> = (0..40).map(|draw| agent.canonical_draw(draw)).collect();
        let distinct: std::collections::BTreeSet<u64> = canonical.iter().copied().collect();
        assert_eq!(distinct.len(), 3);
        assert!((0..37).any(|draw| canonical[draw] != canonical[draw + 3]));
    }

    #[test]
    fn members_with_a_resnet_are_the_same_if_they_are_trained_in_parts() {
        let [_, images, ..] = trials();
        let settings = settings(&[("network", "resnet20"), ("size", "2"), ("epochs", "1")]);
        let given = || Given {
            task: &images.task,
            data: &images.train,
            validation: None,
            unlabelled: None,
            settings: &settings,
            seed: 1,
        };
        let parts = [0, 1].map(|part| DeepEnsemble::train_part(given(), part).unwrap());
        let joined = DeepEnsemble::join(given(), &parts).unwrap();
        let whole = DeepEnsemble::train(&images.task, &images.train, None, &settings, 1).unwrap();
        let probs = |agent: &DeepEnsemble| sample(agent, &images.task, &images.test.inputs, &[0, 1]);
        let expected = probs(&whole);
        assert!(probs(&joined) == expected);
        assert!(expected[..expected.len() / 2] != expected[expected.len() / 2..]);
    }
}
