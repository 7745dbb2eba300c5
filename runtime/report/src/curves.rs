//! Points, ranges and axes of scores against the number of training examples.

use std::collections::BTreeMap;

use jointly_core::Coordinates;
use jointly_record::quantity::{self, counted};
use jointly_score::scores::AgentScores;

use crate::drawing::{Area, Axis, Panel, Point, Scale, Series, Style};
use crate::view::{Cell, View, train_size};

/// The title of the axis of training sizes.
pub(crate) const SIZES: &str = "training examples T";
/// Values above this multiple of the baseline's largest are drawn at the panel's edge.
const HIGHEST: f64 = 2.5;

/// Returns an agent's mean of a score at each training size, over the problems that `at` accepts.
pub(crate) fn curve(view: &View, agent: &AgentScores, score: &str, at: impl Fn(&Coordinates) -> bool) -> Vec<Point> {
    let sizes = view.distinct(|place| train_size(place).filter(|_| at(place)));
    let cell = |size: f64| view.cell(agent, score, |place| at(place) && train_size(place) == Some(size));
    sizes.into_iter().filter_map(|size| Some(point(&agent.planned.label, size, cell(size)?))).collect()
}

/// Returns the point of a mean, whose title gives its number.
pub(crate) fn point(label: &str, x: f64, cell: Cell) -> Point {
    let Cell { mean, stderr, problems, failed } = cell;
    let failures = if failed > 0 { format!("; failed on {failed} more") } else { String::new() };
    let title = format!("{label}, T = {x}: {} over {problems}{failures}", quantity::with_error(mean, stderr));
    Point { x, y: mean, stderr, failed: failed > 0, title }
}

/// Says how many seeds the points are over: `the 3 seeds`, or `the 1 to 3 seeds`.
pub(crate) fn seeds(view: &View, at: impl Fn(&&Coordinates) -> bool) -> String {
    let counts = counts(view, at);
    match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("the {least} to {}", counted(*most, "seed")),
        (_, most) => format!("the {}", counted(most.copied().unwrap_or(0), "seed")),
    }
}

/// Explains the errors of points over a single problem; returns `None` if there are no such points.
pub(crate) fn lonely(view: &View, at: impl Fn(&&Coordinates) -> bool) -> Option<String> {
    counts(view, at).contains(&1).then(|| {
        "The error of a point of a single problem is the standard error over its tau-samples, and does not include the variation \
         of one training."
            .to_owned()
    })
}

/// Returns the number of problems of each series.
fn counts(view: &View, at: impl Fn(&&Coordinates) -> bool) -> Vec<usize> {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for place in view.places().filter(at) {
        *counted.entry(&place.series).or_default() += 1;
    }
    counted.into_values().collect()
}

/// Returns a panel over training sizes and a vertical range.
pub(crate) fn panel(area: Area, sizes: &[f64], range: (f64, f64)) -> Panel {
    let ends = (sizes.first().copied().unwrap_or(1.0), sizes.last().copied().unwrap_or(1.0));
    Panel { area, x: Scale::logarithmic(ends, area.across()), y: Scale::linear(range, area.upwards()) }
}

/// Returns a range that holds zero and all finite points with their errors, but not values that dwarf the baseline.
pub(crate) fn range(points: &[&Point], baseline: &[Point]) -> (f64, f64) {
    let (low, high) = extent(points.iter().copied().chain(baseline));
    let top = extent(baseline).1 * HIGHEST;
    let high = if top > 0.0 { high.min(top) } else { high };
    let margin = (high - low) * 0.06;
    (if low < 0.0 { low - margin } else { 0.0 }, if high > 0.0 { high + margin } else { 1.0 })
}

/// Returns the lowest and the highest of zero and the points with their errors.
pub(crate) fn extent<'p>(points: impl IntoIterator<Item = &'p Point>) -> (f64, f64) {
    let finite = points.into_iter().filter(|point| point.y.is_finite() && !point.failed);
    finite.fold((0.0, 0.0), |(low, high): (f64, f64), point| {
        let error = if point.stderr.is_finite() { point.stderr } else { 0.0 };
        (low.min(point.y - error), high.max(point.y + error))
    })
}

/// Returns the axis of training sizes.
pub(crate) fn size_axis<'a>(panel: &Panel, sizes: &[f64], bare: bool) -> Axis<'a> {
    Axis { ticks: panel.x.ticks_at(sizes), title: if bare { "" } else { SIZES }, bare }
}

/// Returns points with markers, and a line in the agent's dashes.
pub(crate) fn marked(style: Style, points: Vec<Point>) -> Series {
    Series { style, points, marked: true }
}
