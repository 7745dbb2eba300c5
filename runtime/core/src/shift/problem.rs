//! Problems of dataset shift: what agents train on, and what their test inputs are shifted by.

use std::sync::Arc;

use super::dataset::ShiftDataset;
use super::drawn::DrawnDigits;
use super::instance::{ShiftInstance, changes};
use super::list::Shift;
use crate::data::shift::ShiftData;
use crate::multimodal::MultimodalTask;

/// One problem: agents train on it, and are tested as its test inputs shift.
#[derive(Clone, Debug)]
pub struct ShiftProblem {
    /// The name that results carry.
    pub name: String,
    /// Where its data come from.
    pub source: ShiftSource,
    /// The number of the repetition: another split, or other digits.
    pub repetition: u32,
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

    /// What standard errors over problems are clustered by: the name of the dataset, since its problems are splits and
    /// variants of the same rows; else the problem's own name, for drawn digits are drawn anew.
    pub fn cluster(&self) -> &str {
        match &self.source {
            ShiftSource::Drawn(_) => &self.name,
            ShiftSource::Data(dataset) => dataset.name(),
        }
    }

    /// What an agent is told.
    ///
    /// # Panics
    /// When the problem is on a person's own images and they are not attached: only these tell their classes.
    pub fn task(&self) -> MultimodalTask {
        match &self.source {
            ShiftSource::Drawn(drawn) => drawn.task(),
            ShiftSource::Data(dataset) => dataset.task(),
        }
    }

    /// The [digest](fn@crate::digest) of the data, once they are attached; None where the host draws them.
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

#[cfg(test)]
mod tests;
