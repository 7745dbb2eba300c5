//! Where the results of a journal are in its text, so that they can be read again and need not be held.

use std::collections::HashMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::iter;
use std::num::NonZeroU32;

use anyhow::{Context, Result, ensure};

use crate::files::MOST_PLAN;
use crate::plan::{MOST_AGENTS, MOST_PROBLEMS, Plan};
use crate::unit::{Unit, UnitResult};

/// The bytes that are read ahead: results of one agent are often far apart.
const READ_AHEAD: usize = 8 << 10;

/// The bytes of a journal whose results are held together; as values they take several times as many.
pub const TOGETHER: u64 = 16 << 20;

/// Divides a list into parts whose results may be held together, each of at least one.
pub fn parts<T>(mut list: &[T], line: impl Fn(&T) -> Line) -> impl Iterator<Item = &[T]> {
    iter::from_fn(move || {
        let mut bytes = 0;
        let some = list.iter().take_while(|item| {
            bytes += line(item).bytes();
            bytes <= TOGETHER
        });
        let (part, rest) = list.split_at_checked(some.count().max(1))?;
        list = rest;
        Some(part)
    })
}

/// The place of one result in the text of its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first byte.
    at: u64,
    /// The number of bytes, without the end of the line.
    bytes: NonZeroU32,
    /// A checksum of the bytes, by which a change between two readings is noticed.
    crc: u32,
}

impl Line {
    /// Returns the number of bytes.
    pub fn bytes(self) -> u64 {
        u64::from(self.bytes.get())
    }
}

/// The results of a journal by their places in its text: 24 bytes for each.
#[derive(Debug, Default)]
pub struct Lines {
    agents: Names,
    problems: Names,
    all: Vec<UnitLine>,
    failures: usize,
    beliefs: bool,
}

/// The place of a result, with the agent and the problem by their places among the names of the journal.
#[derive(Debug)]
struct UnitLine {
    line: Line,
    agent: u32,
    problem: u32,
}

impl Lines {
    /// Returns the number of results.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of units in which the agent failed.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// Returns whether a result names predictions by which agents are scored against each other.
    pub fn have_beliefs(&self) -> bool {
        self.beliefs
    }

    /// Returns all results in the order of the journal.
    pub fn all(&self) -> impl Iterator<Item = Line> {
        self.all.iter().map(|unit| unit.line)
    }

    /// Returns all results in the order of the journal, each with its unit by places in the plan.
    ///
    /// # Errors
    /// With the agent's label and the problem's name of a result that is of no unit of the plan.
    pub fn units<'l>(&'l self, plan: &Plan) -> impl Iterator<Item = Result<(Unit, Line), (&'l str, &'l str)>> {
        let agents = self.agents.places(plan.agents.iter().map(|agent| agent.label.as_str()));
        let problems = self.problems.places(plan.problems.iter().map(|planned| planned.problem.as_str()));
        self.all.iter().map(move |own| {
            let (agent, problem) = (own.agent as usize, own.problem as usize);
            let unit = agents[agent].zip(problems[problem]).map(|(agent, problem)| Unit { agent, problem });
            let names = || (self.agents.all[agent].as_str(), self.problems.all[problem].as_str());
            unit.map(|unit| (unit, own.line)).ok_or_else(names)
        })
    }

    /// Finds the results of a plan's units.
    pub fn of_plan(&self, plan: &Plan) -> PlanLines {
        let mut found = PlanLines::new(plan);
        for unit in self.units(plan) {
            match unit {
                Ok((unit, line)) => found.set(unit, line),
                Err((agent, problem)) => {
                    let other = (agent.to_owned(), problem.to_owned());
                    found.other = Some(found.other.take().map_or(other.clone(), |first| first.min(other)));
                }
            }
        }
        found
    }

    /// Adds a result, whose text begins at a place of the journal. Returns a key of its unit.
    ///
    /// # Errors
    /// When the journal has more names than any plan.
    pub(crate) fn add(&mut self, result: &UnitResult, at: u64, text: &[u8]) -> Result<(u32, u32)> {
        let (agent, problem) = (self.agents.place(&result.agent), self.problems.place(&result.problem));
        ensure!(
            self.agents.bytes + self.problems.bytes <= MOST_PLAN,
            "its agents and problems have longer names than those of any plan"
        );
        ensure!(
            self.agents.all.len() <= MOST_AGENTS && self.problems.all.len() <= MOST_PROBLEMS,
            "it names more agents than {MOST_AGENTS}, or more problems than {MOST_PROBLEMS}: the journal is of no plan"
        );
        self.failures += usize::from(result.outcome.failure().is_some());
        self.beliefs |= result.outcome.belief().is_some();
        let line = Line { at, bytes: u32::try_from(text.len())?.try_into()?, crc: crc32fast::hash(text) };
        self.all.push(UnitLine { line, agent, problem });
        Ok((agent, problem))
    }
}

