//! Figures S8 and S9 of the paper: the Brier score against the number of draws, and against the size of an ensemble.

use jointly_classification::shift::{Condition, ConditionScores};
use jointly_core::Score;
use jointly_record::quantity::with_error;

use crate::drawing::Point;
use crate::figure::{Figure, cells};
use crate::grid::Key;
use crate::shift::measured::{Agent, BRIER, Measured, text};
use crate::shift::plots::{Marks, Plot, draw};
use crate::tuning::Defaults;

const HEIGHT: f64 = 170.0;
/// The levels drawn besides the unshifted inputs: those with about these fractions of the worst level's loss of
/// accuracy.
const LOSSES: [f64; 3] = [0.25, 0.5, 1.0];
/// The setting that is an ensemble's size.
const SIZE: &str = "size";

/// Draws scores against draws, if there are several, and against size, if an agent took part with several sizes.
pub(super) fn figures(measured: &Measured, defaults: Defaults) -> Vec<Figure> {
    let conditions = conditions(measured);
    [by_draws(measured, &conditions), by_size(measured, &conditions, defaults)].into_iter().flatten().collect()
}

/// Returns the unshifted inputs and a few levels, each once.
fn conditions(measured: &Measured) -> Vec<Condition> {
    let unshifted = measured.conditions.iter().filter(|condition| **condition == Condition::Unshifted).cloned();
    let levels = LOSSES.iter().filter_map(|part| measured.level_of_loss(*part));
    let mut conditions: Vec<Condition> = Vec::new();
    for condition in unshifted.chain(levels) {
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    conditions
}

/// Returns the title of a condition's panel.
fn name(condition: &Condition) -> String {
    if *condition == Condition::Unshifted { "unshifted".to_owned() } else { condition.to_string() }
}

/// Explains how the levels were chosen.
const CHOICE: &str = "The levels of shift are those that in the mean over agents take the most nearly a quarter, a half and all of \
                      what the worst level takes of the accuracy.";

fn brier(draws: u32) -> impl Fn(&ConditionScores) -> Option<f64> {
    move |scores| {
        let by_draws = &scores.labelled.as_ref()?.brier_by_draws;
        by_draws.iter().find(|(known, _)| *known == draws).map(|(_, brier)| brier.0)
    }
}

fn by_draws(measured: &Measured, conditions: &[Condition]) -> Option<Figure> {
    let labelled = |agent: &Agent| agent.scores(&Condition::Unshifted).next()?.labelled.clone();
    let counts: Vec<u32> =
        measured.agents.iter().find_map(labelled)?.brier_by_draws.iter().map(|(draws, _)| *draws).collect();
    if counts.len() < 2 {
        return None;
    }
    let ticks: Vec<f64> = counts.iter().map(|count| f64::from(*count)).collect();
    let mut numbers = vec![cells(["condition", "agent"])];
    numbers[0].extend(counts.iter().map(|count| format!("m = {count}")));
    let mut plots = Vec::new();
    for condition in conditions {
        let at = std::slice::from_ref(condition);
        let points = |agent: &Agent| -> Vec<Point> {
            let point = |count: &u32| {
                let Score { mean, stderr } = agent.mean(at, &brier(*count))?;
                let title = format!("{}, {count} draws: {}", agent.label(), with_error(mean, stderr));
                Some(Point { x: f64::from(*count), y: mean, stderr, failed: false, title })
            };
            counts.iter().filter_map(point).collect()
        };
        plots.push(Plot {
            heading: name(condition),
            x_title: "draws m".to_owned(),
            y_title: "Brier score".to_owned(),
            ticks: ticks.clone(),
            logarithmic: true,
            marks: Marks::All,
            y: None,
            ranks: false,
            lines: measured.agents.iter().map(|agent| (agent.style, points(agent))).collect(),
        });
        for agent in &measured.agents {
            let mut row = cells([name(condition).as_str(), agent.label()]);
            row.extend(counts.iter().map(|count| text(agent.mean(at, &brier(*count)))));
            numbers.push(row);
        }
    }
    Some(Figure {
        title: format!("Brier score by the number of draws{} (Figure S8)", measured.suffix()),
        caption: format!(
            "The Brier score (lower is better) of the mean prediction over the first m draws. An agent of one function is level. {} \
             {CHOICE} Each panel has its own scale.",
            measured.over()
        ),
        drawing: draw(&plots, conditions.len().min(4), HEIGHT, (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Variants of one agent that differ only in their size.
struct Sized<'m, 'v> {
    name: String,
    variants: Vec<(f64, &'m Agent<'v>)>,
}

/// Variants, each with its size if one was given.
type Given<'m, 'v> = Vec<(Option<String>, &'m Agent<'v>)>;

/// Returns the variants of each agent with two sizes or more. A variant without a given size has the agent's default.
fn sized<'m, 'v>(measured: &'m Measured<'v>, defaults: Defaults) -> Vec<Sized<'m, 'v>> {
    let mut all: Vec<(String, Given)> = Vec::new();
    for agent in &measured.agents {
        let settings = &agent.planned.settings;
        let name = settings.clone().without(|name, _| name == SIZE).label(&agent.planned.agent);
        let variant = (settings.get(SIZE).map(str::to_owned), agent);
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, variants)) => variants.push(variant),
            None => all.push((name, vec![variant])),
        }
    }
    // Looking up a default loads the agent, so it is done only if some variants have a size and others have none.
    all.retain(|(_, variants)| variants.len() > 1 && variants.iter().any(|(given, _)| given.is_some()));
    let sized = |(name, variants): (String, Given<'m, 'v>)| {
        let variant = |(given, agent): (Option<String>, &'m Agent<'v>)| {
            let size: u32 = given.or_else(|| defaults(agent.planned, SIZE))?.parse().ok()?;
            (size > 0).then_some((f64::from(size), agent))
        };
        let mut variants: Vec<_> = variants.into_iter().filter_map(variant).collect();
        variants.sort_by(|a, b| a.0.total_cmp(&b.0));
        Sized { name, variants }
    };
    all.into_iter().map(sized).filter(|sized| sized.variants.len() > 1).collect()
}

fn by_size(measured: &Measured, conditions: &[Condition], defaults: Defaults) -> Option<Figure> {
    let sized = sized(measured, defaults);
    if sized.is_empty() {
        return None;
    }
    let mut numbers = vec![cells(["condition", "agent", SIZE, "Brier score", "repetitions"])];
    let mut plots = Vec::new();
    for condition in conditions {
        let at = std::slice::from_ref(condition);
        let mut lines = Vec::new();
        for Sized { name: own, variants } in &sized {
            let mut points = Vec::new();
            for (size, agent) in variants {
                let Some(score) = agent.mean(at, &|scores| BRIER.get(scores)) else { continue };
                let Score { mean, stderr } = score;
                let title = format!("{own}, size {size}: {}", with_error(mean, stderr));
                points.push(Point { x: *size, y: mean, stderr, failed: false, title });
                let mut row = cells([name(condition), own.clone(), size.to_string(), text(Some(score))]);
                row.push(agent.results.len().to_string());
                numbers.push(row);
            }
            lines.push((variants[0].1.style, points));
        }
        let mut ticks: Vec<f64> = sized.iter().flat_map(|sized| &sized.variants).map(|(size, _)| *size).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        plots.push(Plot {
            heading: name(condition),
            x_title: "size".to_owned(),
            y_title: "Brier score".to_owned(),
            ticks,
            logarithmic: true,
            marks: Marks::All,
            y: None,
            ranks: false,
            lines,
        });
    }
    let legend: Vec<_> = sized.iter().map(|sized| (sized.name.as_str(), sized.variants[0].1.style)).collect();
    Some(Figure {
        title: format!("Brier score by the size of an ensemble{} (Figure S9)", measured.suffix()),
        caption: format!(
            "The Brier score (lower is better) of variants that differ in their size alone. {} {CHOICE} Each panel has its own \
             scale.",
            measured.over()
        ),
        drawing: draw(&plots, conditions.len().min(4), HEIGHT, (Key::Both, &legend)),
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    use crate::figure::Figure;
    use crate::shift::measured::Measured;
    use crate::view::View;

    /// Draws the figures of four variants of an ensemble, one of them at the default size, and of an agent without a
    /// size.
    fn figures(own: Option<&str>) -> (Vec<Figure>, Vec<String>) {
        let agents = [
            ("ensemble:size=30", shifting(0.9, 0.2)),
            ("ensemble", shifting(0.8, 0.4)),
            ("ensemble:size=3", shifting(0.7, 0.4)),
            ("ensemble:size=3,epochs=5", shifting(0.6, 0.4)),
            ("mlp", shifting(0.5, 0.4)),
        ];
        let run = shift_run(2, &["fog/1", "fog/2", "fog/3", "fog/4"], &agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let asked = RefCell::new(Vec::new());
        let defaults = |agent: &jointly_record::plan::PlannedAgent, name: &str| {
            asked.borrow_mut().push(format!("{} {name}", agent.label));
            own.map(str::to_owned)
        };
        let figures = super::figures(&Measured::all(&view)[0], &defaults);
        (figures, asked.into_inner())
    }

    #[test]
    fn an_ensembles_own_size_is_one_of_its_sizes() {
        let (figures, asked) = figures(Some("10"));
        assert_eq!(asked, ["ensemble size"]);
        let rows = |condition: &str| -> Vec<Vec<String>> {
            let rows = figures[1].numbers[0].iter().filter(|row| row[0] == condition);
            rows.map(|row| row[1..].to_vec()).collect()
        };
        // One minus the accuracy, which differs by a hundredth: 0.1 and 0.11, and 0.2 more at the worst shift.
        let unshifted = [("3", "0.3050 ±0.0050"), ("10", "0.2050 ±0.0050"), ("30", "0.1050 ±0.0050")];
        assert_eq!(rows("unshifted"), unshifted.map(|(size, brier)| ["ensemble", size, brier, "2"]));
        let worst = [("3", "0.7050 ±0.0050"), ("10", "0.6050 ±0.0050"), ("30", "0.3050 ±0.0050")];
        assert_eq!(rows("fog/4"), worst.map(|(size, brier)| ["ensemble", size, brier, "2"]));
    }

    #[test]
    fn one_that_does_not_say_its_size_is_left_out() {
        for own in [None, Some("many"), Some("0")] {
            let (figures, _) = figures(own);
            let sizes: Vec<&str> = figures[1].numbers[0][1..].iter().map(|row| row[2].as_str()).collect();
            assert_eq!(sizes[..2], ["3", "30"]);
        }
    }

    #[test]
    fn the_score_by_draws_is_the_mean_over_repetitions() {
        let (figures, _) = figures(None);
        let row = |condition: &str, agent: &str| {
            figures[0].numbers[0].iter().find(|row| row[..2] == [condition, agent]).unwrap()[2..].to_vec()
        };
        // 0.5 and 0.51, plus 0.1 divided by the number of draws.
        let expected = ["0.6050 ±0.0050", "0.5550 ±0.0050", "0.5250 ±0.0050", "0.5150 ±0.0050"];
        assert_eq!(row("unshifted", "mlp"), expected);
        assert_eq!(figures[0].numbers[0][0][2..], ["m = 1", "m = 2", "m = 5", "m = 10"]);
    }
}
