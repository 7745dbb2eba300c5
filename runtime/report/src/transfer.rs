//! Figures 6 and 11 of the paper: whether variants that are better on synthetic problems are better on real data.

use jointly_core::Coordinates;
use jointly_record::plan::PlannedAgent;
use jointly_score::scores::AgentScores;

use crate::correlation::{Correlation, pearson, spearman};
use crate::drawing::{Area, Axis, Canvas, Panel, Point, Scale, Style};
use crate::figure::{Figure, WIDTH, cells, counted, digits};
use crate::view::{View, train_size};

/// The training sizes of the paper's low-data regime.
const LOW: [f64; 2] = [1.0, 10.0];
const LEFT: f64 = 66.0;
const GAP: f64 = 66.0;
const HEIGHT: f64 = 300.0;
const SMALL_HEIGHT: f64 = 190.0;
/// The number of panels of datasets side by side.
const COLUMNS: usize = 3;
/// Scores above this multiple of the median are drawn at the edge.
const HIGHEST: f64 = 4.0;

/// The amount of training data.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Regime {
    Low,
    High,
}

impl Regime {
    fn name(self) -> &'static str {
        match self {
            Self::Low => "low data (T = 1, 10)",
            Self::High => "high data (largest T)",
        }
    }

    /// Returns whether a problem's coordinates belong to the regime, given the largest training size of its group.
    fn holds(self, view: &View, place: &Coordinates) -> bool {
        let Some(size) = train_size(place) else { return false };
        let largest = view.places().filter(|other| other.group == place.group).filter_map(train_size);
        match self {
            Self::Low => LOW.contains(&size),
            Self::High => !LOW.contains(&size) && size == largest.fold(0.0, f64::max),
        }
    }
}

/// A variant that both runs have.
struct Variant<'a> {
    synthetic: &'a AgentScores<'a>,
    real: &'a AgentScores<'a>,
}

/// A variant's scores in both runs.
struct Pair<'v, 'a> {
    variant: &'v Variant<'a>,
    x: f64,
    y: f64,
}

/// Draws Figures 6 and 11; returns none if the runs share too few variants.
pub(crate) fn figures(synthetic: &View, real: &View) -> Vec<Figure> {
    let (Some(x_score), Some(y_score)) = (&synthetic.ranked_by, &real.ranked_by) else { return Vec::new() };
    let variants = shared(synthetic, real);
    if variants.is_empty() {
        return Vec::new();
    }
    let others = others(synthetic, real);
    let comparison = Comparison { synthetic, real, x_score, y_score, variants, others };
    [comparison.overall(), comparison.datasets()].into_iter().flatten().collect()
}

/// Returns the variants of the first run that the second also has, by name, settings and bytes.
fn shared<'a>(synthetic: &View<'a>, real: &View<'a>) -> Vec<Variant<'a>> {
    let twin =
        |agent: &'a AgentScores<'a>| real.agents.iter().copied().find(|other| agent.planned.is_same(other.planned));
    let variants = synthetic.agents.iter().copied();
    variants.filter_map(|agent| Some(Variant { synthetic: agent, real: twin(agent)? })).collect()
}

/// Returns the number of variants of the first run that the second has by name and settings, but only with different
/// bytes.
fn others(synthetic: &View, real: &View) -> usize {
    let planned = |agent: &AgentScores, same: fn(&PlannedAgent, &PlannedAgent) -> bool| {
        real.agents.iter().any(|other| same(agent.planned, other.planned))
    };
    let is_other = |agent: &&&AgentScores| {
        planned(agent, PlannedAgent::has_name_and_settings_of) && !planned(agent, PlannedAgent::is_same)
    };
    synthetic.agents.iter().filter(is_other).count()
}

struct Comparison<'v, 'a> {
    synthetic: &'v View<'a>,
    real: &'v View<'a>,
    x_score: &'v str,
    y_score: &'v str,
    variants: Vec<Variant<'a>>,
    /// The number of further variants that the runs would share if their bytes were the same.
    others: usize,
}

impl<'v, 'a> Comparison<'v, 'a> {
    /// Returns every variant's scores in a regime, on one dataset or on all. Over all datasets it is the mean of scores
    /// divided by the median of the variants on each dataset, so that no dataset outweighs the others. Failed and
    /// non-finite values are left out.
    fn pairs(&'v self, regime: Regime, dataset: Option<&str>) -> Vec<Pair<'v, 'a>> {
        let datasets: Vec<String> = match dataset {
            Some(dataset) => vec![dataset.to_owned()],
            None => self.real_datasets(regime),
        };
        let medians: Vec<f64> = datasets
            .iter()
            .map(|dataset| {
                median(self.variants.iter().filter_map(|variant| self.on(variant, regime, dataset)).collect())
            })
            .collect();
        let pair = |variant: &'v Variant<'a>| {
            let x =
                whole(self.synthetic, variant.synthetic, self.x_score, |place| regime.holds(self.synthetic, place))?;
            let values: Option<Vec<f64>> = datasets
                .iter()
                .zip(&medians)
                .map(|(dataset, median)| Some(self.on(variant, regime, dataset)? / median))
                .collect();
            let values = values.filter(|values| !values.is_empty())?;
            let y = values.iter().sum::<f64>() / values.len() as f64;
            (x.is_finite() && y.is_finite()).then_some(Pair { variant, x, y })
        };
        self.variants.iter().filter_map(pair).collect()
    }

