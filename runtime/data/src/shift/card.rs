//! Cards of datasets and their out-of-distribution (OOD) inputs: everything known before any of their bytes are read.

use jointly_core::{ImageShape, Task};

use super::super::card::{Card, Kind, Part};
use super::clicks;
use super::newsgroups;

/// The card of a dataset for dataset shift.
#[derive(Debug)]
pub struct ShiftCard {
    /// The name that problems and the command use.
    pub name: &'static str,
    /// One line of description.
    pub summary: &'static str,
    /// The contents of its files.
    pub content: ShiftContent,
    /// How its rows are divided between training and test.
    pub split: ShiftSplit,
    /// Sets of OOD inputs, which are read if they exist.
    pub outsiders: &'static [OutsiderCard],
}

/// The contents of a dataset's files, and the files themselves.
#[derive(Clone, Copy, Debug)]
pub enum ShiftContent {
    /// The dataset of another card: images, whose pixels are divided by 255, or a table, standardised by the training
    /// rows.
    Known(&'static Card),
    /// The 20 newsgroups: groups with even numbers are the classes, those with odd numbers are OOD.
    Newsgroups {
        /// Training texts, then test texts.
        parts: &'static [Part],
        /// Where to get the files.
        origin: &'static str,
    },
    /// Criteo's clicks.
    Clicks {
        /// The file of labelled clicks.
        parts: &'static [Part],
        /// Where to get the files.
        origin: &'static str,
    },
}

/// How rows are divided at random, anew in each repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftSplit {
    /// Training and validation rows, taken from the rows that are not for testing.
    pub validation: Portion,
    /// Test rows; None if the dataset has a test set, which is the same in every repetition.
    pub test: Option<Portion>,
}

/// A part of a dataset's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Portion {
    /// A number of rows.
    Rows(u32),
    /// A share of all rows, to the nearest whole number, at least one.
    Share(f64),
}

/// A set of OOD inputs.
#[derive(Debug)]
pub struct OutsiderCard {
    /// The name of the set in scores.
    pub name: &'static str,
    /// One line of description.
    pub summary: &'static str,
    /// The file, read by its extension: `.mat` or `.npz`; otherwise as idx images if the dataset has images, and as
    /// lines of text if it has texts.
    pub part: Part,
    /// Where to get the files.
    pub origin: &'static str,
}

impl ShiftCard {
    /// Returns the files of the dataset.
    pub fn parts(&self) -> &'static [Part] {
        match self.content {
            ShiftContent::Known(card) => card.parts,
            ShiftContent::Newsgroups { parts, .. } | ShiftContent::Clicks { parts, .. } => parts,
        }
    }

    /// Returns where to get the files.
    pub fn origin(&self) -> &'static str {
        match self.content {
            ShiftContent::Known(card) => card.origin,
            ShiftContent::Newsgroups { origin, .. } | ShiftContent::Clicks { origin, .. } => origin,
        }
    }

    /// Returns the name of the set of OOD inputs in the dataset's own files, if there is one. Results have it before the
    /// sets in other files.
    pub fn own_ood_set(&self) -> Option<&'static str> {
        match self.content {
            ShiftContent::Newsgroups { .. } => Some(newsgroups::ODD),
            ShiftContent::Known(_) | ShiftContent::Clicks { .. } => None,
        }
    }

    /// Returns the card of the same files in [`cards`](crate::cards), if there is one; it lists the files that can be
    /// downloaded.
    pub fn known(&self) -> Option<&'static Card> {
        match self.content {
            ShiftContent::Known(card) => Some(card),
            ShiftContent::Newsgroups { .. } | ShiftContent::Clicks { .. } => None,
        }
    }

    /// Returns the task as agents are told, with all classes.
    pub fn task(&self) -> Task {
        match self.content {
            ShiftContent::Known(card) => {
                let image = (card.kind == Kind::Image).then(|| shape(card.input_dim as usize));
                Task { image, ..Task::new(card.input_dim, card.num_classes) }
            }
            ShiftContent::Newsgroups { .. } => newsgroups::task(),
            ShiftContent::Clicks { .. } => clicks::task(),
        }
    }
}

/// Returns the shape of a square image of that many values, grey or in colour.
fn shape(values: usize) -> ImageShape {
    let square = |channels: usize| {
        let side = (values / channels).isqrt();
        (side * side * channels == values).then(|| ImageShape::new(side, side, channels).ok()).flatten()
    };
    square(1).or_else(|| square(3)).expect("the images of suites are squares")
}

impl Portion {
    /// Returns the number of rows out of `rows`.
    pub fn of(self, rows: usize) -> usize {
        match self {
            Self::Rows(count) => count as usize,
            Self::Share(share) => ((rows as f64 * share).round() as usize).max(1),
        }
    }
}
