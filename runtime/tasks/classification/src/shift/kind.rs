//! Dataset shift as a kind of task.

use std::any::Any;
use std::collections::HashMap;
use std::sync::LazyLock;

use jointly_core::counted;
use jointly_core::interface::Interface;
use jointly_core::kind::{Calibration, ConditionValues, Override, SuiteOutline, TaskKind, TaskOptions, TaskScores};
use jointly_core::limits::SHIFT_FUEL;
use jointly_core::metric::{CalibrationBin, MARGINAL_METRICS};
use jointly_core::{Context, Layout, Metric, Partitioning, ScoreDef, ScoreInfo, ScoreName, Scored, Units};

use super::level::ShiftLevel;
use super::options::ShiftOptions;
use super::problem::ShiftProblem;
use super::score::{Condition, ConditionScores, Detection, DetectionScores, LabelledScores, ShiftScores};
use super::scores::{CONDITION_SCORES, LAYOUTS, PROBLEM_SCORES, condition_scores, problem_scores};
use super::suites::{ShiftSuite, shift_suite, shift_suites};

/// The problems of all suites, by their names, but for those on a user's own images: what these take, only the images say.
static PROBLEMS: LazyLock<HashMap<String, ShiftProblem>> = LazyLock::new(|| {
    let all = shift_suites().into_iter().flat_map(|suite| suite.problems);
    let known = all.filter(|problem| problem.dataset().is_none_or(|dataset| dataset.card().is_some()));
    known.map(|problem| (problem.name.clone(), problem)).collect()
});

/// Dataset shift: class probabilities at inputs that move away from the training inputs.
pub struct DatasetShift;

impl TaskKind for DatasetShift {
    const NAME: &'static str = "shift";
    const FUEL: u64 = SHIFT_FUEL;
    const UNITS_OF_ONE: Units = Units::Inputs;
    /// The area under the curve needs exactly two classes, and detection needs out-of-distribution inputs.
    const MAY_LACK_SCORES: bool = true;
    type Options = ShiftOptions;
    type Scores = ShiftScores;

    fn interface(_: &str) -> Interface {
        Interface::Classification
    }

    fn scores() -> Vec<&'static ScoreInfo> {
        fn about<S>(definitions: &'static [ScoreDef<S>]) -> impl Iterator<Item = &'static ScoreInfo> {
            definitions.iter().map(|definition| &definition.about)
        }
        let marginal = MARGINAL_METRICS.iter().map(|metric| &metric.about);
        about(CONDITION_SCORES).chain(marginal).chain(about(PROBLEM_SCORES)).collect()
    }

    fn layouts() -> &'static [Layout] {
        LAYOUTS
    }

    fn suites() -> Vec<SuiteOutline> {
        let outline = |suite: ShiftSuite| {
            SuiteOutline::new(suite.name, suite.problems.into_iter().map(|it| (it.name, it.coordinates)))
        };
        shift_suites().into_iter().map(outline).collect()
    }
}

impl TaskOptions for ShiftOptions {
    fn draws(&self) -> u32 {
        self.draws
    }

    fn check(&self) -> Result<(), String> {
        Self::check(self).map_err(|error| error.to_string())
    }

    fn overrides(&self, suite: &str) -> Vec<Override> {
        let Some(own) = shift_suite(suite).map(|suite| suite.options) else { return Vec::new() };
        let joined = |between| self.taus.iter().map(ToString::to_string).collect::<Vec<_>>().join(between);
        let overrides = [
            (self.draws != own.draws)
                .then(|| (counted(self.draws as usize, "draw"), format!("--draws {}", self.draws))),
            (self.taus != own.taus).then(|| (format!("tau {}", joined(", ")), format!("--taus {}", joined(",")))),
            (self.levels != own.levels).then(|| shifts(&patterns(&self.levels, &own.levels))),
        ];
        overrides.into_iter().flatten().map(|(text, option)| Override { text, option }).collect()
    }
}