    /// Returns a variant's score on a dataset, if it has one on all of the dataset's problems.
    fn on(&self, variant: &Variant, regime: Regime, dataset: &str) -> Option<f64> {
        let here = |place: &Coordinates| place.group == dataset && regime.holds(self.real, place);
        whole(self.real, variant.real, self.y_score, here).filter(|value| value.is_finite())
    }

    fn real_datasets(&self, regime: Regime) -> Vec<String> {
        let held =
            |group: &String| self.real.places().any(|place| place.group == *group && regime.holds(self.real, place));
        self.real.groups().into_iter().filter(held).collect()
    }

    fn style(&self, pair: &Pair) -> Style {
        self.synthetic.style(&pair.variant.synthetic.planned.agent)
    }

    /// Draws Figure 6: the table of correlations by agent, and all variants in either regime.
    fn overall(&self) -> Option<Figure> {
        let regimes: Vec<(Regime, Vec<Pair>)> = [Regime::Low, Regime::High]
            .into_iter()
            .map(|regime| (regime, self.pairs(regime, None)))
            .filter(|(_, pairs)| !pairs.is_empty())
            .collect();
        if regimes.is_empty() {
            return None;
        }
        let mut canvas = Canvas::new(WIDTH, 0.0);
        let top = self.legend(&mut canvas) + 36.0;
        canvas.set_height(top + HEIGHT + 48.0);
        let width = ((WIDTH - LEFT) / regimes.len() as f64 - GAP).min(500.0);
        for (column, (regime, pairs)) in regimes.iter().enumerate() {
            let left = LEFT + column as f64 * (width + GAP);
            let title = format!("{}: {}", regime.name(), correlation_text(pearson(&numbers(pairs))));
            self.scatter(&mut canvas, Area { left, top, width, height: HEIGHT }, pairs, &title);
        }
        let left_out: usize = regimes.iter().map(|(_, pairs)| self.variants.len() - pairs.len()).sum();
        let mut datasets: Vec<String> = Vec::new();
        for dataset in regimes.iter().flat_map(|(regime, _)| self.real_datasets(*regime)) {
            if !datasets.contains(&dataset) {
                datasets.push(dataset);
            }
        }
        let caption = format!(
            "A point a variant of an agent, {} in both runs: its mean {} on {} against its mean {} on real data, over {}, \
             divided by the median of the variants on each dataset. Correlations are Pearson's, in brackets the 5th and \
             95th percentile of a bootstrap over variants, where there are six or more; the table has Spearman's too.",
            counted(self.variants.len(), "variant"),
            self.x_score,
            self.synthetic.scores.plan.suite,
            self.y_score,
            datasets.join(", "),
        );
        let mut caption = vec![caption];
        if left_out > 0 {
            caption.push(format!("{} left out: failed, infinite or unfinished.", counted(left_out, "point")));
        }
        if self.others > 0 {
            let others = counted(self.others, "variant");
            caption.push(format!("{others} more left out: the runs have other bytes of the agent."));
        }
        Some(Figure {
            title: "Real against synthetic (Figure 6)".into(),
            caption: caption.join(" "),
            drawing: canvas,
            table: self.table(&regimes),
            numbers: vec![
                self.listed(&regimes.iter().map(|(regime, pairs)| (regime.name(), pairs)).collect::<Vec<_>>()),
            ],
        })
    }

