//! The results of a run that stay in its journal, and are read a few agents at a time.

use std::iter;

use anyhow::{Result, ensure};
use jointly_record::directory::{JOURNAL, RunDirectory};
use jointly_record::files::MOST_JOURNAL as MOST_HELD;
use jointly_record::lines::{Line, PlanLines, TOGETHER};
use jointly_record::plan::Plan;
use jointly_record::unit::UnitResult;

/// Where the results of a plan's agents are.
#[derive(Clone, Default)]
pub struct Results<'a> {
    /// For each agent of the plan the directory, and where its results are in the journal there, problem by problem.
    agents: Vec<(&'a RunDirectory, &'a [Option<Line>])>,
}

/// The results of an agent, by its place in the plan: one for each problem, if it is there.
pub(super) type OfAgent = (usize, Vec<Option<UnitResult>>);

impl<'a> Results<'a> {
    /// Returns the results of a run in its directory.
    pub fn of(plan: &Plan, directory: &'a RunDirectory, lines: &'a PlanLines) -> Self {
        Self { agents: (0..plan.agents.len()).map(|agent| (directory, lines.of_agent(agent))).collect() }
    }

    /// Adds the next agent, whose results are those of an agent of another plan of the same problems.
    pub fn push(&mut self, directory: &'a RunDirectory, lines: &'a [Option<Line>]) {
        self.agents.push((directory, lines));
    }

    /// Reads and holds the results of all agents, under their labels in the plan.
    pub(crate) fn hold(&self, plan: &Plan) -> Result<Vec<UnitResult>> {
        let mut all = Vec::new();
        for place in 0..self.agents.len() {
            let agent = &plan.agents[place].label;
            for (_, results) in self.read_some(place, place + 1)? {
                all.extend(results.into_iter().flatten().map(|result| UnitResult { agent: agent.clone(), ..result }));
            }
        }
        Ok(all)
    }

    /// Reads the results of the first agent.
    pub(crate) fn of_first(&self) -> Result<Vec<UnitResult>> {
        Ok(self.read_some(0, 1)?.into_iter().flat_map(|(_, results)| results).flatten().collect())
    }

    /// Reads the results of all agents in the plan's order, as many agents together as have few bytes.
    pub(super) fn read(&self) -> impl Iterator<Item = Result<Vec<OfAgent>>> {
        let mut next = 0;
        iter::from_fn(move || {
            let first = next;
            let (directory, _) = *self.agents.get(first)?;
            let mut bytes = 0;
            for (other, lines) in &self.agents[first..] {
                bytes += bytes_of(lines);
                if next > first && (bytes > TOGETHER || !std::ptr::eq(*other, directory)) {
                    break;
                }
                next += 1;
            }
            Some(self.read_some(first, next))
        })
    }

    /// Reads the results of some agents that follow one another and lie in one directory.
    fn read_some(&self, first: usize, end: usize) -> Result<Vec<OfAgent>> {
        let agents = &self.agents[first..end];
        let Some((directory, _)) = agents.first() else { return Ok(Vec::new()) };
        let bytes: u64 = agents.iter().map(|(_, lines)| bytes_of(lines)).sum();
        let shown = directory.shown(JOURNAL);
        ensure!(bytes <= MOST_HELD, "{shown} has more than {MOST_HELD} bytes of results of one agent");
        let lines: Vec<Line> = agents.iter().flat_map(|(_, lines)| *lines).flatten().copied().collect();
        let mut results = directory.read_results(&lines)?.into_iter();
        let mut of = |lines: &[Option<Line>]| lines.iter().map(|line| line.and_then(|_| results.next())).collect();
        Ok((first..end).zip(agents.iter().map(|(_, lines)| of(lines))).collect())
    }
}

fn bytes_of(lines: &[Option<Line>]) -> u64 {
    lines.iter().flatten().map(|line| line.bytes()).sum()
}
