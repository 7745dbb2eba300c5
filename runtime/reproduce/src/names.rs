//! Checks the agents and problems that a manifest names against the arguments of its runs.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use jointly_core::counted::counted;
use jointly_record::{pattern, suites};

use crate::asked;
use crate::association::FEWEST;
use crate::kept::remedy;
use crate::labels::{chosen_key, chosen_name, in_order, is_bundled, is_variant, parts};
use crate::manifest::{Association, Comparison, Manifest, Published, Run};
use crate::statistic::Statistic;

/// The option of a run that brings problems of user-supplied tables.
const OWN_TABLES: &str = "--table";

/// The agents and problems of a run, as far as its arguments tell.
struct Known<'m> {
    run: &'m Run,
    /// The agents as they were given; none if the suite runs its own, or an agent is of a file, which says its name itself.
    agents: Vec<String>,
    /// The problems, or `None` if they depend on the user's tables.
    problems: Option<Vec<String>>,
}

/// Checks that runs have the agents and problems that comparisons, tables and rank correlations name, as far as their
/// arguments tell.
///
/// # Errors
/// When a suite is unknown, a run has no such agent, or a pattern matches none of its problems.
pub(crate) fn check(manifest: &Manifest) -> Result<()> {
    let runs: Vec<Known> = manifest.runs.iter().map(Known::of).collect::<Result<_>>()?;
    let find = |name: Option<&str>| {
        let run = manifest.run(name)?;
        runs.iter().find(|known| known.run.name == run.name).context("it has no such run")
    };
    for known in &runs {
        let Some(chosen) = &known.run.chosen else { continue };
        known.check_held_out(find(Some(&chosen.by))?)?;
    }
    for comparison in &manifest.comparisons {
        let Comparison { title, run, with, also, .. } = comparison;
        find(run.as_deref())?.check_comparison(comparison).with_context(|| title.clone())?;
        let first = find(run.as_deref())?;
        if let Some(side) = with {
            let other = find(side.run.as_deref().or(run.as_deref()))?;
            other.check_side(first, comparison, side.problems.as_ref()).with_context(|| title.clone())?;
            for further in &comparison.also_runs {
                let own = find(Some(&further.run))?;
                let theirs = find(Some(further.with.as_ref().unwrap_or(&further.run)))?;
                theirs.check_side(own, comparison, side.problems.as_ref()).with_context(|| title.clone())?;
                theirs.check_same_problems(other, side.problems.as_ref()).with_context(|| title.clone())?;
            }
        }
        if let Some(also) = also {
            let labels = comparison.published.keys().map(|agent| also.label(agent));
            find(Some(&also.run))?.check_agents(labels).with_context(|| title.clone())?;
        }
        for further in &comparison.also_runs {
            find(Some(&further.run))?.check_further(first, comparison).with_context(|| title.clone())?;
        }
    }
    for association in &manifest.associations {
        let Association { title, run, with, .. } = association;
        let (own, other) = (find(run.as_deref())?, find(with.run.as_deref().or(run.as_deref()))?);
        own.check_association(other, association).with_context(|| title.clone())?;
    }
    for table in &manifest.tables {
        let known = find(table.run.as_deref())?;
        known.check_agents(&table.agents).with_context(|| table.title.clone())?;
        known.check_problems(&table.problems).with_context(|| table.title.clone())?;
    }
    Ok(())
}

impl<'m> Known<'m> {
    fn of(run: &'m Run) -> Result<Self> {
        let told = run.agents().all(is_bundled);
        let agents = run.agents().filter(|_| told).map(in_order).collect();
        let problems = problems(run).with_context(|| run.name.clone())?;
        Ok(Self { run, agents, problems })
    }

    fn check_comparison(&self, comparison: &Comparison) -> Result<()> {
        self.check_agents(&comparison.over)?;
        self.check_problems(&comparison.problems)?;
        self.check_keys(comparison)
    }

    /// Checks the agents and problems of a comparison's other side, whose agents over all (`*`) are those of the first side.
    fn check_side(&self, own: &Self, comparison: &Comparison, problems: Option<&String>) -> Result<()> {
        self.check_problems(problems)?;
        self.check_keys(comparison)?;
        let over_all = comparison.published.contains_key("*") && !own.run.is_sweep();
        if over_all { self.check_agents(&own.agents) } else { Ok(()) }
    }

