//! The units over which the standard errors of a run's means are taken.

use std::borrow::Cow;

/// The units over which the standard errors of a run's means are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// The tau-samples of the only problem.
    TauSamples,
    /// One problem of regression, whose test points share its training set.
    OneProblem,
    /// The test inputs of the only problem of dataset shift.
    Inputs,
    /// The problems, each with data of its own.
    Problems,
    /// Things that several problems share, by the name of one: a dataset, or an environment.
    Shared(&'static str),
    /// A single one, shared by all problems: means have no standard error.
    OneShared(&'static str),
}

impl Units {
    /// Returns the meaning of ±, as a clause.
    pub fn clause(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::TauSamples => "± is the standard error over the tau-samples of the problem",
            Self::OneProblem => "no ±, because there is only one problem",
            Self::Inputs => {
                "± is the standard error over the test inputs of the only problem, and says nothing about another \
                 training; means over levels of shift have none"
            }
            Self::Problems => "± is the standard error over problems",
            Self::Shared(name) => return format!("± is the standard error over {name}s").into(),
            Self::OneShared(name) => return format!("no ±, because all problems share one {name}").into(),
        })
    }

    /// Returns the name of a unit, if means are over several.
    pub fn unit(self) -> &'static str {
        match self {
            Self::TauSamples | Self::OneProblem | Self::Inputs | Self::Problems => "problem",
            Self::Shared(name) | Self::OneShared(name) => name,
        }
    }
}
