//! The list of the experiments, with costs, verdicts and what they need.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use jointly_core::printable::ShowPath as _;
use jointly_record::pattern;
use jointly_report::table::wrap;
use jointly_reproduce::{Experiment, Outcome, Progress, all, command};
use serde_json::{Value, json};

use super::{Reproduce, whole};
use crate::{exit, output};

/// Returns whether a name stands for several experiments.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

impl Reproduce {
    /// Lists all experiments, or those whose names match a pattern.
    pub(super) fn list(&self, asked: Option<&str>) -> Result<ExitCode> {
        let mut experiments = all()?;
        if let Some(asked) = asked {
            let matcher = pattern::matcher(asked)?;
            experiments.retain(|experiment| matcher.is_match(&experiment.id));
            ensure!(!experiments.is_empty(), "no experiment matches {asked}; `jointly reproduce` lists all");
        }
        let lack = self.lack();
        if let Some(lack) = &lack {
            output::note(lack);
        }
        let directories = self.data.directories().paths()?;
        let (mut texts, mut entries) = (Vec::new(), Vec::new());
        for experiment in &experiments {
            let (text, entry) = self.entry(experiment, &directories, lack.is_none())?;
            texts.push(text);
            entries.push(entry);
        }
        if self.json {
            output::print_json(&entries)?;
        } else {
            output::print(&wrap(&texts.join("\n"), 4))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }

    /// Returns what the list says of an experiment, as text and as JSON; `has_kept` says whether the folder of kept runs is there.
    fn entry(&self, experiment: &Experiment, directories: &[PathBuf], has_kept: bool) -> Result<(String, Value)> {
        let Experiment { id, manifest } = experiment;
        let missing = manifest.missing(directories)?;
        let mut text = format!("{id}: {}\n    {}\n", manifest.subject(), manifest.cost);
        let kept = whole(experiment, self.kept());
        let counts = kept.as_ref().ok().and_then(Option::as_ref).map(Outcome::counts);
        match (&kept, &manifest.not_run) {
            (Err(error), _) => writeln!(text, "    the kept run does not fit: {error:#}")?,
            (Ok(Some(outcome)), _) => writeln!(text, "    kept: {}", outcome.counts().text())?,
            (Ok(None), Some(why)) => writeln!(text, "    built, not run: {}", output::one_line(why))?,
            // That nothing is kept is said once of all.
            (Ok(None), None) if !has_kept => {}
            (Ok(None), None) => writeln!(text, "    no run in {}", self.kept().shown())?,
        }
        let (own, progress) = self.own(experiment);
        let out = self.out().shown();
        match (&own, &progress) {
            (Ok(None), None) => {}
            (Ok(None), Some(progress)) => writeln!(text, "    in {out}: {}", progress.text())?,
            (Ok(Some(outcome)), _) => writeln!(text, "    in {out}: {}", outcome.counts().text())?,
            (Err(error), _) => writeln!(text, "    the run in {out} does not fit: {error:#}")?,
        }
        if manifest.asks_images() {
            text += "    needs images, which --images DIR gives: CIFAR-10 as JPEG files, see docs/shift.md\n";
        } else if !missing.is_empty() {
            writeln!(text, "    needs {}, which `jointly data` says how to get", missing.join(", "))?;
        }
        let entry = json!({
            "id": id,
            "paper": manifest.paper,
            "title": manifest.title,
            "cost": manifest.cost,
            "commands": manifest.runs.iter().map(command).collect::<Vec<_>>(),
            "missing": missing,
            "kept_error": kept.as_ref().err().map(|error| format!("{error:#}")),
            "not_run": manifest.not_run,
            "reproduced": counts.map(|counts| counts.reproduced),
            "uncertain": counts.map(|counts| counts.uncertain),
            "fitted": counts.map(|counts| counts.fitted),
            "differ": counts.map(|counts| counts.differ),
            "own_error": own.as_ref().err().map(|error| format!("{error:#}")),
            "own": own.ok().flatten().as_ref().map(Outcome::counts),
            "own_progress": progress,
        });
        Ok((text, entry))
    }

    /// Compares the new runs of an experiment with what was published, or says how far they are.
    fn own<'e>(&self, experiment: &'e Experiment) -> (Result<Option<Outcome<'e>>>, Option<Progress>) {
        if self.out() == self.kept() {
            return (Ok(None), None);
        }
        match whole(experiment, self.out()) {
            Ok(None) => match Progress::read(&experiment.manifest.runs, self.out()) {
                Ok(progress) => (Ok(None), progress),
                Err(error) => (Err(error), None),
            },
            own => (own, None),
        }
    }
}
