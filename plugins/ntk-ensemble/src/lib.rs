//! The agent `ntk-ensemble`: an ensemble whose members start as draws from the Gaussian process of the neural tangent
//! kernel.

mod training;

use jointly_nets::inputs::Auto;
use jointly_nets::penalty::temperature;
use jointly_nets::start::all_drawn;
use jointly_nets::tangent::Tangent;
use jointly_nets::{Finite, Function, Network, Penalty, Stream, predict_shifted, sweeps, widths};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Setting, Task, Widths, progress,
    settings,
};

use training::{Pull, Recipe};

settings! {
    struct Settings {
        /// number of members
        size: Count = "100",
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the penalty, over the number of examples; 1, not adaptive, is that of the prior where anchored
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// pull a member to its initial parameters, with the strengths that the prior variances imply, instead of to
        /// zero
        anchored: bool = "yes",
        /// factor of the members' initial logits, over the root of the temperature
        prior_scale: Positive = "1",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// One member of the ensemble, a function.
#[derive(Debug)]
struct Member {
    network: Network,
    /// The fixed function that is added to the network in training and in prediction; never trained.
    offset: Tangent,
}

impl Function for Member {
    fn probs(&self, inputs: &Matrix, out: &mut [f32]) -> Result<(), Failure> {
        predict_shifted(&self.network, inputs, &self.offset.outputs(inputs.values()), out)
    }
}

/// An ensemble with the neural tangent kernel's prior.
///
/// # Formula
///
/// The logits of a member are f(x, theta) + J(x, theta_0) v: theta_0 is the initial value of theta, J the derivative
/// of f with respect to the parameters, and v an independent random direction with the same distribution as theta_0,
/// but zero on the last layer. All trained parameters, the weights and the biases of every layer, are drawn
/// independently with variance s_i = 0.774 / fan-in. At theta_0 these logits therefore have the covariance E [sum_i
/// s_i J_i(x) J_i(x')], the neural tangent kernel of f. As f becomes wide they converge to a draw from the Gaussian
/// process, and gradient training turns it into a draw from the posterior (for squared error: He, Lakshminarayanan
/// and Teh 2020). Here the error is the cross-entropy, and the penalty that pulls theta back to theta_0 with
/// strengths 1 / (2 s_i) is the negative log-prior, approximated as normal, of a randomised maximum a posteriori
/// estimate. The last layer of theta_0 is multiplied by the prior's scale over the root of the temperature, which
/// multiplies both terms.
#[derive(Debug)]
pub struct NtkEnsemble {
    belief: Finite<Member>,
}

impl Classifier for NtkEnsemble {
    fn describe() -> Description {
        let summary = "an ensemble whose members start as draws from the neural tangent kernel's Gaussian process";
        Description {
            citation:
                "He, Lakshminarayanan and Teh, Bayesian deep ensembles via the neural tangent kernel, NeurIPS 2020"
                    .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::size(),
                sweeps::l2_by_adaptive(),
                sweeps::one("anchored", &["yes", "no"]),
                sweeps::one("prior-scale", &["0.3", "1", "3", "10"]),
            ],
            ..Description::new("ntk-ensemble", env!("CARGO_PKG_VERSION"), summary)
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
        let widths = widths(task, &settings.hidden);
        let scale = *settings.prior_scale / temperature(task).sqrt();
        let recipe = Recipe {
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive.0 }.factor(task, data.labels.len()),
            pull: if settings.anchored { Pull::to_start(&widths, scale) } else { Pull::Zero },
        };
        let size = *settings.size;
        let member = |index: usize| {
            let network = all_drawn(&widths, &mut Stream::Start.rng(seed, index as u64)).scaled(scale);
            let direction = all_drawn(&widths, &mut Stream::Prior.rng(seed, index as u64));
            let offset = Tangent::new(network.clone(), direction, &widths);
            let network = training::train(network, offset.outputs(data.inputs.values()), &recipe, task, data, seed)?;
            progress((index + 1) as f32 / size as f32);
            Ok(Member { network, offset })
        };
        let members = (0..size).map(member).collect::<Result<Vec<_>, Failure>>()?;
        Ok(Self { belief: Finite::new(seed, members) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.belief.probs(inputs, draw, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.belief.canonical_draw(draw)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.belief.sample_probs(inputs, draws, out)
    }
}

jointly_sdk::export!(classifier: NtkEnsemble);

#[cfg(test)]
mod tests {
    use jointly_nets::layout::mask;
    use jointly_nets::simd::floats;
    use jointly_testkit::{
        assert_divergence_names_the_step, assert_draws_are_functions, assert_draws_disagree, half_plane, mean_nll,
        no_examples, plane, probs, settings,
    };

    use super::*;

    /// A mean negative log-likelihood that an agent stays below only if it has learnt a half-plane.
    const LOW_LOSS: f32 = 0.2;

    #[test]
    fn every_draw_learns_what_is_easy() {
        let data = half_plane(60, 3);
        let quick = [("steps", "400"), ("learning-rate", "1e-2"), ("l2", "0.01"), ("size", "3")];
        let agent = NtkEnsemble::train(&plane(Some(0.1)), &data, None, &settings(&quick), 0).unwrap();
        for draw in 0..5 {
            let loss = mean_nll(&probs(&agent, &data.inputs, 2, &[draw]), &data.labels);
            assert!(loss < LOW_LOSS, "draw {draw}: {loss}");
        }
    }

    #[test]
    fn all_that_is_trained_is_drawn() {
        let nothing = no_examples(2);
        let few = settings(&[("steps", "3"), ("size", "1"), ("hidden", "5,4")]);
        let agent = NtkEnsemble::train(&plane(Some(0.1)), &nothing, None, &few, 0).unwrap();
        // Without data an anchored member stays at its initial parameters.
        let [member] = agent.belief.functions() else { panic!("one member") };
        let parameters = floats(&member.network.parameters);
        assert!(parameters.iter().zip(floats(&mask(&[2, 5, 4, 2]))).all(|(value, is)| (*value != 0.0) == (*is == 1.0)));
    }

    #[test]
    fn draws_differ_where_there_are_no_data() {
        let nothing = no_examples(2);
        let agent =
            NtkEnsemble::train(&plane(Some(0.1)), &nothing, None, &settings(&[("steps", "20"), ("size", "30")]), 0)
                .unwrap();
        assert_draws_disagree(&agent);
    }

    #[test]
    fn training_depends_on_the_seed_alone_and_a_draw_on_its_number() {
        let data = half_plane(130, 3);
        let few = settings(&[("steps", "20"), ("size", "30")]);
        let train = |seed| NtkEnsemble::train(&plane(Some(0.1)), &data, None, &few, seed).unwrap();
        let (one, same, other) = (train(1), train(1), train(2));
        assert_eq!(probs(&one, &data.inputs, 2, &[5]), probs(&same, &data.inputs, 2, &[5]));
        assert_ne!(probs(&one, &data.inputs, 2, &[5]), probs(&other, &data.inputs, 2, &[5]));
        assert_draws_are_functions(&one, &data.inputs, 2, &[5, 9, 5, 0]);
        let distinct = probs(&one, &data.inputs, 2, &[0]) != probs(&one, &data.inputs, 2, &[9]);
        assert_eq!(distinct, one.canonical_draw(0) != one.canonical_draw(9));
    }

    #[test]
    fn divergence_names_the_step() {
        assert_divergence_names_the_step::<NtkEnsemble>();
    }
}
