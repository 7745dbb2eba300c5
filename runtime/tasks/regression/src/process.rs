//! Processes that generate data: a known function, known noise, and any number of training sets.
//!
//! A process and a seed make a [`ProcessInstance`]: fixed test inputs, and training sets by number. Each random stream
//! is named by the seed, its purpose, the process and the number of the training set, so that no stream shifts another.
//! The noise distribution is not part of the name: under every noise distribution the inputs are the same, and the
//! noise has the same ranks.

mod curve;
mod inputs;
mod resampled;
mod sizes;
mod test_set;

use std::sync::Arc;

pub use curve::Curve;
pub use resampled::{FOREST, ResampledTable, Residuals};
pub use sizes::Sizes;
pub use test_set::TestSet;
use thiserror::Error;

use jointly_core::Seed;
use jointly_core::regression::dataset::{RegressionTask, Targets};
use jointly_core::stream::{Stream, stream};
use jointly_data::regression::{MAX_TARGET, beyond_range};

use crate::noise::Noise;

/// The source of simulated data.
#[derive(Clone, Debug)]
pub struct Process {
    name: String,
    noise: Noise,
    sizes: Sizes,
    source: Source,
}

/// Why a process cannot be made.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum ProcessError {
    /// A table's target is too large for noise to be added to it.
    #[error("the target of row {row} is {value:e}, expected at most {MAX_TARGET:e} either way")]
    Target {
        /// The row.
        row: usize,
        /// The target.
        value: f32,
    },
}

#[derive(Clone, Debug)]
enum Source {
    Curve(Curve),
    Table(Arc<Targets>, Residuals),
}

/// The sizes of sections 5.2 to 5.4 of Sluijterman et al.
const TOY: Sizes = Sizes { train: 1000, validation: 150, test: 1000 };
/// The sizes of their section 3.2.
const LINE: Sizes = Sizes { train: 25, validation: 0, test: 500 };
/// The sizes of their section 3.4, which does not state them: with 100 examples, its numbers can come out.
const CONSTANT: Sizes = Sizes { train: 100, validation: 0, test: 500 };

impl Process {
    /// Creates the straight line of section 3.2: 25 points with x ~ U(-2, 2) and y = x + N(0, 0.1^2), and 500 test
    /// points.
    pub fn line(noise: Noise) -> Self {
        Self::curve("line", Curve::Line, LINE, noise)
    }

    /// Creates the toy of section 5.2: noise with the same standard deviation everywhere.
    pub fn homoscedastic(noise: Noise) -> Self {
        Self::curve("homoscedastic", Curve::Homoscedastic, TOY, noise)
    }

    /// Creates the toy of section 5.3: noise that grows away from 0.
    pub fn heteroscedastic(noise: Noise) -> Self {
        Self::curve("heteroscedastic", Curve::Heteroscedastic, TOY, noise)
    }

    /// Creates the toy of section 5.4: inputs with two modes and a gap between them.
    pub fn gap(noise: Noise) -> Self {
        Self::curve("gap", Curve::Gap, TOY, noise)
    }

    /// Creates the constant of section 3.4: y = 100 + N(0, 5^2), 100 points and 500 test points.
    pub fn constant(noise: Noise) -> Self {
        Self::curve("constant", Curve::Constant, CONSTANT, noise)
    }

    /// Creates the toy of section 3.3: the zero function under noise that grows away from 0.
    pub fn zero(noise: Noise) -> Self {
        Self::curve("zero", Curve::Zero, TOY, noise)
    }

    fn curve(name: &str, curve: Curve, sizes: Sizes, noise: Noise) -> Self {
        Self { name: name.to_owned(), noise, sizes, source: Source::Curve(curve) }
    }

    /// Creates a simulation that resembles a table, by [two random forests](ResampledTable). The rows are partitioned
    /// in the proportions of section 5.5 for the 506 rows of Boston: 366 to train on, 40 to validate and 100 to test
    /// on.
    ///
    /// # Errors
    /// When a target is beyond [`MAX_TARGET`], so that a new target might leave the range of `f32`.
    pub fn table(name: &str, table: Targets, noise: Noise) -> Result<Self, ProcessError> {
        if let Some(row) = beyond_range(&table) {
            return Err(ProcessError::Target { row, value: table.targets()[row] });
        }
        let part = |rows: usize| (table.rows() * rows + 253) / 506;
        let (validation, test) = (part(40), part(100));
        let sizes = Sizes { train: table.rows().saturating_sub(validation + test), validation, test };
        Ok(Self { name: name.to_owned(), noise, sizes, source: Source::Table(Arc::new(table), Residuals::default()) })
    }

    /// Chooses the residuals for the noise of a process made of a table; other processes stay as they are.
    #[must_use]
    pub fn with_residuals(mut self, chosen: Residuals) -> Self {
        if let Source::Table(_, residuals) = &mut self.source {
            *residuals = chosen;
        }
        self
    }

