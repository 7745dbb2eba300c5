//! A simulation that resembles a table: the table's inputs with new targets, by two random forests.

use jointly_core::matrix::Matrix;
use jointly_core::pick;
use jointly_core::regression::dataset::Targets;
use jointly_core::stream::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sizes::Sizes;
use super::test_set::TestSet;
use crate::forest::{Forest, ForestSettings};
use crate::noise::Noise;

/// The forests of section 5.5: 100 trees of depth 15.
pub const FOREST: ForestSettings = ForestSettings { trees: 100, depth: 15 };

/// The residuals from which the noise of a table is estimated.
///
/// The paper's algorithm subtracts the forest's prediction from the targets that the forest was grown on. For Boston
/// the resulting noise has a mean standard deviation of 1.0. Under it, intervals as wide as the paper's (8.3 at 80 % by
/// concrete dropout, which cover too little in the paper) would nearly always cover. Residuals of the trees that did
/// not see a row give 2.6, which agrees with the widths and scores of the paper's Figure 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Residuals {
    /// Residuals from the mean of the trees that did not see the row.
    #[default]
    OutOfBag,
    /// Residuals from the forest's own prediction, as the algorithm is written.
    InBag,
}

impl Residuals {
    /// Returns the name used by `--residuals` and in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfBag => "out-of-bag",
            Self::InBag => "in-bag",
        }
    }
}

/// A table with newly drawn targets.
///
/// # Formula
/// Algorithm 3 of Sluijterman et al.: a random forest grown on all rows is the true function f. A second forest, grown
/// on the squared residuals of the same rows, is the true variance. New targets are f(x) plus noise of that variance.
/// The [residuals](Residuals) are y - f(x), or out of bag. The seed partitions the rows once into those to train on, to
/// validate and to test on. The inputs stay as they are, and only the targets change from one simulation to another.
#[derive(Clone, Debug)]
pub struct ResampledTable {
    train: Part,
    validation: Part,
    test: Part,
}

/// Rows of the table with their true function values and noise.
#[derive(Clone, Debug)]
struct Part {
    inputs: Matrix,
    truth: Vec<f64>,
    noise_stds: Vec<f64>,
}

impl ResampledTable {
    /// Grows the forests; `source` gives the stream of a purpose and a number.
    ///
    /// # Panics
    /// When the table has no rows, or fewer than the sizes add up to.
    pub fn of(table: &Targets, sizes: Sizes, residuals: Residuals, source: impl Fn(&str, u64) -> Stream) -> Self {
        let targets: Vec<f64> = table.targets().iter().map(|&y| f64::from(y)).collect();
        let (function, out_of_bag) =
            Forest::with_out_of_bag(table.inputs(), &targets, FOREST, |i| source("forest-function", i));
        let truth = function.predict(table.inputs());
        let about = match residuals {
            Residuals::InBag => &truth,
            Residuals::OutOfBag => &out_of_bag,
        };
        let squares: Vec<f64> = targets.iter().zip(about).map(|(y, f)| (y - f) * (y - f)).collect();
        let variance = Forest::fit(table.inputs(), &squares, FOREST, |i| source("forest-variance", i));
        // Means of squares are not negative, except for rounding.
        let noise_stds: Vec<f64> = variance.predict(table.inputs()).iter().map(|v| v.max(0.0).sqrt()).collect();

        let order = pick::prefix(table.rows(), table.rows(), &mut source("regression-split", 0));
        let (train, rest) = order.split_at(sizes.train);
        let (validation, rest) = rest.split_at(sizes.validation);
        let part = |rows: &[usize]| Part {
            inputs: table.select(rows).inputs().clone(),
            truth: rows.iter().map(|&row| truth[row]).collect(),
            noise_stds: rows.iter().map(|&row| noise_stds[row]).collect(),
        };
        Self { train: part(train), validation: part(validation), test: part(&rest[..sizes.test]) }
    }

    pub(super) fn train(&self, noise: Noise, source: &mut Stream) -> TestSet {
        self.train.observe(noise, source)
    }

    pub(super) fn validation(&self, noise: Noise, source: &mut Stream) -> TestSet {
        self.validation.observe(noise, source)
    }

    pub(super) fn test(&self, noise: Noise, source: &mut Stream) -> TestSet {
        self.test.observe(noise, source)
    }
}

impl Part {
    fn observe(&self, noise: Noise, source: &mut Stream) -> TestSet {
        TestSet::observe(self.inputs.clone(), self.truth.clone(), self.noise_stds.clone(), noise, source)
    }
}
