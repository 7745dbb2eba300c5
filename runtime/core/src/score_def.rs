//! The definition of a score: name, direction, unit and meaning, and how it is read from a result.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use crate::estimate::Partitioning;
use crate::metric::Metric;
use crate::score::JointScore;
use crate::scored::Scored;

/// A number that exceeds the number of definitions in any list.
const LIST: u16 = 1 << 10;

/// The first place, within a list, of definitions that several kinds share.
const OTHERS: u16 = LIST / 2;

/// A regular expression for the endings of names, as [`ScoreName`] writes them.
const ENDINGS: &str = "(_tau[0-9]+|_aggregate|_[0-9]+|_round[0-9]+|_step[0-9]+)?(_shifted)?";

/// How far a share may be outside its range by rounding.
const ROUNDING: f64 = 1e-9;

/// The stem of the fuel that a unit used.
pub const FUEL: &str = "fuel";

/// A score of results of type `S`.
pub struct ScoreDef<S: ?Sized + 'static> {
    /// The name, direction, unit and meaning.
    pub about: ScoreInfo,
    /// Reads its values from a result: one for each place where it is taken, or none if the result has no such score.
    pub values: fn(&S, &Context) -> Vec<(At, Scored)>,
}

/// The further values, besides a unit's result, that its scores depend on.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The metric of the problem's joint scores.
    pub metric: Metric,
    /// The number of functions sampled from the agent.
    pub draws: u32,
    /// The estimator of joint scores.
    pub estimator: Partitioning,
    /// The precision of joint scores for which draws were asked, in nats, if there was one.
    pub precision: Option<f64>,
    /// The fuel that the unit used; None if it was not metered.
    pub fuel: Option<u64>,
}

impl Context {
    /// Returns whether a joint score has too few draws: [too few of them count](JointScore::needs_more_draws), or they do not
    /// give the precision for which they were asked.
    pub fn few(&self, score: &JointScore, draws: u32) -> bool {
        let imprecise = |precision| !score.is_precise(precision, draws);
        score.needs_more_draws(draws, self.estimator) || self.precision.is_some_and(imprecise)
    }
}

/// The description of a score, wherever it is shown.
pub struct ScoreInfo {
    /// The beginning of its names.
    pub stem: &'static str,
    /// The direction in which it is better.
    pub better: Better,
    /// Its unit.
    pub unit: Unit,
    /// Its explanation, in a sentence or two.
    pub meaning: Meaning,
}

/// The explanation of a score.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// One text for every place.
    Text(&'static str),
    /// A text that depends on the place.
    At(fn(At) -> String),
}

/// The place where a score is taken: the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    /// Taken once: the name is the stem.
    Once,
    /// Taken on tau labels jointly: `_tau10`.
    Tau(u32),
    /// Aggregated over several taus: `_aggregate`.
    Aggregate,
    /// Taken at a level of intervals, in percent: `_90`.
    Level(u32),
    /// Taken after a round of active learning: `_round3`.
    Round(u32),
    /// Taken after a number of actions: `_step1000`.
    Step(u32),
}

/// The direction in which a score is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Lower values are better.
    Lower,
    /// Higher values are better.
    Higher,
    /// Values near a target, such as an interval's level, are better.
    Near,
    /// Neither is better: the score only describes the prediction.
    Neither,
}

/// The unit of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nats: natural logarithms of probabilities or densities.
    Nats,
    /// A share, from 0 to 1.
    Share,
    /// Another number without a unit.
    One,
    /// The unit of the data's targets.
    Target,
    /// Units of fuel, about one for each instruction.
    Fuel,
}

/// The name of a score: its definition, the place where it is taken, and whether it is the mean over levels of dataset
/// shift.
///
/// Names are ordered by their definitions, then by the place where the score is taken.
#[derive(Clone, Copy)]
pub struct ScoreName {
    about: &'static ScoreInfo,
    place: u16,
    at: At,
    shifted: bool,
}

impl ScoreInfo {
    /// Describes a score that means the same at every place.
    pub const fn new(stem: &'static str, better: Better, unit: Unit, meaning: &'static str) -> Self {
        Self { stem, better, unit, meaning: Meaning::Text(meaning) }
    }

    /// Explains the score, taken at a place.
    pub fn meaning(&self, at: At) -> Cow<'static, str> {
        match self.meaning {
            Meaning::Text(text) => text.into(),
            Meaning::At(text) => text(at).into(),
        }
    }

    /// Returns a regular expression, without anchors, for the names of the score at any place.
    pub fn pattern(&self) -> String {
        format!("{}{ENDINGS}", self.stem)
    }
}