    /// Draws Figure 11: the high-data regime dataset by dataset.
    fn datasets(&self) -> Option<Figure> {
        let datasets: Vec<(String, Vec<Pair>)> = self
            .real_datasets(Regime::High)
            .into_iter()
            .map(|dataset| {
                let pairs = self.pairs(Regime::High, Some(&dataset));
                (dataset, pairs)
            })
            .filter(|(_, pairs)| !pairs.is_empty())
            .collect();
        if datasets.len() < 2 {
            return None;
        }
        let mut canvas = Canvas::new(WIDTH, 0.0);
        let top = self.legend(&mut canvas) + 36.0;
        let width = (WIDTH - LEFT) / COLUMNS as f64 - GAP;
        let row_height = SMALL_HEIGHT + 76.0;
        canvas.set_height(top + datasets.len().div_ceil(COLUMNS) as f64 * row_height);
        for (place, (dataset, pairs)) in datasets.iter().enumerate() {
            let left = LEFT + (place % COLUMNS) as f64 * (width + GAP);
            let area = Area { left, top: top + (place / COLUMNS) as f64 * row_height, width, height: SMALL_HEIGHT };
            let title = format!("{dataset}: {}", correlation_text(pearson(&numbers(pairs))));
            self.scatter(&mut canvas, area, pairs, &title);
        }
        Some(Figure {
            title: "Real against synthetic, dataset by dataset (Figure 11)".into(),
            caption: format!(
                "As the figure before in the high-data regime, the largest T, a panel a dataset: {} over the median of the \
                 variants against {}.",
                self.y_score, self.x_score
            ),
            drawing: canvas,
            table: Vec::new(),
            numbers: vec![
                self.listed(&datasets.iter().map(|(name, pairs)| (name.as_str(), pairs)).collect::<Vec<_>>()),
            ],
        })
    }

    fn legend(&self, canvas: &mut Canvas) -> f64 {
        let shown = |name: &str| self.variants.iter().any(|variant| variant.synthetic.planned.agent == name);
        let families = self.synthetic.families.iter().filter(|family| shown(family.name));
        let named: Vec<(&str, Style)> =
            families.map(|family| (family.name, self.synthetic.style(family.name))).collect();
        canvas.markers((LEFT, 14.0), WIDTH - LEFT, &named)
    }

    fn scatter(&self, canvas: &mut Canvas, area: Area, pairs: &[Pair], title: &str) {
        let axis = |values: Vec<f64>, pixels: (f64, f64)| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let high = high.min(median(values) * HIGHEST).max(low);
            let margin = (high - low) * 0.06;
            Scale::linear((low - margin, high + margin), pixels)
        };
        let panel = Panel {
            area,
            x: axis(pairs.iter().map(|pair| pair.x).collect(), area.across()),
            y: axis(pairs.iter().map(|pair| pair.y).collect(), area.upwards()),
        };
        let x_title = format!("synthetic: {} (nats)", self.x_score);
        let y_title = format!("real: {} / median", self.y_score);
        let x = Axis { ticks: panel.x.ticks(5), title: &x_title, bare: false };
        let y = Axis { ticks: panel.y.ticks(5), title: &y_title, bare: false };
        panel.frame(canvas, title, &x, &y);
        for pair in pairs {
            let label = &pair.variant.synthetic.planned.label;
            let title = format!("{label}: {} and {}", digits(pair.x), digits(pair.y));
            let point = Point { x: pair.x, y: pair.y, stderr: f64::NAN, failed: false, title };
            panel.point(canvas, &point, &self.style(pair), true);
        }
    }

    /// Returns a row for each agent and one for all, with columns for each regime.
    fn table(&self, regimes: &[(Regime, Vec<Pair>)]) -> Vec<Vec<String>> {
        let mut head = cells(["agent"]);
        for (regime, _) in regimes {
            let name = regime.name();
            head.extend([format!("{name}: Pearson"), "Spearman".into(), "variants".into()]);
        }
        let agents = self.synthetic.families.iter().map(|family| Some(family.name));
        let mut rows = vec![head];
        for agent in agents.chain([None]) {
            let mut row = cells([agent.unwrap_or("all")]);
            for (_, pairs) in regimes {
                let own =
                    pairs.iter().filter(|pair| agent.is_none_or(|agent| pair.variant.synthetic.planned.agent == agent));
                let own: Vec<(f64, f64)> = own.map(|pair| (pair.x, pair.y)).collect();
                row.extend([correlation_text(pearson(&own)), correlation_text(spearman(&own)), own.len().to_string()]);
            }
            rows.push(row);
        }
        rows
    }

    fn listed(&self, groups: &[(&str, &Vec<Pair>)]) -> Vec<Vec<String>> {
        let mut rows = vec![cells(["agent", "where", self.x_score, &format!("{} / median", self.y_score)])];
        for (name, pairs) in groups {
            for pair in *pairs {
                rows.push(cells([&pair.variant.synthetic.planned.label, *name, &digits(pair.x), &digits(pair.y)]));
            }
        }
        rows
    }
}

/// Returns an agent's mean over the problems that `at` accepts, if it has a result on all of them.
fn whole(view: &View, agent: &AgentScores, score: &str, at: impl Fn(&Coordinates) -> bool) -> Option<f64> {
    let wanted = view.places().filter(|place| at(place)).count();
    let cell = view.cell(agent, score, at)?;
    (cell.failed == 0 && cell.problems == wanted).then_some(cell.mean)
}

