//! The agent `ntk-ensemble`: an ensemble whose members start as draws from the process of the neural tangent kernel.

mod training;

use jointly_nets::penalty::temperature;
use jointly_nets::tangent::Tangent;
use jointly_nets::{Choice, FirstBiases, Network, Penalty, Stream, predict_shifted, sweeps};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Setting, Task, Widths, progress,
    settings, sweep,
};

use training::Recipe;

settings! {
    struct Settings {
        /// number of members
        size: Count = "100",
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the sum of squares, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature
        adaptive: bool = "yes",
        /// take the squares of a member's distance from where it started, rather than of its parameters
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

/// An ensemble with the neural tangent kernel's prior.
///
/// # Formula
///
/// The logits of a member are f(x, theta) + J(x, theta_0) v: theta_0 is where theta starts, J the derivative of f by the
/// parameters, and v an independent random direction of the same law, zero on the last layer. At theta_0, and as f gets
/// wide, these logits are a draw from the Gaussian process whose covariance is the neural tangent kernel of f, and
/// training by gradient keeps it the posterior's draw (for squared error: He, Lakshminarayanan and Teh 2020). Here the
/// error is the cross-entropy, and the pull back to theta_0 is the penalty of a randomised maximum a posteriori. The last
/// layer of theta_0 is multiplied by the prior's scale over the root of the temperature, which multiplies both terms.
#[derive(Debug)]
pub struct NtkEnsemble {
    members: Vec<Member>,
    choice: Choice,
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
                sweep("anchored", ["yes", "no"].map(|anchored| vec![("anchored", anchored)])),
                sweep("prior-scale", ["0.3", "1", "3", "10"].map(|scale| vec![("prior-scale", scale)])),
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
        let widths = [&[task.input_dim], &settings.hidden[..], &[task.num_classes]].concat();
        let scale = *settings.prior_scale / temperature(task).sqrt();
        let recipe = Recipe {
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive }.factor(task, data.labels.len()),
            anchored: settings.anchored,
        };
        let size = *settings.size;
        let member = |index: usize| {
            let start = &mut Stream::Start.rng(seed, index as u64);
            let network = Network::new(&widths, FirstBiases::Truncated, start).scaled(scale);
            let direction = &mut Stream::Prior.rng(seed, index as u64);
            let offset = Tangent::new(network.clone(), &widths, FirstBiases::Truncated, direction);
            let network = training::train(network, &offset.outputs(data.inputs.values()), &recipe, task, data, seed)?;
            progress((index + 1) as f32 / size as f32);
            Ok(Member { network, offset })
        };
        let members = (0..size).map(member).collect::<Result<Vec<_>, Failure>>()?;
        Ok(Self { choice: Choice::new(seed, size), members })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.member_probs(self.choice.function(draw), inputs, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.choice.sample_probs(draws, out, |member, out| self.member_probs(member, inputs, out))
    }
}

impl NtkEnsemble {
    fn member_probs(&self, member: usize, inputs: &Matrix, out: &mut [f32]) -> Result<(), Failure> {
        let Member { network, offset } = &self.members[member];
        if inputs.cols() != network.inputs() {
            let (cols, dim) = (inputs.cols(), network.inputs());
            return Err(Failure::Internal(format!("inputs have {cols} columns; the task has {dim}")));
        }
        predict_shifted(network, inputs.values(), &offset.outputs(inputs.values()), out);
        Ok(())
    }
}

jointly_sdk::export!(classifier: NtkEnsemble);
