//! The experiments of this project, embedded, and those of files.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

use crate::manifest::Manifest;
use crate::names;

/// The most bytes of a manifest.
const MOST_BYTES: u64 = 1 << 20;

/// An experiment with the name by which the command knows it.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The name: that of its file, without `.toml`.
    pub id: String,
    /// The contents of its file.
    pub manifest: Manifest,
}

impl Experiment {
    /// Returns the name of the file of a picture, counted from 1.
    pub fn picture(&self, number: usize) -> String {
        format!("{}-{number}.svg", self.id)
    }
}

macro_rules! experiments {
    ($($id:literal),+ $(,)?) => {
        /// The name and the text of each experiment, in the order in which they stand on pages.
        const EXPERIMENTS: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../../experiments/", $id, ".toml")))),+];
    };
}

experiments! {
    "testbed-figure-2",
    "testbed-figure-2-tuned",
    "testbed-figure-2-settings",
    "testbed-figure-3",
    "testbed-figure-4",
    "testbed-figure-5",
    "testbed-figure-7",
    "testbed-figure-7-factors",
    "testbed-figures-8-9",
    "testbed-figure-10",
    "testbed-floor",
    "testbed-figure-6",
    "testbed-figure-6-images",
    "testbed-figure-6-sgmcmc",
    "testbed-figure-6-bbb",
    "testbed-glorot",
    "testbed-table-2",
    "testbed-appendix-b",
    "coverage-line",
    "coverage-figure-2",
    "coverage-figure-3",
    "coverage-pair",
    "coverage-toys",
    "coverage-gap",
    "coverage-boston",
    "coverage-boston-units",
    "coverage-noise",
    "coverage-tables",
    "uci-likelihood",
    "uci-likelihood-large",
    "correlations-table-1",
    "correlations-table-1-means",
    "correlations-table-1-tuned",
    "correlations-large",
    "correlations-large-trained",
    "correlations-table-1-networks",
    "correlations-figure-3",
    "correlations-figure-4",
    "correlations-figure-4-code",
    "correlations-figure-12",
    "correlations-figures-13-14",
    "correlations-table-4",
    "regression-small",
    "shift-mnist-moved",
    "shift-mnist-corrupted",
    "shift-mnist-tuned",
    "shift-ensemble-size",
    "shift-mnist-lenet",
    "shift-fashion",
    "shift-cifar10",
    "shift-cifar10-resnet20",
    "shift-text",
    "shift-text-lstm",
    "shift-synthetic",
    "shift-tabular",
    "shift-joint",
    "decisions-answer",
}

/// Returns all experiments of the project.
///
/// # Errors
/// When a manifest is not as it must be.
pub fn all() -> Result<Vec<Experiment>> {
    let parse = |(id, text): &(&str, &str)| {
        let manifest = Manifest::parse(&format!("experiments/{id}.toml"), text)?;
        Ok(Experiment { id: (*id).to_owned(), manifest })
    };
    EXPERIMENTS.iter().map(parse).collect()
}

/// Returns an experiment of the project by its name, or `None`.
///
/// # Errors
/// When a manifest is not as it must be.
pub fn find(id: &str) -> Result<Option<Experiment>> {
    Ok(all()?.into_iter().find(|experiment| experiment.id == id))
}

/// Reads an experiment from a file.
///
/// # Errors
/// When it cannot be read, is no manifest, or names agents or problems that its runs will not have.
pub fn open(path: &Path) -> Result<Experiment> {
    let bytes = regular_file::read(path, MOST_BYTES).with_context(|| format!("failed to read {}", path.shown()))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{} is no text", path.shown()))?;
    let manifest = Manifest::parse(&path.shown().to_string(), &text)?;
    names::check(&manifest).with_context(|| format!("{} does not fit its runs", path.shown()))?;
    let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // It becomes the name of a directory.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    ensure!(!id.is_empty() && id.chars().all(plain), "{}: name it with letters, digits, - and _", path.shown());
    Ok(Experiment { id, manifest })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use super::{EXPERIMENTS, all};

    #[test]
    fn every_file_is_an_experiment_and_no_two_keep_different_runs_in_one_place() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
        let listed: BTreeSet<String> = EXPERIMENTS.iter().map(|(id, _)| (*id).to_owned()).collect();
        assert_eq!(files, listed);
        let mut known = BTreeMap::new();
        for experiment in all().unwrap() {
            for run in experiment.manifest.runs {
                // Several figures may be cut from one run.
                let first = known.entry(run.name.clone()).or_insert_with(|| run.arguments.clone());
                assert_eq!(*first, run.arguments, "{} has another run at {}", experiment.id, run.name);
            }
        }
    }
}
