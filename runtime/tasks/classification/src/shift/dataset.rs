//! Problems made of a dataset: how its rows are shared out, and which outsiders stand beside them.

use std::collections::BTreeSet;
use std::sync::Arc;

use jointly_core::pick;
use jointly_core::stream::stream;
use jointly_core::{Dataset, Task};
use jointly_data::DataError;
use jointly_data::shift::{Labelled, MissingShiftData, Portion, ShiftCard, ShiftData, ShiftSplit};
use thiserror::Error;

use super::classes::{ClassShift, Parts};
use super::instance::{Outsiders, ShiftInstance};

/// Shares of a person's own images.
const OWN_SPLIT: ShiftSplit = ShiftSplit { validation: Portion::Share(0.1), test: Some(Portion::Share(0.2)) };

/// A dataset that a problem is made of, and its data once they are attached.
///
/// Its rows are in an order that a stream gives, named by the run's seed, the dataset and the repetition: the first are to test
/// on, unless the dataset has such of its own, the next for the agent's own use, the rest to train on. Of each set of outsiders
/// as many are taken, at random, as there are rows to test on, or all where there are fewer.
#[derive(Clone, Debug)]
pub struct ShiftDataset {
    name: String,
    /// None of a person's own images.
    card: Option<&'static ShiftCard>,
    split: ShiftSplit,
    classes: ClassShift,
    data: Option<Arc<ShiftData>>,
}

/// Why problems have no data.
#[derive(Debug, Error)]
pub enum ShiftDataError {
    /// A dataset is in none of the data directories.
    #[error(transparent)]
    Missing(#[from] MissingShiftData),
    /// A file of it cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl ShiftDataset {
    /// A dataset that suites know, without its data.
    pub fn known(card: &'static ShiftCard) -> Self {
        let name = card.name.to_owned();
        Self { name, card: Some(card), split: card.split, classes: ClassShift::None, data: None }
    }

    /// A person's own images, without their data.
    pub fn own(name: &str) -> Self {
        Self { name: name.to_owned(), card: None, split: OWN_SPLIT, classes: ClassShift::None, data: None }
    }

    /// The same with classes that are kept from agents.
    #[must_use]
    pub fn with_classes(self, classes: ClassShift) -> Self {
        Self { classes, ..self }
    }

    /// The dataset's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is known of it; None of a person's own images.
    pub fn card(&self) -> Option<&'static ShiftCard> {
        self.card
    }

    /// Which classes are kept from agents.
    pub fn classes(&self) -> ClassShift {
        self.classes
    }

    /// The data, once they are attached.
    pub fn data(&self) -> Option<&ShiftData> {
        self.data.as_deref()
    }

    /// Gives it its data.
    ///
    /// # Panics
    /// When they are another dataset's, or have too few classes for some to be kept from agents, which [`attach_datasets`](super::attach_datasets) refuses.
    pub fn attach(&mut self, data: &Arc<ShiftData>) {
        assert_eq!(data.name(), self.name, "the data of the problem's own dataset");
        let enough = self.classes.check(&data.pool.labels);
        enough.unwrap_or_else(|defect| panic!("the data of {} serve: {defect}", self.name));
        self.data = Some(Arc::clone(data));
    }

    fn attached(&self) -> &ShiftData {
        self.data().unwrap_or_else(|| panic!("the data of {} are attached", self.name))
    }

    /// # Panics
    /// When it is a person's own and has no data yet: only these tell their classes.
    pub(super) fn task(&self) -> Task {
        let mut task = self.card.map_or_else(|| self.attached().task().clone(), ShiftCard::task);
        if self.classes == ClassShift::HeldOut {
            task.num_classes -= 1;
        }
        task
    }

    /// The number of rows to test on.
    pub(super) fn test_size(&self, seed: u64, repetition: u32) -> usize {
        self.shares(seed, repetition).parts.test.len()
    }

    /// How the rows are shared out.
    fn shares(&self, seed: u64, repetition: u32) -> Shares {
        let data = self.attached();
        let split = format!("{}/seed{repetition}", self.name);
        let pool = &data.pool;
        let occurring: Vec<u32> = pool.labels.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let held_out = self.classes.held_out(seed, &self.name, repetition, &occurring);
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            (0..pool.labels.len()).partition(|&row| Some(pool.labels[row]) != held_out);

        let mut parts = self.parts(&inside, data.test.as_ref(), seed, &split);
        if let Some(own) = &data.test {
            parts.test.retain(|&row| Some(own.labels[row]) != held_out);
        }
        self.classes.filter(seed, &split, &occurring, |row| pool.labels[row], &mut parts);
        Shares { split, held_out, outside, parts }
    }

    pub(super) fn instance(&self, seed: u64, name: &str, repetition: u32) -> ShiftInstance {
        let data = self.attached();
        let pool = &data.pool;
        let Shares { split, held_out, outside, parts } = self.shares(seed, repetition);
        let Parts { train, validation, test } = &parts;
        let task = self.task();
        let labelled = |from: &Labelled, rows: &[usize]| {
            let label = |&row: &usize| match (from.labels[row], held_out) {
                (label, Some(held_out)) if label > held_out => label - 1,
                (label, _) => label,
            };
            let inputs = from.rows.select(rows, train);
            Dataset::new(&task, inputs, rows.iter().map(label).collect()).expect("what is loaded fits the task")
        };
        let tested = data.test.as_ref().unwrap_or(pool);
        let mut outsiders = Vec::new();
        if held_out.is_some() {
            let mut source = stream(seed, "outsiders", &format!("{split}/{}", ClassShift::HELD_OUT), 0);
            let chosen = pick::prefix(outside.len(), test.len().min(outside.len()), &mut source);
            let chosen: Vec<usize> = chosen.into_iter().map(|place| outside[place]).collect();
            let inputs = pool.rows.select(&chosen, train);
            outsiders.push(Outsiders { name: ClassShift::HELD_OUT.to_owned(), inputs });
        }
        for (outsider, rows) in &data.outsiders {
            let mut source = stream(seed, "outsiders", &format!("{split}/{outsider}"), 0);
            let chosen = pick::prefix(rows.len(), test.len().min(rows.len()), &mut source);
            outsiders.push(Outsiders { name: outsider.clone(), inputs: rows.select(&chosen, &[]) });
        }
        ShiftInstance {
            train: labelled(pool, train),
            validation: labelled(pool, validation),
            test: labelled(tested, test),
            outsiders,
            task,
            seed,
            name: name.to_owned(),
        }
    }

    /// The rows of each part, at least one to train on; of the dataset's own test rows all.
    fn parts(&self, inside: &[usize], own_test: Option<&Labelled>, seed: u64, split: &str) -> Parts {
        let n = inside.len();
        let mut order = pick::prefix(n, n, &mut stream(seed, "shift-split", split, 0)).into_iter().map(|k| inside[k]);
        let tested = self.split.test.filter(|_| own_test.is_none());
        let tested = tested.map_or(0, |portion| portion.of(n)).min(n.saturating_sub(2));
        let test: Vec<usize> = order.by_ref().take(tested).collect();
        let validation = self.split.validation.of(n).min(n.saturating_sub(tested + 1));
        let validation = order.by_ref().take(validation).collect();
        let test = own_test.map_or(test, |own| (0..own.labels.len()).collect());
        Parts { train: order.collect(), validation, test }
    }
}

/// The rows of a dataset, shared out.
struct Shares {
    /// What names the streams of random numbers.
    split: String,
    held_out: Option<u32>,
    /// The rows of the class that is held out.
    outside: Vec<usize>,
    parts: Parts,
}

#[cfg(test)]
mod tests;
