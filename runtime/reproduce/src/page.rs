//! The pages of `docs/results`, made of manifests and kept runs.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use jointly_record::quantity::{self, counted};
use jointly_record::shell;

use crate::braces;
use crate::experiments::Experiment;
use crate::kept::KeptRun;
use crate::labels::chosen_key;
use crate::manifest::{Comparison, Manifest, Run};
use crate::outcome::{NOT_EXPLAINED, Outcome, Row, by_cause, whose};
use crate::table::Table;
use crate::verdict::{Counts, Verdict};

/// The name and the title of each page of experiments.
const PAGES: [(&str, &str); 4] = [
    ("testbed", "Results: the Neural Testbed"),
    ("regression", "Results: regression"),
    ("shift", "Results: dataset shift"),
    ("decisions", "Results: decisions"),
];

/// The first line of every page.
const MADE: &str =
    "<!-- Made by `jointly reproduce --all --write` from experiments/*.toml and the runs kept here. -->\n";

/// A page, or a picture on one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The file's name.
    pub file: String,
    /// The contents.
    pub text: String,
}

/// An experiment, with what came out if its runs are kept.
pub type Found<'e> = (&'e Experiment, Option<Outcome<'e>>);

/// Makes the pages of experiments and the overview, `README.md`.
///
/// # Errors
/// When an experiment belongs to no page, has neither runs nor a reason, or names a number that its runs lack.
pub fn pages(found: &[Found]) -> Result<Vec<Page>> {
    for (experiment, outcome) in found {
        let (id, manifest) = (&experiment.id, &experiment.manifest);
        ensure!(PAGES.iter().any(|(page, _)| *page == manifest.page), "{id}: there is no page {}", manifest.page);
        let reason = manifest.not_run.is_some();
        ensure!(outcome.is_some() || reason, "{id}: no run of it is kept, and its manifest has no `not-run`");
        ensure!(outcome.is_none() || !reason, "{id}: its runs are kept, and its manifest has `not-run`");
    }
    let page = |(name, title): &(&str, &str)| {
        let sections = found.iter().filter(|(experiment, _)| experiment.manifest.page == *name);
        let mut text = format!("{MADE}# {title}\n");
        for (experiment, outcome) in sections {
            let written = section(&mut text, experiment, outcome.as_ref());
            written.with_context(|| format!("the section of {}", experiment.id))?;
        }
        Ok(Page { file: format!("{name}.md"), text })
    };
    let mut pages = PAGES.iter().map(page).collect::<Result<Vec<_>>>()?;
    for (experiment, outcome) in found {
        let pictures = outcome.as_ref().map(Outcome::pictures).transpose()?.unwrap_or_default();
        pages.extend((1..).zip(pictures).map(|(number, text)| Page { file: picture(experiment, number), text }));
    }
    pages.push(Page { file: "README.md".to_owned(), text: overview(found) });
    Ok(pages)
}

/// Returns the file of an experiment's picture, counted from 1: in the folder of its first run.
fn picture(experiment: &Experiment, number: usize) -> String {
    let folder = experiment.manifest.runs.first().map_or("", |run| run.name.as_str());
    format!("{folder}/{}", experiment.picture(number))
}

