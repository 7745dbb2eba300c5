//! The agent `ntk-ensemble`: an ensemble whose members start as draws from the process of the neural tangent kernel.

mod training;

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
        /// multiply that weight by the input's dimension and the root of the temperature
        adaptive: bool = "yes",
        /// pull a member to where it started, each parameter as its prior variance asks, rather than all to zero
        anchored: bool = "yes",
        /// factor of the logits with which members start, over the root of the temperature
        prior_scale: Positive = "1",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// One function of the belief.
#[derive(Debug)]
struct Member {
    network: Network,
    /// Added to the network, in training as in prediction; never trained.
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
/// The logits of a member are f(x, theta) + J(x, theta_0) v: theta_0 is where theta starts, J the derivative of f by the
/// parameters, and v an independent random direction of the same law, zero on the last layer. All that is trained is
/// drawn, weights and the biases of every layer, independently and with variance s_i = 0.774 / fan-in. At theta_0 these
/// logits so have the covariance E [sum_i s_i J_i(x) J_i(x')], the neural tangent kernel of f; as f gets wide they are a
/// draw from the Gaussian process, and training by gradient keeps it the posterior's draw (for squared error: He,
/// Lakshminarayanan and Teh 2020). Here the error is the cross-entropy, and the pull back to theta_0 with strengths
/// 1 / (2 s_i) is the negative log-prior, made normal, of a randomised maximum a posteriori. The last layer of theta_0 is
/// multiplied by the prior's scale over the root of the temperature, which multiplies both terms.
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
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive }.factor(task, data.labels.len()),
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

    use super::*;

    /// Mean negative log-likelihood that an agent which has learnt a half-plane stays below.
    const LOW_LOSS: f32 = 0.2;

    fn task() -> Task {
        Task { input_dim: 2, num_classes: 2, temperature: Some(0.1), hidden_layers: None }
    }

    fn half_plane(examples: usize) -> Dataset {
        let mut rng = jointly_sdk::Rng::new(3, 0);
        let inputs: Vec<f32> = (0..2 * examples).map(|_| rng.normal()).collect();
        let labels = inputs.chunks(2).map(|row| u32::from(row[0] > row[1])).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    fn settings(pairs: &[(&str, &str)]) -> Vec<Setting> {
        pairs.iter().map(|(name, value)| Setting { name: (*name).into(), value: (*value).into() }).collect()
    }

    fn probs(agent: &NtkEnsemble, inputs: &Matrix, draw: u64) -> Vec<f32> {
        let mut out = vec![0.0; inputs.rows() * 2];
        agent.probs(inputs, draw, &mut out).unwrap();
        out
    }

    #[test]
    fn every_draw_learns_what_is_easy() {
        let data = half_plane(60);
        let quick = [("steps", "400"), ("learning-rate", "1e-2"), ("l2", "0.01"), ("size", "3")];
        let agent = NtkEnsemble::train(&task(), &data, None, &settings(&quick), 0).unwrap();
        for draw in 0..5 {
            let probs = probs(&agent, &data.inputs, draw);
            let rows = probs.chunks(2).zip(&data.labels);
            let loss = rows.map(|(row, label)| -row[*label as usize].ln()).sum::<f32>() / 60.0;
            assert!(loss < LOW_LOSS, "draw {draw}: {loss}");
        }
    }

    #[test]
    fn all_that_is_trained_is_drawn() {
        let nothing = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        let few = settings(&[("steps", "3"), ("size", "1"), ("hidden", "5,4")]);
        let agent = NtkEnsemble::train(&task(), &nothing, None, &few, 0).unwrap();
        // Without data a member that is anchored stays where it started.
        let [member] = agent.belief.functions() else { panic!("one member") };
        let parameters = floats(&member.network.parameters);
        assert!(parameters.iter().zip(floats(&mask(&[2, 5, 4, 2]))).all(|(value, is)| (*value != 0.0) == (*is == 1.0)));
    }

    #[test]
    fn draws_differ_where_there_are_no_data() {
        let nothing = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        let agent =
            NtkEnsemble::train(&task(), &nothing, None, &settings(&[("steps", "20"), ("size", "30")]), 0).unwrap();
        let input = Matrix::new(1, 2, vec![1.0, 1.0]).unwrap();
        let mut beliefs: Vec<f32> = (0..50).map(|draw| probs(&agent, &input, draw)[0]).collect();
        beliefs.sort_by(f32::total_cmp);
        assert!(beliefs[5] < 0.4 && beliefs[45] > 0.6, "{beliefs:?}");
    }

    #[test]
    fn training_depends_on_the_seed_alone_and_a_draw_on_its_number() {
        let data = half_plane(130);
        let few = settings(&[("steps", "20"), ("size", "30")]);
        let train = |seed| NtkEnsemble::train(&task(), &data, None, &few, seed).unwrap();
        let (one, same, other) = (train(1), train(1), train(2));
        assert_eq!(probs(&one, &data.inputs, 5), probs(&same, &data.inputs, 5));
        assert_ne!(probs(&one, &data.inputs, 5), probs(&other, &data.inputs, 5));
        let draws = [5, 9, 5, 0];
        let mut together = vec![0.0; draws.len() * 260];
        one.sample_probs(&data.inputs, &draws, &mut together).unwrap();
        for (draw, together) in draws.into_iter().zip(together.chunks(260)) {
            assert_eq!(together, probs(&one, &data.inputs, draw));
            assert_eq!(together, probs(&one, &data.inputs, one.canonical_draw(draw)));
            for (i, expected) in together.chunks(2).enumerate() {
                let alone = Matrix::new(1, 2, data.inputs.row(i).to_vec()).unwrap();
                assert_eq!(expected, probs(&one, &alone, draw), "row {i}");
            }
        }
        let distinct = probs(&one, &data.inputs, 0) != probs(&one, &data.inputs, 9);
        assert_eq!(distinct, one.canonical_draw(0) != one.canonical_draw(9));
    }

    #[test]
    fn suggested_variants_are_accepted_and_others_refused() {
        for variant in NtkEnsemble::describe().sweeps.into_iter().flat_map(|sweep| sweep.variants) {
            assert!(Settings::parse(&variant).is_ok(), "{variant:?}");
        }
        assert!(matches!(Settings::parse(&settings(&[("depth", "3")])), Err(Failure::InvalidSetting(_))));
    }

    #[test]
    fn divergence_names_the_step() {
        let data = Dataset { inputs: Matrix::new(1, 2, vec![f32::INFINITY, 0.0]).unwrap(), labels: vec![0] };
        let failure = NtkEnsemble::train(&task(), &data, None, &[], 0).unwrap_err();
        assert_eq!(failure, Failure::Diverged("the loss is not finite at step 0".into()));
    }
}
