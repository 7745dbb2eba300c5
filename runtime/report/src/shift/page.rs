//! The page of a run of dataset shift.

use jointly_classification::shift::{DatasetShift, ShiftOptions};
use jointly_core::Units;
use jointly_record::plan::Plan;

use crate::choices::Choices;
use crate::figure::{Figure, cells};
use crate::kind_page::KindPage;
use crate::reliability;
use crate::view::View;

/// The page of a run of dataset shift.
pub(crate) struct ShiftPage;

impl KindPage for ShiftPage {
    fn figures(&self, view: &View, choices: &Choices) -> Vec<Figure> {
        let mut figures = super::figures(view, &choices.shown, choices.defaults);
        figures.extend(reliability::figure(view));
        figures
    }

    fn facts(&self, plan: &Plan) -> Vec<Vec<String>> {
        plan.options::<DatasetShift>().map(facts).unwrap_or_default()
    }

    fn errors(&self, units: Units) -> Option<&'static str> {
        let of_problems = matches!(units, Units::TauSamples | Units::Inputs | Units::Problems);
        of_problems.then_some(
            "One standard error over problems, each another split or other inputs, and another training. With a single \
             problem, over its test inputs, and none of means over levels of shift.",
        )
    }

    fn tells_variants_apart(&self) -> bool {
        true
    }
}

fn facts(options: &ShiftOptions) -> Vec<Vec<String>> {
    let taus: Vec<String> = options.taus.iter().map(ToString::to_string).collect();
    let mut shifts: Vec<(&str, Vec<String>)> = Vec::new();
    for level in &options.levels {
        let (name, severity) = (level.shift().name(), level.severity().to_string());
        match shifts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, severities)) => severities.push(severity),
            None => shifts.push((name, vec![severity])),
        }
    }
    let shifts = shifts.into_iter().map(|(name, severities)| format!("{name} {}", severities.join(", ")));
    vec![
        cells(["draws M", &options.draws.to_string()]),
        cells(["tau", &taus.join(", ")]),
        cells(["shifts", &shifts.collect::<Vec<_>>().join("; ")]),
    ]
}
