//! Decisions as a kind of task.

use std::any::Any;
use std::collections::HashMap;
use std::sync::LazyLock;

use jointly_core::counted;
use jointly_core::interface::Interface;
use jointly_core::kind::{Override, SuiteOutline, TaskKind, TaskOptions, TaskScores};
use jointly_core::limits::DECISION_FUEL;
use jointly_core::{Context, Layout, ScoreDef, ScoreInfo, ScoreName, Scored, Units};

use crate::options::DecisionOptions;
use crate::problem::{DecisionProblem, Setting};
use crate::score::DecisionScores;
use crate::scores::{LAYOUTS, SCORES};
use crate::suites::{DecisionSuite, decision_suite, decision_suites};

/// All problems of all suites, by their names.
static PROBLEMS: LazyLock<HashMap<String, DecisionProblem>> = LazyLock::new(|| {
    let all = decision_suites().into_iter().flat_map(|suite| suite.problems);
    all.map(|problem| (problem.name.clone(), problem)).collect()
});

/// Decisions: actions chosen by an agent's predictions, and what they cost.
pub struct Decisions;

impl TaskKind for Decisions {
    const NAME: &'static str = "decisions";
    const FUEL: u64 = DECISION_FUEL;
    const UNITS_OF_ONE: Units = Units::OneProblem;
    const SHARED: &'static str = "environment";
    /// Where all actions are equally good, regret is no share of anything.
    const MAY_LACK_SCORES: bool = true;
    const REFERENCE: bool = true;
    /// Thompson sampling explores, so the posterior of the environment does not have the least regret of all.
    const REFERENCE_IS_BOUND: bool = false;
    type Options = DecisionOptions;
    type Scores = DecisionScores;

    fn interface(suite: &str) -> Interface {
        decision_suite(suite).map_or(Interface::Classification, |suite| suite.interface())
    }

    fn scores() -> Vec<&'static ScoreInfo> {
        SCORES.iter().map(|definition| &definition.about).collect()
    }

    fn layouts() -> &'static [Layout] {
        LAYOUTS
    }

    fn suites() -> Vec<SuiteOutline> {
        let outline = |suite: DecisionSuite| {
            SuiteOutline::new(suite.name, suite.problems.into_iter().map(|it| (it.name, it.coordinates)))
        };
        decision_suites().into_iter().map(outline).collect()
    }
}

impl TaskOptions for DecisionOptions {
    fn draws(&self) -> u32 {
        self.draws
    }

    fn trainings(&self) -> f64 {
        self.work()
    }

    fn is_known(&self, problem: &str) -> bool {
        let setting = PROBLEMS.get(problem).map(|problem| &problem.setting);
        setting.is_some_and(|setting| matches!(setting, Setting::Search { objective, .. } if objective.is_fixed()))
    }

    fn check(&self) -> Result<(), String> {
        Self::check(self).map_err(|error| error.to_string())
    }

    fn overrides(&self, suite: &str) -> Vec<Override> {
        let Some(own) = decision_suite(suite).map(|suite| suite.options) else { return Vec::new() };
        let Self { draws, steps, growth } = *self;
        let overrides = [
            (draws != own.draws).then(|| (counted(draws as usize, "draw"), format!("--draws {draws}"))),
            (steps != own.steps).then(|| (counted(steps as usize, "action"), format!("--steps {steps}"))),
            (growth != own.growth).then(|| (self.batches(), format!("--growth {growth}"))),
        ];
        overrides.into_iter().flatten().map(|(text, option)| Override { text, option }).collect()
    }
}

impl TaskScores for DecisionScores {
    fn values(&self, context: &Context) -> Vec<(ScoreName, Scored)> {
        ScoreDef::all(SCORES, self, context)
    }

    fn defect(&self, options: &dyn TaskOptions, problem: &str) -> Option<String> {
        let options: &dyn Any = options;
        self.impossible(options.downcast_ref::<DecisionOptions>()?, PROBLEMS.get(problem)?)
    }

    fn places(&self) -> Vec<u64> {
        let stages = self.course.iter().map(|stage| u64::from(stage.steps));
        stages.chain(self.lessons.iter().map(|lesson| u64::from(lesson.labels))).collect()
    }
}
