//! Problems of predictive correlations: an agent's correlations against the oracle's, and the joint likelihoods of the
//! targets.

use jointly_core::correlations::{
    Association, DensityError, Moments, PoolTest, Undefined, correlated_groups, cross_log_likelihood,
    joint_log_likelihood, marginal_log_likelihood, metacorrelation, random_groups, variance_association,
};
use jointly_core::digest::digest;
use jointly_core::pick;
use jointly_core::regression::regressor::Regressor;
use jointly_core::score::Real;
use jointly_core::stream::stream;

use super::data::{PoolData, Pooled, joined};
use super::options::RegressionOptions;
use super::run::Run;
use super::unit::{Absence, CorrelationScores, Jitter, RegressionResult, RegressionUnit};
use crate::cross::CorrelationBelief;
use crate::evaluate::evaluate;
use crate::fit::{FitError, fit_in};

/// Predictive correlations over a pool and test points, after training on a few examples.
#[derive(Clone, Debug)]
pub struct CorrelationProblem {
    /// The source of its data.
    pub data: PoolData,
}

impl CorrelationProblem {
    pub(super) fn run<R: Regressor>(
        &self,
        run: &Run,
        agent: &mut R,
        progress: &mut dyn FnMut(f64),
    ) -> Result<RegressionResult, FitError<R::Error>> {
        let data = self.data.pooled(run).map_err(FitError::Oracle)?;
        let oracle = Oracle::of(&data).map_err(FitError::Oracle)?;
        let units = data.units.of(&data.train);
        let mut fitted = fit_in(agent, &data.task, units, &data.train, None, run.agent_seed())?;
        let options = run.options.prediction(run.seed, run.name);
        let evaluated = evaluate(&mut fitted, &data.test, None, &options, &mut |done| progress(0.5 * done))?;

        let rows = belief_rows(data.test.rows(), run);
        let options = run.options.moments(run.seed, run.name);
        let exact = run.options.exact_rows as usize;
        let unusable = |error| FitError::Moments(format!("the agent's moments are no belief: {error}"));
        // With an oracle, the pool comes first and all test points follow. Without one, no score uses the pool.
        let (asked, start) = match &oracle {
            Some(_) => (joined(data.pool.inputs(), data.test.inputs()), data.pool.rows()),
            None => (data.test.select(&rows).inputs().clone(), 0),
        };
        let joint = fitted.joint(&asked, exact, &options)?;
        let at = joint.moments_from(start).map_err(unusable)?;
        let at = if oracle.is_some() { at.select(&rows) } else { at };
        let targets: Vec<f64> = match &data.synthetic {
            Some(synthetic) => rows.iter().map(|&row| synthetic.test.targets[row]).collect(),
            None => rows.iter().map(|&row| f64::from(data.test.targets()[row])).collect(),
        };
        let belief = CorrelationBelief::new(&at, &targets, run.options.batch);
        let belief =
            belief.map_err(|defect| FitError::Moments(format!("the agent's moments are no belief: {defect}")))?;
        let belief = belief.bytes();

        let mut sheet = Sheet::default();
        let RegressionOptions { batch, random_batches, .. } = *run.options;
        let (batch, random_batches) = (batch as usize, random_batches as usize);
        let mut source = stream(run.seed, "correlations-groups", run.name, 0);
        let random = random_groups(rows.len(), batch, random_batches, &mut source);
        let own = correlated_groups(&at.target_correlation(), batch);
        let marginal = sheet.density("marginal", marginal_log_likelihood(&at, &targets));
        let joint_random = sheet.density("joint_random", joint_log_likelihood(&at, &targets, &random));
        let joint_correlated = sheet.density("joint_correlated", joint_log_likelihood(&at, &targets, &own));
        let mut scores = CorrelationScores {
            rows: rows.len() as u64,
            pool: 0,
            moments_from: joint.origin(),
            functions: joint.functions().map(|functions| functions as u64),
            metacorrelation: None,
            metacorrelation_ranks: None,
            variance_correlation: None,
            variance_correlation_ranks: None,
            marginal,
            joint_random,
            joint_correlated,
            xll_oracle: None,
            absences: Vec::new(),
            jitter: None,
            belief: digest(&belief),
        };
        if let Some(oracle) = &oracle {
            let candidate = joint.pool_test(data.pool.rows());
            let (of_correlations, of_variances) =
                (metacorrelation(&candidate, &oracle.belief), variance_association(&candidate, &oracle.belief));
            scores.pool = data.pool.rows() as u64;
            (scores.metacorrelation, scores.metacorrelation_ranks) =
                sheet.association("metacorrelation", of_correlations);
            (scores.variance_correlation, scores.variance_correlation_ranks) =
                sheet.association("variance_correlation", of_variances);
            let reference = oracle.test.select(&rows);
            let groups = correlated_groups(&reference.target_correlation(), batch);
            let xll = cross_log_likelihood(&at, &reference, &targets, &groups);
            scores.xll_oracle = sheet.density("xll_oracle", xll);
            scores.jitter = oracle.jitter;
        }
        scores.absences = sheet.absences;
        progress(1.0);
        let unit =
            RegressionUnit { scores: evaluated.scores, coverage: None, correlations: Some(scores), rounds: Vec::new() };
        Ok(RegressionResult { scores: unit, belief: Some(belief) })
    }
}

