//! Problems of transductive active learning: an agent selects the points that it, or another agent, is trained on.

use std::fmt;

use jointly_core::correlations::{MomentsError, marginal_log_likelihood};
use jointly_core::matrix::Matrix;
use jointly_core::pick;
use jointly_core::regression::dataset::Targets;
use jointly_core::regression::regressor::{Belief, Regressor};
use jointly_core::score::Real;
use jointly_core::stream::stream;

use super::acquisition::{Acquisition, Gain};
use super::data::{PoolData, Pooled, joined};
use super::run::Run;
use super::unit::{OracleRound, RegressionResult, RegressionUnit, Round};
use crate::evaluate::evaluate;
use crate::fit::{FitError, Fitted, fit_in};
use crate::metric::gaussian_nll;
use crate::oracle::{Posterior, SyntheticDataset};
use crate::predictive::{Joint, PredictionOptions};
use crate::score::{LogLoss, RegressionScores};

/// Maximum number of rows per call for predictions.
const ROWS: usize = 1 << 12;

/// Transductive active learning: algorithm 1 of Wang, Sun and Grosse.
///
/// Before the first round and after each round, the predicting agent is trained on the training set and scored on the
/// test set. In a round the selecting agent, trained on the same set, selects pool points by an acquisition function,
/// and these move to the training set. Their number is the options' share of all rows, to the nearest whole number and
/// at least one, but no more than are left. All acquisitions on the same data begin with the same training set and the
/// same seeds. Instead of the agent the oracle may select, where there is one, or chance: then all agents are trained on
/// the same points.
#[derive(Clone, Debug)]
pub struct ActiveProblem {
    /// The source of its data.
    pub data: PoolData,
    /// The acquisition function that selects points.
    pub acquisition: Acquisition,
}

impl ActiveProblem {
    /// Returns the problem's name without the acquisition.
    pub(super) fn stream_name<'a>(&self, name: &'a str) -> &'a str {
        name.strip_suffix(&self.acquisition.to_string()).and_then(|name| name.strip_suffix('/')).unwrap_or(name)
    }

    pub(super) fn run<R: Regressor>(
        &self,
        run: &Run,
        agent: &mut R,
        mut predictor: Option<&mut R>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<RegressionResult, FitError<R::Error>> {
        let data = self.data.pooled(run).map_err(FitError::Oracle)?;
        let all = data.train.rows() + data.pool.rows() + data.test.rows();
        let query = ((all as f64 * run.options.query_share).round() as usize).max(1);
        let options = run.options.moments(run.seed, run.name);
        let apart = predictor.is_some();
        let blame = |error| match error {
            // These errors are no agent's fault.
            FitError::Data(_) | FitError::Oracle(_) => error,
            error if apart => FitError::Predictor(Box::new(error)),
            error => error,
        };
        let mut learning = Learning::new(&data);
        let mut rounds = Vec::new();
        let mut queried = 0;
        for round in 0..=run.options.rounds {
            let train = learning.train();
            let seed = stream(run.seed, "agent", run.name, round.into()).next_u64();
            let train_agent = |agent: &mut R| fit_in(agent, &data.task, data.units.of(&train), &train, None, seed);
            let last = round == run.options.rounds || learning.pool.is_empty();
            let selects = !last && self.acquisition.asks_agent();
            let mut selecting = if selects || predictor.is_none() { Some(train_agent(agent)?) } else { None };
            let mut predicting =
                predictor.as_mut().map(|predictor| train_agent(predictor)).transpose().map_err(blame)?;
            let done = |part: f64| (f64::from(round) + part) / f64::from(run.options.rounds + 1);
            let scored = predicting.as_mut().or(selecting.as_mut()).expect("one of the two predicts");
            let (rmse, nll) = errors(scored, &data.test, &options).map_err(blame)?;
            let oracle = learning.oracle().map_err(FitError::Oracle)?;
            rounds.push(Round { train: train.rows() as u64, queried: queried as u64, rmse, nll, oracle });
            progress(done(0.5));
            if last {
                let options = run.options.prediction(run.seed, run.name);
                let scores = evaluate(scored, &data.test, None, &options, &mut |_| ()).map_err(blame)?.scores;
                progress(1.0);
                return Ok(finished(scores, rounds));
            }
            let query = query.min(learning.pool.len());
            let chosen = match (self.acquisition.gain(), selecting.as_mut()) {
                (Some(gain), Some(selecting)) if selects => {
                    let exact_rows = run.options.exact_rows as usize;
                    let place = Place { pool: learning.pool_inputs(), test: data.test.inputs(), exact_rows };
                    select(gain, selecting, &place, query, &options)?
                }
                (Some(gain), _) => learning.oracle_selects(gain, query).map_err(FitError::Oracle)?,
                (None, _) => {
                    let mut source = stream(run.seed, "active-random", run.name, round.into());
                    pick::prefix(learning.pool.len(), query, &mut source)
                }
            };
            queried = chosen.len();
            learning.query(&chosen);
        }
        unreachable!("the last round returns")
    }
}

