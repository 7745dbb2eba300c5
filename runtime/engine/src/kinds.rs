//! Runs the suites of each kind of task.

pub mod classification;
pub mod decisions;
pub mod regression;
pub mod shift;

use anyhow::{Context, Result};
use jointly_classification::Classification;
use jointly_classification::shift::DatasetShift;
use jointly_core::TaskKind;
use jointly_decisions::Decisions;
use jointly_record::directory::RunDirectory;
use jointly_record::plan::Plan;
use jointly_regression::Regression;

use crate::asked::Asked;
use crate::data_directories::DataDirectories;

/// Makes the suite of a plan with the plan's problems and options, from the bytes that a directory keeps and from data.
type FromPlan = fn(&RunDirectory, &Plan, &DataDirectories) -> Result<Box<dyn Asked>>;

static FROM_PLAN: [(&str, FromPlan); 4] = [
    (Classification::NAME, classification::from_plan),
    (Regression::NAME, regression::from_plan),
    (DatasetShift::NAME, shift::from_plan),
    (Decisions::NAME, decisions::from_plan),
];

/// Returns the suite of a plan.
///
/// # Errors
/// When bytes or data that the plan names are missing or have another digest.
pub fn from_plan(directory: &RunDirectory, plan: &Plan, data: &DataDirectories) -> Result<Box<dyn Asked>> {
    let kind = plan.kind().name;
    let make = FROM_PLAN.iter().find(|(name, _)| *name == kind);
    make.with_context(|| format!("suites of {kind} cannot be run"))?.1(directory, plan, data)
}

#[cfg(test)]
mod tests {
    use super::FROM_PLAN;

    #[test]
    fn the_suites_of_every_kind_are_run() {
        assert_eq!(FROM_PLAN.map(|(name, _)| name), jointly_record::kinds::KINDS.map(|kind| kind.name));
    }
}
