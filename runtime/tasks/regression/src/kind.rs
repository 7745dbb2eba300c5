//! Regression as a kind of task.

use jointly_core::counted;
use jointly_core::interface::Interface;
use jointly_core::kind::{Override, SuiteOutline, TaskKind, TaskOptions, TaskScores};
use jointly_core::limits::USUAL_FUEL;
use jointly_core::{Context, Layout, ScoreDef, ScoreInfo, ScoreName, Scored, Units};

use crate::problem::{Absence, RegressionOptions, RegressionUnit};
use crate::scores::{LAYOUTS, SCORES};
use crate::suites::{RegressionSuite, regression_suite, regression_suites};

/// The kind of task in which agents predict real numbers, jointly over many inputs.
pub struct Regression;

impl TaskKind for Regression {
    const NAME: &'static str = "regression";
    const FUEL: u64 = USUAL_FUEL;
    const UNITS_OF_ONE: Units = Units::OneProblem;
    type Options = RegressionOptions;
    type Scores = RegressionUnit;

    fn interface(_: &str) -> Interface {
        Interface::Regression
    }

    fn scores() -> Vec<&'static ScoreInfo> {
        SCORES.iter().map(|definition| &definition.about).collect()
    }

    fn layouts() -> &'static [Layout] {
        LAYOUTS
    }

    fn suites() -> Vec<SuiteOutline> {
        regression_suites().into_iter().map(RegressionSuite::outline).collect()
    }
}

impl RegressionSuite {
    /// Returns the suite's name and the name and coordinates of each problem, without their data.
    pub fn outline(self) -> SuiteOutline {
        SuiteOutline::new(self.name, self.problems.into_iter().map(|it| (it.name, it.coordinates)))
    }
}

impl TaskOptions for RegressionOptions {
    fn draws(&self) -> u32 {
        self.draws
    }

    fn check(&self) -> Result<(), String> {
        Self::check(self).map_err(|error| error.to_string())
    }

    fn overrides(&self, suite: &str) -> Vec<Override> {
        let Some(own) = regression_suite(suite).map(|suite| suite.options) else { return Vec::new() };
        let Self { draws, noise, residuals, agent_units, moment_draws, pool, test, rounds, .. } = *self;
        let number = |mine: u32, own: u32, option: &str, text: &dyn Fn(String) -> String, what: &str| {
            (mine != own).then(|| (text(counted(mine as usize, what)), format!("--{option} {mine}")))
        };
        let percents = |between| {
            self.levels.iter().map(|level| (100.0 * level).round().to_string()).collect::<Vec<_>>().join(between)
        };
        let overrides = [
            number(draws, own.draws, "draws", &|text| text, "draw"),
            (noise != own.noise).then(|| (format!("{} noise", noise.name()), format!("--noise {}", noise.name()))),
            (residuals != own.residuals)
                .then(|| (format!("{} residuals", residuals.name()), format!("--residuals {}", residuals.name()))),
            agent_units
                .filter(|_| agent_units != own.agent_units)
                .map(|units| (format!("agents see {} units", units.name()), format!("--agent-units {}", units.name()))),
            (self.levels != own.levels)
                .then(|| (format!("intervals of {} %", percents(", ")), format!("--levels {}", percents(",")))),
            number(moment_draws, own.moment_draws, "moment-draws", &|text| format!("covariances of {text}"), "draw"),
            number(pool, own.pool, "pool", &|text| text, "pool point"),
            number(test, own.test, "test", &|text| text, "test point"),
            (self.standardize_synthetic && !own.standardize_synthetic)
                .then(|| ("synthetic data standardised".to_owned(), "--standardize".to_owned())),
            number(rounds, own.rounds, "rounds", &|text| text, "round"),
        ];
        overrides.into_iter().flatten().map(|(text, option)| Override { text, option }).collect()
    }
}

impl TaskScores for RegressionUnit {
    fn values(&self, context: &Context) -> Vec<(ScoreName, Scored)> {
        ScoreDef::all(SCORES, self, context)
    }

    fn places(&self) -> Vec<u64> {
        let levels = self.scores.levels.iter().map(|scores| scores.level.to_bits());
        levels.chain(0..self.rounds.len() as u64).collect()
    }

    fn absences(&self) -> Vec<(&'static str, String)> {
        let absences = self.correlations.iter().flat_map(|correlations| &correlations.absences);
        let named = absences.flat_map(|Absence { score, reason }| {
            let names: &[&'static str] = match score.as_str() {
                "metacorrelation" => &["metacorrelation", "metacorrelation_ranks"],
                "variance_correlation" => &["variance_correlation", "variance_correlation_ranks"],
                "marginal" => &["marginal_nll"],
                "joint_random" => &["joint_nll"],
                "joint_correlated" => &["group_nll"],
                "xll_oracle" => &["xll_oracle"],
                _ => &[],
            };
            names.iter().map(|name| (*name, reason.clone()))
        });
        named.collect()
    }

    fn belief(&self) -> Option<&str> {
        self.correlations.as_ref().map(|correlations| correlations.belief.as_str())
    }

    fn clean(&mut self, clean: fn(&str) -> String) {
        let absences = self.correlations.iter_mut().flat_map(|correlations| &mut correlations.absences);
        absences.for_each(|absence| absence.reason = clean(&absence.reason));
    }
}
