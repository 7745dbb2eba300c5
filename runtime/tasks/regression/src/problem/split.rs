//! Problems made of a split of a table: section 2.3 of Sluijterman, Cator and Heskes.

use jointly_core::regression::regressor::Regressor;

use super::run::Run;
use super::table::Table;
use super::unit::{RegressionResult, RegressionUnit};
use crate::evaluate::evaluate;
use crate::fit::{FitError, fit};

/// One split of a table, a standard one where there are any: nine tenths of the rows to train on, the others to test
/// on.
#[derive(Clone, Debug)]
pub struct SplitProblem {
    /// The table.
    pub table: Table,
    /// The index of the split.
    pub split: u32,
}

impl SplitProblem {
    pub(super) fn run<R: Regressor>(
        &self,
        run: &Run,
        agent: &mut R,
        progress: &mut dyn FnMut(f64),
    ) -> Result<RegressionResult, FitError<R::Error>> {
        let split = self.table.attached().split(run.seed, self.split);
        let mut fitted = fit(agent, &self.table.task(), &split.train, None, run.agent_seed())?;
        let options = run.options.prediction(run.seed, run.name);
        let evaluated = evaluate(&mut fitted, &split.test, None, &options, progress)?;
        let scores =
            RegressionUnit { scores: evaluated.scores, coverage: None, correlations: None, rounds: Vec::new() };
        Ok(RegressionResult { scores, belief: None })
    }
}
