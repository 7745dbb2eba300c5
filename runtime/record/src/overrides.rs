//! Overrides: what a person chose in place of a suite's own evaluation and problems, as text and as options of `jointly run`.

use std::num::NonZeroU32;

use jointly_classification::Initialization;
use jointly_classification::shift::{ShiftLevel, ShiftOptions, shift_suite};
use jointly_core::{Evaluation, Partitioning};
use jointly_regression::{Noise, RegressionOptions, Residuals, regression_suite};

use crate::plan::{Plan, ProblemOverrides, Terms};
use crate::planned_images::PlannedImages;
use crate::quantity::counted;
use crate::{option_names, suites};

impl Plan {
    /// Lists the overrides of the suite's evaluation and problems, for the heading of a table.
    pub fn overrides(&self) -> String {
        let overrides = self.of_its_own();
        let predictor = self.predictor().map(|agent| format!(", predicted by {}", agent.label));
        overrides.iter().flat_map(|own| [", ".to_owned(), own.text()]).chain(predictor).collect()
    }

    /// The options of `jointly run` that make evaluation and problems of the suite's own.
    pub fn override_options(&self) -> Vec<String> {
        self.of_its_own().iter().map(Override::option).collect()
    }

    fn of_its_own(&self) -> Vec<Override> {
        let evaluation = match &self.terms {
            Terms::Evaluation(evaluation) => evaluation,
            Terms::Regression(terms) => return self.of_regression_own(&terms.options),
            Terms::Shift(options) => return self.of_shift_own(options),
        };
        let Some(own) = suites::evaluation(&self.suite) else { return Vec::new() };
        let Evaluation { draws, partition, planes, clip, .. } = *evaluation;
        let ProblemOverrides { anchors, initialization } = self.problem_overrides;
        let overrides = [
            (draws != own.draws).then_some(Override::Draws(draws)),
            (partition != own.partition).then_some(Override::Partition(partition)),
            (planes != own.planes).then_some(Override::Planes(planes)),
            (!clip && own.clip).then_some(Override::NoClip),
            anchors.map(Override::Anchors),
            initialization.map(Override::Initialization),
        ];
        overrides.into_iter().flatten().collect()
    }

    fn of_regression_own(&self, options: &RegressionOptions) -> Vec<Override> {
        let Some(own) = regression_suite(&self.suite).map(|suite| suite.options) else { return Vec::new() };
        let RegressionOptions { draws, noise, residuals, moment_draws, pool, test, rounds, .. } = *options;
        let overrides = [
            (draws != own.draws).then_some(Override::Draws(draws)),
            (noise != own.noise).then_some(Override::Noise(noise)),
            (residuals != own.residuals).then_some(Override::Residuals(residuals)),
            (options.levels != own.levels).then(|| Override::Levels(options.levels.clone())),
            (moment_draws != own.moment_draws).then_some(Override::MomentDraws(moment_draws)),
            (pool != own.pool).then_some(Override::Pool(pool)),
            (test != own.test).then_some(Override::Test(test)),
            (options.standardize_synthetic && !own.standardize_synthetic).then_some(Override::Standardize),
            (rounds != own.rounds).then_some(Override::Rounds(rounds)),
        ];
        let tables = self.tables.iter().map(|table| Override::Table(table.file.clone()));
        overrides.into_iter().flatten().chain(tables).collect()
    }

    fn of_shift_own(&self, options: &ShiftOptions) -> Vec<Override> {
        let Some(own) = shift_suite(&self.suite).map(|suite| suite.options) else { return Vec::new() };
        let overrides = [
            (options.draws != own.draws).then_some(Override::Draws(options.draws)),
            (options.taus != own.taus).then(|| Override::Taus(options.taus.clone())),
            (options.levels != own.levels).then(|| Override::Shifts(patterns(&options.levels, &own.levels))),
        ];
        let images = self.images.filter(|view| *view != PlannedImages::default());
        overrides.into_iter().flatten().chain(images.map(Override::Images)).collect()
    }
}

/// Something that a person chose in place of the suite's own.
enum Override {
    Draws(u32),
    Partition(Partitioning),
    Planes(u32),
    NoClip,
    Anchors(NonZeroU32),
    Initialization(Initialization),
    Noise(Noise),
    Residuals(Residuals),
    Levels(Vec<f64>),
    MomentDraws(u32),
    Pool(u32),
    Test(u32),
    Standardize,
    Rounds(u32),
    Table(String),
    Taus(Vec<u32>),
    /// As patterns.
    Shifts(Vec<String>),
    Images(PlannedImages),
}