/// Returns the name by which links refer to a heading.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Writes the section of an experiment.
fn section(text: &mut String, experiment: &Experiment, outcome: Option<&Outcome>) -> Result<()> {
    let manifest = &experiment.manifest;
    let paper = manifest.paper.as_deref().unwrap_or("No paper has it");
    let _ = write!(text, "\n## {}\n\n{paper}: `jointly reproduce {}`.\n", manifest.title, experiment.id);
    paragraph(text, "", &filled(&manifest.text, outcome)?);
    text.push('\n');
    for run in &manifest.runs {
        let _ = writeln!(text, "    {}", command(run));
    }
    let Some(outcome) = outcome else {
        paragraph(text, "**Built, not run**: ", manifest.not_run.as_deref().unwrap_or_default());
        return Ok(());
    };
    text.push('\n');
    for run in &outcome.runs {
        let _ = writeln!(text, "- {}", provenance(run)?);
    }
    for (run, kept) in manifest.runs.iter().zip(&outcome.runs) {
        let Some(chosen) = &run.chosen else { continue };
        let (own, by, score) = (&run.name, &chosen.by, &chosen.score);
        if chosen.per_setting {
            let _ = write!(
                text,
                "\n`{}` is, on each problem, the variant of AGENT with the lowest mean `{score}` over the problems of `{by}` with the \
                 same setting. `{own}` and `{by}` share no problem:\n\n",
                chosen_key("AGENT")
            );
            text.push_str(&choices(kept));
            continue;
        }
        let labels: Vec<String> = kept.agents().map(|(_, label)| format!("`{label}`")).collect();
        let _ = writeln!(
            text,
            "\nThe settings of `{own}` have the lowest `{score}` of all variants of `{by}`, whose problems are others: {}.",
            labels.join(", ")
        );
    }
    paragraph(text, "**Settings**: ", manifest.tuning.as_deref().unwrap_or_default());
    let than = if manifest.paper.is_none() { "**What is smaller**: " } else { "**Smaller than in the paper**: " };
    paragraph(text, than, manifest.smaller.as_deref().unwrap_or_default());
    for (comparison, rows) in manifest.comparisons.iter().zip(&outcome.rows) {
        compared(text, comparison, rows);
    }
    for table in outcome.tables() {
        let (title, rows) = table?;
        let _ = write!(text, "\n**{title}**.\n\n");
        let mut rows = rows.iter();
        let headings: Vec<String> = rows.next().into_iter().flatten().map(|name| format!("`{name}`")).collect();
        let mut made = Table::new(&headings);
        rows.for_each(|row| made.row(row));
        text.push_str(&made.text());
    }
    for (number, caption) in (1..).zip(manifest.captions()) {
        let _ = write!(text, "\n![{caption}]({})\n\n*{caption}.*\n", picture(experiment, number));
    }
    paragraph(text, "", &filled(&manifest.found, Some(outcome))?);
    Ok(())
}

/// Adds a paragraph unless its text is empty.
fn paragraph(text: &mut String, begin: &str, words: &str) {
    if !words.trim().is_empty() {
        let _ = write!(text, "\n{begin}{}\n", words.trim());
    }
}

/// Returns the command of a run.
pub fn command(run: &Run) -> String {
    let words = [braces::shown(&run.written), vec!["--out".to_owned(), shell::quoted(&run.name)]].concat();
    format!("jointly {}", words.join(" "))
}

/// Returns a table of the variants that were chosen for each setting: a row a setting, a column an agent.
fn choices(kept: &KeptRun) -> String {
    let mut headings = vec!["setting".to_owned()];
    headings.extend(kept.chosen.keys().map(|key| format!("`{key}`")));
    let mut table = Table::new(&headings);
    let settings = kept.chosen.values().next().into_iter().flat_map(|variants| variants.keys());
    for setting in settings {
        let mut row = vec![setting.clone()];
        let labels = kept.chosen.values().filter_map(|variants| variants.get(setting));
        row.extend(labels.map(|label| format!("`{label}`")));
        table.row(&row);
    }
    table.text()
}

/// Says where a run comes from and what it cost.
fn provenance(run: &KeptRun) -> Result<String> {
    let name = &run.name;
    let origin = run.origin.as_ref();
    let origin = origin.with_context(|| format!("{name} has no origin.json, which says of which commit it is"))?;
    let (agents, problems) = (run.plan.agents.len(), run.plan.problems.len());
    let mut text = format!(
        "[{name}]({name}): commit {}, plan {}, {} on {}",
        origin.commit,
        &run.digest.trim_start_matches("sha256:")[..12],
        counted(agents, "agent"),
        counted(problems, "problem")
    );
    if let Some(fuel) = run.fuel() {
        let _ = write!(text, ", {} fuel", quantity::count(fuel));
    }
    if let Some(seconds) = origin.seconds {
        let spent =
            if seconds < 3600.0 { format!("{seconds} seconds") } else { format!("{:.1} hours", seconds / 3600.0) };
        let _ = write!(text, ", {spent} in units");
    }
    Ok(text)
}

/// Writes a table of ours beside the published numbers, then the causes of differences.
fn compared(text: &mut String, comparison: &Comparison, rows: &[Row]) {
    let _ = write!(text, "\n**{}**{}.\n\n", comparison.title, comparison.precision());
    let mut table = Table::new(&["agent", "ours", "published", "difference", "verdict"]);
    for row in rows {
        let difference = row.difference().map(|(difference, stderr)| quantity::with_error(difference, stderr));
        let verdict = match row.verdict {
            Verdict::Reproduced | Verdict::Uncertain | Verdict::Fitted => row.verdict.word().to_owned(),
            Verdict::Differs => format!("**{}**", row.verdict.word()),
        };
        table.row(&[row.who(), &row.shown(), &row.published.shown(), &difference.unwrap_or_default(), &verdict]);
    }
    text.push_str(&table.text());
    if rows.iter().any(|row| row.cause.is_some()) {
        text.push('\n');
    }
    for (cause, rows) in by_cause(rows) {
        let Some(cause) = cause else { continue };
        let _ = writeln!(text, "- *{}*: {}", whose(&rows), cause.trim());
    }
}

