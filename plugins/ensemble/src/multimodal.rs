//! The side of `ensemble` that classifies images, texts and categories: members in order, so that a few draws are a few members.

use jointly_modal::{Fitted, Setup};
use jointly_nets::sweeps;
use jointly_sdk::{Count, Dataset, Description, Failure, InputClassifier, Inputs, Progress, Setting, Task};

jointly_modal::settings! {
    struct Settings(batch_size: "32", learning_rate: "1e-3") {
        /// number of members
        size: Count = "10",
    }
}

/// A deep ensemble of the networks of `vanilla`, after Lakshminarayanan, Pritzel and Blundell (2017), without adversarial
/// examples; ten members as in Ovadia et al. (Can you trust your model's uncertainty?, NeurIPS 2019).
///
/// Members differ in where they start and in the order of the examples. Draw m is member m modulo their number.
#[derive(Debug)]
pub struct Multimodal {
    members: Vec<Fitted>,
}

impl Multimodal {
    fn member(&self, draw: u64) -> usize {
        (draw % self.members.len() as u64) as usize
    }
}

impl InputClassifier for Multimodal {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("size", &["1", "3", "5", "10", "20"]),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..crate::description()
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
        let (design, size) = (settings.design(), *settings.size);
        let setup = Setup::new(&design, task, data, size, seed)?;
        let mut progress = Progress::new(setup.steps().saturating_mul(size));
        let members = (0..size as u64).map(|member| setup.fit(&[], member, &mut progress));
        Ok(Self { members: members.collect::<Result<_, _>>()? })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() {
            return Ok(());
        }
        let block = out.len() / draws.len();
        let mut computed = vec![None; self.members.len()];
        for (i, draw) in draws.iter().enumerate() {
            let (member, to) = (self.member(*draw), i * block);
            match computed[member] {
                Some(from) => out.copy_within(from..from + block, to),
                None => self.members[member].probs(inputs, &mut out[to..to + block])?,
            }
            computed[member] = Some(to);
        }
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        draw % self.members.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use jointly_modal::trials::{sample, trials};

    use super::*;

    jointly_modal::trials!(
        Multimodal,
        &[("size", "3"), ("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]
    );

    #[test]
    fn draws_are_the_members_in_order_and_members_are_independent() {
        let [_, _, texts, _] = trials();
        let settings = [("size", "3"), ("epochs", "2")];
        let settings = settings.map(|(name, value)| Setting { name: name.into(), value: value.into() });
        let agent = Multimodal::train(&texts.task, &texts.train, None, &settings, 1).unwrap();
        assert_eq!([0, 1, 2, 3, 302].map(|draw| agent.canonical_draw(draw)), [0, 1, 2, 0, 2]);
        let probs = sample(&agent, &texts.task, &texts.test.inputs, &[0, 1, 2, 3]);
        let draws: Vec<&[f32]> = probs.chunks(probs.len() / 4).collect();
        assert!(draws[0] == draws[3] && draws[0] != draws[1] && draws[1] != draws[2] && draws[0] != draws[2]);
        // A larger ensemble has the members of a smaller one.
        let more = [("size", "4"), ("epochs", "2")];
        let more = more.map(|(name, value)| Setting { name: name.into(), value: value.into() });
        let more = Multimodal::train(&texts.task, &texts.train, None, &more, 1).unwrap();
        assert!(draws[2] == sample(&more, &texts.task, &texts.test.inputs, &[2]));
    }
}
