//! Figure 3 of the paper: an agent's variants tuned to each setting against one variant for all of them.

use std::collections::HashMap;

use crate::plan::PlannedAgent;
use crate::report::figure::{Figure, cells, counted, digits};
use crate::report::place::Place;
use crate::report::ratio::Ratio;
use crate::report::rows::{self, Bar, Heading, Row};
use crate::report::view::{Family, JointScore, Pairs, View};
use crate::scores::AgentScores;

/// The setting that the paper looks at.
pub(crate) const PARAMETER: &str = "bootstrap";

/// What an agent uses where a setting is not given.
pub(crate) type Defaults<'d> = &'d dyn Fn(&PlannedAgent, &str) -> Option<String>;

/// A figure for each agent whose variants have two values of the parameter or more.
pub(crate) fn figures(view: &View, parameter: &str, defaults: Defaults) -> Vec<Figure> {
    view.families.iter().filter_map(|family| figure(view, family, parameter, defaults)).collect()
}

/// The variants that share a value of the parameter, all of them with a result everywhere.
struct Value<'a> {
    value: String,
    variants: Vec<&'a AgentScores<'a>>,
}

fn figure(view: &View, family: &Family, parameter: &str, defaults: Defaults) -> Option<Figure> {
    let by = view.ranked_by.as_deref()?;
    let values = values(family, parameter, defaults);
    if values.len() < 2 || values.iter().all(|value| value.variants.len() < 2) {
        return None;
    }
    let mut table_rows = vec![cells([parameter, "variants", "tuning", "score", "value", "standard error", "problems"])];
    let mut rows = Vec::new();
    for Value { value, variants } in &values {
        let one = best(variants, by, view, |_| true)?;
        for (tuning, outlined) in [("one for all", false), ("per setting", true)] {
            let scored = |score: &JointScore| {
                if outlined { tuned(view, variants, by, &score.name) } else { view.values(one, &score.name, |_| true) }
            };
            let bars: Vec<Ratio> = view.joint.iter().map(|score| against(view, score, &scored(score))).collect();
            for (score, ratio) in view.joint.iter().zip(&bars) {
                let mut line = cells([value, &variants.len().to_string(), tuning, &score.name, &digits(ratio.value)]);
                line.extend([digits(ratio.stderr), ratio.problems.to_string()]);
                table_rows.push(line);
            }
            rows.push(Row {
                label: format!("{value}, {tuning}"),
                style: view.style(family.name),
                outlined,
                bars: bars.into_iter().map(|ratio| Bar { ratio, failed: 0, published: None }).collect(),
            });
        }
    }
    let heading = |score: &JointScore| Heading {
        title: format!("tau = {}", score.tau),
        axis: match view.baseline {
            Some(baseline) => format!("{} / {} of {}", score.metric, score.metric, baseline.planned.label),
            None => format!("{} (nats)", score.metric),
        },
        baseline: view.baseline.map(|_| 1.0),
    };
    let headings: Vec<Heading> = view.joint.iter().map(heading).collect();
    Some(Figure {
        title: format!("Tuned per setting or one for all: {parameter} of {} (Figure 3)", family.name),
        caption: caption(view, by, parameter, &values),
        drawing: rows::draw(&headings, &rows),
        table: Vec::new(),
        numbers: table_rows,
    })
}

/// The values of the parameter in the order of the plan, each with its variants.
fn values<'a>(family: &Family<'a>, parameter: &str, defaults: Defaults) -> Vec<Value<'a>> {
    let given = |agent: &AgentScores| agent.planned.settings.get(parameter).map(str::to_owned);
    if family.variants.iter().all(|agent| given(agent).is_none()) {
        return Vec::new();
    }
    let mut values: Vec<Value> = Vec::new();
    // To ask an agent is to load it.
    let mut asked: HashMap<&str, Option<String>> = HashMap::new();
    let mut default = |agent: &'a AgentScores<'a>| {
        let PlannedAgent { digest, .. } = agent.planned;
        asked.entry(digest.as_str()).or_insert_with(|| defaults(agent.planned, parameter)).clone()
    };
    for &agent in family.variants.iter().filter(|agent| agent.complete()) {
        let value = given(agent).or_else(|| default(agent)).unwrap_or_else(|| "default".into());
        match values.iter_mut().find(|known| known.value == value) {
            Some(known) => known.variants.push(agent),
            None => values.push(Value { value, variants: vec![agent] }),
        }
    }
    values.sort_by(|a, b| a.value.cmp(&b.value));
    values
}

/// The variant with the lowest mean at some places; the first in the plan's order among equals.
fn best<'a>(
    variants: &[&'a AgentScores<'a>],
    by: &str,
    view: &View,
    at: impl Fn(&Place) -> bool,
) -> Option<&'a AgentScores<'a>> {
    let mean = |agent: &AgentScores| view.cell(agent, by, &at).map_or(f64::NAN, |cell| cell.mean);
    let known = variants.iter().copied().map(|agent| (agent, mean(agent))).filter(|(_, mean)| !mean.is_nan());
    known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(agent, _)| agent)
}

/// On each problem the score of the variant that is best in the problem's setting: its T, temperature and dataset.
fn tuned<'a>(view: &View<'a>, variants: &[&'a AgentScores<'a>], by: &str, score: &str) -> Vec<(&'a str, f64)> {
    let mut settings: Vec<&Place> = Vec::new();
    for place in view.places() {
        if !settings.contains(&place) {
            settings.push(place);
        }
    }
    let chosen = settings.into_iter().filter_map(|setting| {
        let chosen = best(variants, by, view, |place| place == setting)?;
        Some(view.values(chosen, score, |place| place == setting))
    });
    chosen.flatten().collect()
}

/// Scores over the baseline's on the same problems; in nats where there is no baseline.
fn against<'a>(view: &View<'a>, score: &JointScore, scored: &[(&'a str, f64)]) -> Ratio {
    let theirs = match view.baseline {
        Some(baseline) => view.values(baseline, &score.name, |_| true),
        None => scored.iter().map(|(problem, _)| (*problem, 1.0)).collect(),
    };
    view.ratio_of(&Pairs::of(scored, &theirs))
}

fn caption(view: &View, by: &str, parameter: &str, values: &[Value]) -> String {
    let counts: Vec<String> =
        values.iter().map(|Value { value, variants }| format!("{value} ({})", variants.len())).collect();
    let over = match view.baseline {
        Some(baseline) => format!("divided by the mean of {} over the same problems", baseline.planned.label),
        None => "in nats".to_owned(),
    };
    format!(
        "Mean over {} {over}, for each value of {parameter} (with its number of variants): {}. Full bars are the one \
         variant that has the best mean {by} over all problems; outlined bars take in each setting, its T, temperature and \
         dataset, the variant that is best there. Both are chosen on the problems that they are shown on, so that the \
         outlined bars flatter themselves where a setting has few problems. Error bars are one standard error over \
         {units}s and do not count the choice.",
        counted(view.scores.plan.problems.len(), "problem"),
        counts.join(", "),
        units = view.scores.units().unit(),
    )
}
