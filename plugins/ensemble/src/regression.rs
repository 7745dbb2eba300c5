//! The regression side of `ensemble`: networks that each predict a mean and the noise around it.

use jointly_nets::belief::{Answer, evaluate, sample_finite};
use jointly_nets::choice::Choice;
use jointly_nets::fit::affordable;
use jointly_nets::point_loss::Head;
use jointly_nets::start::glorot;
use jointly_nets::{Activation, Fit, Network, PointLoss, Points, Progress, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Matrix, NonNegative, Positive, RegressionTask, Regressor, Setting,
    Targets, Widths, settings,
};

/// The head that turns the second output into the variance of the noise.
const HEAD: Head = Head::Softplus;

settings! {
    struct Settings {
        /// number of members
        size: Count = "20",
        /// widths of the hidden layers
        hidden: Widths = "50",
        /// function of a hidden unit: relu or tanh
        activation: Activation = "relu",
        /// weight of the sum of squares of a member's weights
        l2: NonNegative = "0",
        /// step size of Adam
        learning_rate: Positive = "3e-3",
        /// passes over the examples
        epochs: Count = "400",
        /// examples in a batch
        batch_size: Count = "100",
        /// if a task states its noise, members use it and predict only the mean
        known_noise: bool = "yes",
    }
}

/// A deep ensemble for regression, after Lakshminarayanan, Pritzel and Blundell (2017), without adversarial examples.
///
/// Sun et al. (Beyond marginal uncertainty, 2021, table 3) train 100 networks with one hidden layer of 50 or 400
/// units for 10,000 epochs of Adam in batches of 100, with a step size of 1e-3, 3e-3 or 1e-2 chosen for each dataset.
/// That takes two minutes for a fit of four hundred examples. The default has a fifth of the members and a
/// twenty-fifth of the epochs, at the middle step size; `size=100,epochs=10000` is their setting. On their synthetic
/// data, where the noise is known, members predict only the mean.
///
/// # Formula
///
/// A member minimises the mean of ln(v) / 2 + (y - m)^2 / (2 v), where v = softplus(s) + 1e-6 for its outputs m and
/// s, or the mean of (y - m)^2 if the noise is known. A draw is a member with its own noise.
#[derive(Debug)]
pub struct Regression {
    members: Vec<Network>,
    choice: Choice,
    /// The standard deviation of the noise if the task states it.
    noise: Option<f32>,
}

impl Regression {
    fn answer(&self, member: usize, inputs: &Matrix) -> Result<Answer, Failure> {
        let out = evaluate(&self.members[member], inputs)?;
        Ok(match self.noise {
            Some(noise) => (out, vec![noise; inputs.rows()]),
            None => out.chunks_exact(2).map(|pair| (pair[0], HEAD.variance(pair[1]).sqrt())).unzip(),
        })
    }
}

