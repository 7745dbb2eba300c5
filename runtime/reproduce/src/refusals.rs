//! Checks of a manifest that need none of its runs.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};

use crate::association::FEWEST;
use crate::labels::{chosen_name, parts};
use crate::manifest::{Association, Comparison, Manifest, Published, Run, Side};
use crate::outcome::NOT_EXPLAINED;
use crate::statistic::Statistic;

/// The options of runs that take no value.
const FLAGS: [&str; 4] = ["--grey", "--joint", "--no-clip", "--standardize"];
/// Options that are for whoever runs an experiment.
const OF_RUNNING: [&str; 10] =
    ["--out", "--data", "--jobs", "--json", "--like", "--native", "--plan-only", "--reuse", "--shard", "--timeout"];

impl Manifest {
    pub(crate) fn check(&self) -> Result<()> {
        ensure!(!self.runs.is_empty(), "it has no [[run]]");
        let inside = |run: &Run, other: &Run| format!("{}/", other.name).starts_with(&format!("{}/", run.name));
        for (place, run) in self.runs.iter().enumerate() {
            let other = self.runs.iter().skip(place + 1).find(|other| inside(run, other) || inside(other, run));
            ensure!(other.is_none(), "two runs have the directory {}, or one inside it", run.name);
            let words = &run.arguments;
            ensure!(
                words.first().is_some_and(|word| ["run", "sweep"].contains(&word.as_str())),
                "the arguments of {} do not begin with run or sweep",
                run.name
            );
            if let Some(word) = words.iter().find(|word| OF_RUNNING.contains(&word.as_str())) {
                bail!("the arguments of {} have {word}, which is for whoever runs it", run.name);
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
            let named = run.name.split('/').all(|part| !part.is_empty());
            ensure!(named && run.name.chars().all(plain), "{} is no name of a run's directory", run.name);
            if let Some(word) = words.iter().find(|word| word.starts_with("--") && word.contains('=')) {
                bail!("the arguments of {} have {word}: give an option and its value as two words", run.name);
            }
            let options: Vec<&String> = words.iter().skip_while(|word| !word.starts_with("--")).collect();
            let takes_value = |word: &String| word.starts_with("--") && !FLAGS.contains(&word.as_str());
            let stray = |pair: &&[&String]| !takes_value(pair[0]) && !pair[1].starts_with("--");
            if let Some([before, word]) = options.windows(2).find(stray) {
                bail!("the arguments of {} have {word} after {before}: give agents before options", run.name);
            }
            if let Some(chosen) = &run.chosen {
                let sweep = self.run(Some(&chosen.by))?;
                let mut agents = BTreeSet::new();
                let variants = sweep.is_sweep() || sweep.agents().any(|agent| !agents.insert(parts(agent).0));
                ensure!(
                    variants,
                    "{} is to be chosen by {}, which has no two variants of an agent",
                    run.name,
                    chosen.by
                );
            }
        }
        self.comparisons.iter().try_for_each(|comparison| self.check_comparison(comparison))?;
        for association in &self.associations {
            self.has_run(&association.title, association.run.as_deref())?;
            self.has_run(&association.title, association.with.run.as_deref().or(association.run.as_deref()))?;
            let Association { title, with, problems, agents, .. } = association;
            ensure!(!with.scores.is_empty(), "{title} has no scores to go with");
            ensure!(!with.alike || !problems.is_empty(), "{title}: `alike` needs `problems`, a pattern for each row");
            ensure!(!with.alike || with.problems.is_none(), "{title}: give `alike` or `problems` in `with`, not both");
            let different: BTreeSet<&String> = agents.iter().collect();
            ensure!(different.len() == agents.len(), "{title}: `agents` names an agent twice");
            ensure!(agents.is_empty() || agents.len() >= FEWEST, "{title}: `agents` names fewer than {FEWEST}");
        }
        for table in &self.tables {
            self.has_run(&table.title, table.run.as_deref())?;
            ensure!(!table.scores.is_empty(), "{} has no scores", table.title);
            let statistic = [Statistic::Mean, Statistic::Rank].contains(&table.statistic);
            ensure!(statistic, "{}: the statistic of a table is mean or rank", table.title);
            check_single(&table.title, &table.agents, table.statistic)?;
            let one = table.problems.is_empty() || table.scores.len() == 1;
            ensure!(one, "{} has several scores and patterns of problems: give one score", table.title);
        }
        Ok(())
    }

    /// Checks that the run exists which a section names. The section's title stands in the error.
    fn has_run(&self, title: &str, run: Option<&str>) -> Result<()> {
        self.run(run).map(drop).with_context(|| title.to_owned())
    }

    /// Checks the other side of a correlation or a difference.
    fn check_side(&self, comparison: &Comparison, side: &Side) -> Result<()> {
        let Comparison { title, run, score, problems, statistic, units, .. } = comparison;
        let other = self.run(side.run.as_deref().or(run.as_deref())).with_context(|| title.clone())?;
        ensure!(
            !side.over_medians || *statistic == Statistic::Correlation,
            "{title}: `over-medians` is for correlations"
        );
        ensure!(
            !side.over_medians || units.is_none(),
            "{title}: with `over-medians` the error is over agents alone, and one over problems is not built: leave out `units`"
        );
        let same_run = other.name == self.run(run.as_deref())?.name;
        let same = same_run && !side.over_medians && side.score == *score && side.problems == *problems;
        ensure!(!same, "{title}: `with` is the comparison's own score on its own problems");
        Ok(())
    }

    /// Checks `also-runs`.
    fn check_further_runs(&self, comparison: &Comparison) -> Result<()> {
        let Comparison { title, run, also_runs, with, statistic, published, .. } = comparison;
        let correlation = *statistic == Statistic::Correlation;
        ensure!(
            also_runs.is_empty() || correlation || *statistic == Statistic::Rank,
            "{title}: `also-runs` is for ranks and correlations"
        );
        let mut seen = vec![&self.run(run.as_deref())?.name];
        let first = with.as_ref().map(|side| self.run(side.run.as_deref().or(run.as_deref()))).transpose()?;
        let mut others: Vec<&String> = first.iter().map(|run| &run.name).collect();
        for further in also_runs {
            let own = &further.run;
            self.has_run(title, Some(own))?;
            ensure!(!seen.contains(&own), "{title}: {own} is named twice, and would count twice");
            seen.push(own);
            let Some(side) = with else {
                ensure!(further.with.is_none(), "{title}: a rank has no other side: leave out `with` of {own}");
                continue;
            };
            let other = further.with.as_ref().unwrap_or(own);
            self.has_run(title, Some(other))?;
            let itself = own == other && side.score == comparison.score && side.problems == comparison.problems;
            ensure!(!others.contains(&other), "{title}: {other} is the other side of two runs: give each its own");
            others.push(other);
            ensure!(!itself, "{title}: {own} is on both sides of `also-runs`, with one score and the same problems");
        }
        let all = published.keys().all(|key| key == "*");
        ensure!(
            also_runs.is_empty() || !correlation || all,
            "{title}: with `also-runs` a correlation is over all agents: publish it for `*`"
        );
        let over_medians = with.as_ref().is_some_and(|side| side.over_medians);
        ensure!(
            also_runs.is_empty() || !over_medians,
            "{title}: `over-medians` is over the agents of one run: leave out `also-runs`"
        );
        Ok(())
    }

    fn check_comparison(&self, comparison: &Comparison) -> Result<()> {
        let title = &comparison.title;
        self.has_run(title, comparison.run.as_deref())?;
        ensure!(!comparison.published.is_empty(), "{title} has no published number");
        let Comparison { statistic, over, with, .. } = comparison;
        ensure!(
            statistic.takes_over() || over.is_none(),
            "{title}: `over` is for ratio, difference and wins, which need it"
        );
        ensure!(
            statistic.takes_with() || with.is_none(),
            "{title}: `with` is for correlations, which need it, and for differences between problems"
        );
        if let Some(side) = with {
            self.check_side(comparison, side)?;
        }
        if let Some(itself) = over.as_ref().filter(|over| comparison.published.contains_key(*over)) {
            bail!("{title}: {itself} is published and is `over`, so that it would be compared with itself");
        }
        if let Some(also) = &comparison.also {
            self.has_run(title, Some(&also.run))?;
            let plain = *statistic == Statistic::Mean && comparison.units.is_none();
            ensure!(
                plain && comparison.problems.is_none(),
                "{title}: `also` is for a mean over all datasets of two runs: leave out `problems`, `units` and `statistic`"
            );
            ensure!(
                comparison.run.as_ref().is_some_and(|run| *run != also.run),
                "{title}: `also` names a second run: give the first as `run`"
            );
            if let Some(stray) = also.agents.keys().find(|agent| !comparison.published.contains_key(*agent)) {
                bail!("{title}: `also` names {stray}, which has no published number");
            }
        }
        self.check_further_runs(comparison)?;
        ensure!(
            !comparison.over_variants || *statistic == Statistic::Correlation,
            "{title}: `over-variants` is for correlations"
        );
        check_single(title, comparison.published.keys(), *statistic)?;
        let sides = u8::from(over.is_some()) + u8::from(with.is_some());
        let needed = u8::from(statistic.takes_over() || statistic.takes_with());
        ensure!(
            sides == needed,
            "{title}: a difference needs `over` or `with`, a correlation `with`, a ratio and wins `over`"
        );
        let ratio = comparison.statistic == Statistic::Ratio;
        ensure!(!ratio || !comparison.negated, "{title}: a ratio does not change its sign with its score");
        ensure!(ratio || !comparison.picture, "{title}: `picture` is for ratios, whose bars end beside 1");
        check_errors(comparison)?;
        let within = |published: &Published| !matches!(published, Published::Number(number, _) if number.abs() > 1.0);
        ensure!(
            *statistic != Statistic::Correlation || comparison.published.values().all(within),
            "{title}: a correlation is published that is not between -1 and 1"
        );
        let (causes, fitted) = (&comparison.cause, &comparison.fitted);
        let given = causes.iter().filter(|(agent, _)| *agent != "*").chain(fitted);
        if let Some((agent, _)) = given.clone().find(|(agent, _)| !comparison.published.contains_key(*agent)) {
            bail!("{title}: there is a cause for {agent}, and no published number");
        }
        if let Some((agent, _)) = causes.iter().chain(fitted).find(|(_, cause)| cause.trim().is_empty()) {
            bail!("{title}: the cause for {agent} is empty; one that is not known begins with `{NOT_EXPLAINED}`");
        }
        Ok(())
    }
}

/// Checks the errors that decide what agrees.
fn check_errors(comparison: &Comparison) -> Result<()> {
    let title = &comparison.title;
    let errors = [comparison.reading_error, comparison.tolerance];
    let possible = |error: &f64| error.is_finite() && *error >= 0.0;
    ensure!(errors.iter().all(possible), "{title}: an error is below 0 or not finite");
    let resolution = comparison.resolution.unwrap_or(1.0);
    ensure!(resolution.is_finite() && resolution > 0.0, "{title}: `resolution` is no number above 0");
    let zero = |published: &Published| matches!(published, Published::Number(number, _) if *number == 0.0);
    let exact = errors.iter().all(|error| *error == 0.0) && comparison.resolution(0.0) == 0.0;
    ensure!(
        !exact || !comparison.published.values().any(zero),
        "{title}: half of a published 0 is 0, so that ours would always be uncertain: give `resolution`, the error from which on \
         agreement says nothing, or a `tolerance`"
    );
    Ok(())
}

/// Checks that a rank or a correlation, which is among the agents of a run, is of no chosen variants, and a correlation of no single
/// variant.
fn check_single<'a>(title: &str, agents: impl IntoIterator<Item = &'a String>, statistic: Statistic) -> Result<()> {
    for key in agents {
        match statistic {
            Statistic::Correlation => {
                let bare = chosen_name(key).map_or_else(|| parts(key).0, str::to_owned);
                ensure!(
                    bare == *key,
                    "{title}: a correlation is over all variants of an agent: give {bare} in place of {key}, or `*` for all agents"
                );
            }
            Statistic::Rank => ensure!(
                chosen_name(key).is_none(),
                "{title}: {key} is no single agent of the run, so it has no rank: name a variant"
            ),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::manifest::Manifest;
    use crate::manifest::tests::{RUN, defect};

    #[test]
    fn what_does_not_fit_together_is_refused_by_name() {
        assert!(defect("").contains("run"));
        assert!(defect("[[run]]\nname = \"x\"\narguments = [\"verify\"]").contains("do not begin with run or sweep"));
        assert!(defect("[[run]]\nname = \"../x\"\narguments = [\"run\"]").contains("is no name of a run's directory"));
        let given = "[[run]]\nname = \"x\"\narguments = [\"run\", \"--out\", \"y\"]";
        assert!(defect(given).contains("have --out"), "{}", defect(given));
        let twice = format!("{RUN}{}", RUN.replace("\"quick\"\n", "\"quick/inside\"\n"));
        assert!(defect(&twice).contains("two runs have the directory quick, or one inside it"), "{}", defect(&twice));
        assert!(defect(&format!("{RUN}{RUN}")).contains("two runs have the directory quick"));
        let given = RUN.replace("\"quick\"]", "\"quick\", \"--draws=20\"]");
        assert!(defect(&given).contains("give an option and its value as two words"), "{}", defect(&given));
        let given = RUN.replace("\"quick\"]", "\"quick\", \"knn\"]");
        assert!(defect(&given).contains("have knn after quick: give agents before options"), "{}", defect(&given));
        let given = RUN.replace("\"mlp\",", "\"--no-clip\", \"mlp\",");
        assert!(defect(&given).contains("have mlp after --no-clip: give agents before options"), "{}", defect(&given));
        let chosen = format!("{RUN}\nchosen = {{ by = \"quick\", score = \"kl_tau1\" }}");
        assert!(defect(&chosen).contains("which has no two variants of an agent"), "{}", defect(&chosen));
        let table = format!("{RUN}\n[[table]]\ntitle = \"KL\"\nscores = [\"kl_tau1\"]\nstatistic = \"ratio\"");
        assert!(defect(&table).contains("mean or rank"), "{}", defect(&table));
        let composite = table.replace("ratio\"", "rank\"\nagents = [\"mlp:*\"]");
        assert!(defect(&composite).contains("mlp:* is no single agent"), "{}", defect(&composite));
        let association = "[[association]]\ntitle = \"Ranks\"\nscore = \"regret\"\nwith = { scores = [] }";
        assert!(defect(&format!("{RUN}{association}")).contains("no scores to go with"));
        let other = association.replace("[] }", "[\"kl_tau1\"], run = \"other\" }");
        assert!(defect(&format!("{RUN}{other}")).contains("Ranks: it has no run other"));
        let alike = association.replace("[] }", "[\"kl_tau1\"], alike = true }");
        assert!(defect(&format!("{RUN}{alike}")).contains("`alike` needs `problems`"));
        let both = alike
            .replace("alike = true", "alike = true, problems = \"*\"")
            .replace("score =", "problems = [\"*\"]\nscore =");
        assert!(defect(&format!("{RUN}{both}")).contains("not both"));
        for (agents, expected) in
            [("\"a\", \"b\"", "fewer than 4"), ("\"a\", \"b\", \"c\", \"d\", \"a\"", "an agent twice")]
        {
            let named = association
                .replace("[] }", "[\"kl_tau1\"] }")
                .replace("score =", &format!("agents = [{agents}]\nscore ="));
            assert!(defect(&format!("{RUN}{named}")).contains(expected));
        }
        let compare = |lines: &str| {
            format!("{RUN}\n[[compare]]\ntitle = \"KL\"\nscore = \"kl_tau1\"\nreading-error = 0.1\n{lines}")
        };
        let published = "published = { mlp = 1 }";
        let cases = [
            (format!("run = \"slow\"\n{published}"), "KL: it has no run slow"),
            ("published = {}".to_owned(), "has no published number"),
            (format!("statistic = \"ratio\"\n{published}"), "a ratio and wins `over`"),
            (format!("over = \"bbb\"\n{published}"), "`over` is for"),
            (format!("statistic = \"rank\"\nwith = {{ score = \"x\" }}\n{published}"), "`with` is for"),
            (
                format!("statistic = \"difference\"\nover = \"bbb\"\nwith = {{ score = \"x\" }}\n{published}"),
                "needs `over` or `with`",
            ),
            (format!("statistic = \"correlation\"\n{published}"), "a correlation `with`"),
            (format!("{published}\ncause = {{ bbb = \"?\" }}"), "a cause for bbb"),
            (format!("{published}\ncause = {{ mlp = \" \" }}"), "the cause for mlp is empty"),
            (format!("{published}\nfitted = {{ bbb = \"?\" }}"), "a cause for bbb"),
            (format!("{published}\ntolerance = inf"), "below 0 or not finite"),
            (format!("{published}\nresolution = 0"), "`resolution` is no number above 0"),
            (format!("picture = true\n{published}"), "`picture` is for ratios"),
            (format!("also = {{ run = \"slow\" }}\n{published}"), "KL: it has no run slow"),
            (format!("also = {{ run = \"quick\" }}\nproblems = \"*\"\n{published}"), "leave out `problems`"),
            (format!("also = {{ run = \"quick\" }}\n{published}"), "`also` names a second run"),
            (format!("also-runs = [{{ run = \"quick\" }}]\n{published}"), "`also-runs` is for ranks and correlations"),
            (
                format!("statistic = \"rank\"\nalso-runs = [{{ run = \"slow\" }}]\n{published}"),
                "KL: it has no run slow",
            ),
            (format!("statistic = \"rank\"\nalso-runs = [{{ run = \"quick\" }}]\n{published}"), "named twice"),
            (format!("over-variants = true\n{published}"), "`over-variants` is for correlations"),
            (format!("{published}\nunknown = 1"), "unknown field"),
        ];
        for (lines, expected) in cases {
            let found = defect(&compare(&lines));
            assert!(found.contains(expected), "{lines}: {found}");
        }
    }

    /// Returns the defect of a manifest with this comparison, or nothing.
    fn of_comparison(lines: &str) -> String {
        let text = format!(
            "title = \"T\"\ncost = \"none\"\n{RUN}\n[[compare]]\ntitle = \"KL\"\nscore = \"kl_tau1\"\n{lines}\n"
        );
        Manifest::parse("test.toml", &text).err().map(|error| format!("{error:#}")).unwrap_or_default()
    }

    #[test]
    fn further_runs_are_checked() {
        let [third, fourth] = ["third", "fourth"].map(|name| RUN.replace("\"quick\"\n", &format!("\"{name}\"\n")));
        let of = |lines: &str| {
            let published = "published = { \"*\" = 1 }";
            let published = if lines.contains("published") { "" } else { published };
            let text = format!(
                "title = \"T\"\ncost = \"none\"\n{RUN}{third}{fourth}\n[[compare]]\ntitle = \"KL\"\nrun = \"quick\"\nscore = \"kl_tau1\"\n\
                 statistic = \"correlation\"\nreading-error = 0.1\n{lines}\n{published}\n"
            );
            Manifest::parse("test.toml", &text).err().map(|error| format!("{error:#}")).unwrap_or_default()
        };
        let also = "also-runs = [{ run = \"third\" }]";
        assert_eq!(of(&format!("with = {{ score = \"x\" }}\n{also}")), "");
        let cases = [
            (format!("with = {{ score = \"x\" }}\n{also}\npublished = {{ mlp = 1 }}"), "publish it for `*`"),
            (format!("with = {{ score = \"x\", over-medians = true }}\n{also}"), "leave out `also-runs`"),
            (format!("with = {{ score = \"x\" }}\n{}", also.replace("\" }", "\", with = \"slow\" }")), "no run slow"),
            (format!("with = {{ run = \"fourth\", score = \"kl_tau1\" }}\n{also}"), "third is on both sides"),
            (format!("with = {{ run = \"third\", score = \"x\" }}\n{also}"), "third is the other side of two runs"),
            (
                format!(
                    "problems = \"quick/t10/*\"\nwith = {{ score = \"kl_tau1\", problems = \"quick/t10/*\" }}\n{also}"
                ),
                "own score on its own problems",
            ),
        ];
        for (lines, expected) in cases {
            let found = of(&lines);
            assert!(found.contains(expected), "{lines}: {found}");
        }
    }

    #[test]
    fn a_published_zero_needs_a_resolution() {
        for lines in [
            "published = { mlp = 0 }",
            "published = { mlp = 0, bbb = 0, knn = 0 }",
            "published = { mlp = 0, knn = \"< 1\" }",
        ] {
            assert!(of_comparison(lines).contains("half of a published 0 is 0"), "{lines}: {}", of_comparison(lines));
        }
        for lines in [
            "published = { mlp = 0 }\nresolution = 0.1",
            "published = { mlp = 0 }\ntolerance = 0.1",
            "published = { mlp = 0 }\nreading-error = 0.1",
            "published = { mlp = 0, bbb = 0.5, knn = 1 }",
        ] {
            assert!(!of_comparison(lines).contains("half of a published 0"), "{lines}: {}", of_comparison(lines));
        }
    }

    #[test]
    fn nothing_is_compared_with_itself() {
        let cases = [
            ("statistic = \"difference\"\nover = \"mlp\"\npublished = { mlp = 1 }", "compared with itself"),
            ("statistic = \"difference\"\nwith = { score = \"kl_tau1\" }\npublished = { mlp = 1 }", "own score"),
            (
                "statistic = \"correlation\"\nproblems = \"*\"\nwith = { score = \"kl_tau1\", problems = \"*\", run = \"quick\" }\n\
                 published = { \"*\" = 1 }",
                "own score",
            ),
        ];
        for (lines, expected) in cases {
            assert!(of_comparison(lines).contains(expected), "{lines}: {}", of_comparison(lines));
        }
    }

    #[test]
    fn correlations_are_over_variants_and_over_medians_without_units() {
        let of = |lines: &str| of_comparison(&format!("statistic = \"correlation\"\n{lines}"));
        let with = "with = { score = \"kl_tau10\" }";
        for key in ["mlp:l2=1", "mlp:*"] {
            let found = of(&format!("{with}\npublished = {{ \"{key}\" = 1 }}"));
            assert!(found.contains(&format!("give mlp in place of {key}")), "{found}");
        }
        assert_eq!(of(&format!("{with}\nunits = \"clusters\"\npublished = {{ \"*\" = 1 }}")), "");
        let medians = "with = { score = \"kl_tau10\", over-medians = true }\npublished = { \"*\" = 1 }";
        assert_eq!(of(medians), "");
        for units in ["clusters", "problems", "repetitions"] {
            assert!(of(&format!("units = \"{units}\"\n{medians}")).contains("leave out `units`"));
        }
        let difference =
            "statistic = \"difference\"\nwith = { score = \"x\", over-medians = true }\npublished = { mlp = 1 }";
        assert!(of_comparison(difference).contains("`over-medians` is for correlations"));
    }
}