/// Replaces `{{SCORE AGENT}}` and `{{SCORE AGENT RUN}}` by the number of the run.
fn filled(words: &str, outcome: Option<&Outcome>) -> Result<String> {
    let mut text = String::with_capacity(words.len());
    let mut parts = words.split("{{");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once("}}").with_context(|| format!("{{{{{part} has no end"))?;
        let outcome = outcome.with_context(|| format!("{name} is a number of a run, and none is kept"))?;
        let words: Vec<&str> = name.split_whitespace().collect();
        let [score, agent, run @ ..] = words.as_slice() else {
            anyhow::bail!("{{{{{name}}}}} does not name a score and an agent")
        };
        let mean = outcome.run(run.first().copied())?.total(agent, score)?;
        text.push_str(&quantity::brief(mean.value, mean.stderr));
        text.push_str(rest);
    }
    Ok(text)
}

impl Counts {
    /// Returns the words in lists.
    pub fn text(self) -> String {
        let Self { reproduced, uncertain, fitted, differ } = self;
        let parts = [
            (reproduced, format!("{reproduced} reproduced")),
            (differ, if differ == 1 { "1 differs".to_owned() } else { format!("{differ} differ") }),
            (uncertain, format!("{uncertain} uncertain")),
            (fitted, format!("{fitted} fitted")),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
        if parts.is_empty() { "no published number".to_owned() } else { parts.join(", ") }
    }
}

/// Writes how many numbers of each paper came out how.
fn totals(found: &[Found]) -> String {
    let mut papers: Vec<(&str, Vec<&Row>)> = Vec::new();
    for (experiment, outcome) in found {
        let paper = experiment.manifest.paper.as_deref().unwrap_or_default();
        let paper = paper.split(", ").next().unwrap_or_default();
        let rows = outcome.iter().flat_map(|outcome| outcome.rows.iter().flatten());
        match papers.iter().position(|(known, _)| *known == paper) {
            Some(at) => papers[at].1.extend(rows),
            None => papers.push((paper, rows.collect())),
        }
    }
    papers.retain(|(_, rows)| !rows.is_empty());
    let all: Vec<&Row> = papers.iter().flat_map(|(_, rows)| rows).copied().collect();
    papers.push(("all", all));

    let one_sided = |row: &Row| row.difference().is_none();
    let unknown = |row: &Row| row.cause.as_ref().is_some_and(|cause| cause.starts_with(NOT_EXPLAINED));
    let headings = [
        "paper",
        "numbers",
        "reproduced",
        "one-sided among these",
        "differ",
        "not explained among these",
        "uncertain",
        "fitted",
    ];
    let mut table = Table::new(&headings);
    for (paper, rows) in papers {
        let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count().to_string();
        table.row(&[
            paper.to_owned(),
            rows.len().to_string(),
            count(&|row| row.verdict == Verdict::Reproduced),
            count(&|row| row.verdict == Verdict::Reproduced && one_sided(row)),
            count(&|row| row.verdict == Verdict::Differs),
            count(&|row| row.verdict == Verdict::Differs && unknown(row)),
            count(&|row| row.verdict == Verdict::Uncertain),
            count(&|row| row.verdict == Verdict::Fitted),
        ]);
    }
    format!("\n## Totals by paper\n\n{}{IN_ALL}", table.text())
}

/// Writes the overview.
fn overview(found: &[Found]) -> String {
    let mut text = format!("{MADE}# Results\n\n{INTRODUCTION}{}\n## Experiments\n\n", totals(found));
    let mut table = Table::new(&["experiment", "paper", "published numbers", "cost"]);
    let link = |experiment: &Experiment| {
        let manifest = &experiment.manifest;
        format!("[{}]({}.md#{})", experiment.id, manifest.page, anchor(&manifest.title))
    };
    for (experiment, outcome) in found {
        let counts = outcome.as_ref().map(Outcome::counts);
        let verdicts = counts.map_or_else(|| "built, not run".to_owned(), Counts::text);
        let Manifest { paper, cost, .. } = &experiment.manifest;
        table.row(&[&link(experiment), paper.as_deref().unwrap_or("none"), &verdicts, cost]);
    }
    text.push_str(&table.text());

    text.push_str("\n## Where our numbers differ from a paper's\n\n");
    let mut table = Table::new(&["experiment", "number", "ours (published)", "what was found"]);
    for (experiment, outcome) in found {
        let Some(outcome) = outcome else { continue };
        for (comparison, rows) in experiment.manifest.comparisons.iter().zip(&outcome.rows) {
            let differ = rows.iter().filter(|row| row.verdict == Verdict::Differs);
            for (cause, rows) in by_cause(differ) {
                let shown = |row: &&Row| format!("{} {} ({})", row.who(), row.shown(), row.published.shown());
                let agents: Vec<String> = rows.iter().map(shown).collect();
                table.row(&[&link(experiment), &comparison.title, &agents.join("; "), cause.unwrap_or_default()]);
            }
        }
    }
    text.push_str(&table.text());
    text.push_str(REST);
    text
}

const INTRODUCTION: &str = "\
What the papers published, beside what Jointly found. An experiment is a file of `experiments/`: its commands, the
published numbers with the error with which they were read, and the cause where ours differ. `jointly reproduce` lists
them, and `jointly reproduce ID` runs one and compares. A number is *reproduced* if ours differs from it by
at most the sum of its reading error, of the tolerance that its table states, and of the error of both at 95 %. It is *uncertain* if the standard
errors are so large that much else would agree too, and *fitted* if the settings were chosen so that it
agrees: [verdicts](../reproduce.md#verdicts). Each section says what is smaller than in the paper.
";

const IN_ALL: &str = "
A number that several runs are compared with counts for each; numbers of a paper that a section has in its text alone are not counted.
One-sided are statements that something lies above or below a number. Each comparison is judged by itself: of numbers that are the
same, about one in twenty differs by chance.
";

const REST: &str = "
## Files

The directory of each run keeps, compressed, `plan.json` (versions, digests and settings) and `scores.json`, from which these pages
are made, mostly `leaderboard.csv`, and where it is small enough the journal; and `origin.json`, the commit whose build kept it, with the plan that it makes
itself. Units may have been run before, by builds with the same plan.
Seconds are the time of all units by the clock, on machines that did other work beside them and at times stood still: fuel says what a run costs.
It is by the [price list](../security.md#what-fuel-costs) that the plan names, list 1 where it names none. The
[table](table.md) of all bundled agents is no experiment of a paper, and has a page of its own.

To check a run, let some units of it be run again, with `--scores` where the journal is not kept:
`jointly verify docs/results/RUN --sample 5`, with `--data` for real data, and `--fuel` where the run's limit is higher than usual.
Where a build says that its agents are not those of the plan, use the build of the commit that the run names. Older builds read no compressed
files: copy the directory, and run `gzip -d` on the copy's files. Or run the command again: its `scores.json` is the same to the last digit. `make results-pages` unpacks this folder into `target/results` and makes the page
of each run there, `report.html`.
";

#[cfg(test)]
mod tests {
    use super::{anchor, pages};
    use crate::experiments::Experiment;
    use crate::manifest::Manifest;

    #[test]
    fn an_experiment_that_was_not_run_says_why() {
        let text = "page = \"testbed\"\ntitle = \"T\"\ncost = \"days\"\nnot-run = \"No time.\"\n\
                    [[run]]\nname = \"a\"\narguments = [\"run\", \"mlp\", \"--suite\", \"quick\"]\n";
        let experiment = Experiment { id: "it".into(), manifest: Manifest::parse("it", text).unwrap() };
        let pages = pages(&[(&experiment, None)]).unwrap();
        let page = |file: &str| &pages.iter().find(|page| page.file == file).unwrap().text;
        assert!(page("testbed.md").ends_with("\n**Built, not run**: No time.\n"), "{}", page("testbed.md"));
        let row = "| [it](testbed.md#t) | none | built, not run | days |\n";
        assert!(page("README.md").contains(row), "{}", page("README.md"));
    }

    #[test]
    fn headings_have_the_names_of_links() {
        assert_eq!(anchor("Figure 2: the published agents, at tau = 1"), "figure-2-the-published-agents-at-tau--1");
    }
}