impl Regressor for Regression {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["1e-3", "3e-3", "1e-2"]),
                sweeps::one("epochs", &["40", "100", "400", "1000"]),
            ],
            ..crate::description()
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let points = Points::new(task, data)?;
        let noise = task.noise_std.filter(|_| settings.known_noise);
        let loss = if noise.is_some() { PointLoss::Squared } else { PointLoss::Gaussian(HEAD) };
        let widths = [&[task.input_dim], &settings.hidden[..], &[loss.outputs()]].concat();
        affordable(&widths, *settings.size)?;
        let fit = Fit {
            loss,
            epochs: *settings.epochs,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            annealed: false,
            l2: *settings.l2,
        };
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut progress = Progress::new(fit.steps(points.len()).saturating_mul(*settings.size));
        let member = |index| {
            let network = glorot(&widths, &mut Stream::Start.rng(seed, index)).with_activation(settings.activation);
            fit.run(network, &points, &all, &mut Stream::Batches.rng(seed, index), &mut progress)
        };
        let members = (0..*settings.size as u64).map(member).collect::<Result<Vec<_>, Failure>>()?;
        Ok(Self { choice: Choice::new(seed, members.len()), members, noise })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        sample_finite(&self.choice, draws, inputs.rows(), |member| self.answer(member, inputs))
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    fn task() -> RegressionTask {
        RegressionTask { input_dim: 1, noise_std: None }
    }

    fn set(pairs: &[(&str, &str)]) -> Vec<Setting> {
        pairs.iter().map(|(name, value)| Setting { name: (*name).into(), value: (*value).into() }).collect()
    }

    /// Creates a sine with a gap in the middle, whose noise is four times as strong for positive inputs.
    fn sine(rows: usize) -> Targets {
        let mut rng = Rng::new(1, 0);
        let inputs: Vec<f32> = (0..rows).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 } * (0.5 + rng.uniform())).collect();
        let noise = |x: f32| if x < 0.0 { 0.1 } else { 0.4 };
        let targets = inputs.iter().map(|x| (2.0 * x).sin() + noise(*x) * rng.normal()).collect();
        Targets { inputs: Matrix::new(rows, 1, inputs).unwrap(), targets }
    }

    fn all_members(agent: &Regression) -> Vec<u64> {
        let draws: std::collections::BTreeSet<u64> = (0..1000).map(|draw| agent.canonical_draw(draw)).collect();
        draws.into_iter().collect()
    }

    #[test]
    fn a_sine_and_its_noise_are_learnt_and_members_differ_where_there_are_no_data() {
        let agent = Regression::train(&task(), &sine(500), None, &set(&[("size", "5"), ("epochs", "200")]), 3).unwrap();
        let draws = all_members(&agent);
        assert_eq!(draws.len(), 5);
        let inputs = Matrix::new(4, 1, vec![-0.8, 0.8, 0.0, 6.0]).unwrap();
        let samples = agent.sample_functions(&inputs, &draws).unwrap();
        let column = |values: &[f32], t: usize| -> Vec<f32> { values.iter().copied().skip(t).step_by(4).collect() };
        let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
        for (t, value, noise) in [(0, (-1.6f32).sin(), 0.1), (1, 1.6f32.sin(), 0.4)] {
            assert!((mean(&column(&samples.means, t)) - value).abs() < 0.15, "{samples:?}");
            assert!((0.7 * noise..1.4 * noise).contains(&mean(&column(&samples.noise_stds, t))), "{samples:?}");
        }
        let spread = |t: usize| {
            let values = column(&samples.means, t);
            values.iter().map(|value| (value - mean(&values)).powi(2)).sum::<f32>()
        };
        assert!(spread(3) > 5.0 * spread(0), "{samples:?}");
    }

    #[test]
    fn known_noise_is_taken_as_it_is() {
        let known = RegressionTask { noise_std: Some(0.3), ..task() };
        let quick = [("size", "2"), ("epochs", "2")];
        let agent = Regression::train(&known, &sine(50), None, &set(&quick), 3).unwrap();
        let samples = agent.sample_functions(&sine(50).inputs, &[0]).unwrap();
        assert_eq!(samples.noise_stds, [0.3; 50]);
        let unknown = set(&[quick[0], quick[1], ("known-noise", "no")]);
        let agent = Regression::train(&known, &sine(50), None, &unknown, 3).unwrap();
        assert_ne!(agent.sample_functions(&sine(50).inputs, &[0]).unwrap().noise_stds, [0.3; 50]);
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_company() {
        let agent = Regression::train(&task(), &sine(60), None, &set(&[("size", "3"), ("epochs", "2")]), 3).unwrap();
        let inputs = sine(70).inputs;
        let all = agent.sample_functions(&inputs, &[7, 2, 7]).unwrap();
        for (m, draw) in [7, 2, 7].into_iter().enumerate() {
            let row = Matrix::new(1, 1, inputs.row(65).to_vec()).unwrap();
            let alone = agent.sample_functions(&row, &[agent.canonical_draw(draw)]).unwrap();
            assert_eq!((alone.means[0], alone.noise_stds[0]), (all.means[m * 70 + 65], all.noise_stds[m * 70 + 65]));
        }
    }

    #[test]
    fn degenerate_data_have_defined_answers() {
        let nothing = Targets { inputs: Matrix::new(0, 1, Vec::new()).unwrap(), targets: Vec::new() };
        let one = Targets { inputs: Matrix::new(1, 1, vec![0.5]).unwrap(), targets: vec![0.0] };
        let constant = Targets { inputs: Matrix::new(50, 1, vec![0.0; 50]).unwrap(), targets: vec![0.0; 50] };
        for data in [nothing, one, constant] {
            let agent = Regression::train(&task(), &data, None, &set(&[("size", "2")]), 5).unwrap();
            let samples = agent.sample_functions(&Matrix::new(2, 1, vec![-1.0, 1.0]).unwrap(), &[0, 1]).unwrap();
            assert!(samples.means.iter().chain(&samples.noise_stds).all(|value| value.is_finite()), "{samples:?}");
            assert!(samples.noise_stds.iter().all(|noise| *noise > 0.0));
        }
    }

    #[test]
    fn suggested_variants_are_accepted_and_silly_ones_refused() {
        for sweep in Regression::describe().sweeps {
            for variant in sweep.variants {
                assert!(Settings::parse(&variant).is_ok(), "{variant:?}");
            }
        }
        for silly in [("hidden", "100000,100000"), ("size", "1000000000"), ("learning-rate", "0")] {
            let failure = Regression::train(&task(), &sine(5), None, &set(&[silly]), 5).unwrap_err();
            assert!(matches!(failure, Failure::InvalidSetting(_)), "{silly:?}: {failure}");
        }
    }

    /// `cargo test --release -p jointly-agent-ensemble -- --ignored --nocapture times`
    #[test]
    #[ignore = "measures"]
    fn times() {
        let mut rng = Rng::new(2, 0);
        let inputs: Vec<f32> = (0..400 * 13).map(|_| rng.normal()).collect();
        let targets = inputs.chunks(13).map(|row| row[0] * row[1] + 0.1 * rng.normal()).collect();
        let data = Targets { inputs: Matrix::new(400, 13, inputs).unwrap(), targets };
        let start = std::time::Instant::now();
        Regression::train(&RegressionTask { input_dim: 13, noise_std: None }, &data, None, &[], 3).unwrap();
        println!("400 rows of 13 features: {:?}", start.elapsed());
    }
}
