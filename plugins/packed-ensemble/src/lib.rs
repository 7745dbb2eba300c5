//! The agent `packed-ensemble`: an ensemble of narrow networks that train together at about the cost of one network.

mod member;

use jointly_nets::adam::Adam;
use jointly_nets::examples::Examples;
use jointly_nets::inputs::Auto;
use jointly_nets::{Finite, Penalty, Rows, Stream, sweeps};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Progress, Setting, Task, Widths,
    settings,
};

use member::{Gradient, Member, Shape};

settings! {
    struct Settings {
        /// number of members
        size: Count = "10",
        /// factor of the hidden widths of the network that the members share
        alpha: Count = "2",
        /// groups into which each member's hidden layers are divided
        gamma: Count = "1",
        /// widths of the hidden layers before they are multiplied by alpha and divided by size
        hidden: Widths = "50,50",
        /// weight of the sum of squares of all parameters of a member, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// A packed ensemble, after Laurent et al. (2023): M members in one network with grouped layers.
///
/// With hidden layers of H units, a member has alpha H / M units in each. Members start at their own weights and see the
/// same minibatches. Draw m is member m modulo M. An image is a row of numbers.
///
/// # Formula
///
/// Minimises the mean over the members of their cross-entropies plus their penalties, each as in `mlp`. No parameter
/// belongs to two members, and Adam's steps do not depend on the factor 1 / M of that mean but for its epsilon, so the
/// gradient is that of the sum. The layers are stored as their blocks (`Member`), because products with the zeros between
/// them would change nothing.
///
/// The authors' model for CIFAR-10 has alpha = 2 and gamma = 1, as the default here, and four members; ten is the size at
/// which `ensemble` is usually compared. No default was chosen by scores.
#[derive(Debug)]
pub struct PackedEnsemble(Finite<Member>);

impl PackedEnsemble {
    fn members(task: &Task, data: &Dataset, settings: &Settings, seed: u64) -> Result<Vec<Member>, Failure> {
        let (size, gamma) = (*settings.size, *settings.gamma);
        let shape = Shape::new(task, &settings.hidden, size, *settings.alpha, gamma)?;
        let penalty = Penalty { l2: *settings.l2, adaptive: settings.adaptive.0 };
        let decay = 2.0 * penalty.factor(task, data.labels.len());
        let mut examples = Examples::new(task, data, *settings.batch_size, Stream::Batches.rng(seed, 0))?;
        let mut members: Vec<Member> = (0..size as u64).map(|member| shape.member(seed, member)).collect();
        let Some(first) = members.first() else { return Ok(members) };
        let mut gradient = Gradient::new(first, examples.max_rows());
        let optimiser = |member: &Member| -> Vec<Adam> {
            member.groups.iter().map(|group| Adam::new(group.parameters.len(), *settings.learning_rate)).collect()
        };
        let mut optimisers: Vec<Vec<Adam>> = members.iter().map(optimiser).collect();
        let mut progress = Progress::new(*settings.steps);
        for step in 0..*settings.steps {
            examples.next_batch();
            for (member, optimiser) in members.iter_mut().zip(&mut optimisers) {
                if !gradient.compute(member, &examples) {
                    return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
                }
                for ((group, adam), slopes) in member.groups.iter_mut().zip(optimiser).zip(&gradient.groups) {
                    adam.update(&mut group.parameters, slopes, decay);
                }
            }
            progress.step();
        }
        Ok(members)
    }
}

impl Classifier for PackedEnsemble {
    fn describe() -> Description {
        let summary = "narrow networks that train together at about the cost of one network";
        Description {
            citation: "Laurent, Lafage, Tartaglione, Daniel, Martinez, Bursuc and Franchi, Packed-Ensembles for \
                       efficient uncertainty estimation, ICLR 2023"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("size", &["2", "4", "10", "20"]),
                sweeps::one("alpha", &["1", "2", "4", "6"]),
                sweeps::one("gamma", &["1", "2", "5"]),
                sweeps::l2_by_adaptive(),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..Description::new("packed-ensemble", env!("CARGO_PKG_VERSION"), summary)
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
        Ok(Self(Finite::in_order(Self::members(task, data, &settings, seed)?)))
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.0.probs(&Rows::of(inputs), draw, out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.sample_probs(&Rows::of(inputs), draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.0.canonical_draw(draw)
    }
}

jointly_sdk::export!(classifier: PackedEnsemble);

#[cfg(test)]
mod tests {
    use jointly_nets::Recipe;
    use jointly_nets::simd::floats;
    use jointly_nets::training::Training;
    use jointly_testkit::{
        assert_divergence_names_the_step, assert_draws_are_functions, assert_invalid, half_plane, plane, probs,
        settings,
    };

    use super::*;

    fn train(examples: usize, pairs: &[(&str, &str)], seed: u64) -> Result<PackedEnsemble, Failure> {
        let task = plane(Some(0.25));
        PackedEnsemble::train(&task, &half_plane(examples, 1), None, &settings(pairs), seed)
    }

    #[test]
    fn without_subgroups_members_are_networks_of_the_narrower_width() {
        // A batch of 30 holds all examples, and one of 150 each of a few.
        for (examples, batch_size) in [(30, 40), (150, 20)] {
            let (task, data) = (plane(Some(0.25)), half_plane(examples, 1));
            let batch = batch_size.to_string();
            let pairs = [("size", "4"), ("hidden", "20,10"), ("steps", "60"), ("batch-size", &batch[..])];
            let agent = train(examples, &pairs, 3).unwrap();
            let recipe = Recipe { hidden: vec![10, 5], steps: 60, batch_size, ..Recipe::default() };
            let training = Training::new(&recipe, &task, &data, 3).unwrap();
            assert_eq!(agent.0.functions().len(), 4);
            for (index, member) in (0..).zip(agent.0.functions()) {
                let mut progress = Progress::new(60);
                let network = training.run(index, recipe.start(&task, 3, index), None, &[], &mut progress).unwrap();
                assert_eq!(member.groups.len(), 1);
                assert_eq!(floats(&member.groups[0].parameters), floats(&network.parameters), "{index}");
            }
        }
    }

    #[test]
    fn classes_are_learnt_by_the_seed_alone_and_draws_are_the_members_in_order() {
        for gamma in ["1", "2"] {
            let pairs = [("size", "3"), ("gamma", gamma), ("hidden", "24,24"), ("steps", "300"), ("l2", "0.1")];
            let [one, same, other] = [1, 1, 2].map(|seed| train(60, &pairs, seed).unwrap());
            let test = half_plane(200, 2);
            let draws = [0, 1, 2, 3, 302];
            assert_draws_are_functions(&one, &test.inputs, 2, &draws);
            assert_eq!(draws.map(|draw| one.canonical_draw(draw)), [0, 1, 2, 0, 2]);
            let found = probs(&one, &test.inputs, 2, &draws);
            assert_eq!(found, probs(&same, &test.inputs, 2, &draws));
            assert_ne!(found, probs(&other, &test.inputs, 2, &draws));
            let members: Vec<&[f32]> = found.chunks(400).collect();
            assert!(members[0] == members[3] && members[2] == members[4]);
            assert!(members[0] != members[1] && members[1] != members[2] && members[0] != members[2]);
            for member in &members[..3] {
                let correct = jointly_testkit::correct(member, &test.labels);
                assert!(correct > 180, "gamma={gamma}: {correct} of 200");
            }
        }
    }

    #[test]
    fn the_biases_of_the_outputs_are_those_of_the_first_group() {
        let agent = train(30, &[("gamma", "5"), ("steps", "20")], 1).unwrap();
        for member in agent.0.functions() {
            assert_eq!(member.groups.len(), 5);
            for (g, group) in member.groups.iter().enumerate() {
                let biases: Vec<f32> = {
                    let block = *group.blocks().last().unwrap();
                    block.biases().map(|at| floats(&group.parameters)[at]).collect()
                };
                assert_eq!(biases.iter().all(|bias| *bias == 0.0), g > 0, "{biases:?}");
            }
        }
    }

    #[test]
    fn suggested_variants_are_accepted_and_bad_settings_refused_by_name() {
        for sweep in PackedEnsemble::describe().sweeps {
            for variant in sweep.variants {
                let nothing = jointly_testkit::no_examples(2);
                let trained = PackedEnsemble::train(&plane(None), &nothing, None, &variant, 1);
                assert!(trained.is_ok(), "{variant:?}: {trained:?}");
            }
        }
        for (pair, name) in [
            (("size", "3"), "size=3"),
            (("gamma", "3"), "gamma=3"),
            (("hidden", "50,44"), "44 units"),
            (("size", "0"), "size"),
            (("alpha", "0"), "alpha"),
            (("gamma", "0"), "gamma"),
            (("depth", "2"), "depth"),
        ] {
            assert_invalid(train(5, &[pair], 0), name);
        }
    }

    #[test]
    fn a_loss_that_is_not_finite_is_told() {
        assert_divergence_names_the_step::<PackedEnsemble>();
    }
}
