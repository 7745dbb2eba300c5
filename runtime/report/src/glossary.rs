//! Explains each score of a run in a sentence or two.

use jointly_core::{ScoreName, Units};
use jointly_record::plan::Plan;

use crate::kinds::page_of;

/// Returns the run's known scores, each with its explanation.
pub(crate) fn entries(names: &[ScoreName], units: Units, plan: &Plan, compared: bool) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for name in names {
        let heading = name.heading();
        if !entries.iter().any(|(known, _)| *known == heading) {
            entries.push((heading, name.meaning().into_owned()));
        }
    }
    entries.extend([
        (
            "±".to_owned(),
            page_of(plan).errors(units).unwrap_or_else(|| errors(units)).to_owned(),
        ),
        (
            "vs".to_owned(),
            "The mean difference to the baseline on the problems that both have scored, with the standard error of the \
             paired differences: sharper than comparing two means. Below zero is better than the baseline."
                .to_owned(),
        ),
    ]);
    // The column `vs` exists only with a baseline.
    entries.retain(|(name, _)| compared || name != "vs");
    entries
}

/// Explains the meaning of ±.
fn errors(units: Units) -> &'static str {
    match units {
        Units::TauSamples | Units::Inputs | Units::Problems => {
            "One standard error, clustered by problem: problems are the independent units, however many test points \
             each has. With a single problem, over its tau-samples."
        }
        Units::OneProblem => {
            "One standard error over problems; a single problem has none, because its test points share one training set."
        }
        Units::Shared(_) | Units::OneShared(_) => {
            "One standard error, clustered by dataset: problems on one dataset share its examples, so that datasets \
             are the independent units, however many problems each has. With a single dataset there is none."
        }
    }
}
