//! Classification as a kind of task.

use std::any::Any;

use jointly_core::counted;
use jointly_core::interface::Interface;
use jointly_core::kind::{Calibration, Override, SuiteOutline, TaskKind, TaskOptions, TaskScores};
use jointly_core::limits::USUAL_FUEL;
use jointly_core::metric::MARGINAL_METRICS;
use jointly_core::{Context, Layout, Partitioning, Real, ScoreDef, ScoreInfo, ScoreName, Scored, Units};

use crate::scores::{LAYOUTS, SCORES};
use crate::suite::{IMPORTED, Suite, suite, suites};
use crate::{AskedDraws, Evaluation, ProblemScores};

/// Classification: joint class probabilities over many inputs.
pub struct Classification;

impl TaskKind for Classification {
    const NAME: &'static str = "classification";
    const FUEL: u64 = USUAL_FUEL;
    const UNITS_OF_ONE: Units = Units::TauSamples;
    const REFERENCE: bool = true;
    type Options = Evaluation;
    type Scores = ProblemScores;

    fn interface(_: &str) -> Interface {
        Interface::Classification
    }

    fn scores() -> Vec<&'static ScoreInfo> {
        let own = SCORES.iter().map(|definition| &definition.about);
        own.chain(MARGINAL_METRICS.iter().map(|metric| &metric.about)).collect()
    }

    fn layouts() -> &'static [Layout] {
        LAYOUTS
    }

    fn suites() -> Vec<SuiteOutline> {
        let outline = |suite: Suite| {
            SuiteOutline::new(suite.name, suite.problems.into_iter().map(|it| (it.name, it.coordinates)))
        };
        suites().into_iter().map(outline).collect()
    }
}

impl TaskOptions for Evaluation {
    fn draws(&self) -> u32 {
        self.draws
    }

    fn estimator(&self) -> Partitioning {
        self.partition
    }

    fn precision(&self) -> Option<f64> {
        self.precision.map(|Real(precision)| precision)
    }

    fn tau_samples(&self) -> Option<u32> {
        Some(self.samples)
    }

    fn check(&self) -> Result<(), String> {
        Self::check(self).map_err(|error| error.to_string())
    }

    fn overrides(&self, name: &str) -> Vec<Override> {
        let imported = || (name == IMPORTED).then(|| Suite::imported(Vec::new()));
        let Some(own) = suite(name).or_else(imported).map(|suite| suite.evaluation) else { return Vec::new() };
        let Self { draws, precision, partition, planes, clip, .. } = *self;
        let until = |Real(precision): Real| {
            let text = format!("draws until {precision} nats, at most {draws}");
            (text, format!("--draws {}", AskedDraws::of(self)))
        };
        let overrides = [
            precision.map(until).or_else(|| {
                (draws != own.draws).then(|| (counted(draws as usize, "draw"), format!("--draws {draws}")))
            }),
            // A precision brings the jackknife with it.
            (partition != own.partition && precision.is_none()).then(|| {
                let name = partition.name();
                let text = match partition {
                    Partitioning::Planes | Partitioning::KMeans => format!("partitioned by {name}"),
                    Partitioning::Jackknife => "Monte Carlo corrected by the jackknife".to_owned(),
                };
                (text, format!("--partition {name}"))
            }),
            (planes != own.planes).then(|| (counted(planes as usize, "plane"), format!("--planes {planes}"))),
            (!clip && own.clip).then(|| ("probits not clipped".to_owned(), "--no-clip".to_owned())),
        ];
        overrides.into_iter().flatten().map(|(text, option)| Override { text, option }).collect()
    }
}

impl TaskScores for ProblemScores {
    fn values(&self, context: &Context) -> Vec<(ScoreName, Scored)> {
        let mut all = ScoreDef::all(SCORES, self, context);
        all.extend(self.marginal.scores());
        all
    }

    fn defect(&self, options: &dyn TaskOptions, _: &str) -> Option<String> {
        let options: &dyn Any = options;
        let evaluation = options.downcast_ref::<Evaluation>()?;
        let taus: Vec<u32> = self.joint.iter().map(|(tau, _)| *tau).collect();
        // An imported problem has the one tau of its file.
        let all = if evaluation.taus.is_empty() { taus.len() == 1 } else { taus == evaluation.taus };
        if !all {
            return Some(format!("joint scores at tau {taus:?}, and not at {:?}", evaluation.taus));
        }
        let possible = match self.draws {
            None => evaluation.precision.is_none(),
            Some(draws) => evaluation.precision.is_some() && evaluation.steps().contains(&draws),
        };
        (!possible).then(|| match self.draws {
            None => "no number of draws".to_owned(),
            Some(draws) => format!("a result of {}", counted(draws as usize, "draw")),
        })
    }

    fn places(&self) -> Vec<u64> {
        self.joint.iter().map(|(tau, _)| u64::from(*tau)).collect()
    }

    fn calibration(&self) -> Calibration<'_> {
        Calibration::of([self.calibration.as_slice()], [])
    }
}