/// Returns the indices in the pool of the points that an agent's prediction selects.
fn select<B: Belief>(
    gain: Gain,
    agent: &mut Fitted<B>,
    place: &Place,
    query: usize,
    options: &PredictionOptions,
) -> Result<Vec<usize>, FitError<B::Error>> {
    let unusable = |error: MomentsError| FitError::Moments(format!("the agent's moments are no belief: {error}"));
    if gain == Gain::Total {
        // Variances need no covariances, which may be too many.
        let prediction = agent.predict(&place.pool, options)?;
        return Gain::largest_variances(&prediction.function_variance, &prediction.noise_variance, query)
            .map_err(unusable);
    }
    let joint = agent.joint(&joined(&place.pool, place.test), place.exact_rows, options)?;
    gain.select(&joint, place.pool.rows(), query).map_err(unusable)
}

/// The pool points to choose from, the test points they should inform about, and the limit of exact moments.
struct Place<'a> {
    pool: Matrix,
    test: &'a Matrix,
    exact_rows: usize,
}

/// The state of a run: the points queried so far, and the points left in the pool.
struct Learning<'a> {
    data: &'a Pooled,
    queried: Vec<usize>,
    pool: Vec<usize>,
}

impl<'a> Learning<'a> {
    fn new(data: &'a Pooled) -> Self {
        Self { data, queried: Vec::new(), pool: (0..data.pool.rows()).collect() }
    }

    /// Returns the training set followed by the queried points in the order of their queries.
    fn train(&self) -> Targets {
        let queried = self.data.pool.select(&self.queried);
        let inputs = joined(self.data.train.inputs(), queried.inputs());
        let targets = [self.data.train.targets(), queried.targets()].concat();
        Targets::new(inputs, targets).expect("the examples of two datasets are a dataset")
    }

    fn pool_inputs(&self) -> Matrix {
        self.data.pool.select(&self.pool).inputs().clone()
    }

    /// Moves the points at these indices of the remaining pool to the training set.
    fn query(&mut self, chosen: &[usize]) {
        let mut taken = vec![false; self.pool.len()];
        for &place in chosen {
            self.queried.push(self.pool[place]);
            taken[place] = true;
        }
        let mut taken = taken.into_iter();
        self.pool.retain(|_| !taken.next().unwrap_or(false));
    }

    /// Returns the oracle's scores after the same points; `None` for real data.
    fn oracle(&self) -> Result<Option<OracleRound>, String> {
        let Some(synthetic) = &self.data.synthetic else { return Ok(None) };
        let unusable = |error: &dyn fmt::Display| format!("there is no oracle: {error}");
        let posterior = self.posterior(synthetic)?;
        let moments = posterior.moments(&synthetic.test.inputs).map_err(|error| unusable(&error))?;
        let targets = &synthetic.test.targets;
        let squares: f64 = targets.iter().zip(moments.mean()).map(|(y, mean)| (y - mean) * (y - mean)).sum();
        let likelihood = marginal_log_likelihood(&moments, targets).map_err(|error| unusable(&error))?;
        let rmse = (squares / targets.len() as f64).sqrt();
        Ok(Some(OracleRound { rmse: Real(rmse), nll: Real(-likelihood) }))
    }

    /// Returns the indices in the pool of the points that the oracle's posterior selects.
    ///
    /// # Errors
    /// When the data have no oracle, or its posterior cannot be computed.
    fn oracle_selects(&self, gain: Gain, query: usize) -> Result<Vec<usize>, String> {
        let synthetic = self.data.synthetic.as_ref().ok_or("there is no oracle: the data are not drawn from one")?;
        let asked = joined(&self.pool_inputs(), &synthetic.test.inputs);
        let moments = self.posterior(synthetic)?.moments(&asked);
        let chosen = moments.and_then(|moments| gain.select(&Joint::Exact(moments), self.pool.len(), query));
        chosen.map_err(|error| format!("there is no oracle: {error}"))
    }

    fn posterior(&self, synthetic: &SyntheticDataset) -> Result<Posterior, String> {
        let queried = self.queried.iter().map(|&row| synthetic.pool.targets[row]);
        let targets: Vec<f64> = synthetic.train.targets.iter().copied().chain(queried).collect();
        let posterior = synthetic.oracle_after(self.train().inputs().clone(), &targets);
        posterior.map_err(|error| format!("there is no oracle: {error}"))
    }
}

/// Returns the root mean squared error, and the mean negative log-likelihood of the Gaussian with the predicted mean
/// and variance.
fn errors<B: Belief>(
    agent: &mut Fitted<B>,
    test: &Targets,
    options: &PredictionOptions,
) -> Result<(Real, Real), FitError<B::Error>> {
    let cols = test.inputs().cols();
    let (mut squares, mut nll) = (0.0, LogLoss::default());
    for (values, targets) in test.inputs().values().chunks(ROWS * cols).zip(test.targets().chunks(ROWS)) {
        let prediction = agent.predict(&Matrix::from_rows(cols, values.to_vec()), options)?;
        for (row, &target) in targets.iter().enumerate() {
            let (y, mean) = (f64::from(target), prediction.mean[row]);
            squares += (y - mean) * (y - mean);
            nll.add(gaussian_nll(y, mean, prediction.variance(row).sqrt()));
        }
    }
    let rows = test.rows() as f64;
    Ok((Real((squares / rows).sqrt()), Real(nll.sum() / rows)))
}

fn finished(scores: RegressionScores, rounds: Vec<Round>) -> RegressionResult {
    RegressionResult { scores: RegressionUnit { scores, coverage: None, correlations: None, rounds }, belief: None }
}
