//! The leaderboard as part of the page: the numbers of its tables, with a picture of the score that ranks.

use jointly_core::Summary;
use jointly_record::quantity;
use jointly_score::leaderboard::Leaderboard;

use crate::drawing::{Anchor, Area, Axis, Canvas, Markup, Panel, Scale, shortened, width};
use crate::figure::{WIDTH, counted, table_of};
use crate::kinds::page_of;
use crate::view::View;

const ROW: f64 = 22.0;
const TOP: f64 = 10.0;
/// Space for an agent's number, right of the panel.
const VALUE: f64 = 190.0;
/// The fraction of the axis that is left free at either end.
const MARGIN: f64 = 0.04;
/// Means above this multiple of the baseline's are drawn, hollow, at the edge.
const HIGHEST: f64 = 6.0;

/// Shows the tables, the notes, and each agent's mean with its error.
pub(crate) fn markup(leaderboard: &Leaderboard, view: &View, baseline: Option<&str>) -> Markup {
    let mut markup = Markup::new();
    for line in leaderboard.heading(baseline).lines() {
        markup.element("p", &[("class", "lead")], line);
    }
    markup.push(&table_of(&leaderboard.to_rows(baseline), 2));
    let notes = leaderboard.notes();
    if !notes.is_empty() {
        markup.open("ul", &[("class", "notes")]);
        for note in notes {
            markup.element("li", &[], &note);
        }
        markup.close("ul");
    }
    if let Some(by) = &view.ranked_by {
        markup.open("figure", &[]);
        markup.push(&means(view, by).inline(by));
        let summaries: Vec<Summary> = view.agents.iter().filter_map(|agent| agent.summary(by)).collect();
        let error = if summaries.iter().any(|summary| summary.stderr > 0.0) { ", with one standard error" } else { "" };
        markup.element(
            "figcaption",
            &[],
            &format!("{by} of each agent in its place{error}. Hollow: not over all problems, or beyond the edge."),
        );
        markup.close("figure");
    }
    markup
}

/// Draws a row for each agent: its mean and one standard error on a common axis.
fn means(view: &View, by: &str) -> Canvas {
    let labels: Vec<String> = view.agents.iter().map(|agent| shortened(&agent.planned.label, 44)).collect();
    let left = labels.iter().map(|label| width(label, 12.0)).fold(60.0, f64::max) + 14.0;
    let height = view.agents.len() as f64 * ROW;
    let mut canvas = Canvas::new(WIDTH, height + TOP + 40.0);
    let area = Area { left, top: TOP, width: WIDTH - left - VALUE, height };
    let summaries: Vec<Option<Summary>> = view.agents.iter().map(|agent| agent.summary(by)).collect();
    let panel = Panel {
        area,
        x: Scale::linear(range(summaries.iter().flatten(), view, by), area.across()),
        y: Scale::linear((0.0, view.agents.len() as f64), (area.top, area.bottom())),
    };
    let x = Axis { ticks: panel.x.ticks(8), title: by, bare: false };
    panel.frame(&mut canvas, "", &x, &Axis::default());
    for (row, (agent, summary)) in view.agents.iter().zip(summaries).enumerate() {
        let y = panel.y.at(row as f64 + 0.5);
        canvas.text((left - 8.0, y + 4.0), Anchor::End, "label", &labels[row]);
        let Some(summary) = summary else {
            let why = if agent.failures.is_empty() { "no result" } else { "failed" };
            canvas.text((area.right() + 8.0, y + 4.0), Anchor::Start, "value", why);
            continue;
        };
        let by_variant = page_of(view.scores.plan).tells_variants_apart();
        let style = if by_variant { view.style_of(agent) } else { view.style(&agent.planned.agent) };
        let text = quantity::with_error(summary.mean, summary.stderr);
        if summary.mean.is_finite() {
            let at = |x: f64| panel.x.at(x).clamp(area.left, area.right());
            let inside = panel.x.at(summary.mean) <= area.right();
            if inside && summary.stderr > 0.0 {
                let ends = [summary.mean - summary.stderr, summary.mean + summary.stderr].map(at);
                canvas.error_bar((ends[0], y), (ends[1], y), style.colour);
            }
            let whole = agent.complete() && inside;
            canvas.marker((at(summary.mean), y), &style, whole, &format!("{}: {text}", agent.planned.label));
        }
        let over =
            if agent.complete() { String::new() } else { format!(" ({})", counted(summary.problems, "problem")) };
        canvas.text((area.right() + 8.0, y + 4.0), Anchor::Start, "value", &format!("{text}{over}"));
    }
    canvas
}