fn shifts(patterns: &[String]) -> (String, String) {
    let names: Vec<&str> = patterns.iter().map(|pattern| pattern.strip_suffix("/*").unwrap_or(pattern)).collect();
    (format!("shifted by {}", names.join(", ")), format!("--shifts '{}'", patterns.join(",")))
}

/// Abbreviates levels as patterns: `rotation/*` if a suite's own rotations are complete and there are no others, else
/// every level.
fn patterns(levels: &[ShiftLevel], own: &[ShiftLevel]) -> Vec<String> {
    let of = |all: &[ShiftLevel], level: &ShiftLevel| -> Vec<ShiftLevel> {
        all.iter().filter(|other| other.shift() == level.shift()).copied().collect()
    };
    let runs = levels.chunk_by(|a, b| a.shift() == b.shift());
    let pattern = |run: &[ShiftLevel]| {
        // A pattern would change the order of levels that are not adjacent.
        let whole = run == of(own, &run[0]) && run.len() == of(levels, &run[0]).len();
        if whole {
            return vec![format!("{}/*", run[0].shift())];
        }
        run.iter().map(ToString::to_string).collect()
    };
    runs.flat_map(pattern).collect()
}

impl TaskScores for ShiftScores {
    fn values(&self, context: &Context) -> Vec<(ScoreName, Scored)> {
        problem_scores(self, context)
    }

    fn defect(&self, options: &dyn TaskOptions, problem: &str) -> Option<String> {
        let options: &dyn Any = options;
        let options: &ShiftOptions = options.downcast_ref()?;
        self.impossible(options, PROBLEMS.get(problem))
    }

    fn calibration(&self) -> Calibration<'_> {
        let unshifted = self.unshifted().and_then(bins);
        Calibration::of(unshifted, self.shifted().filter_map(|(_, scores)| bins(scores)))
    }

    fn places(&self) -> Vec<u64> {
        let labelled = self.conditions.iter().filter_map(|scores| scores.labelled.as_ref());
        let of = |scores: &LabelledScores| {
            let taus = scores.joint.iter().map(|(tau, _)| *tau);
            taus.chain(scores.brier_by_draws.iter().map(|(draws, _)| *draws)).map(u64::from).collect::<Vec<u64>>()
        };
        labelled.flat_map(of).collect()
    }

    fn conditions(&self) -> Option<Vec<ConditionValues>> {
        Some(self.conditions.iter().map(of_condition).collect())
    }

    fn clean(&mut self, clean: fn(&str) -> String) {
        for scores in &mut self.conditions {
            if let Condition::Outside(name) = &mut scores.condition {
                *name = clean(name);
            }
        }
    }
}

fn bins(condition: &ConditionScores) -> Option<&[CalibrationBin]> {
    condition.labelled.as_ref().map(|labelled| labelled.calibration.as_slice())
}

/// Returns all scores of a condition.
fn of_condition(scores: &ConditionScores) -> ConditionValues {
    // No score of a condition depends on the context; joint scores know their own number of draws.
    let context =
        Context { metric: Metric::Nll, draws: 0, estimator: Partitioning::default(), precision: None, fuel: None };
    let named = condition_scores(scores, &context).into_iter().map(|(name, scored)| (name.to_string(), scored));
    let mut values: Vec<(String, Scored)> = named.collect();
    if let Some(DetectionScores { confidence, entropy }) = scores.detection {
        for (by, Detection { auroc, aupr_out, aupr_in, fpr95_out, fpr95_in }) in
            [("", confidence), ("_entropy", entropy)]
        {
            let named = [
                ("auroc", auroc),
                ("aupr_out", aupr_out),
                ("aupr_in", aupr_in),
                ("fpr95_out", fpr95_out),
                ("fpr95_in", fpr95_in),
            ];
            values.extend(named.map(|(name, value)| (format!("{name}{by}"), Scored::plain(value.0))));
        }
    }
    ConditionValues { condition: scores.condition.to_string(), inputs: scores.rows, values }
}
