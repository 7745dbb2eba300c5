//! A kind of task: the traits that plans, journals, scores and reports use one by.
//!
//! A kind is a type that implements [`TaskKind`], in a crate of `runtime/tasks`. `record` has the list of kinds; what it stores
//! of a kind it asks by [`Kind`], [`TaskOptions`] and [`TaskScores`], which know no type of a kind.

use std::any::Any;

use crate::coordinates::Coordinates;
use crate::interface::Interface;
use crate::layout::Layout;
use crate::metric::CalibrationBin;
use crate::score_def::{Context, ScoreInfo, ScoreName};
use crate::scored::Scored;
use crate::units::Units;

/// A kind of task.
pub trait TaskKind: 'static {
    /// The name that lists and documentation have for it.
    const NAME: &'static str;
    /// The interface that its agents support.
    const INTERFACE: Interface;
    /// The fuel that an agent may use on one problem unless a person says otherwise.
    const FUEL: u64;
    /// The units that a standard error is over where a run has a single problem.
    const UNITS_OF_ONE: Units;
    /// Whether some of a suite's problems may lack a score that others have.
    const MAY_LACK_SCORES: bool = false;
    /// The type of its evaluation options.
    type Options: TaskOptions;
    /// The type of an agent's result on a problem.
    type Scores: TaskScores;

    /// The descriptions of its scores, in the order in which they are listed everywhere.
    fn scores() -> Vec<&'static ScoreInfo>;

    /// The layouts of its leaderboards, of which the first that holds is taken.
    fn layouts() -> &'static [Layout];

    /// Its suites.
    fn suites() -> Vec<SuiteOutline>;
}

/// A suite less what its problems are made of.
pub struct SuiteOutline {
    /// The name that the command takes.
    pub name: String,
    /// The names of its problems and where these stand, in their order.
    pub problems: Vec<(String, Coordinates)>,
}

impl SuiteOutline {
    /// The outline of a suite of that name with these problems.
    pub fn new(name: String, problems: impl Iterator<Item = (String, Coordinates)>) -> Self {
        Self { name, problems: problems.collect() }
    }
}

/// Evaluation options: numbers that a person may choose.
pub trait TaskOptions: Any {
    /// Functions sampled from each agent.
    fn draws(&self) -> u32;

    /// Checks numbers that may come from anywhere.
    ///
    /// # Errors
    /// The first number that is out of its range, as a message.
    fn check(&self) -> Result<(), String>;

    /// Lists the choices in place of the own options of the suite of that name; nothing where there is no such suite.
    fn overrides(&self, suite: &str) -> Vec<Override>;
}

/// Something that a person chose in place of a suite's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// As the heading of a table has it: `7 planes`.
    pub text: String,
    /// As an option of `jointly run`: `--planes 7`.
    pub option: String,
}

/// The result of an agent on a problem: all that its scores are computed from.
pub trait TaskScores: Any + Send + Sync {
    /// All scores, in the order of their definitions.
    fn values(&self, context: &Context) -> Vec<(ScoreName, Scored)>;

    /// What a reliability diagram is drawn from; empty where predictions are not of classes.
    fn calibration(&self) -> Calibration<'_> {
        Calibration::default()
    }

    /// The scores in each condition; none where there is but one.
    fn conditions(&self) -> Option<Vec<ConditionValues>> {
        None
    }

    /// Scores that it has no value of, and why.
    fn absences(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The digest of the agent's predictions, where agents are scored against each other by these.
    fn belief(&self) -> Option<&str> {
        None
    }

    /// Makes its texts fit for a terminal.
    fn clean(&mut self, _clean: fn(&str) -> String) {}
}

/// The bins of marginal predictions' confidence, for each set of test inputs that a unit has.
#[derive(Clone, Debug, Default)]
pub struct Calibration<'a> {
    /// At test inputs like those of training.
    pub unshifted: Vec<&'a [CalibrationBin]>,
    /// At every level of dataset shift.
    pub shifted: Vec<&'a [CalibrationBin]>,
}

/// The scores of one condition.
pub struct ConditionValues {
    /// The condition's name.
    pub condition: String,
    /// The number of test inputs.
    pub inputs: u32,
    /// The scores by name.
    pub values: Vec<(String, Scored)>,
}

/// A kind of task as a value, without its types.
pub struct Kind {
    /// The name that lists and documentation have for it.
    pub name: &'static str,
    /// The interface that its agents support.
    pub interface: Interface,
    /// The fuel that an agent may use on one problem unless a person says otherwise.
    pub fuel: u64,
    /// The units that a standard error is over where a run has a single problem.
    pub units_of_one: Units,
    /// Whether some of a suite's problems may lack a score that others have.
    pub may_lack_scores: bool,
    /// The descriptions of its scores.
    pub scores: fn() -> Vec<&'static ScoreInfo>,
    /// The layouts of its leaderboards.
    pub layouts: fn() -> &'static [Layout],
    /// Its suites.
    pub suites: fn() -> Vec<SuiteOutline>,
}

impl Kind {
    /// The value of a kind.
    pub const fn of<K: TaskKind>() -> Self {
        Self {
            name: K::NAME,
            interface: K::INTERFACE,
            fuel: K::FUEL,
            units_of_one: K::UNITS_OF_ONE,
            may_lack_scores: K::MAY_LACK_SCORES,
            scores: K::scores,
            layouts: K::layouts,
            suites: K::suites,
        }
    }

    /// Whether it is that kind.
    pub fn is<K: TaskKind>(&self) -> bool {
        self.name == K::NAME
    }
}

impl<'a> Calibration<'a> {
    /// Collects sets of bins. Results from before there were bins have empty ones, which are left out.
    pub fn of(
        unshifted: impl IntoIterator<Item = &'a [CalibrationBin]>,
        shifted: impl IntoIterator<Item = &'a [CalibrationBin]>,
    ) -> Self {
        let some = |bins: &&[CalibrationBin]| !bins.is_empty();
        Self {
            unshifted: unshifted.into_iter().filter(some).collect(),
            shifted: shifted.into_iter().filter(some).collect(),
        }
    }
}
