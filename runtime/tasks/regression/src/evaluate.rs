//! Scores a trained agent on a test set and, where the true function is known, computes the coverage of its intervals.

use jointly_core::matrix::Matrix;
use jointly_core::regression::dataset::Targets;
use jointly_core::regression::regressor::Belief;

use super::coverage::SimulationCoverage;
use super::fit::{FitError, Fitted};
use super::predictive::PredictionOptions;
use super::process::TestSet;
use super::score::{RegressionScores, Tally};

/// Maximum number of means, and of noise values, of all functions at a block's rows, unless a single row has more.
const BLOCK: usize = 1 << 22;
/// Maximum number of rows of a block.
const ROWS: usize = 1 << 14;

/// The scores of an agent trained on one training set.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// Scores on the observations of the test set.
    pub scores: RegressionScores,
    /// Coverage of the intervals row by row, where the true function is known.
    pub coverage: Option<SimulationCoverage>,
}

/// Scores a trained agent on observations.
///
/// Rows are predicted in blocks of bounded size, which depends only on the numbers of rows and functions. `progress`
/// receives the fraction done, up to 1.
///
/// # Errors
/// As for [`Fitted::predict`].
///
/// # Panics
/// When the options do not pass their [check](PredictionOptions::check), or an answer has another number of rows than
/// the inputs.
pub fn evaluate<B: Belief>(
    fitted: &mut Fitted<B>,
    test: &Targets,
    truth: Option<&TestSet>,
    options: &PredictionOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Evaluated, FitError<B::Error>> {
    if let Err(error) = options.check() {
        panic!("{}: {error}", options.problem);
    }
    let functions = fitted.functions(options)?;
    let cols = test.inputs().cols();
    let block = (BLOCK / functions.draws.len()).clamp(1, ROWS);
    let mut tally = Tally::default();
    let mut coverage = truth.map(|_| SimulationCoverage::new(&options.levels));
    let mut start = 0;
    for (values, targets) in test.inputs().values().chunks(block * cols).zip(test.targets().chunks(block)) {
        let inputs = Matrix::from_rows(cols, values.to_vec());
        let prediction = fitted.predict_with(&functions, &inputs, options)?;
        tally.add(&prediction, targets);
        if let (Some(coverage), Some(truth)) = (&mut coverage, truth) {
            coverage.add(&prediction, truth, start);
        }
        start += targets.len();
        progress(start as f64 / test.rows() as f64);
    }
    Ok(Evaluated { scores: tally.finish(), coverage })
}
