//! Checks a plan that was read from a file, because a plan from elsewhere may hold anything.

use std::collections::HashSet;

use jointly_core::digest::is_digest;
use jointly_core::interface::LONGEST_NAME;
use jointly_core::limits::MOST_TIMEOUT;
use jointly_core::{Coordinates, is_plain_name};

use crate::place::is_place;
use crate::plan::{MOST_AGENTS, MOST_MEMORY, MOST_PROBLEMS, MOST_UNITS, Plan, PlannedAgent, PlannedProblem, label};
use crate::planned_table::PlannedTable;
use crate::printable;
use crate::reference;

/// The most settings of an agent.
const MOST_SETTINGS: usize = 1_000;
/// The most characters of a setting's name or value.
const MOST_SETTING: usize = 2_000;
/// The most characters of a problem's, table's or suite's name: a file name and its prefix.
const MOST_PROBLEM: usize = 400;
/// The most characters of how a native agent is reached.
const MOST_COMMAND: usize = 1_000;

impl Plan {
    /// Returns the first defect of a plan that was read from a file, if it has one.
    pub fn defect(&self) -> Option<String> {
        if self.agents.is_empty() { Some("it has no agents".into()) } else { self.defect_of_rest() }
    }

    /// Returns the first defect of a plan that may still have no agents.
    pub fn defect_of_rest(&self) -> Option<String> {
        if self.problems.is_empty() {
            return Some("it has no problems".into());
        }
        if let Some(defect) = self.beyond_bounds().or_else(|| self.unprintable()) {
            return Some(defect);
        }
        if !(1 << 20..=MOST_MEMORY << 20).contains(&self.limits.memory) {
            return Some(format!("its memory limit is {} bytes, expected 1 to {MOST_MEMORY} MiB", self.limits.memory));
        }
        if !(1..=MOST_TIMEOUT).contains(&self.limits.timeout) {
            return Some(format!("its time limit is {} s, expected 1 to {MOST_TIMEOUT}", self.limits.timeout));
        }
        let odd = |agent: &&PlannedAgent| agent.is_reference() || !agent.reported.as_deref().is_some_and(is_place);
        if let Some(agent) = self.native_agents().find(odd) {
            return Some(format!("{} is no native agent, but says how it is reached", agent.label));
        }
        if let Some(agent) = self.agents.iter().find(|it| it.is_reference() && it.agent != reference::NAME) {
            return Some(format!("the {} is called {}", reference::NAME, agent.agent));
        }
        if let Some(agent) = self.agents.iter().chain(self.predictor()).find(|it| !is_plain_name(&it.agent)) {
            return Some(format!("{} is no name of an agent", agent.agent));
        }
        let mut agents = self.agents.clone();
        label(&mut agents);
        let names: HashSet<&str> = self.problems.iter().map(|problem| problem.problem.as_str()).collect();
        let components = self.agents.iter().filter(|agent| !agent.is_reference()).chain(self.predictor());
        let digests = components.map(|agent| &agent.digest);
        let digests = digests.chain(self.problems.iter().filter_map(|problem| problem.digest.as_ref()));
        let digests = digests.chain(self.tables.iter().map(|table| &table.digest));
        let other_label = |agent: &PlannedAgent| agent.label != agent.settings.label(&agent.agent);
        if agents != self.agents || labels(&agents).len() != agents.len() || self.predictor().is_some_and(other_label) {
            return Some("its agents' labels do not follow from their names and settings".into());
        }
        if !self.kind().reference && self.agents.iter().any(PlannedAgent::is_reference) {
            return Some(format!("the {} takes no part in suites of {}", reference::NAME, self.kind().name));
        }
        if names.len() != self.problems.len() {
            return Some("it names a problem twice".into());
        }
        let odd = |planned: &PlannedProblem| Some(format!("{} has {}", planned.problem, planned.coordinates.defect()?));
        if let Some(defect) = self.problems.iter().find_map(odd) {
            return Some(defect);
        }
        if let Some(digest) = digests.into_iter().find(|digest| !is_digest(digest)) {
            return Some(format!("{digest} is not a digest"));
        }
        if let Some(defect) = self.tables.iter().find_map(PlannedTable::defect) {
            return Some(defect);
        }
        self.terms.options().check().err()
    }

    /// Returns the first number of things that is larger than that of any run, before anything walks them.
    fn beyond_bounds(&self) -> Option<String> {
        let (agents, problems) = (self.agents.len(), self.problems.len());
        let units = agents.saturating_mul(problems);
        let counts =
            [("agents", agents, MOST_AGENTS), ("problems", problems, MOST_PROBLEMS), ("units", units, MOST_UNITS)];
        let beyond = counts.into_iter().find(|(_, count, most)| count > most);
        let settings = || {
            let mut counts = self.agents.iter().chain(self.predictor()).map(|agent| agent.settings.names().count());
            counts.find(|count| *count > MOST_SETTINGS).map(|count| ("settings of an agent", count, MOST_SETTINGS))
        };
        let (what, count, most) = beyond.or_else(settings)?;
        Some(format!("it has {count} {what}, expected at most {most}"))
    }

