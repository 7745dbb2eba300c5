//! Problems made of a dataset: the split of its rows, and its out-of-distribution inputs.

use std::collections::BTreeSet;
use std::sync::Arc;

use jointly_core::pick;
use jointly_core::stream::stream;
use jointly_core::{Dataset, Seed, Task};
use jointly_data::DataError;
use jointly_data::shift::{Labelled, MissingShiftData, Portion, ShiftCard, ShiftData, ShiftSplit};
use thiserror::Error;

use super::classes::{ClassShift, Parts};
use super::instance::{Outsiders, ShiftInstance};

/// The split of user-supplied images.
const OWN_SPLIT: ShiftSplit = ShiftSplit { validation: Portion::Share(0.1), test: Some(Portion::Share(0.2)) };

/// A dataset of a problem, with its data once they are attached.
///
/// A stream named by the run's seed, the dataset and the repetition orders the rows: the first are test rows, unless
/// the dataset has its own, the next are for the agent's own use, the rest for training. From each set of
/// out-of-distribution inputs, as many are drawn at random as the problem has test rows, or all if the set is smaller.
#[derive(Clone, Debug)]
pub struct ShiftDataset {
    name: String,
    /// None for user-supplied images.
    card: Option<&'static ShiftCard>,
    split: ShiftSplit,
    classes: ClassShift,
    data: Option<Arc<ShiftData>>,
}

/// Reasons why the data of problems are not available.
#[derive(Debug, Error)]
pub enum ShiftDataError {
    /// A dataset is in none of the data directories.
    #[error(transparent)]
    Missing(#[from] MissingShiftData),
    /// A file of the dataset cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl ShiftDataset {
    /// Creates a built-in dataset, without its data.
    pub fn known(card: &'static ShiftCard) -> Self {
        let name = card.name.to_owned();
        Self { name, card: Some(card), split: card.split, classes: ClassShift::None, data: None }
    }

    /// Creates a dataset of user-supplied images, without their data.
    pub fn own(name: &str) -> Self {
        Self { name: name.to_owned(), card: None, split: OWN_SPLIT, classes: ClassShift::None, data: None }
    }

    /// Returns the dataset with some classes withheld from agents.
    #[must_use]
    pub fn with_classes(self, classes: ClassShift) -> Self {
        Self { classes, ..self }
    }

    /// The dataset's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the dataset's description; None for user-supplied images.
    pub fn card(&self) -> Option<&'static ShiftCard> {
        self.card
    }

    /// Returns which classes are withheld from agents.
    pub fn classes(&self) -> ClassShift {
        self.classes
    }

    /// Returns the data, once they are attached.
    pub fn data(&self) -> Option<&ShiftData> {
        self.data.as_deref()
    }

    /// Attaches the data.
    ///
    /// # Panics
    /// When the data belong to another dataset, or have too few classes to withhold some, which
    /// [`attach_datasets`](super::attach_datasets) refuses.
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
    /// When the dataset is user-supplied and its data are not attached: only the data determine the classes.
    pub(super) fn task(&self) -> Task {
        let mut task = self.card.map_or_else(|| self.attached().task().clone(), ShiftCard::task);
        if self.classes == ClassShift::HeldOut {
            task.num_classes -= 1;
        }
        task
    }

    /// Returns the number of test rows.
    pub(super) fn test_size(&self, seed: Seed, repetition: u32) -> usize {
        self.shares(seed, repetition).parts.test.len()
    }

    /// Splits the rows.
    fn shares(&self, seed: Seed, repetition: u32) -> Shares {
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

    pub(super) fn instance(&self, seed: Seed, name: &str, repetition: u32) -> ShiftInstance {
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

    /// Returns the rows of each part, with at least one training row, and with all of the dataset's own test rows if it
    /// has some.
    fn parts(&self, inside: &[usize], own_test: Option<&Labelled>, seed: Seed, split: &str) -> Parts {
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

/// The split of a dataset's rows.
struct Shares {
    /// The name of the random streams.
    split: String,
    held_out: Option<u32>,
    /// The rows of the held-out class.
    outside: Vec<usize>,
    parts: Parts,
}

#[cfg(test)]
mod tests;