    /// Checks that published ranks are possible: from 0 to the number of agents less one.
    fn check_ranks(&self, comparison: &Comparison) -> Result<()> {
        let last = self.agents.len() as f64 - 1.0;
        for (agent, published) in &comparison.published {
            let possible = !matches!(published, Published::Number(rank, _) if !(0.0..=last).contains(rank));
            ensure!(
                possible || self.agents.is_empty() || self.run.is_sweep(),
                "{agent} cannot have its published rank among {}: ranks are from 0, the best, to {last}",
                counted(self.agents.len(), "agent")
            );
        }
        Ok(())
    }

    /// Checks that ranks in this run are among the same agents as in the first, or that a correlation has the same problems.
    fn check_further(&self, first: &Self, comparison: &Comparison) -> Result<()> {
        self.check_comparison(comparison)?;
        if comparison.statistic == Statistic::Correlation {
            return self.check_same_problems(first, comparison.problems.as_ref());
        }
        let agents = |known: &Self| known.agents.iter().cloned().collect::<BTreeSet<String>>();
        let told = !self.agents.is_empty() && !first.agents.is_empty();
        ensure!(!told || agents(self) == agents(first), "{}", asked::other_agents(&first.run.name, &self.run.name));
        Ok(())
    }

    /// Checks that the problems that match a pattern are those of the first run.
    fn check_same_problems(&self, first: &Self, pattern: Option<&String>) -> Result<()> {
        let (Some(own), Some(theirs)) = (&self.problems, &first.problems) else { return Ok(()) };
        self.check_problems(pattern)?;
        let matcher = pattern::matcher(pattern.map_or("*", String::as_str))?;
        let matching = |names: &[String]| names.iter().filter(|name| matcher.is_match(*name)).cloned().collect();
        asked::check_same_problems((&self.run.name, &matching(own)), (&first.run.name, &matching(theirs)))
    }

    /// Checks the agents that have published numbers. A correlation's are agents whose variants it is of, or `*`.
    fn check_keys(&self, comparison: &Comparison) -> Result<()> {
        let keys = comparison.published.keys();
        if comparison.statistic != Statistic::Correlation {
            self.check_agents(keys)?;
            return if comparison.statistic == Statistic::Rank { self.check_ranks(comparison) } else { Ok(()) };
        }
        let names: BTreeSet<String> = self.agents.iter().map(|agent| parts(agent).0).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for key in keys.filter(|key| *key != "*") {
            let known = names.is_empty() || names.contains(&key.as_str());
            ensure!(known, "{} has no agent {key}: {}", self.run.name, remedy(key, &self.run.name, &names));
        }
        Ok(())
    }

    fn check_association(&self, other: &Self, association: &Association) -> Result<()> {
        let Association { agents, problems, with, .. } = association;
        self.check_problems(problems)?;
        other.check_problems(problems.iter().filter(|_| with.alike).chain(&with.problems))?;
        self.check_agents(agents)?;
        if !agents.is_empty() {
            return other.check_agents(agents);
        }
        if self.run.is_sweep() || self.agents.is_empty() {
            return Ok(());
        }
        let all = self.agents.len();
        ensure!(
            all >= FEWEST,
            "{} has {}, and a rank correlation needs {FEWEST}",
            self.run.name,
            counted(all, "agent")
        );
        other.check_agents(&self.agents)
    }

    /// Checks that the run has no problem of the sweep that chooses its settings.
    fn check_held_out(&self, sweep: &Self) -> Result<()> {
        let seed = |known: &Self| known.run.option("--seed").unwrap_or("0").to_owned();
        let (Some(own), Some(swept)) = (&self.problems, &sweep.problems) else { return Ok(()) };
        if self.run.option("--suite") != sweep.run.option("--suite") || seed(self) != seed(sweep) {
            return Ok(());
        }
        asked::held_out(own.iter().map(String::as_str), swept.iter().map(String::as_str), &sweep.run.name)
    }

    /// Checks that the run has agents of these labels.
    fn check_agents<'a, T: AsRef<str> + ?Sized + 'a>(&self, labels: impl IntoIterator<Item = &'a T>) -> Result<()> {
        let own: Vec<&str> = self.agents.iter().map(String::as_str).collect();
        let per_setting = self.run.chosen.as_ref().is_some_and(|chosen| chosen.per_setting);
        let is_key = |label: &str, own: &str| label == chosen_key(&parts(own).0);
        for label in labels {
            let (label, name) = (label.as_ref(), &self.run.name);
            ensure!(
                per_setting || chosen_name(label).is_none(),
                "{name} has no agent {label}: its run needs `chosen` with `per-setting = true`"
            );
            let fits = |own: &&str| {
                *own == label || (self.run.is_sweep() && is_variant(label, own)) || (per_setting && is_key(label, own))
            };
            let known = own.iter().any(fits);
            ensure!(known || own.is_empty(), "{name} has no agent {label}: {}", remedy(label, name, &own));
        }
        Ok(())
    }