impl Override {
    fn text(&self) -> String {
        match self {
            Self::Draws(draws) => counted(*draws as usize, "draw"),
            Self::Partition(partition) => format!("partitioned by {}", option_names::partition(*partition)),
            Self::Planes(planes) => counted(*planes as usize, "plane"),
            Self::NoClip => "probits not clipped".into(),
            Self::Anchors(anchors) => counted(anchors.get() as usize, "anchor"),
            Self::Initialization(own) => format!("{} weights", option_names::initialization(*own)),
            Self::Noise(noise) => format!("{} noise", option_names::noise(*noise)),
            Self::Residuals(residuals) => format!("{} residuals", option_names::residuals(*residuals)),
            Self::Levels(levels) => format!("intervals of {} %", percents(levels, ", ")),
            Self::MomentDraws(draws) => format!("covariances of {}", counted(*draws as usize, "draw")),
            Self::Pool(points) => counted(*points as usize, "pool point"),
            Self::Test(points) => counted(*points as usize, "test point"),
            Self::Standardize => "synthetic data standardised".into(),
            Self::Rounds(rounds) => counted(*rounds as usize, "round"),
            Self::Table(file) => format!("table {file}"),
            Self::Taus(taus) => format!("tau {}", joined(taus, ", ")),
            Self::Shifts(patterns) => {
                let names = patterns.iter().map(|pattern| pattern.strip_suffix("/*").unwrap_or(pattern));
                format!("shifted by {}", names.collect::<Vec<_>>().join(", "))
            }
            Self::Images(view) => view.to_string(),
        }
    }

    fn option(&self) -> String {
        match self {
            Self::Draws(draws) => format!("--draws {draws}"),
            Self::Partition(partition) => format!("--partition {}", option_names::partition(*partition)),
            Self::Planes(planes) => format!("--planes {planes}"),
            Self::NoClip => "--no-clip".into(),
            Self::Anchors(anchors) => format!("--anchors {anchors}"),
            Self::Initialization(own) => format!("--initialization {}", option_names::initialization(*own)),
            Self::Noise(noise) => format!("--noise {}", option_names::noise(*noise)),
            Self::Residuals(residuals) => format!("--residuals {}", option_names::residuals(*residuals)),
            Self::Levels(levels) => format!("--levels {}", percents(levels, ",")),
            Self::MomentDraws(draws) => format!("--moment-draws {draws}"),
            Self::Pool(points) => format!("--pool {points}"),
            Self::Test(points) => format!("--test {points}"),
            Self::Standardize => "--standardize".into(),
            Self::Rounds(rounds) => format!("--rounds {rounds}"),
            Self::Table(file) => format!("--table {file}"),
            Self::Taus(taus) => format!("--taus {}", joined(taus, ",")),
            Self::Shifts(patterns) => format!("--shifts '{}'", patterns.join(",")),
            Self::Images(PlannedImages { side, grey }) => {
                format!("--side {side}{}", if *grey { " --grey" } else { "" })
            }
        }
    }
}

/// Levels as patterns: `rotation/*` where all of a suite's own rotations are there and no others, else each by itself.
fn patterns(levels: &[ShiftLevel], own: &[ShiftLevel]) -> Vec<String> {
    let of = |all: &[ShiftLevel], level: &ShiftLevel| -> Vec<ShiftLevel> {
        all.iter().filter(|other| other.shift() == level.shift()).copied().collect()
    };
    let runs = levels.chunk_by(|a, b| a.shift() == b.shift());
    let pattern = |run: &[ShiftLevel]| {
        // Apart from one another they would come in another order.
        let whole = run == of(own, &run[0]) && run.len() == of(levels, &run[0]).len();
        if whole {
            return vec![format!("{}/*", run[0].shift())];
        }
        run.iter().map(ToString::to_string).collect()
    };
    runs.flat_map(pattern).collect()
}

fn joined<T: ToString>(items: &[T], between: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn percents(levels: &[f64], between: &str) -> String {
    levels.iter().map(|level| (100.0 * level).round().to_string()).collect::<Vec<_>>().join(between)
}
