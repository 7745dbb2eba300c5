//! Figure 10 of the paper: the score against an agent's cost, in fuel instead of seconds of a machine.

use jointly_core::FUEL;
use jointly_record::quantity;
use jointly_score::scores::AgentScores;

use crate::drawing::{Area, Axis, Canvas, Panel, Point, Scale, Spot, labels, shortened};
use crate::figure::{Figure, WIDTH, cells, counted, digits};
use crate::ratio::{Ratio, defects};
use crate::view::{JointScore, View};

const LEFT: f64 = 66.0;
const GAP: f64 = 70.0;
const HEIGHT: f64 = 320.0;
const TOP: f64 = 34.0;
/// Points above this multiple of the baseline's score are drawn at the panel's edge.
const HIGHEST: f64 = 4.0;
/// With more agents than this, only the best of each agent's variants is named.
const MOST_NAMES: usize = 14;

/// Draws a panel for each tau; returns `None` if no agent has a score.
pub(crate) fn figure(view: &View) -> Option<Figure> {
    let costs: Vec<f64> = view.agents.iter().filter_map(|agent| fuel(agent)).collect();
    if costs.len() < 2 || view.joint.is_empty() {
        return None;
    }
    let cheapest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let dearest = costs.iter().copied().fold(0.0, f64::max);
    let panels = view.joint.len() as f64;
    let width = (WIDTH - LEFT - 8.0) / panels - GAP * (panels - 1.0) / panels;
    let mut canvas = Canvas::new(WIDTH, HEIGHT + TOP + 42.0);
    let mut numbers = vec![cells(["agent", "score", "fuel", "value", "standard error", "problems"])];
    let mut unnamed = 0;
    let mut drawn: Vec<(u32, Vec<Dot>)> = Vec::new();
    for (column, score) in view.joint.iter().enumerate() {
        let area = Area { left: LEFT + column as f64 * (width + GAP), top: TOP, width, height: HEIGHT };
        let dots: Vec<Dot> = view.agents.iter().filter_map(|agent| Dot::of(view, agent, score)).collect();
        let panel =
            Panel { area, x: Scale::logarithmic((cheapest, dearest), area.across()), y: heights(view, &dots, area) };
        let y_title = match view.baseline {
            Some(baseline) => format!("{} / {} of {}", score.metric, score.metric, baseline.planned.label),
            None => format!("{} (nats)", score.metric),
        };
        let x = Axis { ticks: panel.x.ticks(6), title: "fuel a problem (instructions, about)", bare: false };
        let y = Axis { ticks: panel.y.ticks(6), title: &shortened(&y_title, 44), bare: false };
        panel.frame(&mut canvas, &format!("tau = {}", score.tau), &x, &y);
        unnamed += draw(&mut canvas, view, &panel, &dots);
        for dot in &dots {
            let mut row = cells([&dot.agent.planned.label, &score.name, &quantity::count(dot.fuel)]);
            row.extend([dot.ratio.cell(), digits(dot.ratio.stderr), dot.ratio.problems.to_string()]);
            numbers.push(row);
        }
        drawn.push((score.tau, dots));
    }
    if unnamed > 0 {
        let named: Vec<_> = view.families.iter().map(|family| (family.name, view.style(family.name))).collect();
        let key = canvas.markers((LEFT, TOP + HEIGHT + 56.0), WIDTH - LEFT, &named);
        canvas.set_height(TOP + HEIGHT + 46.0 + key);
    }
    Some(Figure {
        title: "Score against cost (Figure 10)".into(),
        caption: caption(view, &drawn, unnamed),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// An agent as a point.
struct Dot<'a> {
    agent: &'a AgentScores<'a>,
    fuel: f64,
    ratio: Ratio,
    /// Whether the point is the best of its agent's variants.
    best: bool,
    /// The number of problems that it is over, if not all.
    part: Option<String>,
}

impl<'a> Dot<'a> {
    fn of(view: &View<'a>, agent: &'a AgentScores<'a>, score: &JointScore) -> Option<Self> {
        let ratio = match view.baseline {
            Some(baseline) => view.ratio(agent, baseline, &score.name),
            None => agent.summary(&score.name).map(|summary| Ratio {
                value: summary.mean,
                stderr: summary.stderr,
                problems: summary.problems,
                defect: None,
            })?,
        };
        let best = view.families.iter().any(|family| std::ptr::eq(family.best(), agent));
        let (used, all) = (ratio.problems, view.scores.plan.problems.len());
        let part = (used < all).then(|| format!("({used} of {})", counted(all, "problem")));
        Some(Self { agent, fuel: fuel(agent)?, ratio, best, part })
    }

    fn point(&self) -> Point {
        let label = &self.agent.planned.label;
        let part = self.part.as_deref().unwrap_or_default();
        let title = format!("{label}: {}, {} {part}", self.ratio.text(), quantity::count(self.fuel));
        let title = title.trim_end().to_owned();
        let failed = !self.agent.failures.is_empty();
        Point { x: self.fuel, y: self.ratio.value, stderr: self.ratio.stderr, failed, title }
    }
}

/// Returns the mean fuel per problem, or `None` if no problem has a score.
fn fuel(agent: &AgentScores) -> Option<f64> {
    agent.summary(FUEL).map(|summary| summary.mean).filter(|mean| *mean > 0.0)
}

/// Returns the range from zero to the highest point, at most [`HIGHEST`] times the baseline.
fn heights(view: &View, dots: &[Dot], area: Area) -> Scale {
    let error = |ratio: &Ratio| if ratio.stderr.is_finite() { ratio.stderr } else { 0.0 };
    let tops = dots.iter().map(|dot| dot.ratio.value + error(&dot.ratio)).filter(|top| top.is_finite());
    let highest = tops.fold(0.0, f64::max);
    let highest = if view.baseline.is_some() { highest.min(HIGHEST) } else { highest };
    // If nothing is above zero, the axis is drawn nevertheless.
    let highest = if highest > 0.0 { highest } else { 1.0 };
    Scale::linear((0.0, highest * 1.08), area.upwards())
}

/// Draws the points and their names; returns the number of names that did not fit.
fn draw(canvas: &mut Canvas, view: &View, panel: &Panel, dots: &[Dot]) -> usize {
    let named = |dot: &&Dot| dot.best || view.agents.len() <= MOST_NAMES;
    let name = |dot: &Dot| {
        let planned = &dot.agent.planned;
        let name = shortened(if view.agents.len() <= MOST_NAMES { &planned.label } else { &planned.agent }, 30);
        dot.part.as_ref().map_or_else(|| name.clone(), |part| format!("{name} {part}"))
    };
    let area = panel.area;
    let spot = |dot: &Dot| panel.place(&dot.point());
    // The best variants are drawn on top of the others.
    let (best, others): (Vec<&Dot>, Vec<&Dot>) = dots.iter().partition(|dot| dot.best);
    for dot in others.into_iter().chain(best) {
        panel.point(canvas, &dot.point(), &view.style(&dot.agent.planned.agent), dot.best && dot.part.is_none());
    }
    let others: Vec<Spot> = dots.iter().filter(|dot| !named(dot)).map(&spot).collect();
    let names: Vec<(Spot, String)> = dots.iter().filter(named).map(|dot| (spot(dot), name(dot))).collect();
    let points: Vec<(Spot, &str)> = names.iter().map(|(spot, name)| (*spot, name.as_str())).collect();
    labels::write(canvas, &points, &others, area)
}

fn caption(view: &View, drawn: &[(u32, Vec<Dot>)], unnamed: usize) -> String {
    let unit = view.scores.units().unit();
    let value = match view.baseline {
        Some(baseline) => format!(
            "the mean score over that of {} on the same problems, with one standard error of that ratio (delta method, \
             clustered by {unit})",
            baseline.planned.label
        ),
        None => format!("the mean score, with one standard error over {unit}s"),
    };
    let mut sentences = vec![
        "A point an agent, lower and further left is better.".to_owned(),
        format!("Across, the mean fuel of training and sampling on a problem; upwards, {value}. {}", over(view, drawn)),
    ];
    let ratios = drawn.iter().map(|(tau, dots)| (*tau, dots.iter().map(|dot| &dot.ratio).collect()));
    if let Some(defects) = defects(ratios) {
        sentences.push(defects + " NaN stands in their place.");
    }
    sentences.extend(view.baseline_choice());
    if view.has_variants() {
        sentences.push("Filled points are the best variant of an agent, hollow ones its others.".to_owned());
    }
    sentences
        .push("Hollow points at an edge lie beyond it; ∞ is an infinite mean; × is an agent that failed.".to_owned());
    let native = view.agents.iter().filter(|agent| agent.seconds.is_some() && fuel(agent).is_none()).count();
    if native > 0 {
        let agents = counted(native, "native agent");
        sentences.push(format!("Left out: {agents}, whose fuel is not counted; the leaderboard has their seconds."));
    }
    if unnamed > 0 {
        let names = counted(unnamed, "name");
        sentences.push(format!("{names} did not fit beside a point; the key beneath has all agents."));
    }
    sentences.join(" ")
}

/// Says how many problems the points are over.
fn over(view: &View, drawn: &[(u32, Vec<Dot>)]) -> String {
    let all = counted(view.scores.plan.problems.len(), "problem");
    if drawn.iter().flat_map(|(_, dots)| dots).all(|dot| dot.part.is_none()) {
        return format!("All points are over {all}.");
    }
    format!(
        "Points are over {all}; hollow ones with a number beside their name are over so many, those that both have scored \
         so far."
    )
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_record::invented::Got::{Missing, Scored};
    use jointly_record::invented::{Got, InventedRun};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];

    fn of(agents: &[(&str, &[Got])]) -> Figure {
        let run = InventedRun::new("quick", &PROBLEMS, agents);
        let scores = run.scores();
        super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).unwrap()
    }

    #[test]
    fn a_baseline_that_divides_nothing_breaks_no_axis() {
        for loss in [f64::INFINITY, 0.0, -1.0] {
            let drawn = of(&[("mlp", &[Scored(loss); 2]), ("prior", &[Scored(1.0); 2])]);
            let picture = drawn.drawing.inline("").into_string();
            // Heights start from zero; an axis without measurements goes to 1.
            assert!(picture.contains(">0.0</text>") && picture.contains(">1.0</text>"), "{picture}");
            assert!(picture.lines().all(|line| line.len() < 300), "{picture}");
            assert!(drawn.caption.contains("at tau = 1 the baseline is"), "{}", drawn.caption);
            assert!(drawn.numbers[0][1..].iter().all(|row| row[3].starts_with("baseline is")));
        }
        let drawn = of(&[("uniform", &[Scored(-1.0); 2]), ("prior", &[Scored(0.0); 2])]);
        assert!(drawn.drawing.inline("").into_string().contains(">1.0</text>"));
    }

    #[test]
    fn a_point_over_fewer_problems_is_hollow_and_says_so() {
        let drawn = of(&[("mlp", &[Scored(1.0); 2]), ("prior", &[Scored(1.0), Missing])]);
        let picture = drawn.drawing.inline("").into_string();
        assert_eq!(picture.matches(">prior (1 of 2 problems)</text>").count(), 2, "{picture}");
        assert_eq!(picture.matches("fill:none").count(), 2, "{picture}");
        assert!(drawn.caption.contains("are over so many"), "{}", drawn.caption);
        let whole = of(&[("mlp", &[Scored(1.0); 2]), ("prior", &[Scored(1.0); 2])]);
        assert!(whole.caption.contains("All points are over 2 problems."), "{}", whole.caption);
    }
}
