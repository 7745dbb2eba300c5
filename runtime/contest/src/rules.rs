//! The rules of a contest, `contest.json`.

use std::num::NonZeroU32;

use jointly_core::digest::is_digest;
use jointly_core::{Partitioning, Seed};
use jointly_record::format::Format;
use jointly_record::plan::Plan;
use jointly_record::printable;
use jointly_record::suites::IMPORTED;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Time;

/// The most characters of the name of a contest or an entrant.
const LONGEST_NAME: usize = 100;

/// The rules, which are fixed when a contest opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The number of the format.
    pub format: Format,
    /// The contest's name.
    pub name: String,
    /// When it was opened, by the organiser's clock.
    pub opened: Time,
    /// Until when entries are taken, by the organiser's clock; without it, until the close.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// The most entries under one name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_entries: Option<NonZeroU32>,
    /// The digest of the organiser's secret.
    pub commitment: String,
    /// The plan of the run, without agents and with the seed 0, in whose place the key will stand.
    pub plan: Plan,
}

impl Rules {
    /// Returns the first defect of rules, whether they are new or were read from a file.
    pub(crate) fn defect(&self) -> Option<String> {
        let plan = &self.plan;
        let own = [
            ("problems", plan.suite == IMPORTED),
            ("tables", !plan.tables.is_empty()),
            ("images", plan.images.is_some()),
        ];
        if let Some((what, _)) = own.iter().find(|(_, own)| *own) {
            return Some(format!("it has {what} of its own, whose labels somebody knows"));
        }
        if let Some(reason) = undecidable(plan) {
            return Some(reason.to_owned());
        }
        let known = |name: &&str| plan.terms.options().is_known(name);
        if let Some(name) = plan.problems.iter().map(|problem| problem.problem.as_str()).find(known) {
            return Some(format!(
                "it has {name}, whose answers are the same under every seed, so that an agent can know them: leave it out with \
                 --problems"
            ));
        }
        if plan.predictor().is_some() {
            return Some("it has an agent of its own, which predicts".into());
        }
        if !plan.agents.is_empty() || plan.seed != Seed::default() {
            return Some("its plan names agents or a seed".into());
        }
        if !is_digest(&self.commitment) {
            return Some("its commitment is not a digest".into());
        }
        name_defect("the contest", &self.name).or_else(|| plan.defect_of_rest())
    }
}

/// Returns why the score that ranks a plan's suite cannot decide a contest, if it cannot.
fn undecidable(plan: &Plan) -> Option<&'static str> {
    let of = |part: &str| plan.suite.split('/').any(|own| own == part);
    let selects = plan.problems.iter().any(|problem| problem.coordinates.acquisition.is_some());
    if of("coverage") {
        return Some("picf_brier ranks it, in which an agent is perfect whose intervals hold all or nothing by a coin");
    }
    if plan.terms.options().estimator() == Partitioning::Jackknife {
        return Some(
            "the jackknife estimates its joint scores, which draws that disagree raise by up to half a nat: leave out \
             --partition jackknife and --draws auto",
        );
    }
    (of("correlations") && !selects)
        .then_some("xllr ranks it, in which the other agents are the references, so that accomplices can decide it")
}

/// Returns the defect of the name of a contest or an entrant, if it has one.
pub(crate) fn name_defect(what: &str, name: &str) -> Option<String> {
    if name.is_empty() || name.trim() != name {
        return Some(format!("{what} {name:?} is empty, or has blanks around it"));
    }
    // A spreadsheet takes such a cell of a table for a formula.
    if name.starts_with(['=', '+', '-', '@']) {
        return Some(format!("{what} {name:?} begins with {}", &name[..1]));
    }
    // Lists of names are printed with these between them.
    if name.contains([',', ';']) {
        return Some(format!("{what} {name:?} has a comma or a semicolon in its name"));
    }
    printable::defect(what, name, LONGEST_NAME)
}
