//! The agent `target-average`: predicts the mean and the standard deviation of the training targets, whatever the
//! input.

use jointly_kernels::{finite_samples, widths_agree};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, NonNegative, Positive, RegressionTask, Regressor, Setting, Targets,
    settings, sweep,
};

settings! {
    struct Settings {
        /// the predicted mean is that of the targets times this; targets that are standardised have a mean of 0
        mean_factor: Positive = "1",
        /// the predicted standard deviation is that about the predicted mean times this
        deviation_factor: Positive = "1",
        /// minimum standard deviation, which keeps the loss finite if all targets are equal
        floor: NonNegative = "0.001",
    }
}

/// The predicted standard deviation without examples: that of standardised targets.
const PRIOR_DEVIATION: f64 = 1.0;

/// One Gaussian for all inputs.
///
/// # Formula
///
/// With n targets of mean m, the prediction is N(a m, s^2) with s^2 = b^2 / n sum (y - a m)^2, where a is the factor of
/// the mean and b that of the standard deviation. Other factors than 1 make an estimator that is wrong by a known
/// amount: section 3.4 of Sluijterman, Cator and Heskes (2021) compares two such estimators. All draws name the same
/// function. A standard deviation of the noise that the task states is ignored: the targets alone determine it.
#[derive(Debug)]
pub struct TargetAverage {
    input_dim: usize,
    mean: f32,
    deviation: f32,
}

impl Regressor for TargetAverage {
    fn describe() -> Description {
        let summary = "the mean and spread of the targets, whatever the input";
        Description {
            citation: "Sluijterman, Cator and Heskes, How to evaluate uncertainty estimates in machine learning for \
                       regression?, 2021, section 3.4"
                .into(),
            deterministic: true,
            parameters: Settings::parameters(),
            sweeps: vec![sweep(
                "deviation-factor",
                ["0.8", "0.9", "1", "1.1", "1.25"].map(|factor| vec![("deviation-factor", factor)]),
            )],
            ..Description::new("target-average", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        widths_agree(&data.inputs, task.input_dim)?;
        let average = |of: &dyn Fn(f64) -> f64| {
            data.targets.iter().map(|&y| of(f64::from(y))).sum::<f64>() / data.targets.len() as f64
        };
        let (mean, deviation) = if data.targets.is_empty() {
            (0.0, PRIOR_DEVIATION)
        } else {
            let mean = f64::from(*settings.mean_factor) * average(&|y| y);
            (mean, average(&|y| (y - mean) * (y - mean)).sqrt())
        };
        let deviation = (f64::from(*settings.deviation_factor) * deviation).max(f64::from(*settings.floor));
        Ok(Self { input_dim: task.input_dim, mean: mean as f32, deviation: deviation as f32 })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        widths_agree(inputs, self.input_dim)?;
        let values = inputs.rows() * draws.len();
        finite_samples(FunctionSamples { means: vec![self.mean; values], noise_stds: vec![self.deviation; values] })
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(regressor: TargetAverage);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, degenerate_targets, no_targets, settings};

    use super::*;

    /// Rounding of a result to an `f32`.
    const ROUNDING: f32 = 1e-6;

    fn task() -> RegressionTask {
        RegressionTask { input_dim: 1, noise_std: Some(3.0) }
    }

    fn trained(targets: &[f32], pairs: &[(&str, &str)]) -> TargetAverage {
        let inputs = Matrix::new(targets.len(), 1, (0..targets.len()).map(|i| i as f32).collect()).unwrap();
        let data = Targets { inputs, targets: targets.to_vec() };
        TargetAverage::train(&task(), &data, None, &settings(pairs), 0).unwrap()
    }

    fn close(agent: &TargetAverage, mean: f32, deviation: f32) -> bool {
        (agent.mean - mean).abs() < ROUNDING && (agent.deviation - deviation).abs() < ROUNDING
    }

    #[test]
    fn estimates_by_hand() {
        // 1, 2, 6 have mean 3 and squares about it of 4, 1, 9; about 4.5 of 12.25, 6.25, 2.25, whose mean is 83 / 12.
        let targets = [1.0, 2.0, 6.0];
        assert!(close(&trained(&targets, &[]), 3.0, (14.0_f32 / 3.0).sqrt()));
        let wrong = trained(&targets, &[("mean-factor", "1.5"), ("deviation-factor", "2")]);
        assert!(close(&wrong, 4.5, 2.0 * (83.0_f32 / 12.0).sqrt()), "{wrong:?}");
    }

    #[test]
    fn without_spread_the_floor_remains() {
        assert!(close(&trained(&[2.0, 2.0], &[]), 2.0, 1e-3));
        assert!(close(&trained(&[2.0, 2.0], &[("floor", "0")]), 2.0, 0.0));
        let none = TargetAverage::train(&task(), &no_targets(1), None, &[], 0).unwrap();
        assert!(close(&none, 0.0, 1.0));
        for data in degenerate_targets() {
            let agent = TargetAverage::train(&task(), &data, None, &[], 0).unwrap();
            assert!(agent.mean.is_finite() && agent.deviation > 0.0);
        }
    }

    #[test]
    fn every_input_and_draw_has_the_same_answer() {
        let agent = trained(&[1.0, 2.0, 6.0], &[]);
        let inputs = Matrix::new(3, 1, vec![-9.0, 0.0, 5.0]).unwrap();
        assert_functions_stand_alone(&agent, &inputs, &[4, 2]);
        let samples = agent.sample_functions(&inputs, &[4, 2]).unwrap();
        assert_eq!((samples.means, samples.noise_stds), (vec![agent.mean; 6], vec![agent.deviation; 6]));
        assert!(agent.sample_functions(&Matrix::new(1, 2, vec![0.0; 2]).unwrap(), &[0]).is_err());
    }

    #[test]
    fn silly_settings_are_refused() {
        for silly in [("mean-factor", "0"), ("deviation-factor", "-1"), ("floor", "nan")] {
            let found = TargetAverage::train(&task(), &no_targets(1), None, &settings(&[silly]), 0);
            assert_invalid(found, &format!("{silly:?}"));
        }
    }
}