    /// Checks that each pattern matches a problem of the run, and each of its alternatives.
    fn check_problems<'p>(&self, patterns: impl IntoIterator<Item = &'p String>) -> Result<()> {
        let Some(problems) = &self.problems else { return Ok(()) };
        let names: Vec<&str> = problems.iter().map(String::as_str).collect();
        patterns.into_iter().try_for_each(|pattern| pattern::checked(&self.run.name, &names, pattern).map(drop))
    }
}

/// Returns the names of a run's problems, or `None` if they depend on the user's tables.
fn problems(run: &Run) -> Result<Option<Vec<String>>> {
    let Some(suite) = run.option("--suite").filter(|_| run.option(OWN_TABLES).is_none()) else { return Ok(None) };
    let mut names = suites::problems_named(suite).with_context(|| suites::unknown(suite))?;
    if let Some(pattern) = run.option("--problems") {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let glob = pattern::checked(suite, &all, pattern)?;
        names.retain(|name| glob.is_match(name));
    }
    Ok(Some(names))
}

#[cfg(test)]
mod tests {
    use crate::experiments::all;
    use crate::manifest::Manifest;

    const OTHER: &str = "[[run]]\nname = \"b\"\narguments = [\"sweep\", \"mlp:l2=1\", \"--suite\", \"quick\"]\n";

    fn checked(agents: &str, rest: &str) -> String {
        let text = format!(
            "page = \"testbed\"\ntitle = \"t\"\ncost = \"a second\"\n[[run]]\nname = \"a\"\n\
             arguments = [\"run\", {agents}, \"--suite\", \"quick\", \"--problems\", \"quick/t10/*\"]\n{OTHER}{rest}"
        );
        let checked = Manifest::parse("it", &text).and_then(|manifest| super::check(&manifest));
        checked.map_or_else(|error| format!("{error:#}"), |()| "fits".to_owned())
    }

    fn of_two(rest: &str) -> String {
        checked("\"mlp\", \"ensemble:size=3,steps=9\"", rest)
    }

    #[test]
    fn the_projects_experiments_fit_their_runs() {
        for experiment in all().unwrap() {
            super::check(&experiment.manifest).unwrap_or_else(|error| panic!("{}: {error:#}", experiment.id));
        }
    }

    #[test]
    fn tables_name_agents_and_problems_of_their_run() {
        let table = |fields: &str| of_two(&format!("[[table]]\ntitle = \"T\"\nscores = [\"kl_tau1\"]\n{fields}"));
        let own = "run = \"a\"\nagents = [\"mlp\", \"ensemble:steps=9,size=3\"]\nproblems = [\"*/{seed1,seed2}\"]";
        assert_eq!(table(own), "fits");
        assert_eq!(table("run = \"a\"\nagents = [\"mpl\"]"), "T: a has no agent mpl: did you mean `mlp`?");
        let unknown = table("run = \"a\"\nagents = [\"knn\"]");
        assert!(unknown.ends_with("a has no agent knn: a has mlp, ensemble:size=3,steps=9"), "{unknown}");
        let problems = table("run = \"a\"\nproblems = [\"*/t100/*\"]");
        assert!(
            problems.starts_with("T: no problem of a matches */t100/*; a name looks like quick/t10/"),
            "{problems}"
        );
        assert!(table("run = \"a\"\nproblems = [\"*/{seed1,seed9}\"]").contains("matches seed9 in"));
        // A sweep has variants of what is swept.
        assert_eq!(table("run = \"b\"\nagents = [\"mlp:l2=1,steps=10\"]"), "fits");
        assert!(table("run = \"b\"\nagents = [\"mlp:l2=2\"]").contains("b has no agent mlp:l2=2"));
    }