/// Returns the range of all means with their errors, except means that dwarf the baseline or, without one, the other
/// means.
fn range<'s>(summaries: impl Iterator<Item = &'s Summary> + Clone, view: &View, by: &str) -> (f64, f64) {
    // Ranks are bounded, so none dwarfs the others.
    let edge = if by == "xllr" { None } else { edge(summaries.clone().map(|summary| summary.mean)) };
    let ends = summaries.filter(|summary| summary.mean.is_finite()).map(|summary| {
        let error = if summary.stderr.is_finite() { summary.stderr } else { 0.0 };
        (summary.mean - error, summary.mean + error)
    });
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = ends.fold(none, |(low, high): (f64, f64), (l, h)| (low.min(l), high.max(h)));
    if low > high {
        return (0.0, 1.0);
    }
    // Log densities have either sign, so a multiple of the baseline's is meaningless.
    let signed = page_of(view.scores.plan).is_signed(by);
    let baseline = view.baseline.and_then(|agent| agent.summary(by)).filter(|_| !signed);
    let top = baseline.map_or(edge, |summary| Some(summary.mean * HIGHEST).filter(|top| *top > 0.0));
    axis((low, top.map_or(high, |top| high.min(top))), signed)
}

/// Returns the ends of an axis with a margin for its markers. It begins at 0 if the score cannot be negative and the
/// values then still fill at least a third of the axis.
fn axis((low, high): (f64, f64), signed: bool) -> (f64, f64) {
    let high = high.max(low);
    let from_zero = !signed && low >= 0.0 && (high == low || low <= 2.0 * (high - low));
    let base = if from_zero { 0.0 } else { low };
    let margin = if high > base { MARGIN * (high - base) } else { 0.5 * if high == 0.0 { 1.0 } else { high.abs() } };
    (base.min(low - margin), high + margin)
}

/// Returns the mean that is [`HIGHEST`] times as far above the median as the least mean is below it, or `None` if there
/// are at most two means or no such distance.
fn edge(means: impl Iterator<Item = f64>) -> Option<f64> {
    let mut means: Vec<f64> = means.filter(|mean| mean.is_finite()).collect();
    means.sort_by(f64::total_cmp);
    let (least, median) = (*means.first()?, means[means.len() / 2]);
    (means.len() > 2 && median > least).then_some(median + HIGHEST * (median - least))
}

#[cfg(test)]
mod tests {
    use super::{axis, edge, markup};
    use crate::view::View;
    use jointly_record::invented::InventedRun;
    use jointly_record::invented::regression::{learning, learning_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn what_dwarfs_all_others_is_beyond_the_edge() {
        assert_eq!(edge([3.0, 1.0, 1e9, 2.0, f64::INFINITY].into_iter()), Some(3.0 + 6.0 * 2.0));
        assert_eq!(edge([-1.0, 0.0, 0.5].into_iter()), Some(6.0));
        assert!(edge([1.0, 1e9].into_iter()).is_none() && edge([1.0; 3].into_iter()).is_none());
    }

    #[test]
    fn the_axis_is_about_what_is_shown_and_no_marker_is_at_its_end() {
        let close = |range: (f64, f64), signed: bool, expected: (f64, f64)| {
            let (low, high) = axis(range, signed);
            assert!((low - expected.0).abs() < 1e-12 && (high - expected.1).abs() < 1e-12, "{low} to {high}");
        };
        // The axis begins at 0 if that is near and nothing is below.
        close((1.0, 2.0), false, (0.0, 2.08));
        close((0.0, 2.0), false, (-0.08, 2.08));
        close((10.0, 11.0), false, (9.96, 11.04));
        close((3.0, 3.0), false, (0.0, 3.12));
        // It never begins at 0 if a score may be negative.
        close((1.0, 2.0), true, (0.96, 2.04));
        close((-3.0, -1.0), true, (-3.08, -0.92));
        close((-3.0, -3.0), true, (-4.5, -1.5));
        close((0.0, 0.0), true, (-0.5, 0.5));
    }

    /// Checks the positions of the best marker and the frame, and the caption.
    #[test]
    fn a_likelihood_is_drawn_within_the_frame_and_no_error_is_claimed_where_there_is_none() {
        let standing = |run: &InventedRun| {
            let scores = run.scores();
            let leaderboard = Leaderboard::new(&scores);
            let view = View::new(&scores, &leaderboard, None);
            markup(&leaderboard, &view, None).into_string()
        };
        let run = learning_run(&[("gp", learning(&[0.0, -2.5])), ("linear", learning(&[0.0, -2.0]))], 1);
        let html = standing(&run);
        assert!(html.contains("nll_round1 of each agent in its place. Hollow:"), "{html}");
        assert!(!html.contains(">0.00<") && html.contains(">-2.50<"), "{html}");
        let run = InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp", &[1.0]), ("prior", &[2.0])]);
        assert!(standing(&run).contains("kl_aggregate of each agent in its place, with one standard error. Hollow:"));
    }
}
