//! Predictions of a trained agent for a function of one input: mean, intervals, and functions sampled from the agent.

use jointly_core::regression::Regressor;
use jointly_core::{Matrix, agent_seed};
use jointly_regression::{CurveData, FitError, PredictionOptions, RegressionProblem, fit};
use jointly_report::picture::LineBelief;

/// Trains an agent as a run does, and computes its predictions on a grid.
///
/// # Panics
/// When the options have no level.
pub(crate) fn believe<R: Regressor>(
    agent: &mut R,
    (problem, data): (&RegressionProblem, &CurveData),
    grid: &[f32],
    functions: usize,
    options: &PredictionOptions,
) -> Result<LineBelief, FitError<R::Error>> {
    let seed = agent_seed(options.seed, problem.stream_name());
    let simulation = &data.simulation;
    let mut fitted = fit(agent, &problem.task(), &simulation.train, simulation.validation.as_ref(), seed)?;
    let inputs = Matrix::new(grid.len(), 1, grid.to_vec()).expect("a number a row");
    let prediction = fitted.predict(&inputs, options)?;
    let samples = fitted.sample(&inputs, (0..u64::from(options.draws)).collect(), options)?;
    let mut distinct: Vec<Vec<f64>> = Vec::new();
    for function in samples.means.chunks_exact(samples.rows) {
        if distinct.len() == functions {
            break;
        }
        if !distinct.iter().any(|known| known == function) {
            distinct.push(function.to_vec());
        }
    }
    let intervals = prediction.intervals.into_iter().next().expect("a level");
    Ok(LineBelief {
        mean: prediction.mean,
        confidence: intervals.confidence,
        prediction: intervals.prediction,
        functions: distinct,
    })
}

#[cfg(test)]
mod tests {
    use super::believe;
    use jointly_core::Matrix;
    use jointly_core::regression::{
        AnswerError, Belief, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets,
    };
    use jointly_regression::{Noise, PredictionOptions, regression_suite};

    /// A regressor whose even draws are a constant one standard deviation of the targets above the mean, and odd draws
    /// below.
    struct TwoConstants;

    impl Regressor for TwoConstants {
        type Belief = Self;
        type Error = AnswerError;

        fn train(&mut self, _: &RegressionTask, _: &Targets, _: Option<&Targets>, _: u64) -> Result<Self, AnswerError> {
            Ok(Self)
        }
    }

    impl Belief for TwoConstants {
        type Error = AnswerError;

        fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, AnswerError> {
            Ok(draws.iter().map(|draw| draw % 2).collect())
        }

        fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, AnswerError> {
            let row = |draw: &u64| vec![if draw.is_multiple_of(2) { 1.0 } else { -1.0 }; inputs.rows()];
            let means: Vec<f32> = draws.iter().flat_map(row).collect();
            FunctionSamples::new(inputs.rows(), draws.len(), means.clone(), vec![0.5; means.len()])
        }

        fn gaussian(&mut self, _: &Matrix) -> Result<Option<Gaussian>, AnswerError> {
            Ok(None)
        }

        fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, AnswerError> {
            Ok(None)
        }
    }

    #[test]
    fn a_belief_is_in_the_datas_units_and_each_function_is_drawn_once() {
        let suite = regression_suite("quick/coverage").unwrap();
        let problem = suite.problems.iter().find(|problem| problem.name.ends_with("line/sim0")).unwrap();
        let data = problem.curve_data(0.into(), Noise::Normal).unwrap();
        let options = PredictionOptions { levels: vec![0.9], ..PredictionOptions::paper(0.into(), &problem.name) };
        let belief = believe(&mut TwoConstants, (problem, &data), &[-1.0, 0.0, 1.0], 4, &options).unwrap();
        let targets: Vec<f64> = data.simulation.train.targets().iter().map(|y| f64::from(*y)).collect();
        let mean = targets.iter().sum::<f64>() / targets.len() as f64;
        assert!((belief.mean[1] - mean).abs() < 1e-5, "{} {mean}", belief.mean[1]);
        assert_eq!(belief.functions.len(), 2);
        let (above, below) = (belief.functions[0][0], belief.functions[1][0]);
        assert!(above > mean && below < mean);
        assert_eq!((belief.confidence.lower()[2], belief.confidence.upper()[2]), (below, above));
        assert!(belief.prediction.upper()[0] > above && belief.prediction.lower()[0] < below);
    }
}
