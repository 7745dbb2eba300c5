//! Names the first difference between two plans.

use std::collections::{HashMap, HashSet};

use jointly_core::counted::{counted, listed};
use serde_json::{Map, Value};

use crate::kinds::PREDICTOR;
use crate::plan::{Plan, PlannedProblem, Terms};

/// The most names of agents or problems in a message.
const MOST_NAMES: usize = 3;

impl Plan {
    /// Describes the first difference between two plans, or returns `None` if they are equal.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let labels = |plan: &Self| plan.agents.iter().map(|agent| agent.label.clone()).collect::<Vec<_>>();
        self.other_conditions(other)
            .or_else(|| other_names("agent", &labels(self), &labels(other)))
            .or_else(|| other_names("problem", &self.problem_names(), &other.problem_names()))
            .or_else(|| self.other_tables(other))
            .or_else(|| {
                (self.without_places() != other.without_places()).then(|| "other bytes of an agent or a problem".into())
            })
    }

    /// Returns a copy that says of native agents that they are, and not how they were reached: a socket or a path may
    /// be another each time.
    fn without_places(&self) -> Self {
        let mut plan = self.clone();
        let predictor = plan.terms.predictor_mut();
        plan.agents.iter_mut().chain(predictor).filter_map(|agent| agent.reported.as_mut()).for_each(String::clear);
        plan
    }

    /// Describes the first difference in problems and their contents.
    pub fn other_problems(&self, other: &Self) -> Option<String> {
        let changed = || {
            let (mine, _) = self.problems.iter().zip(&other.problems).find(|(mine, theirs)| mine != theirs)?;
            Some(format!("other data of {}", mine.problem))
        };
        other_names("problem", &self.problem_names(), &other.problem_names()).or_else(changed)
    }

    /// Describes the first difference in the files of user-supplied tables, whose numbers may be the same nevertheless.
    fn other_tables(&self, other: &Self) -> Option<String> {
        let files = |plan: &Self| match plan.tables.as_slice() {
            [] => "of the suite".to_owned(),
            tables => tables.iter().map(|table| table.file.as_str()).collect::<Vec<_>>().join(" "),
        };
        let changed = || {
            let (mine, _) = self.tables.iter().zip(&other.tables).find(|(mine, theirs)| mine != theirs)?;
            Some(format!("other bytes of the table {}", mine.file))
        };
        differs("tables", &files(self), &files(other)).or_else(changed)
    }

    /// Describes the first difference that concerns every unit: everything except agents and problems. A problem's
    /// digest covers the contents of its table.
    pub fn other_conditions(&self, other: &Self) -> Option<String> {
        let own = || "of the suite".to_owned();
        let anchors = |plan: &Self| plan.problem_overrides.anchors.map_or_else(own, |anchors| anchors.to_string());
        let images = |plan: &Self| plan.images.map_or_else(own, |view| view.to_string());
        let initialization = |plan: &Self| {
            let chosen = plan.problem_overrides.initialization;
            chosen.map_or_else(own, |chosen| chosen.name().to_owned())
        };
        differs("version", &self.version, &other.version)
            .or_else(|| differs("interface", &self.interface, &other.interface))
            .or_else(|| other_engine(&self.engine, &other.engine))
            .or_else(|| differs("suite", &self.suite, &other.suite))
            .or_else(|| differs("seed", &self.seed.to_string(), &other.seed.to_string()))
            .or_else(|| differs("fuel limit", &self.limits.fuel.to_string(), &other.limits.fuel.to_string()))
            .or_else(|| differs("memory limit", &self.limits.memory.to_string(), &other.limits.memory.to_string()))
            .or_else(|| differs("time limit", &self.limits.timeout.to_string(), &other.limits.timeout.to_string()))
            .or_else(|| differs("anchors", &anchors(self), &anchors(other)))
            .or_else(|| differs("initialization", &initialization(self), &initialization(other)))
            .or_else(|| differs("images", &images(self), &images(other)))
            .or_else(|| other_terms(&self.terms, &other.terms))
    }

    /// Describes the first difference between two runs of active learning, other than their agents, including
    /// predicting agents, and their selections of problems. Problems that both have must be the same.
    pub fn other_lessons(&self, other: &Self) -> Option<String> {
        let changed = || {
            let theirs: HashMap<&str, &PlannedProblem> =
                other.problems.iter().map(|theirs| (theirs.problem.as_str(), theirs)).collect();
            let same = |mine: &&PlannedProblem| theirs.get(mine.problem.as_str()).is_none_or(|theirs| theirs == mine);
            self.problems.iter().find(|mine| !same(mine)).map(|mine| format!("other data of {}", mine.problem))
        };
        differs("suite", &self.suite, &other.suite)
            .or_else(|| differs("seed", &self.seed.to_string(), &other.seed.to_string()))
            .or_else(|| other_terms_unled(&self.terms, &other.terms))
            .or_else(changed)
    }

    fn problem_names(&self) -> Vec<String> {
        self.problems.iter().map(|problem| problem.problem.clone()).collect()
    }
}

/// Describes the first difference in how agents are evaluated, by its field name in plan.json.
fn other_terms(mine: &Terms, theirs: &Terms) -> Option<String> {
    if mine == theirs {
        return None;
    }
    // Only the predictor's bytes are missing from the fields.
    other_fields(&mine.fields(), &theirs.fields()).or_else(|| Some("other bytes of the agent that predicts".to_owned()))
}

