//! Problems of dataset shift: what agents train on, and what their test inputs are shifted by.

use std::path::PathBuf;
use std::sync::Arc;

use jointly_core::coordinates::Coordinates;
use jointly_core::task::Task;
use jointly_data::shift::{ShiftCard, ShiftData, load_shift, locate_shift, shift_cards};

use super::dataset::{ShiftDataError, ShiftDataset};
use super::drawn::DrawnDigits;
use super::instance::{ShiftInstance, changes};
use crate::shift::level::Shift;

/// One problem: agents train on it, and are tested as its test inputs shift.
#[derive(Clone, Debug)]
pub struct ShiftProblem {
    /// The name that results carry.
    pub name: String,
    /// Where its data come from.
    pub source: ShiftSource,
    /// The number of the repetition: another split, or other digits.
    pub repetition: u32,
    /// Where it stands in its suite.
    pub coordinates: Coordinates,
}

/// Where a problem's data come from.
#[derive(Clone, Debug)]
pub enum ShiftSource {
    /// The host draws them.
    Drawn(DrawnDigits),
    /// A dataset, whose data are attached before there is an instance.
    Data(ShiftDataset),
}

impl ShiftProblem {
    /// What random streams are derived from: the name.
    pub fn stream_name(&self) -> &str {
        &self.name
    }

    /// What an agent is told.
    ///
    /// # Panics
    /// When the problem is on a person's own images and they are not attached: only these tell their classes.
    pub fn task(&self) -> Task {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.task(),
            ShiftSource::Data(dataset) => dataset.task(),
        }
    }

    /// The [digest](fn@jointly_core::digest) of the data, once they are attached; None where the host draws them.
    pub fn digest(&self) -> Option<String> {
        match &self.source {
            ShiftSource::Drawn(_) => None,
            ShiftSource::Data(dataset) => dataset.data().map(|data| data.digest().to_owned()),
        }
    }

    /// The dataset that it is made of, where it is made of one.
    pub fn dataset(&self) -> Option<&ShiftDataset> {
        match &self.source {
            ShiftSource::Drawn(_) => None,
            ShiftSource::Data(dataset) => Some(dataset),
        }
    }

    /// Gives it the data, before it is asked for an instance.
    ///
    /// # Panics
    /// When it is made of no dataset, or of another.
    pub fn attach(&mut self, data: &Arc<ShiftData>) {
        match &mut self.source {
            ShiftSource::Drawn(_) => panic!("{} is drawn and takes no data", self.name),
            ShiftSource::Data(dataset) => dataset.attach(data),
        }
    }

    /// Whether its inputs can be shifted so, and change by it: grey images have no saturation.
    ///
    /// # Panics
    /// As [`ShiftProblem::task`] does.
    pub fn takes(&self, shift: Shift) -> bool {
        changes(&self.task(), shift)
    }

    /// The number of inputs to test on, under a seed.
    ///
    /// # Panics
    /// When the problem is on data that are not attached.
    pub fn test_size(&self, seed: u64) -> usize {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.test as usize,
            ShiftSource::Data(dataset) => dataset.test_size(seed, self.repetition),
        }
    }

    /// The data under a seed.
    ///
    /// # Panics
    /// When the problem is on data that are not attached.
    pub fn instance(&self, seed: u64) -> ShiftInstance {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.instance(seed, self.stream_name()),
            ShiftSource::Data(dataset) => dataset.instance(seed, self.stream_name(), self.repetition),
        }
    }
}

/// Reads the datasets that problems are made of from data directories, each once, and attaches them; problems of one dataset
/// share it. All are located before any is read. What is attached already is left, and so are a person's own images.
///
/// # Errors
/// The first dataset, in the order of [`shift_cards`], that is in none of the directories, or a file that cannot be used.
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
