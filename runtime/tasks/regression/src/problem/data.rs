//! Training data, a pool and test points, for correlations and active learning.

use jointly_core::matrix::Matrix;
use jointly_core::pick;
use jointly_core::regression::dataset::{RegressionTask, Targets};
use jointly_core::stream::stream;

use super::run::Run;
use super::table::Table;
use crate::oracle::{Functions, SyntheticDataset, SyntheticSpec};
use crate::standardize::Standardization;

/// The source of a pool, its training set and its test set.
#[derive(Clone, Debug)]
pub enum PoolData {
    /// The oracle's prior.
    Synthetic(SyntheticSource),
    /// A table.
    Table(TableSource),
}

/// One dataset drawn from the oracle's prior: [`SyntheticSpec`] with the sizes of the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntheticSource {
    /// Number d of features.
    pub input_dim: u32,
    /// The index of the dataset.
    pub set: u32,
    /// Whether datasets share a function.
    pub functions: Functions,
}

/// A table whose rows are partitioned at random: section 5.1 of Wang, Sun and Grosse.
///
/// Each repetition draws an order of the n rows. The first 0.2 n are the training set, the next 0.6 n the pool and the
/// last 0.2 n the test set (by the options' shares, rounded to the nearest whole number). The standard splits are not
/// used.
#[derive(Clone, Debug)]
pub struct TableSource {
    /// The table.
    pub table: Table,
    /// The index of the repetition.
    pub repetition: u32,
}

/// The data of one problem.
pub(super) struct Pooled {
    pub(super) task: RegressionTask,
    pub(super) train: Targets,
    pub(super) pool: Targets,
    pub(super) test: Targets,
    pub(super) units: Units,
    /// The dataset drawn from the oracle's prior, where the function is known.
    pub(super) synthetic: Option<SyntheticDataset>,
}

/// The units in which agents see the data.
pub(super) enum Units {
    /// The data's own units.
    Same,
    /// Standardised units: features by these inputs (those of training set and pool), the target by the current
    /// training set.
    By(Matrix),
}

impl PoolData {
    pub(super) fn table(&self) -> Option<&Table> {
        match self {
            Self::Synthetic(_) => None,
            Self::Table(source) => Some(&source.table),
        }
    }

    pub(super) fn table_mut(&mut self) -> Option<&mut Table> {
        match self {
            Self::Synthetic(_) => None,
            Self::Table(source) => Some(&mut source.table),
        }
    }

    pub(super) fn task(&self) -> RegressionTask {
        match self {
            Self::Synthetic(source) => source.task(),
            Self::Table(source) => source.table.task(),
        }
    }

    /// Returns the data for a run's seed.
    ///
    /// # Errors
    /// When the function cannot be drawn; the error is the reason.
    pub(super) fn pooled(&self, run: &Run) -> Result<Pooled, String> {
        match self {
            Self::Synthetic(source) => source.pooled(run),
            Self::Table(source) => Ok(source.pooled(run)),
        }
    }
}

impl SyntheticSource {
    /// Returns the name shared by all datasets of this dimension.
    fn family(&self) -> String {
        format!("d{}", self.input_dim)
    }

    /// Returns what agents are told, including the noise: section 5.1.
    fn task(&self) -> RegressionTask {
        let noise_variance = SyntheticSpec::new(self.input_dim as usize).noise_variance;
        RegressionTask { input_dim: self.input_dim, noise_std: Some(noise_variance.sqrt() as f32) }
    }

    fn pooled(&self, run: &Run) -> Result<Pooled, String> {
        let spec = SyntheticSpec {
            pool: run.options.pool as usize,
            test: run.options.test as usize,
            functions: self.functions,
            ..SyntheticSpec::new(self.input_dim as usize)
        };
        let dataset = spec.dataset(run.seed, &self.family(), self.set.into());
        let dataset = dataset.map_err(|error| format!("the function cannot be drawn: {error}"))?;
        let targets = |data: &crate::oracle::SyntheticData| {
            let targets = data.targets.iter().map(|&y| y as f32).collect();
            Targets::new(data.inputs.clone(), targets).map_err(|error| error.to_string())
        };
        let (train, pool) = (targets(&dataset.train)?, targets(&dataset.pool)?);
        let units = if run.options.standardize_synthetic {
            Units::By(joined(train.inputs(), pool.inputs()))
        } else {
            Units::Same
        };
        let test = targets(&dataset.test)?;
        Ok(Pooled { task: self.task(), train, pool, test, units, synthetic: Some(dataset) })
    }
}

impl TableSource {
    fn pooled(&self, run: &Run) -> Pooled {
        let data = self.table.attached().data();
        let rows = data.rows();
        let share = |share: f64| ((rows as f64 * share).round() as usize).clamp(1, rows);
        let mut source = stream(run.seed, "correlations-rows", self.table.name(), self.repetition.into());
        let order = pick::prefix(rows, rows, &mut source);
        let (train, rest) = order.split_at(share(run.options.train_share));
        let (pool, test) = rest.split_at(rest.len().saturating_sub(share(run.options.test_share)));
        let (train, pool) = (data.select(train), data.select(pool));
        let units = Units::By(joined(train.inputs(), pool.inputs()));
        Pooled { task: self.table.task(), train, pool, test: data.select(test), units, synthetic: None }
    }
}

impl Units {
    /// Returns the standardisation for a training set.
    pub(super) fn of(&self, train: &Targets) -> Standardization {
        match self {
            Self::Same => Standardization::identity(train.inputs().cols()),
            Self::By(inputs) => Standardization::of_each(inputs, train.targets()),
        }
    }
}

/// Concatenates the rows of both matrices.
pub(super) fn joined(first: &Matrix, second: &Matrix) -> Matrix {
    Matrix::from_rows(first.cols(), [first.values(), second.values()].concat())
}