impl<S: ?Sized> ScoreDef<S> {
    /// Defines a score that means the same at every place.
    pub const fn new(
        stem: &'static str,
        better: Better,
        unit: Unit,
        meaning: &'static str,
        values: fn(&S, &Context) -> Vec<(At, Scored)>,
    ) -> Self {
        Self { about: ScoreInfo::new(stem, better, unit, meaning), values }
    }

    /// Returns all values of the definitions' scores that a result has, in the order of the definitions.
    pub fn all(definitions: &'static [Self], result: &S, context: &Context) -> Vec<(ScoreName, Scored)> {
        let of = |(place, definition): (usize, &'static Self)| {
            let named = move |(at, scored)| (definition.name(place, at), scored);
            (definition.values)(result, context).into_iter().map(named)
        };
        definitions.iter().enumerate().flat_map(of).collect()
    }

    /// Defines the score of the fuel that a unit used, which every kind of task has.
    pub const fn fuel() -> Self {
        let meaning = "What the agent executed to train and to predict on a problem, about an instruction each: a cost that no \
                       machine changes.";
        Self::new(FUEL, Better::Lower, Unit::Fuel, meaning, |_, context| {
            context.fuel.map(|fuel| (At::Once, Scored::plain(fuel as f64))).into_iter().collect()
        })
    }

    /// Returns the name of the score with this stem, taken at a place.
    ///
    /// # Panics
    /// When there is no such definition.
    pub fn named(definitions: &'static [Self], stem: &str, at: At) -> ScoreName {
        let place = definitions.iter().position(|definition| definition.about.stem == stem);
        let place = place.expect("a score that is named has a definition");
        definitions[place].name(place, at)
    }

    fn name(&'static self, place: usize, at: At) -> ScoreName {
        ScoreName { about: &self.about, place: place as u16, at, shifted: false }
    }
}

impl ScoreName {
    /// Makes the name of a score that several kinds share. It is ordered behind the definitions of the kind; `place` is
    /// its position in the shared list.
    pub(crate) fn listed(about: &'static ScoreInfo, place: usize, at: At) -> Self {
        Self { about, place: OTHERS + place as u16, at, shifted: false }
    }

    /// Returns the name of the mean of this score over all levels of dataset shift.
    #[must_use]
    pub fn shifted(self) -> Self {
        Self { shifted: true, ..self.behind() }
    }

    /// Returns the same name, ordered behind all names of its list of definitions and of the lists before it.
    #[must_use]
    pub fn behind(self) -> Self {
        Self { place: self.place.saturating_add(LIST), ..self }
    }

    /// Returns whether the score is the mean over all levels of dataset shift.
    pub fn is_shifted(self) -> bool {
        self.shifted
    }

    /// Returns why no prediction has a value, if it is so: a share outside its range, or an error below 0.
    pub fn defect(self, scored: &Scored) -> Option<&'static str> {
        let errors = [scored.stderr, scored.draws.map(|draws| draws.error)];
        if errors.into_iter().flatten().any(|error| error < 0.0) {
            return Some("a standard error below 0");
        }
        let outside = scored.value < -ROUNDING || scored.value > 1.0 + ROUNDING;
        (self.unit() == Unit::Share && outside).then_some("a value outside the range from 0 to 1")
    }

    /// Returns the beginning of the name.
    pub fn stem(self) -> &'static str {
        self.about.stem
    }

    /// Returns the place where the score is taken.
    pub fn at(self) -> At {
        self.at
    }

    /// Returns the direction in which the score is better.
    pub fn better(self) -> Better {
        self.about.better
    }

    /// Returns the unit of the score.
    pub fn unit(self) -> Unit {
        self.about.unit
    }

    /// Returns the name that stands for the score at all levels, in all rounds, after any number of actions, or for all
    /// means over levels of shift, which share one explanation.
    pub fn heading(self) -> String {
        match (self.shifted, self.at) {
            (true, _) => "\u{2026}_shifted".to_owned(),
            (false, At::Level(_)) => format!("{}_L", self.stem()),
            (false, At::Round(_)) => format!("{}_roundR", self.stem()),
            (false, At::Step(_)) => format!("{}_stepN", self.stem()),
            (false, _) => self.to_string(),
        }
    }

    /// Explains the score in a sentence or two.
    pub fn meaning(self) -> Cow<'static, str> {
        if self.shifted {
            return "The score of that name in the mean over all levels of shift, each of which counts as much as another.".into();
        }
        self.about.meaning(self.at)
    }

    fn key(self) -> (u16, At) {
        (self.place, self.at)
    }
}