    #[test]
    fn comparisons_name_agents_of_both_sides() {
        let of = |fields: &str| of_two(&format!("[[compare]]\ntitle = \"C\"\nscore = \"s\"\nrun = \"a\"\n{fields}"));
        assert!(of("published = { knn = 1 }").contains("C: a has no agent knn"));
        assert!(of("statistic = \"ratio\"\nover = \"knn\"\npublished = { mlp = 1 }").contains("C: a has no agent knn"));
        let also = |key: &str| of(&format!("also = {{ run = \"b\" }}\npublished = {{ {key} = 1 }}"));
        assert!(also("\"ensemble:size=3,steps=9\"").contains("C: b has no agent ensemble:size=3,steps=9"));
        assert_eq!(of("also = { run = \"b\", agents = { mlp = \"mlp:l2=1\" } }\npublished = { mlp = 1 }"), "fits");
        let further = |further: &str, rest: &str| {
            let third = "[[run]]\nname = \"c\"\narguments = [\"run\", \"mlp\", \"ensemble:size=3,steps=9\", \"--suite\", \"quick\"]\n";
            checked(
                "\"mlp\", \"ensemble:size=3,steps=9\"",
                &format!(
                    "{third}[[compare]]\ntitle = \"C\"\nrun = \"a\"\nscore = \"kl_tau1\"\nreading-error = 0.1\n\
                 also-runs = [{{ {further} }}]\n{rest}"
                ),
            )
        };
        let rank = "statistic = \"rank\"\npublished = { mlp = 1 }";
        assert_eq!(further("run = \"c\"", rank), "fits");
        assert!(
            further("run = \"c\"", "statistic = \"rank\"\npublished = { mlp = 2 }").contains("from 0, the best, to 1")
        );
        assert!(further("run = \"b\"", rank).contains("C: a and b have other agents"));
        assert!(further("run = \"c\", with = \"b\"", rank).contains("leave out `with` of c"));
        let correlation = |problems: &str| {
            let with = "with = { score = \"kl_tau10\" }";
            format!("statistic = \"correlation\"\n{with}\npublished = {{ \"*\" = 0.5 }}\n{problems}")
        };
        assert_eq!(
            further("run = \"c\"", &correlation("problems = \"quick/t10/*\"")).as_str(),
            "C: c has quick/t100/temp0.01/seed0, which a lacks: narrow `problems` until both have the same"
        );
        let stray = of("also = { run = \"b\", agents = { knn = \"mlp:l2=1\" } }\npublished = { mlp = 1 }");
        assert!(stray.contains("C: `also` names knn, which has no published number"), "{stray}");
        let with = "with = { run = \"b\", score = \"s\" }";
        let difference =
            of(&format!("statistic = \"difference\"\n{with}\npublished = {{ \"ensemble:size=3,steps=9\" = 1 }}"));
        assert!(difference.contains("C: b has no agent ensemble:size=3,steps=9"), "{difference}");
        let correlation = |key: &str| of(&format!("statistic = \"correlation\"\n{with}\npublished = {{ {key} = 1 }}"));
        assert_eq!(correlation("mlp"), "fits");
        assert!(correlation("\"*\"").contains("C: b has no agent ensemble:size=3,steps=9"));
        assert!(correlation("mpl").contains("a has no agent mpl: did you mean `mlp`?"));
    }

    #[test]
    fn rank_correlations_are_of_four_agents_of_both_runs() {
        let of = |agents: &str, fields: &str, with: &str| {
            let own = "[[association]]\ntitle = \"A\"\nscore = \"s\"\nrun = \"a\"\n";
            checked(agents, &format!("{own}{fields}\nwith = {{ scores = [\"t\"], {with} }}"))
        };
        let four = "\"mlp\", \"knn:k=3,weights=uniform\", \"knn\", \"prior\"";
        assert_eq!(of(four, "problems = [\"*/seed1\"]", "alike = true"), "fits");
        assert!(of(four, "problems = [\"*/seed99\"]", "alike = true").contains("A: no problem of a matches */seed99"));
        assert!(of(four, "", "problems = \"*/t3/*\"").contains("A: no problem of a matches */t3/*"));
        assert!(of("\"mlp\", \"knn\"", "", "").contains("A: a has 2 agents, and a rank correlation needs 4"));
        assert!(of(four, "", "run = \"b\"").contains("A: b has no agent knn"));
        let twice = "agents = [\"mlp\", \"prior\", \"knn:k=3,weights=uniform\", \"knn:weights=uniform,k=3\"]";
        assert!(of(four, twice, "").contains("names an agent twice"));
        // The label of an agent of a file is known when it is loaded.
        assert_eq!(of("\"mine.wasm\", \"mlp\"", "", ""), "fits");
    }
}