    /// Changes the sizes.
    ///
    /// # Panics
    /// When a table has fewer rows than the sizes add up to.
    #[must_use]
    pub fn with_sizes(self, sizes: Sizes) -> Self {
        if let Source::Table(table, _) = &self.source {
            let asked = sizes.train + sizes.validation + sizes.test;
            assert!(asked <= table.rows(), "{} has {} rows, not {asked}", self.name, table.rows());
        }
        Self { sizes, ..self }
    }

    /// Returns the name from which random streams are derived.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the noise distribution.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// Returns the numbers of examples.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Returns what agents are told: not the noise, which the paper's methods estimate too.
    pub fn task(&self) -> RegressionTask {
        let input_dim = match &self.source {
            Source::Curve(_) => 1,
            Source::Table(table, _) => table.inputs().cols() as u32,
        };
        RegressionTask { input_dim, noise_std: None }
    }

    /// Creates the process for a seed; for a table, this grows the forests.
    ///
    /// # Panics
    /// When a table has no rows.
    pub fn instance(&self, seed: Seed) -> ProcessInstance {
        let Self { name, noise, sizes, source } = self.clone();
        let streams = Streams { seed, name };
        let law = match source {
            Source::Curve(curve) => Law::Curve(curve),
            Source::Table(table, residuals) => {
                Law::Table(ResampledTable::of(&table, sizes, residuals, |purpose, i| streams.at(purpose, i)).into())
            }
        };
        let test = law.test(noise, sizes, &streams);
        ProcessInstance { streams, noise, sizes, law, test }
    }
}

/// A process with a seed.
///
/// All simulations have the same test set (section 4, step 2), except those of the line and of the constant: there each
/// simulation draws its own observations at the same inputs, as in sections 3.2 and 3.4. The random observations of a single test set shift the
/// share of them that intervals cover by the same amount in every simulation. The standard error of this shift is 0.018
/// for 500 observations at 80 %.
#[derive(Clone, Debug)]
pub struct ProcessInstance {
    streams: Streams,
    noise: Noise,
    sizes: Sizes,
    law: Law,
    test: TestSet,
}

/// One training set, with its validation set if the process has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The training examples.
    pub train: Targets,
    /// Examples held out for the agent to use as it likes.
    pub validation: Option<Targets>,
}

impl ProcessInstance {
    /// Returns the test set of a simulation. All simulations share its inputs and truth and, except for the line and the
    /// constant, its observations.
    pub fn test(&self, number: u32) -> TestSet {
        match self.law {
            Law::Curve(curve @ (Curve::Line | Curve::Constant)) if number > 0 => {
                let mut source = self.streams.at("regression-test-noise", number.into());
                curve.observe(self.test.data().inputs().clone(), self.noise, &mut source)
            }
            Law::Curve(_) | Law::Table(_) => self.test.clone(),
        }
    }

    /// Returns the training set of this number, which depends on nothing but the process, the seed and the number.
    pub fn simulation(&self, number: u32) -> Simulation {
        let (train, validation) = match &self.law {
            Law::Curve(curve) => {
                let sample = |what: &str, size| {
                    let purpose = |kind: &str| format!("regression-{what}-{kind}");
                    let inputs = curve.inputs(size, &mut self.streams.at(&purpose("inputs"), number.into()));
                    curve.observe(inputs, self.noise, &mut self.streams.at(&purpose("noise"), number.into()))
                };
                (sample("train", self.sizes.train), sample("validation", self.sizes.validation))
            }
            Law::Table(table) => {
                let source = |purpose| self.streams.at(purpose, number.into());
                (
                    table.train(self.noise, &mut source("regression-train-noise")),
                    table.validation(self.noise, &mut source("regression-validation-noise")),
                )
            }
        };
        let validation = (self.sizes.validation > 0).then(|| validation.data().clone());
        Simulation { train: train.data().clone(), validation }
    }
}

/// The source of the inputs, the function and the noise's standard deviation.
#[derive(Clone, Debug)]
enum Law {
    Curve(Curve),
    Table(Arc<ResampledTable>),
}

impl Law {
    fn test(&self, noise: Noise, sizes: Sizes, streams: &Streams) -> TestSet {
        let noise_source = &mut streams.at("regression-test-noise", 0);
        match self {
            Self::Curve(curve) => {
                let inputs = curve.inputs(sizes.test, &mut streams.at("regression-test-inputs", 0));
                curve.observe(inputs, noise, noise_source)
            }
            Self::Table(table) => table.test(noise, noise_source),
        }
    }
}

#[derive(Clone, Debug)]
struct Streams {
    seed: Seed,
    name: String,
}

impl Streams {
    fn at(&self, purpose: &str, index: u64) -> Stream {
        stream(self.seed, purpose, &self.name, index)
    }
}

#[cfg(test)]
mod tests;
