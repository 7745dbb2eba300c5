//! Reads a plan from its JSON field by field. Fields that no plan has are skipped and take no memory, whatever they hold.

use std::num::NonZeroU32;

use jointly_classification::Evaluation;
use jointly_classification::Initialization;
use jointly_classification::shift::ShiftOptions;
use jointly_core::Seed;
use jointly_core::limits::Limits;
use jointly_decisions::DecisionOptions;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::bounded;
use crate::format::Format;
use crate::plan::{
    MOST_AGENTS, MOST_PROBLEMS, Plan, PlannedAgent, PlannedProblem, ProblemOverrides, RegressionTerms, Terms,
};
use crate::planned_images::PlannedImages;
use crate::planned_table::PlannedTable;

/// The most user-supplied tables of a plan.
const MOST_TABLES: usize = 1_000;

/// The fields of `plan.json`.
#[derive(Deserialize)]
struct PlanText {
    format: Format,
    version: String,
    interface: String,
    engine: String,
    suite: String,
    seed: Seed,
    limits: Limits,
    evaluation: Option<Evaluation>,
    regression: Option<RegressionTerms>,
    shift: Option<ShiftOptions>,
    decisions: Option<DecisionOptions>,
    anchors: Option<NonZeroU32>,
    initialization: Option<Initialization>,
    #[serde(default, deserialize_with = "bounded::list::<MOST_TABLES, _, _>")]
    tables: Vec<PlannedTable>,
    images: Option<PlannedImages>,
    #[serde(deserialize_with = "bounded::list::<MOST_AGENTS, _, _>")]
    agents: Vec<PlannedAgent>,
    #[serde(deserialize_with = "bounded::list::<MOST_PROBLEMS, _, _>")]
    problems: Vec<PlannedProblem>,
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = PlanText::deserialize(deserializer)?;
        let terms = Terms::of_one(text.evaluation, text.regression, text.shift, text.decisions);
        let terms = terms.ok_or_else(|| {
            D::Error::custom("a plan has one of the fields `evaluation`, `regression`, `shift` and `decisions`")
        })?;
        Ok(Self {
            format: text.format,
            version: text.version,
            interface: text.interface,
            engine: text.engine,
            suite: text.suite,
            seed: text.seed,
            limits: text.limits,
            terms,
            problem_overrides: ProblemOverrides { anchors: text.anchors, initialization: text.initialization },
            tables: text.tables,
            images: text.images,
            agents: text.agents,
            problems: text.problems,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::invented::InventedRun;
    use crate::plan::Plan;

    #[test]
    fn a_plan_comes_back_and_is_of_one_kind() {
        let plan = InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp:depth=2", &[1.0])]).plan;
        let document = serde_json::to_value(&plan).unwrap();
        let read = |document: &Value| serde_json::from_str::<Plan>(&document.to_string());
        assert_eq!(read(&document).unwrap(), plan);
        let with = |field: &str, value: Value| {
            let mut document = document.clone();
            document[field] = value;
            read(&document).map_err(|error| error.to_string())
        };
        assert_eq!(with("unheard of", json!([[[]], {}])).unwrap(), plan);
        let several = "a plan has one of the fields `evaluation`, `regression`, `shift` and `decisions`";
        let shift = json!({ "draws": 1, "taus": [1], "levels": [] });
        for (field, value) in [("shift", shift), ("evaluation", Value::Null)] {
            assert!(with(field, value).unwrap_err().starts_with(several), "{field}");
        }
    }
}