impl fmt::Display for ScoreName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.about.stem)?;
        match self.at {
            At::Once => Ok(()),
            At::Tau(tau) => write!(formatter, "_tau{tau}"),
            At::Aggregate => formatter.write_str("_aggregate"),
            At::Level(percent) => write!(formatter, "_{percent}"),
            At::Round(round) => write!(formatter, "_round{round}"),
            At::Step(step) => write!(formatter, "_step{step}"),
        }?;
        formatter.write_str(if self.shifted { "_shifted" } else { "" })
    }
}

impl fmt::Debug for ScoreName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl PartialEq for ScoreName {
    fn eq(&self, other: &Self) -> bool {
        // Names of one run differ most often in the place, which is faster to compare than a text.
        (self.at, self.shifted) == (other.at, other.shifted) && self.stem() == other.stem()
    }
}

impl Eq for ScoreName {}

impl PartialOrd for ScoreName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ScoreName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key()).then_with(|| self.stem().cmp(other.stem()))
    }
}

/// The part of a text that has not been compared yet.
struct Rest<'a>(&'a str);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// Compares the written form of the name with a text, without allocating.
impl PartialEq<str> for ScoreName {
    fn eq(&self, text: &str) -> bool {
        let mut rest = Rest(text);
        write!(rest, "{self}").is_ok() && rest.0.is_empty()
    }
}

impl PartialEq<&str> for ScoreName {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl PartialEq<String> for ScoreName {
    fn eq(&self, text: &String) -> bool {
        *self == **text
    }
}

impl fmt::Display for Better {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
            Self::Near => "near its level",
            Self::Neither => "-",
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Nats => "nats",
            Self::Share => "share",
            Self::One => "-",
            Self::Target => "target",
            Self::Fuel => "fuel",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITIONS: &[ScoreDef<f64>] = &[
        ScoreDef {
            about: ScoreInfo {
                stem: "nll",
                better: Better::Lower,
                unit: Unit::Nats,
                meaning: Meaning::At(|at| format!("at {at:?}")),
            },
            values: |x, _| vec![(At::Tau(10), Scored::plain(*x)), (At::Aggregate, Scored::plain(2.0 * x))],
        },
        ScoreDef::new("picp", Better::Near, Unit::One, "covers", |x, _| {
            [At::Level(90), At::Once, At::Round(3), At::Step(10)].map(|at| (at, Scored::plain(*x))).to_vec()
        }),
        ScoreDef::fuel(),
    ];

    const CONTEXT: Context =
        Context { metric: Metric::Nll, draws: 10, estimator: Partitioning::Planes, precision: None, fuel: Some(7) };

    #[test]
    fn names_are_written_as_they_are_compared() {
        let names: Vec<ScoreName> =
            ScoreDef::all(DEFINITIONS, &1.0, &CONTEXT).into_iter().map(|(name, _)| name).collect();
        let texts = ["nll_tau10", "nll_aggregate", "picp_90", "picp", "picp_round3", "picp_step10", "fuel"];
        for (i, name) in names.iter().enumerate() {
            assert_eq!(name.to_string(), texts[i]);
            for (j, text) in texts.iter().enumerate() {
                assert_eq!(*name == **text, i == j, "{name} and {text}");
                assert!(name.shifted() != **text);
            }
            assert!(name.shifted() == *format!("{name}_shifted"));
            assert!(*name != *format!("{name}0"));
        }
        assert_eq!(names[2].heading(), "picp_L");
        assert_eq!(names[4].heading(), "picp_roundR");
        assert_eq!(names[5].heading(), "picp_stepN");
        assert_eq!(names[0].heading(), "nll_tau10");
        assert_eq!(names[0].meaning(), "at Tau(10)");
        assert_eq!(names[0].shifted().heading(), names[2].shifted().heading());
    }

    #[test]
    fn names_order_as_definitions_do() {
        let mut names: Vec<ScoreName> =
            ScoreDef::all(DEFINITIONS, &1.0, &CONTEXT).into_iter().map(|(name, _)| name).collect();
        names.push(names[0].shifted());
        names.reverse();
        names.sort();
        let texts: Vec<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "nll_tau10",
                "nll_aggregate",
                "picp",
                "picp_90",
                "picp_round3",
                "picp_step10",
                "fuel",
                "nll_tau10_shifted"
            ]
        );
    }
}