/// The results of a plan's units by their places in a journal: 16 bytes for each unit.
#[derive(Clone, Debug)]
pub struct PlanLines {
    problems: usize,
    /// Agent by agent, problem by problem.
    lines: Vec<Option<Line>>,
    /// The agent and the problem of a result that is of no unit of the plan: the first in the order of names.
    other: Option<(String, String)>,
}

impl PlanLines {
    /// Returns a list in which no unit has a result.
    pub fn new(plan: &Plan) -> Self {
        let problems = plan.problems.len();
        Self { problems, lines: vec![None; plan.agents.len() * problems], other: None }
    }

    /// Sets the result of a unit.
    pub fn set(&mut self, unit: Unit, line: Line) {
        self.lines[unit.agent * self.problems + unit.problem] = Some(line);
    }

    /// Returns the result of a unit, if it is there.
    pub fn get(&self, unit: Unit) -> Option<Line> {
        self.of_agent(unit.agent)[unit.problem]
    }

    /// Returns the results of an agent, by its place in the plan: one for each problem, if it is there.
    pub fn of_agent(&self, agent: usize) -> &[Option<Line>] {
        &self.lines[agent * self.problems..][..self.problems]
    }

    /// Returns the results that are there, problem by problem, as the plan orders units.
    pub fn in_order(&self) -> Vec<Line> {
        let problems = 0..self.problems;
        problems.flat_map(|problem| self.lines[problem..].iter().step_by(self.problems)).flatten().copied().collect()
    }

    /// Returns the number of units that have a result.
    pub fn found(&self) -> usize {
        self.lines.iter().flatten().count()
    }

    /// Returns the agent and the problem of a result that is of no unit of the plan, if there is one.
    pub fn other(&self) -> Option<(&str, &str)> {
        self.other.as_ref().map(|(agent, problem)| (agent.as_str(), problem.as_str()))
    }
}

/// Distinct names and their places.
#[derive(Debug, Default)]
struct Names {
    all: Vec<String>,
    places: HashMap<String, u32>,
    bytes: u64,
}

impl Names {
    /// Returns the place of a name, which is added if it is new.
    fn place(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.all.len() as u32;
        self.all.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        self.bytes += name.len() as u64;
        place
    }

    /// Returns, for each name, its place among those of a plan.
    fn places<'p>(&self, planned: impl Iterator<Item = &'p str>) -> Vec<Option<usize>> {
        let mut places = vec![None; self.all.len()];
        for (place, name) in planned.enumerate() {
            if let Some(known) = self.places.get(name) {
                places[*known as usize] = Some(place);
            }
        }
        places
    }
}

