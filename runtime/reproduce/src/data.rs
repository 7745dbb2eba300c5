//! Which datasets an experiment lacks.

use std::path::PathBuf;

use anyhow::{Result, bail};
use jointly_data::shift::{locate_shift, shift_card};
use jointly_data::uci::{locate_uci, uci_card};
use jointly_data::{card, locate};

use crate::manifest::{Manifest, Run};

impl Manifest {
    /// Returns the datasets of the experiment that are in none of the directories.
    ///
    /// # Errors
    /// When the manifest names an unknown dataset.
    pub fn missing(&self, directories: &[PathBuf]) -> Result<Vec<String>> {
        Run::missing(self.runs.iter(), directories)
    }
}

impl Run {
    /// Returns the datasets of some runs that are in none of the directories.
    ///
    /// # Errors
    /// When a run names an unknown dataset.
    pub fn missing<'r>(runs: impl Iterator<Item = &'r Self>, directories: &[PathBuf]) -> Result<Vec<String>> {
        let mut names: Vec<&String> = runs.flat_map(|run| &run.data).collect();
        names.sort_unstable();
        names.dedup();
        let mut missing = Vec::new();
        for name in names {
            let there = if let Some(table) = uci_card(name) {
                locate_uci(table, directories).is_ok()
            } else if let Some(card) = card(name) {
                locate(card, directories).is_ok()
            } else if let Some(card) = shift_card(name) {
                locate_shift(card, directories).is_ok()
            } else {
                bail!("there is no dataset {name}; `jointly data` lists all");
            };
            if !there {
                missing.push(name.clone());
            }
        }
        Ok(missing)
    }
}