    /// Returns the first name that is not printable or too long, because names reach terminals.
    fn unprintable(&self) -> Option<String> {
        let agent = |agent: &PlannedAgent| {
            let settings = agent.settings.to_list();
            let mut settings = settings.iter().flat_map(|setting| [&setting.name, &setting.value]);
            printable::defect("the agent", &agent.agent, LONGEST_NAME)
                .or_else(|| settings.find_map(|text| printable::defect("the setting", text, MOST_SETTING)))
                .or_else(|| printable::defect("the native agent", agent.reported.as_ref()?, MOST_COMMAND))
        };
        let problem = |planned: &PlannedProblem| {
            let Coordinates { series, group, cluster, acquisition, .. } = &planned.coordinates;
            let mut names = [&planned.problem, series, group, cluster].into_iter().chain(acquisition);
            names.find_map(|name| printable::defect("the problem", name, MOST_PROBLEM))
        };
        let table = |planned: &PlannedTable| printable::defect("the table", &planned.file, MOST_PROBLEM);
        let own = [("the version", &self.version), ("the interface", &self.interface), ("the engine", &self.engine)];
        let mut own = own.into_iter().chain([("the suite", &self.suite)]);
        own.find_map(|(what, text)| printable::defect(what, text, MOST_PROBLEM))
            .or_else(|| self.agents.iter().chain(self.predictor()).find_map(agent))
            .or_else(|| self.problems.iter().find_map(problem))
            .or_else(|| self.tables.iter().find_map(table))
    }
}

fn labels(agents: &[PlannedAgent]) -> HashSet<&str> {
    agents.iter().map(|agent| agent.label.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use crate::invented::InventedRun;
    use crate::invented::shift::{shift_run, shifting};
    use crate::plan::{MOST_MEMORY, Plan, label};
    use crate::reference;

    /// A change of a plan, and the expected message.
    type Change = (fn(&mut Plan), &'static str);

    #[test]
    fn a_plan_from_elsewhere_has_agents_problems_bounds_and_plain_names() {
        let plan = || InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp:l2=1", &[1.0])]).plan;
        let defect = |change: fn(&mut Plan)| {
            let mut plan: Plan = plan();
            change(&mut plan);
            plan.defect()
        };
        assert_eq!(plan().defect(), None);
        assert_eq!(defect(|plan| plan.agents.clear()).as_deref(), Some("it has no agents"));
        assert_eq!(defect(|plan| plan.problems.clear()).as_deref(), Some("it has no problems"));
        assert_eq!(defect(|plan| plan.limits.memory = MOST_MEMORY << 20), None);
        for memory in [0, (MOST_MEMORY << 20) + 1, 1 << 62, u64::MAX] {
            let mut plan = plan();
            plan.limits.memory = memory;
            assert!(plan.defect().unwrap().ends_with("expected 1 to 4096 MiB"), "{memory}");
        }
        let changes: [Change; 8] = [
            (|plan| plan.engine = "\u{202e}wasmtime".into(), "the engine \"\\u{202e}wasmtime\" has U+202E"),
            (|plan| plan.agents[0].agent = "\x1b[2J".into(), "the agent \"\\u{1b}[2J\" has U+001B"),
            (|plan| plan.agents[0].settings = "l2=1\u{202e}".parse().unwrap(), "the setting \"1"),
            (|plan| plan.problems[0].problem = "x".repeat(401), "has more than 400 characters"),
            (|plan| plan.problems[0].coordinates.group = "\x1b[2J".into(), "the problem \"\\u{1b}[2J\" has U+001B"),
            (
                |plan| plan.problems[0].coordinates.train_size = Some(0),
                "quick/t10/temp0.1/seed0 has 0 training examples",
            ),
            (|plan| plan.problems[0].coordinates.temperature = Some(-1.0), "seed0 has a temperature of -1"),
            (|plan| plan.suite = "quick\nholds".into(), "the suite \"quick\\nholds\" has U+000A"),
        ];
        for (change, said) in changes {
            assert!(defect(change).is_some_and(|defect| defect.contains(said)), "{said}");
        }
    }

    #[test]
    fn the_reference_stands_only_in_plans_of_a_kind_that_has_one() {
        let with_reference = |mut plan: Plan| {
            plan.agents.truncate(1);
            plan.agents[0].agent = reference::NAME.to_owned();
            plan.agents[0].digest = reference::digest();
            label(&mut plan.agents);
            plan.defect()
        };
        let classes = InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp", &[1.0])]).plan;
        assert_eq!(with_reference(classes), None);
        let shifted = shift_run(1, &["rotation/30"], &[("mlp", shifting(0.5, 0.5))]).plan;
        assert_eq!(with_reference(shifted).as_deref(), Some("the oracle takes no part in suites of shift"));
    }
}