/// Reads results at places of a text, in the order in which they are asked for; `shown` names the text in messages.
///
/// # Errors
/// When the text can no longer be read, or is no longer what it was.
pub(crate) fn read(text: impl Read + Seek, lines: &[Line], shown: &str) -> Result<Vec<UnitResult>> {
    let changed = || format!("failed to read {shown} again, which has changed meanwhile; try again");
    let mut text = BufReader::with_capacity(READ_AHEAD, text);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_unstable_by_key(|place| lines[*place].at);
    let mut results: Vec<Option<UnitResult>> = Vec::new();
    results.resize_with(lines.len(), || None);
    let (mut at, mut bytes) = (text.seek(SeekFrom::Start(0)).with_context(changed)?, Vec::new());
    for place in order {
        let line = &lines[place];
        text.seek_relative(line.at as i64 - at as i64).with_context(changed)?;
        bytes.resize(line.bytes.get() as usize, 0);
        text.read_exact(&mut bytes).with_context(changed)?;
        at = line.at + line.bytes();
        ensure!(crc32fast::hash(&bytes) == line.crc, changed());
        results[place] = Some(serde_json::from_slice::<UnitResult>(&bytes).with_context(changed)?.cleaned());
    }
    Ok(results.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::read;
    use crate::invented::InventedRun;
    use crate::journal::{find_in, line};
    use crate::unit::{Unit, UnitResult};

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];

    fn names(results: &[UnitResult]) -> Vec<(&str, &str)> {
        results.iter().map(|result| (&*result.agent, &*result.problem)).collect()
    }

    #[test]
    fn results_are_found_and_read_again_in_any_order() {
        let run = InventedRun::scored("quick", &PROBLEMS, &[("mlp", &[1.0, 2.0]), ("prior", &[3.0, 4.0])]);
        // In the order of a run that ends with its first units, with an empty line, one unit missing and one too many.
        let mut results = run.results.clone();
        results.reverse();
        let missing = results.remove(1);
        results.push(UnitResult { agent: "stranger".into(), ..missing.clone() });
        let text: String = results.iter().map(|result| line(result).unwrap() + "\n\n").collect();
        let mut seen = Vec::new();
        let lines = find_in(text.as_bytes(), "journal", "", |result| seen.push(result)).unwrap();
        assert_eq!((lines.len(), names(&seen)), (4, names(&results)));

        let found = lines.of_plan(&run.plan);
        assert_eq!((found.found(), found.other()), (3, Some(("stranger", &*missing.problem))));
        let read = |lines: &[_]| read(Cursor::new(text.as_bytes()), lines, "journal").unwrap();
        let in_order = read(&found.in_order());
        let expected: Vec<&UnitResult> =
            run.results.iter().filter(|result| result.outcome != missing.outcome).collect();
        assert_eq!(in_order.iter().map(|result| &result.outcome).collect::<Vec<_>>(), by_problem(&expected));
        for (agent, planned) in run.plan.agents.iter().enumerate() {
            for (problem, named) in run.plan.problems.iter().enumerate() {
                let one: Vec<_> = found.get(Unit { agent, problem }).into_iter().collect();
                let is_missing = (&planned.label, &named.problem) == (&missing.agent, &missing.problem);
                assert_eq!(one.is_empty(), is_missing);
                assert!(is_missing || names(&read(&one)) == [(&*planned.label, &*named.problem)]);
            }
        }
    }

    /// Returns outcomes in the order of the plan's problems.
    fn by_problem<'a>(results: &[&'a UnitResult]) -> Vec<&'a crate::unit::Outcome> {
        let of =
            |problem: &str| results.iter().filter(|it| it.problem == problem).map(|it| &it.outcome).collect::<Vec<_>>();
        PROBLEMS.iter().flat_map(|problem| of(problem)).collect()
    }

    #[test]
    fn a_text_that_has_changed_is_refused() {
        let run = InventedRun::scored("quick", &PROBLEMS, &[("mlp", &[1.0, 2.0])]);
        let text: String = run.results.iter().map(|result| line(result).unwrap() + "\n").collect();
        let lines: Vec<_> = find_in(text.as_bytes(), "journal", "", drop).unwrap().all().collect();
        let (first, second) = text.split_at(text.find('\n').unwrap() + 1);
        assert_eq!(first.len(), second.len());
        let swapped = [second, first].concat();
        let digit = text.replacen("1.0", "1.5", 1);
        assert!(digit != text && digit.len() == text.len());
        for changed in [&text[..text.len() - 9], &text[9..], &swapped, &digit] {
            let error = read(Cursor::new(changed), &lines, "journal").unwrap_err().to_string();
            assert!(error.contains("failed to read journal again"), "{error}");
        }
    }
}
