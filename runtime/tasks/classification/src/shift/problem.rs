//! Problems of dataset shift: their training data, and the data whose test inputs are shifted.

use std::path::PathBuf;
use std::sync::Arc;

use jointly_core::Seed;
use jointly_core::coordinates::Coordinates;
use jointly_core::task::Task;
use jointly_data::shift::{ShiftCard, ShiftData, load_shift, locate_shift, shift_cards};

use super::classes::ClassShift;
use super::dataset::{ShiftDataError, ShiftDataset};
use super::drawn::{DrawnDigits, OUTSIDERS};
use super::instance::{ShiftInstance, changes};
use crate::shift::level::{Shift, ShiftLevel};

/// One problem: agents train on it and are tested on its shifted test inputs.
#[derive(Clone, Debug)]
pub struct ShiftProblem {
    /// The name in results.
    pub name: String,
    /// The source of its data.
    pub source: ShiftSource,
    /// The number of the repetition, which selects another split or other digits.
    pub repetition: u32,
    /// Its place in its suite.
    pub coordinates: Coordinates,
}

/// The source of a problem's data.
#[derive(Clone, Debug)]
pub enum ShiftSource {
    /// Digits drawn by the host.
    Drawn(DrawnDigits),
    /// A dataset, whose data must be attached before [`ShiftProblem::instance`] is called.
    Data(ShiftDataset),
}

impl ShiftProblem {
    /// Returns the name from which random streams are derived: the problem's name.
    pub fn stream_name(&self) -> &str {
        &self.name
    }

    /// Returns the description of the task that agents receive.
    ///
    /// # Panics
    /// When the problem is on user-supplied images that are not attached: only they determine the classes.
    pub fn task(&self) -> Task {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.task(),
            ShiftSource::Data(dataset) => dataset.task(),
        }
    }

    /// Returns the [digest](fn@jointly_core::digest) of the data, once they are attached; None if the host draws them.
    pub fn digest(&self) -> Option<String> {
        match &self.source {
            ShiftSource::Drawn(_) => None,
            ShiftSource::Data(dataset) => dataset.data().map(|data| data.digest().to_owned()),
        }
    }

    /// Returns the dataset that the problem is made of, if any.
    pub fn dataset(&self) -> Option<&ShiftDataset> {
        match &self.source {
            ShiftSource::Drawn(_) => None,
            ShiftSource::Data(dataset) => Some(dataset),
        }
    }

    /// Attaches the data, which [`instance`](Self::instance) needs.
    ///
    /// # Panics
    /// When the problem is not made of a dataset, or is made of another one.
    pub fn attach(&mut self, data: &Arc<ShiftData>) {
        match &mut self.source {
            ShiftSource::Drawn(_) => panic!("{} is drawn and takes no data", self.name),
            ShiftSource::Data(dataset) => dataset.attach(data),
        }
    }

    /// Returns whether a shift applies to the problem's inputs and changes them: grey images have no saturation.
    ///
    /// # Panics
    /// Under the same conditions as [`ShiftProblem::task`].
    pub fn takes(&self, shift: Shift) -> bool {
        changes(&self.task(), shift)
    }

    /// Returns those of some levels that the problem [takes](Self::takes), in their order.
    ///
    /// # Panics
    /// Under the same conditions as [`ShiftProblem::task`].
    pub fn taken(&self, levels: &[ShiftLevel]) -> Vec<ShiftLevel> {
        levels.iter().filter(|level| self.takes(level.shift())).copied().collect()
    }

    /// Returns the names of the sets of out-of-distribution (OOD) inputs that a result with the sets `found` must have, in
    /// order. Sets in files of their own are among them only if they are in `found`, because a data directory may lack
    /// these files. Of user-supplied images, no set is known.
    pub(super) fn ood_sets(&self, found: &[&str]) -> Vec<&'static str> {
        let dataset = match &self.source {
            ShiftSource::Drawn(_) => return vec![OUTSIDERS],
            ShiftSource::Data(dataset) => dataset,
        };
        let held_out = (dataset.classes() == ClassShift::HeldOut).then_some(ClassShift::HELD_OUT);
        let own = dataset.card().and_then(ShiftCard::own_ood_set);
        let files = dataset.card().map_or(&[][..], |card| card.outsiders).iter().map(|set| set.name);
        held_out.into_iter().chain(own).chain(files.filter(|name| found.contains(name))).collect()
    }

    /// Returns the number of test inputs under a seed.
    ///
    /// # Panics
    /// When the problem is on a dataset that is not attached.
    pub fn test_size(&self, seed: Seed) -> usize {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.test as usize,
            ShiftSource::Data(dataset) => dataset.test_size(seed, self.repetition),
        }
    }

    /// Returns the data under a seed.
    ///
    /// # Panics
    /// When the problem is on a dataset that is not attached.
    pub fn instance(&self, seed: Seed) -> ShiftInstance {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.instance(seed, self.stream_name()),
            ShiftSource::Data(dataset) => dataset.instance(seed, self.stream_name(), self.repetition),
        }
    }
}

/// Reads the datasets of problems from data directories, each once, and attaches them; problems of one dataset share
/// it. All datasets are located before any is read. Attached datasets and user-supplied images are skipped.
///
/// # Errors
/// The first dataset, in the order of [`shift_cards`], that is in none of the directories, or a file that cannot be
/// used.
pub fn attach_datasets(problems: &mut [ShiftProblem], directories: &[PathBuf]) -> Result<(), ShiftDataError> {
    let wanting = |problem: &ShiftProblem, card: &ShiftCard| match &problem.source {
        ShiftSource::Drawn(_) => false,
        ShiftSource::Data(dataset) => {
            dataset.data().is_none() && dataset.card().is_some_and(|own| own.name == card.name)
        }
    };
    let mut located = Vec::new();
    for card in shift_cards().iter().filter(|card| problems.iter().any(|problem| wanting(problem, card))) {
        located.push((card, locate_shift(card, directories)?));
    }
    for (card, files) in located {
        let data = Arc::new(load_shift(card, &files)?);
        for dataset in problems.iter().filter(|problem| wanting(problem, card)).filter_map(ShiftProblem::dataset) {
            let enough = dataset.classes().check(&data.pool.labels);
            enough.map_err(|defect| defect.of(card.name, &files.parts[0].path))?;
        }
        for problem in problems.iter_mut().filter(|problem| wanting(problem, card)) {
            problem.attach(&data);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
