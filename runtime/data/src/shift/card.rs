//! What is known of a dataset and its outsiders before any of their bytes are read.

use jointly_core::{ImageShape, Task};

use super::super::card::{Card, Kind, Part};
use super::clicks;
use super::newsgroups;

/// A dataset to look at dataset shift on.
#[derive(Debug)]
pub struct ShiftCard {
    /// The name that problems and the command use.
    pub name: &'static str,
    /// One line for a person.
    pub summary: &'static str,
    /// What its files hold.
    pub content: ShiftContent,
    /// How its rows are shared out.
    pub split: ShiftSplit,
    /// Other inputs, of none of its classes, each set read where it is there.
    pub outsiders: &'static [OutsiderCard],
}

/// What a dataset's files hold, and what they are.
#[derive(Clone, Copy, Debug)]
pub enum ShiftContent {
    /// What another card says: images, of which agents see each pixel over 255; or a table, standardised by the training
    /// rows.
    Known(&'static Card),
    /// The 20 newsgroups: those of even number are the classes, those of odd number outsiders.
    Newsgroups {
        /// Training texts, then test texts.
        parts: &'static [Part],
        /// Where a person gets the files.
        origin: &'static str,
    },
    /// Criteo's clicks.
    Clicks {
        /// The file of labelled clicks.
        parts: &'static [Part],
        /// Where a person gets the files.
        origin: &'static str,
    },
}

/// How rows are shared out, at random and anew in each repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftSplit {
    /// Rows for the agent's own use, of those that are not to test on.
    pub validation: Portion,
    /// Rows to test on; None where the dataset has such, which are the same in every repetition.
    pub test: Option<Portion>,
}

/// So much of a dataset's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Portion {
    /// A number of them.
    Rows(u32),
    /// A share of all, to the nearest whole number, at least one.
    Share(f64),
}

/// Inputs of none of the classes.
#[derive(Debug)]
pub struct OutsiderCard {
    /// The name that scores carry.
    pub name: &'static str,
    /// One line for a person.
    pub summary: &'static str,
    /// The file, read by its ending: `.mat`, `.npz`; else as images in idx beside images, as lines beside texts.
    pub part: Part,
    /// Where a person gets the file.
    pub origin: &'static str,
}

impl ShiftCard {
    /// The files that the dataset is made of.
    pub fn parts(&self) -> &'static [Part] {
        match self.content {
            ShiftContent::Known(card) => card.parts,
            ShiftContent::Newsgroups { parts, .. } | ShiftContent::Clicks { parts, .. } => parts,
        }
    }

    /// Where a person gets them.
    pub fn origin(&self) -> &'static str {
        match self.content {
            ShiftContent::Known(card) => card.origin,
            ShiftContent::Newsgroups { origin, .. } | ShiftContent::Clicks { origin, .. } => origin,
        }
    }

    /// The card that [`cards`](crate::cards) has of the same files, where there is one: what can be fetched.
    pub fn known(&self) -> Option<&'static Card> {
        match self.content {
            ShiftContent::Known(card) => Some(card),
            ShiftContent::Newsgroups { .. } | ShiftContent::Clicks { .. } => None,
        }
    }

    /// What an agent is told, all classes being there.
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

/// The square that so many values fill, grey or in colour.
fn shape(values: usize) -> ImageShape {
    let square = |channels: usize| {
        let side = (values / channels).isqrt();
        (side * side * channels == values).then(|| ImageShape::new(side, side, channels).ok()).flatten()
    };
    square(1).or_else(|| square(3)).expect("the images of suites are squares")
}

impl Portion {
    /// The number of rows that it is of `rows`.
    pub fn of(self, rows: usize) -> usize {
        match self {
            Self::Rows(count) => count as usize,
            Self::Share(share) => ((rows as f64 * share).round() as usize).max(1),
        }
    }
}