fn numbers(pairs: &[Pair]) -> Vec<(f64, f64)> {
    pairs.iter().map(|pair| (pair.x, pair.y)).collect()
}

/// Returns the median, or NaN if there are no values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

/// Formats a correlation as `0.74 (0.57, 0.85)`.
fn correlation_text(correlation: Option<Correlation>) -> String {
    match correlation {
        Some(correlation) => correlation.to_string(),
        None => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{figures, median};
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_record::invented::InventedRun;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    const SYNTHETIC: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t100/temp0.1/seed0"];
    const VARIANTS: [&str; 4] = ["mlp", "mlp:l2=1", "mlp:l2=2", "prior"];

    /// Makes a run with the losses of each variant on each problem.
    fn run(suite: &str, problems: &[&str], losses: [&[f64]; 4]) -> InventedRun {
        let agents: Vec<(&str, &[f64])> = VARIANTS.into_iter().zip(losses).collect();
        InventedRun::scored(suite, problems, &agents)
    }

    fn compared(synthetic: &InventedRun, real: &InventedRun) -> Vec<Figure> {
        let (synthetic, real) = (synthetic.scores(), real.scores());
        let view = |scores| View::new(scores, &Leaderboard::new(scores), None);
        figures(&view(&synthetic), &view(&real))
    }

    #[test]
    fn each_dataset_counts_over_the_median_of_the_variants() {
        let synthetic = run("quick", &SYNTHETIC, [&[1.0, 1.0], &[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]]);
        // iris has only the smallest sizes, german-credit also the largest.
        let problems = ["quick/real/iris/t1/seed0", "quick/real/german-credit/tfull/seed0"];
        let real = run("quick/real", &problems, [&[1.0, 20.0], &[2.0, 10.0], &[3.0, 40.0], &[4.0, 30.0]]);
        let drawn = compared(&synthetic, &real);
        let [overall] = drawn.as_slice() else { panic!("one dataset has a largest size: {}", drawn.len()) };
        // The datasets of both regimes are named, though no regime has both.
        assert!(overall.caption.contains("over iris, german-credit, divided by"), "{}", overall.caption);
        // The medians of the losses are 2.5 and 25, and those of the aggregates twice as large.
        let rows: Vec<[&str; 3]> =
            overall.numbers[0][1..].iter().map(|row| [row[0].as_str(), &row[2], &row[3]]).collect();
        let low = [["mlp", "2.000", "0.4000"], ["mlp:l2=1", "2.000", "0.8000"], ["mlp:l2=2", "2.000", "1.200"]];
        assert_eq!(rows[..3], low);
        assert_eq!(
            rows[4..7],
            [["mlp", "2.000", "0.8000"], ["mlp:l2=1", "4.000", "0.4000"], ["mlp:l2=2", "6.000", "1.600"]]
        );
        // By hand: the pairs (1, 2), (2, 1), (3, 4), (4, 3) have a sum of products 3 and sums of squares 5.
        assert_eq!(overall.table.last().unwrap()[4], "0.60");
    }

    #[test]
    fn two_datasets_have_a_panel_each() {
        let synthetic = run("quick", &SYNTHETIC, [&[1.0, 1.0], &[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]]);
        let problems = ["quick/real/iris/tfull/seed0", "quick/real/german-credit/tfull/seed0"];
        let real = run("quick/real", &problems, [&[1.0, 4.0], &[2.0, 3.0], &[3.0, 2.0], &[4.0, 1.0]]);
        let drawn = compared(&synthetic, &real);
        let picture = drawn[1].drawing.inline("").into_string();
        assert!(picture.contains("iris: 1.00") && picture.contains("german-credit: -1.00"), "{picture}");
        assert_eq!(drawn[1].numbers[0].len(), 1 + 2 * 4);
    }

    #[test]
    fn other_bytes_are_another_agent() {
        let losses: [&[f64]; 4] = [&[1.0, 1.0], &[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]];
        let synthetic = run("quick", &SYNTHETIC, losses);
        let problems = ["quick/real/iris/t1/seed0", "quick/real/iris/tfull/seed0"];
        let mut real = run("quick/real", &problems, losses);
        real.plan.agents[3].digest = jointly_core::digest(b"another");
        let overall = &compared(&synthetic, &real)[0];
        assert!(
            overall.caption.starts_with("A point a variant of an agent, 3 variants in both"),
            "{}",
            overall.caption
        );
        assert!(overall.caption.ends_with("1 variant more left out: the runs have other bytes of the agent."));
        for agent in &mut real.plan.agents {
            agent.digest = jointly_core::digest(b"another");
        }
        assert!(compared(&synthetic, &real).is_empty());
    }

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(vec![]).is_nan());
    }
}
