//! A picture of agents as points of two scores.

use crate::drawing::{Area, Axis, Canvas, Palette, Panel, Point, Scale, labels, shortened};

const WIDTH: f64 = 860.0;
const AREA: Area = Area { left: 72.0, top: 34.0, width: WIDTH - 90.0, height: 430.0 };
const FOOT: f64 = 46.0;
const STYLE: &str = "
svg { background: #fff; }
text { font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #16181d; }
.heading { font-size: 13px; font-weight: 600; }
.label { font-size: 12px; }
.tick { font-size: 11px; fill: #565c66; }
.title { font-size: 12px; fill: #565c66; }
.grid { stroke: #e3e5e9; stroke-width: 1; }
.axis, .leader { stroke: #565c66; stroke-width: 0.8; }
.marker { stroke-width: 1.6; }
";

/// The contents of the picture.
pub struct Scatter<'a> {
    /// The heading.
    pub title: &'a str,
    /// The name of the score across.
    pub across: &'a str,
    /// The name of the score upwards.
    pub upwards: &'a str,
    /// The label of each agent, with both of its scores.
    pub points: Vec<(&'a str, f64, f64)>,
}

impl Scatter<'_> {
    /// Returns the picture as the contents of an SVG file. An axis is logarithmic if all its scores are positive; agents
    /// whose scores are not finite are left out.
    pub fn to_svg(&self) -> String {
        let finite: Vec<(&str, f64, f64)> =
            self.points.iter().copied().filter(|(_, x, y)| x.is_finite() && y.is_finite()).collect();
        let scale = |values: Vec<f64>, pixels| {
            let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)));
            if ends.0 > 0.0 { Scale::logarithmic(ends, pixels) } else { Scale::linear(ends, pixels) }
        };
        let mut canvas = Canvas::new(WIDTH, AREA.top + AREA.height + FOOT);
        if !finite.is_empty() {
            let x = scale(finite.iter().map(|point| point.1).collect(), AREA.across());
            let y = scale(finite.iter().map(|point| point.2).collect(), AREA.upwards());
            let panel = Panel { area: AREA, x, y };
            let across = Axis { ticks: panel.x.ticks_apart(8), title: self.across, bare: false };
            let upwards = Axis { ticks: panel.y.ticks_apart(8), title: self.upwards, bare: false };
            panel.frame(&mut canvas, self.title, &across, &upwards);
            let named = finite.iter().map(|(label, ..)| label.split(':').next().unwrap_or(label));
            let palette = Palette::new(named.clone());
            let spots = finite.iter().zip(named).map(|((label, x, y), name)| {
                let point =
                    Point { x: *x, y: *y, stderr: f64::NAN, failed: false, title: format!("{label}: {x:.4}, {y:.4}") };
                panel.point(&mut canvas, &point, &palette.style(name), true);
                (panel.place(&point), shortened(name, 30))
            });
            let spots: Vec<_> = spots.collect();
            let points: Vec<_> = spots.iter().map(|(spot, name)| (*spot, name.as_str())).collect();
            labels::write(&mut canvas, &points, &[], AREA);
        }
        canvas.standalone(STYLE).into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Scatter;

    #[test]
    fn agents_are_named_points_and_axes_fit_their_scores() {
        let points = vec![("mlp", 0.1, 30.0), ("ensemble:size=3", 0.2, 3000.0), ("prior", f64::INFINITY, 1.0)];
        let picture = Scatter { title: "Regret", across: "kl", upwards: "regret", points }.to_svg();
        assert_eq!(picture.matches("class=\"marker\"").count(), 2, "{picture}");
        assert!(picture.contains(">ensemble</text>") && picture.contains(">mlp</text>"), "{picture}");
        assert!(picture.contains(">kl</text>") && picture.contains(">regret</text>") && !picture.contains("prior"));
        // From 30 to 3000 the axis is logarithmic: each power of ten in between has a tick.
        assert!(picture.contains(">100</text>") && picture.contains(">1000</text>"), "{picture}");
        let nothing = Scatter { title: "", across: "", upwards: "", points: Vec::new() }.to_svg();
        assert!(!nothing.contains("class=\"marker\"") && nothing.starts_with("<svg"));
        let below = Scatter { title: "", across: "", upwards: "", points: vec![("a", -1.0, 0.0), ("b", 2.0, 0.5)] };
        assert_eq!(below.to_svg().matches("class=\"marker\"").count(), 2);
    }
}
