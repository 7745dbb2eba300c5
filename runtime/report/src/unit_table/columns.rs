//! The columns of a table of units.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jointly_core::{FUEL, Repetition, ScoreName, Scored};
use jointly_score::scores::{AgentScores, ScoreColumn, Scores, UnitScores};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    /// A number without a sign.
    Count,
}

/// A column's value in one row.
pub(super) enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Number(f64),
    Count(u64),
}

/// A column.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    source: Source,
}

/// Where a column's cells come from.
enum Source {
    Of(Of),
    /// A setting that the agent was given.
    Setting(String),
    /// A score, or one of its errors.
    Score(ScoreName, fn(&Scored) -> Option<f64>),
}

/// Reads a cell from an agent and its result on a problem.
type Of = for<'a> fn(&'a AgentScores<'a>, &'a UnitScores<'a>) -> Cell<'a>;

/// The columns before those of settings: which agent.
const AGENT: [(&str, Kind, Of); 4] = [
    ("label", Kind::Text, |agent, _| text(&agent.planned.label)),
    ("agent", Kind::Text, |agent, _| text(&agent.planned.agent)),
    ("digest", Kind::Text, |agent, _| text(&agent.planned.digest)),
    ("tier", Kind::Text, |agent, _| text(agent.tier())),
];

/// The columns between those of settings and of scores: which problem.
const PROBLEM: [(&str, Kind, Of); 10] = [
    ("problem", Kind::Text, |_, unit| text(&unit.planned.problem)),
    ("series", Kind::Text, |_, unit| named(unit.planned.series())),
    ("group", Kind::Text, |_, unit| named(&unit.planned.coordinates.group)),
    ("cluster", Kind::Text, |_, unit| named(unit.planned.cluster())),
    ("input_dim", Kind::Count, |_, unit| count(unit.planned.coordinates.input_dim)),
    ("train_size", Kind::Count, |_, unit| count(unit.planned.coordinates.train_size)),
    ("temperature", Kind::Number, |_, unit| number(unit.planned.coordinates.temperature)),
    ("acquisition", Kind::Text, |_, unit| unit.planned.coordinates.acquisition.as_deref().map_or(Cell::Empty, text)),
    ("repetition", Kind::Text, |_, unit| repetition(unit).map_or(Cell::Empty, |(kind, _)| text(kind))),
    ("repetition_number", Kind::Count, |_, unit| count(repetition(unit).map(|(_, number)| number))),
];

/// The columns after those of scores: cost and failure.
const END: [(&str, Kind, Of); 5] = [
    ("fuel", Kind::Count, |_, unit| count(unit.fuel)),
    ("seconds", Kind::Number, |_, unit| number(unit.seconds)),
    ("failure_phase", Kind::Text, |_, unit| failure(unit, |failure| failure.phase.to_string())),
    ("failure_kind", Kind::Text, |_, unit| failure(unit, |failure| failure.kind.to_string())),
    ("failure_message", Kind::Text, |_, unit| failure(unit, |failure| failure.message.clone())),
];

/// Returns the columns of a run: its settings and scores are among them.
pub(super) fn of(scores: &Scores) -> Vec<Column> {
    let fixed = |columns: &[(&str, Kind, Of)]| -> Vec<Column> {
        let column = |(name, kind, of): &(&str, Kind, Of)| Column {
            name: (*name).to_owned(),
            kind: *kind,
            source: Source::Of(*of),
        };
        columns.iter().map(column).collect()
    };
    let settings: BTreeSet<&str> = scores.plan.agents.iter().flat_map(|agent| agent.settings.names()).collect();
    let setting = |name: &str| Column {
        name: format!("setting.{name}"),
        kind: Kind::Text,
        source: Source::Setting(name.to_owned()),
    };
    let mut columns = fixed(&AGENT);
    columns.extend(settings.into_iter().map(setting));
    columns.extend(fixed(&PROBLEM));
    // Fuel has a column of whole numbers.
    columns.extend(scores.columns().into_iter().filter(|score| score.name != *FUEL).flat_map(of_score));
    columns.extend(fixed(&END));
    columns
}

/// Returns the columns of a score: its value, and the errors that it has anywhere.
fn of_score(score: ScoreColumn) -> Vec<Column> {
    let ScoreColumn { name, has_errors, has_draws } = score;
    let column = |ending: &str, of| Column {
        name: format!("{name}{ending}"),
        kind: Kind::Number,
        source: Source::Score(name, of),
    };
    let mut columns = vec![column("", |scored| Some(scored.value))];
    if has_errors {
        columns.push(column("_stderr", |scored| scored.stderr));
    }
    if has_draws {
        columns.push(column("_draw_error", |scored| Some(scored.draws?.error)));
        columns.push(column("_effective_draws", |scored| Some(scored.draws?.effective)));
    }
    columns
}

impl Column {
    /// Returns the cell of an agent's result on a problem.
    pub(super) fn cell<'a>(&self, agent: &'a AgentScores<'a>, unit: &'a UnitScores<'a>) -> Cell<'a> {
        match &self.source {
            Source::Of(of) => of(agent, unit),
            Source::Setting(name) => agent.planned.settings.get(name).map_or(Cell::Empty, text),
            Source::Score(name, of) => number(unit.value(*name).and_then(|scored| of(&scored))),
        }
    }
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(text.into())
}

/// Returns a name, which is empty where there is none.
fn named(name: &str) -> Cell<'_> {
    if name.is_empty() { Cell::Empty } else { text(name) }
}

fn number<'a>(number: Option<f64>) -> Cell<'a> {
    number.map_or(Cell::Empty, Cell::Number)
}

fn count<'a>(count: Option<impl Into<u64>>) -> Cell<'a> {
    count.map_or(Cell::Empty, |count| Cell::Count(count.into()))
}

fn repetition(unit: &UnitScores) -> Option<(&'static str, u32)> {
    Some(match unit.planned.coordinates.repetition? {
        Repetition::Seed(number) => ("seed", number),
        Repetition::Simulation(number) => ("simulation", number),
        Repetition::Split(number) => ("split", number),
        Repetition::Set(number) => ("set", number),
    })
}

fn failure<'a>(unit: &UnitScores, of: fn(&jointly_core::failure::Failure) -> String) -> Cell<'a> {
    unit.failure.map_or(Cell::Empty, |failure| Cell::Text(of(failure).into()))
}
