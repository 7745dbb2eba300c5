//! Figures 8 and 9 of the paper: a panel for each agent and temperature, the score against the number of training
//! examples.

use crate::curves::{curve, lonely, marked, panel, range, seeds, size_axis};
use crate::drawing::{Area, Axis, Canvas, Point, Series, shortened};
use crate::figure::{Figure, WIDTH, cells, counted, digits};
use crate::view::{Family, JointScore, View, train_size};
use jointly_core::Coordinates;

/// Agents side by side before the next row of panels.
const COLUMNS: usize = 6;
/// Panels are no wider than with this many columns.
const LEAST_COLUMNS: usize = 3;
const LEFT: f64 = 92.0;
const GAP: f64 = 14.0;
const PANEL_HEIGHT: f64 = 118.0;
const HEADING: f64 = 26.0;
/// Space below a block of panels for sizes and title.
const FOOT: f64 = 44.0;

/// Draws a figure for each tau and each group of problems that has temperatures and more than one training size.
pub(crate) fn figures(view: &View) -> Vec<Figure> {
    let groups = view.groups();
    let pairs = groups.iter().flat_map(|group| view.joint.iter().map(move |score| (group, score)));
    pairs.filter_map(|(group, score)| figure(view, group, score)).collect()
}

fn figure(view: &View, group: &str, score: &JointScore) -> Option<Figure> {
    let sizes = view.distinct(|place| train_size(place).filter(|_| place.group == group));
    let temperatures = view.distinct(|place| place.temperature.filter(|_| place.group == group));
    if sizes.len() < 2 || temperatures.is_empty() {
        return None;
    }
    let sheet = Sheet { view, group, score, sizes: &sizes };
    let families = sheet.families();
    // Blocks have about equal lengths.
    let columns = families.len().div_ceil(families.len().div_ceil(COLUMNS));
    let blocks: Vec<&[&Family]> = families.chunks(columns).collect();
    let columns = columns.max(LEAST_COLUMNS) as f64;
    let width = (WIDTH - LEFT) / columns - GAP;
    let block = temperatures.len() as f64 * (PANEL_HEIGHT + GAP) + HEADING + FOOT;
    let mut canvas = Canvas::new(WIDTH, block * blocks.len() as f64);
    let mut numbers = vec![cells(["agent", "temperature", "T", "mean", "standard error", "problems", "failed"])];
    for (b, families) in blocks.iter().enumerate() {
        for (row, temperature) in temperatures.iter().enumerate() {
            let top = b as f64 * block + HEADING + row as f64 * (PANEL_HEIGHT + GAP);
            let range = sheet.range(*temperature);
            for (column, family) in families.iter().enumerate() {
                let left = LEFT + column as f64 * (width + GAP);
                let area = Area { left, top, width, height: PANEL_HEIGHT };
                let last = row + 1 == temperatures.len();
                sheet.panel(&mut canvas, area, family, (*temperature, range), (row == 0, column == 0, last));
                numbers.extend(sheet.numbers(family, *temperature));
            }
        }
    }
    let over = if group.is_empty() { String::new() } else { format!(" of {group}") };
    Some(Figure {
        title: format!("{} against T at tau = {}{over} ({})", score.metric, score.tau, which(score.tau)),
        caption: sheet.caption(),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Returns the paper's number of the figure.
fn which(tau: u32) -> &'static str {
    if tau == 1 { "Figure 8" } else { "Figure 9" }
}

/// The common parts of a figure's panels.
struct Sheet<'v, 'a> {
    view: &'v View<'a>,
    group: &'v str,
    score: &'v JointScore,
    sizes: &'v [f64],
}

impl Sheet<'_, '_> {
    /// Returns the families to draw. The baseline is in every panel and needs none of its own, unless it is alone.
    fn families(&self) -> Vec<&Family<'_>> {
        let is_baseline = |family: &&Family| self.view.baseline.is_some_and(|own| std::ptr::eq(own, family.best()));
        let (baseline, others): (Vec<&Family>, Vec<&Family>) = self.view.families.iter().partition(is_baseline);
        if others.is_empty() { baseline } else { others }
    }

    fn curve(&self, agent: &jointly_score::scores::AgentScores, temperature: f64) -> Vec<Point> {
        let here = |place: &Coordinates| place.group == self.group && place.temperature == Some(temperature);
        curve(self.view, agent, &self.score.name, here)
    }

    fn baseline(&self, temperature: f64) -> Vec<Point> {
        self.view.baseline.map(|baseline| self.curve(baseline, temperature)).unwrap_or_default()
    }

    /// Returns one range for all agents at a temperature.
    fn range(&self, temperature: f64) -> (f64, f64) {
        let curves = self.view.families.iter().flat_map(|family| self.curve(family.best(), temperature));
        let points: Vec<Point> = curves.collect();
        range(&points.iter().collect::<Vec<_>>(), &self.baseline(temperature))
    }

    fn panel(
        &self,
        canvas: &mut Canvas,
        area: Area,
        family: &Family,
        (temperature, range): (f64, (f64, f64)),
        (first, leftmost, last): (bool, bool, bool),
    ) {
        let panel = panel(area, self.sizes, range);
        let y_title = format!("temperature {temperature}");
        let title = if first { shortened(&family.best().planned.label, 26) } else { String::new() };
        let y = Axis { ticks: panel.y.ticks(4), title: if leftmost { &y_title } else { "" }, bare: !leftmost };
        panel.frame(canvas, &title, &size_axis(&panel, self.sizes, !last), &y);
        if let Some(baseline) = self.view.baseline.filter(|baseline| !std::ptr::eq(*baseline, family.best())) {
            let style = self.view.style(&baseline.planned.agent).baseline();
            panel.series(canvas, &Series { style, points: self.baseline(temperature), marked: false });
        }
        let own = self.curve(family.best(), temperature);
        panel.series(canvas, &marked(self.view.style(family.name), own));
    }

    fn numbers(&self, family: &Family, temperature: f64) -> Vec<Vec<String>> {
        let label = &family.best().planned.label;
        let cell = |size: &f64| {
            let here = |place: &Coordinates| {
                place.group == self.group && place.temperature == Some(temperature) && train_size(place) == Some(*size)
            };
            let cell = self.view.cell(family.best(), &self.score.name, here)?;
            let mut row = cells([label, &temperature.to_string(), &size.to_string(), &digits(cell.mean)]);
            row.extend([digits(cell.stderr), cell.problems.to_string(), cell.failed.to_string()]);
            Some(row)
        };
        self.sizes.iter().filter_map(cell).collect()
    }

    fn caption(&self) -> String {
        let here = |place: &&Coordinates| place.group == self.group && place.temperature.is_some();
        let mut sentences = vec![format!(
            "{} in nats over {}, a column an agent and a row a temperature; a point is the mean over {} of its T and \
             temperature, with one standard error.",
            self.score.title(),
            counted(self.view.places().filter(here).count(), "problem"),
            seeds(self.view, here)
        )];
        sentences.extend(lonely(self.view, here));
        if let Some(baseline) = self.view.baseline {
            sentences.push(format!("The black dashed line without points is {}.", baseline.planned.label));
        }
        sentences.extend(self.view.baseline_choice());
        if self.view.has_variants() {
            sentences.push("Of each agent the best variant is drawn.".to_owned());
        }
        let edges =
            "Hollow points at an edge lie beyond it; ∞ is an infinite mean; × is a failure on some problem there.";
        sentences.push(edges.to_owned());
        sentences.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::InventedRun;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    fn caption(problems: &[&str]) -> String {
        let losses = vec![1.0; problems.len()];
        let run =
            InventedRun::scored("quick", problems, &[("mlp:x=1", &losses), ("mlp:x=2", &losses), ("prior", &losses)]);
        let scores = run.scores();
        super::figures(&View::new(&scores, &Leaderboard::new(&scores), None))[0].caption.clone()
    }

    #[test]
    fn seeds_are_counted_point_by_point() {
        let even =
            caption(&["quick/t1/temp1/seed0", "quick/t1/temp1/seed1", "quick/t9/temp1/seed0", "quick/t9/temp1/seed1"]);
        assert!(even.starts_with("KL, tau = 1 in nats over 4 problems,"), "{even}");
        assert!(even.contains("the mean over the 2 seeds of its T") && !even.contains("single problem"), "{even}");
        let ragged = caption(&["quick/t1/temp1/seed0", "quick/t1/temp1/seed1", "quick/t9/temp1/seed0"]);
        assert!(ragged.contains("the mean over the 1 to 2 seeds of its T"), "{ragged}");
        assert!(ragged.contains("a point of a single problem is the standard error over its tau-samples"), "{ragged}");
        let lonely = caption(&["quick/t1/temp1/seed0", "quick/t9/temp1/seed0"]);
        assert!(lonely.contains("the mean over the 1 seed of its T"), "{lonely}");
    }

    #[test]
    fn the_baseline_is_told_from_other_dashed_lines() {
        let caption = caption(&["quick/t1/temp1/seed0", "quick/t9/temp1/seed0"]);
        assert!(
            caption.contains("The black dashed line without points is mlp:x=1. mlp:x=1 is the best variant of mlp")
        );
    }
}
