//! Kinds of task: the traits through which plans, journals, scores and reports use them.
//!
//! A kind is a type that implements [`TaskKind`], in a crate of `runtime/tasks`. `record` has the list of kinds, and
//! accesses the data that it stores for a kind through [`Kind`], [`TaskOptions`] and [`TaskScores`], which know no type
//! of a kind.

use std::any::Any;

use crate::coordinates::Coordinates;
use crate::estimate::Partitioning;
use crate::interface::Interface;
use crate::layout::Layout;
use crate::metric::CalibrationBin;
use crate::score_def::{Context, ScoreInfo, ScoreName};
use crate::scored::Scored;
use crate::units::Units;

/// A kind of task.
pub trait TaskKind: 'static {
    /// The kind's name in lists and documentation.
    const NAME: &'static str;
    /// The default limit of an agent's fuel on one problem.
    const FUEL: u64;
    /// The units of the standard error if a run has a single problem.
    const UNITS_OF_ONE: Units;
    /// The name of that which problems of one cluster share.
    const SHARED: &'static str = "dataset";
    /// Whether some of a suite's problems may lack a score that others have.
    const MAY_LACK_SCORES: bool = false;
    /// Whether the host's reference may take part: the sampler of the true posterior, on problems of which it is known.
    const REFERENCE: bool = false;
    /// Whether no agent scores better than the reference on average, so that it is a floor.
    const REFERENCE_IS_BOUND: bool = true;
    /// The type of its evaluation options.
    type Options: TaskOptions;
    /// The type of an agent's result on a problem.
    type Scores: TaskScores;

    /// Returns the interface that agents support in the suite of this name.
    fn interface(suite: &str) -> Interface;

    /// Returns the descriptions of its scores, in the order in which they are listed everywhere.
    fn scores() -> Vec<&'static ScoreInfo>;

    /// Returns the layouts of its leaderboards; the first that applies is used.
    fn layouts() -> &'static [Layout];

    /// Returns its suites.
    fn suites() -> Vec<SuiteOutline>;
}

/// A suite without the contents of its problems.
pub struct SuiteOutline {
    /// The name of the suite on the command line.
    pub name: String,
    /// The names of its problems with their coordinates, in order.
    pub problems: Vec<(String, Coordinates)>,
}

impl SuiteOutline {
    /// Makes the outline of a suite of that name with these problems.
    pub fn new(name: String, problems: impl Iterator<Item = (String, Coordinates)>) -> Self {
        Self { name, problems: problems.collect() }
    }
}

/// Evaluation options: numbers that the user may choose.
pub trait TaskOptions: Any {
    /// Returns the number of functions sampled from each agent.
    fn draws(&self) -> u32;

    /// Returns the estimator of joint scores, which decides how many draws suffice.
    fn estimator(&self) -> Partitioning {
        Partitioning::default()
    }

    /// Returns the number of tau-samples of each problem that the host samples, if there are any.
    fn tau_samples(&self) -> Option<u32> {
        None
    }

    /// Returns the precision of joint scores for which draws are asked, in nats, if there is one.
    fn precision(&self) -> Option<f64> {
        None
    }

    /// Returns whether the problem of that name has the same answers under every seed, and no data that would have to be got.
    fn is_known(&self, _problem: &str) -> bool {
        false
    }

    /// Returns the work of all trainings of an agent on a problem, in trainings of the usual size.
    fn trainings(&self) -> f64 {
        1.0
    }

    /// Checks the numbers, which may come from anywhere.
    ///
    /// # Errors
    /// The first number that is out of its range, as a message.
    fn check(&self) -> Result<(), String>;

    /// Lists the overrides of the options of the suite of that name; empty if there is no such suite.
    fn overrides(&self, suite: &str) -> Vec<Override>;
}

/// A user's override of one of the suite's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The text in the heading of a table: `7 planes`.
    pub text: String,
    /// The option of `jointly run`: `--planes 7`.
    pub option: String,
}

/// The result of an agent on a problem, from which its scores are computed.
pub trait TaskScores: Any + Send + Sync {
    /// Returns all scores, in the order of their definitions.
    fn values(&self, context: &Context) -> Vec<(ScoreName, Scored)>;

    /// Describes what no result on the problem of this name under these options has, if this one has it; results may come
    /// from anywhere.
    fn defect(&self, _options: &dyn TaskOptions, _problem: &str) -> Option<String> {
        None
    }

    /// Returns the numbers by which scores of one meaning are told apart, such as taus, the bits of levels, or rounds.
    fn places(&self) -> Vec<u64>;

    /// Returns the data of a reliability diagram; it is empty unless predictions are of classes.
    fn calibration(&self) -> Calibration<'_> {
        Calibration::default()
    }

    /// Returns the scores in each condition, or `None` if there is only one.
    fn conditions(&self) -> Option<Vec<ConditionValues>> {
        None
    }

    /// Returns the scores that have no value, and why.
    fn absences(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the digest of the agent's predictions, if agents are scored against each other by them.
    fn belief(&self) -> Option<&str> {
        None
    }

    /// Makes its texts safe to print on a terminal.
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
    /// The kind's name in lists and documentation.
    pub name: &'static str,
    /// The interface that agents support in the suite of a name.
    pub interface: fn(&str) -> Interface,
    /// The default limit of an agent's fuel on one problem.
    pub fuel: u64,
    /// The units of the standard error if a run has a single problem.
    pub units_of_one: Units,
    /// The name of that which problems of one cluster share.
    pub shared: &'static str,
    /// Whether some of a suite's problems may lack a score that others have.
    pub may_lack_scores: bool,
    /// Whether the host's reference may take part.
    pub reference: bool,
    /// Whether the reference is a floor.
    pub reference_is_bound: bool,
    /// The descriptions of its scores.
    pub scores: fn() -> Vec<&'static ScoreInfo>,
    /// The layouts of its leaderboards.
    pub layouts: fn() -> &'static [Layout],
    /// Its suites.
    pub suites: fn() -> Vec<SuiteOutline>,
}

impl Kind {
    /// Makes the value of a kind.
    pub const fn of<K: TaskKind>() -> Self {
        Self {
            name: K::NAME,
            interface: K::interface,
            fuel: K::FUEL,
            units_of_one: K::UNITS_OF_ONE,
            shared: K::SHARED,
            may_lack_scores: K::MAY_LACK_SCORES,
            reference: K::REFERENCE,
            reference_is_bound: K::REFERENCE_IS_BOUND,
            scores: K::scores,
            layouts: K::layouts,
            suites: K::suites,
        }
    }

    /// Returns whether this is the kind `K`.
    pub fn is<K: TaskKind>(&self) -> bool {
        self.name == K::NAME
    }
}

impl<'a> Calibration<'a> {
    /// Collects sets of bins. Results from before bins were introduced have empty ones, which are left out.
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
