//! The page of a run of decisions: regret against the number of actions.

mod regret;
mod rules;

use jointly_core::Units;
use jointly_decisions::{DecisionOptions, Decisions};
use jointly_record::plan::Plan;

use crate::choices::Choices;
use crate::figure::{Figure, cells};
use crate::kind_page::KindPage;
use crate::view::View;

/// The page of a run of decisions.
pub(crate) struct DecisionPage;

impl KindPage for DecisionPage {
    fn figures(&self, view: &View, _: &Choices) -> Vec<Figure> {
        regret::figures(view)
    }

    fn facts(&self, plan: &Plan) -> Vec<Vec<String>> {
        plan.options::<Decisions>().map(facts).unwrap_or_default()
    }

    fn errors(&self, units: Units) -> Option<&'static str> {
        Some(match units {
            Units::Shared(_) | Units::OneShared(_) => {
                "One standard error over environments, of which a function to search is one, each with actions of its own. \
                 Problems that differ only in the rule by which actions are chosen share all of that, and count as one. A \
                 single one has none."
            }
            _ => {
                "One standard error over problems, each with an environment, actions and trainings of its own. A single \
                 problem has none."
            }
        })
    }

    fn tells_variants_apart(&self) -> bool {
        true
    }
}

fn facts(options: &DecisionOptions) -> Vec<Vec<String>> {
    let DecisionOptions { draws, steps, .. } = options;
    vec![
        cells(["actions", &steps.to_string()]),
        cells(["batches of actions", &options.batches()]),
        cells(["draws M after a training, at most", &draws.to_string()]),
    ]
}
