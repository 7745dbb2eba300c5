//! A picture of agents as points of two scores.

use crate::drawing::{Anchor, Area, Axis, Canvas, Palette, Panel, Point, STANDALONE, Scale, agent, labels, shortened};

const WIDTH: f64 = 860.0;
const AREA: Area = Area { left: 72.0, top: 34.0, width: WIDTH - 90.0, height: 430.0 };
const FOOT: f64 = 46.0;

/// The contents of the picture.
pub struct Scatter<'a> {
    /// The heading.
    pub title: &'a str,
    /// A note beneath the axis.
    pub note: &'a str,
    /// The name of the score across.
    pub across: &'a str,
    /// The name of the score upwards.
    pub upwards: &'a str,
    /// The label of each agent, with both of its scores.
    pub points: Vec<(&'a str, f64, f64)>,
}

impl Scatter<'_> {
    /// Returns the picture as the contents of an SVG file. An axis is logarithmic if all its scores are positive. Agents
    /// whose scores are not finite are named below it.
    pub fn to_svg(&self) -> String {
        let finite: Vec<(&str, f64, f64)> =
            self.points.iter().copied().filter(|(_, x, y)| x.is_finite() && y.is_finite()).collect();
        let scale = |values: Vec<f64>, pixels| {
            let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)));
            let logarithmic = ends.0 > 0.0;
            let scale = if logarithmic { Scale::logarithmic(ends, pixels) } else { Scale::linear(ends, pixels) };
            (scale, if logarithmic { " (logarithmic)" } else { "" })
        };
        let mut notes = Vec::from_iter(Some(self.note.to_owned()).filter(|note| !note.is_empty()));
        let left_out = self.points.iter().filter(|(_, x, y)| !x.is_finite() || !y.is_finite());
        let left_out: Vec<&str> = left_out.map(|(label, ..)| *label).collect();
        if !left_out.is_empty() {
            notes.push(format!("not finite: {}", left_out.join(", ")));
        }
        let mut canvas = Canvas::new(WIDTH, AREA.top + AREA.height + FOOT + 6.0);
        if !finite.is_empty() {
            let (x, across) = scale(finite.iter().map(|point| point.1).collect(), AREA.across());
            let (y, upwards) = scale(finite.iter().map(|point| point.2).collect(), AREA.upwards());
            let panel = Panel { area: AREA, x, y };
            let (across, upwards) = (self.across.to_owned() + across, self.upwards.to_owned() + upwards);
            let across = Axis { ticks: panel.x.ticks_apart(8), title: &across, bare: false };
            let upwards = Axis { ticks: panel.y.ticks_apart(8), title: &upwards, bare: false };
            panel.frame(&mut canvas, self.title, &across, &upwards);
            let agents: Vec<&str> = finite.iter().map(|(label, ..)| agent(label)).collect();
            let palette = Palette::new(agents.iter().copied());
            let spots = finite.iter().zip(&agents).map(|((label, x, y), name)| {
                let point =
                    Point { x: *x, y: *y, stderr: f64::NAN, failed: false, title: format!("{label}: {x:.4}, {y:.4}") };
                panel.point(&mut canvas, &point, &palette.style(name), true);
                // Variants of an agent are told apart by their settings.
                let alone = agents.iter().filter(|other| *other == name).count() == 1;
                (panel.place(&point), shortened(if alone { name } else { label }, 40))
            });
            let spots: Vec<_> = spots.collect();
            let points: Vec<_> = spots.iter().map(|(spot, name)| (*spot, name.as_str())).collect();
            let unnamed = labels::write(&mut canvas, &points, &[], AREA);
            if unnamed > 0 {
                notes.push(format!("names that do not fit: {unnamed}"));
            }
        }
        let note = notes.join("; ");
        canvas.text((AREA.left, AREA.bottom() + FOOT - 2.0), Anchor::Start, "tick", &note);
        canvas.standalone(STANDALONE).into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Scatter;

    #[test]
    fn agents_are_named_points_and_axes_fit_their_scores() {
        let points = vec![("mlp", 0.1, 30.0), ("ensemble:size=3", 0.2, 3000.0), ("prior", f64::INFINITY, 1.0)];
        let picture = Scatter { title: "Regret", note: "r", across: "kl", upwards: "regret", points }.to_svg();
        assert_eq!(picture.matches("class=\"marker\"").count(), 2, "{picture}");
        assert!(picture.contains(">ensemble</text>") && picture.contains(">mlp</text>"), "{picture}");
        assert!(picture.contains(">kl (logarithmic)</text>") && picture.contains(">regret (logarithmic)</text>"));
        assert!(picture.contains(">r; not finite: prior</text>") && !picture.contains(">prior</text>"), "{picture}");
        // From 30 to 3000 the axis is logarithmic: each power of ten in between has a tick.
        assert!(picture.contains(">100</text>") && picture.contains(">1000</text>"), "{picture}");
        let nothing = Scatter { title: "", note: "", across: "", upwards: "", points: Vec::new() }.to_svg();
        assert!(!nothing.contains("class=\"marker\"") && nothing.starts_with("<svg"));
        let below =
            Scatter { title: "", note: "", across: "", upwards: "", points: vec![("a", -1.0, 0.0), ("b", 2.0, 0.5)] };
        let below = below.to_svg();
        assert!(below.matches("class=\"marker\"").count() == 2 && below.contains(">-1.0</text>"), "{below}");
        assert!(!below.contains("logarithmic"), "{below}");
        let variants = vec![("knn:k=1", 1.0, 1.0), ("knn:k=5", 2.0, 3.0)];
        let variants = Scatter { title: "", note: "", across: "", upwards: "", points: variants }.to_svg();
        assert!(variants.contains(">knn:k=1</text>") && variants.contains(">knn:k=5</text>"), "{variants}");
    }
}