/// Describes the first difference in how agents are evaluated, ignoring the predicting agent.
fn other_terms_unled(mine: &Terms, theirs: &Terms) -> Option<String> {
    let [mine, theirs] = [mine, theirs].map(|terms| {
        let mut fields = terms.fields();
        fields.remove(PREDICTOR);
        fields
    });
    other_fields(&mine, &theirs)
}

fn other_fields(mine: &Map<String, Value>, theirs: &Map<String, Value>) -> Option<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let their = |name: &String| theirs.get(name).map_or_else(|| "none".to_owned(), text);
    mine.iter().find_map(|(name, value)| differs(name, &text(value), &their(name)))
}

/// Describes the difference between two engines: where only their price lists differ, by these.
fn other_engine(mine: &str, theirs: &str) -> Option<String> {
    let ((release, prices), (other, others)) = (priced(mine), priced(theirs));
    if release == other { differs("prices of fuel", prices, others) } else { differs("engine", mine, theirs) }
}

/// Returns the release of an engine and the number of its price list. Before list 2 there was no number.
fn priced(engine: &str) -> (&str, &str) {
    engine.split_once(", prices ").unwrap_or((engine, "1"))
}

/// Describes the difference between two lists of names, each of a `what`, by the names that only one has.
fn other_names(what: &str, mine: &[String], theirs: &[String]) -> Option<String> {
    if mine == theirs {
        return None;
    }
    let without = |some: &[String], others: &[String]| {
        let others: HashSet<&String> = others.iter().collect();
        some.iter().filter(|name| !others.contains(name)).cloned().collect::<Vec<_>>()
    };
    let (more, fewer) = (without(mine, theirs), without(theirs, mine));
    let some = |how: &str, names: &[String]| {
        format!("{} ({})", counted(names.len(), &format!("{how} {what}")), listed(names, MOST_NAMES))
    };
    Some(match (more.is_empty(), fewer.is_empty()) {
        (true, true) => format!("the {what}s in another order"),
        (false, true) => some("more", &more),
        (true, false) => some("fewer", &fewer),
        (false, false) => format!("{}, not {}", some("other", &more), listed(&fewer, MOST_NAMES)),
    })
}

fn differs(what: &str, mine: &str, theirs: &str) -> Option<String> {
    (mine != theirs).then(|| format!("{what} {}, not {}", shorten(mine), shorten(theirs)))
}

/// Shortens a long list so that it can still be recognised.
fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    format!("{}...", text.chars().take(MOST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use crate::invented::InventedRun;
    use crate::plan::{Plan, Terms};
    use jointly_classification::Evaluation;
    use jointly_core::Partitioning;

    #[test]
    fn another_price_list_of_fuel_is_named() {
        assert_eq!(super::other_engine("wasmtime 48.0.8, prices 2", "wasmtime 48.0.8, prices 2"), None);
        let older = super::other_engine("wasmtime 48.0.8, prices 2", "wasmtime 48.0.8").unwrap();
        assert_eq!(older, "prices of fuel 2, not 1");
        let release = super::other_engine("wasmtime 48.0.8, prices 2", "wasmtime 47.0.0, prices 2").unwrap();
        assert_eq!(release, "engine wasmtime 48.0.8, prices 2, not wasmtime 47.0.0, prices 2");
    }

    #[test]
    fn names_that_only_one_list_has_are_told() {
        let list = |names: &str| names.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let of = |mine: &str, theirs: &str| super::other_names("agent", &list(mine), &list(theirs));
        assert_eq!(of("a b", "a b"), None);
        assert_eq!(of("a b c", "b").as_deref(), Some("2 more agents (a, c)"));
        assert_eq!(of("a", "a b").as_deref(), Some("1 fewer agent (b)"));
        assert_eq!(of("a b:n=5", "a b:n=10").as_deref(), Some("1 other agent (b:n=5), not b:n=10"));
        assert_eq!(of("a b", "b a").as_deref(), Some("the agents in another order"));
        let many: Vec<String> = (0..100).map(|place| format!("agent{place}")).collect();
        let told = of("a", &format!("a {}", many.join(" "))).unwrap();
        assert_eq!(told, "100 fewer agents (agent0, agent1, agent2 and 97 more)");
    }

    #[test]
    fn another_evaluation_is_named_by_what_differs() {
        let plan = || InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp", &[1.0])]).plan;
        let difference = |change: fn(&mut Evaluation)| {
            let mut other: Plan = plan();
            let Terms::Evaluation(evaluation) = &mut other.terms else { panic!("classification") };
            change(evaluation);
            plan().difference(&other).unwrap()
        };
        assert_eq!(plan().difference(&plan()), None);
        assert_eq!(difference(|own| own.draws = 7), "draws 250, not 7");
        assert_eq!(difference(|own| own.partition = Partitioning::KMeans), "partition planes, not k-means");
        assert_eq!(difference(|own| own.planes = 7), "planes 5, not 7");
        assert_eq!(difference(|own| own.clip = false), "clip true, not false");
        assert_eq!(difference(|own| own.taus = vec![1, 10]), "taus [1,100], not [1,10]");
        assert_eq!(difference(|own| own.samples = 7), "samples 100, not 7");
        assert_eq!(difference(|own| own.partition_above = 7), "partition_above 10, not 7");
    }
}