/// Returns the rows of the test set for joint likelihoods, in ascending order and the same for all agents.
fn belief_rows(test: usize, run: &Run) -> Vec<usize> {
    let most = run.options.belief_rows as usize;
    if test <= most {
        return (0..test).collect();
    }
    let mut rows = pick::prefix(test, most, &mut stream(run.seed, "correlations-belief-rows", run.name, 0));
    rows.sort_unstable();
    rows
}

/// The oracle of a synthetic dataset: its prediction at pool and test points, and the jitter of its matrices.
struct Oracle {
    belief: PoolTest,
    test: Moments,
    jitter: Option<Jitter>,
}

impl Oracle {
    /// Computes the oracle of a dataset; `None` for real data.
    fn of(data: &Pooled) -> Result<Option<Self>, String> {
        let Some(synthetic) = &data.synthetic else { return Ok(None) };
        let posterior = synthetic.oracle().map_err(|error| format!("there is no oracle: {error}"))?;
        let unusable = |error| format!("there is no oracle: {error}");
        let (pool, test) = (posterior.at(&synthetic.pool.inputs), posterior.at(&synthetic.test.inputs));
        let belief = pool.pool_test(&test).map_err(unusable)?;
        let test = posterior.moments(&synthetic.test.inputs).map_err(unusable)?;
        let (function, oracle) = (synthetic.jitter, posterior.jitter());
        let jitter =
            (function != 0.0 || oracle != 0.0).then_some(Jitter { function: Real(function), oracle: Real(oracle) });
        Ok(Some(Self { belief, test, jitter }))
    }
}

/// Collects the reasons why scores have no value.
#[derive(Default)]
struct Sheet {
    absences: Vec<Absence>,
}

impl Sheet {
    fn density(&mut self, score: &str, value: Result<f64, DensityError>) -> Option<Real> {
        match value {
            Ok(value) => Some(Real(value)),
            Err(error) => {
                self.absent(score, error.to_string());
                None
            }
        }
    }

    fn association(&mut self, score: &str, value: Result<Association, Undefined>) -> (Option<Real>, Option<Real>) {
        match value {
            Ok(Association { pearson, spearman }) => (Some(Real(pearson)), Some(Real(spearman))),
            Err(error) => {
                self.absent(score, error.to_string());
                (None, None)
            }
        }
    }

    fn absent(&mut self, score: &str, reason: String) {
        self.absences.push(Absence { score: score.to_owned(), reason });
    }
}
