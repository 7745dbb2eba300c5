//! Classes that agents see less of than there are, or nothing.

use std::collections::BTreeMap;

use jointly_core::pick;
use jointly_core::stream::stream;
use jointly_data::DataDefect;

/// The fewest classes, and rows beside a class, of which one can be held out.
const FEWEST: usize = 3;

/// Which classes are kept from agents as they train.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ClassShift {
    /// None.
    #[default]
    None,
    /// All examples of one class are outsiders; the other classes are counted anew. It needs three classes that occur.
    ///
    /// Repetitions go through the classes in an order that the run's seed gives. Section 4.3 of Ovadia et al. does it with
    /// half of the newsgroups.
    HeldOut,
    /// The filtered classes of the Neural Testbed's own code: of some classes, drawn at random, each example to train on and
    /// of the agent's own use is left out with a probability; to test on they are all there.
    ///
    /// The Testbed draws others in their place, from an environment that has no end, and draws classes that may be the same;
    /// here there are fewer examples, and the classes are distinct.
    Filtered {
        /// The share of classes, of those that occur, rounded down but at least one.
        share: f64,
        /// The probability.
        reject: f64,
    },
}

/// Rows by what they are for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    pub(super) train: Vec<usize>,
    pub(super) validation: Vec<usize>,
    pub(super) test: Vec<usize>,
}

impl ClassShift {
    /// Whether rows of these classes are enough, however they are shared out.
    pub(super) fn check(self, labels: &[u32]) -> Result<(), DataDefect> {
        let mut counts = BTreeMap::new();
        for label in labels {
            *counts.entry(label).or_insert(0) += 1;
        }
        let beside = labels.len() - counts.values().max().copied().unwrap_or(0);
        let found = counts.len();
        let (enough, expected) = match self {
            Self::None => return Ok(()),
            Self::HeldOut => (
                found >= FEWEST && beside >= FEWEST,
                format!("to hold one out takes {FEWEST} classes and {FEWEST} rows beside any of them"),
            ),
            Self::Filtered { .. } => (found >= 2, "to filter one takes another".to_owned()),
        };
        if enough { Ok(()) } else { Err(DataDefect::Classes { found, beside, expected }) }
    }

    /// What outsiders of a class held out are called.
    pub const HELD_OUT: &'static str = "held-out-class";

    /// The class that is held out of those that occur, if one is.
    ///
    /// # Panics
    /// When no class occurs.
    pub(super) fn held_out(self, seed: u64, dataset: &str, repetition: u32, occurring: &[u32]) -> Option<u32> {
        if self != Self::HeldOut {
            return None;
        }
        let order = pick::prefix(occurring.len(), occurring.len(), &mut stream(seed, "held-out-class", dataset, 0));
        Some(occurring[order[repetition as usize % order.len()]])
    }

    /// Leaves out rows of filtered classes.
    pub(super) fn filter(
        self,
        seed: u64,
        split: &str,
        occurring: &[u32],
        label: impl Fn(usize) -> u32,
        parts: &mut Parts,
    ) {
        let Self::Filtered { share, reject } = self else { return };
        let count = ((share * occurring.len() as f64) as usize).clamp(1, occurring.len());
        let chosen = pick::prefix(occurring.len(), count, &mut stream(seed, "filtered-classes", split, 0));
        let filtered: Vec<u32> = chosen.into_iter().map(|place| occurring[place]).collect();
        let mut source = stream(seed, "filtered-examples", split, 0);
        for rows in [&mut parts.train, &mut parts.validation] {
            // A number is drawn for every row, so that what one probability leaves out a higher one does too.
            rows.retain(|&row| source.uniform() >= reject || !filtered.contains(&label(row)));
        }
    }
}
