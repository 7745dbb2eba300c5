//! Class shift: classes of which agents see fewer examples than the data have, or none.

use std::collections::BTreeMap;

use jointly_core::stream::stream;
use jointly_core::{Seed, pick};
use jointly_data::DataDefect;

/// The fewest classes, and the fewest rows outside any one class, with which a class can be held out.
const FEWEST: usize = 3;

/// The classes withheld from agents during training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ClassShift {
    /// No class is withheld.
    #[default]
    None,
    /// All examples of one class become out-of-distribution inputs; the other classes are renumbered. At least three
    /// classes must occur.
    ///
    /// Repetitions go through the classes in an order determined by the run's seed. Ovadia et al. hold out half of the
    /// newsgroups in section 4.3.
    HeldOut,
    /// The filtered classes of the Neural Testbed's own code: of some classes, drawn at random, each example for
    /// training and for the agent's own use is left out with a probability; the test examples stay complete.
    ///
    /// The Testbed replaces left-out examples by new ones from an environment, which never runs out, and may draw the
    /// same class twice; here fewer examples remain, and the classes are distinct.
    Filtered {
        /// The share of the occurring classes that are filtered, rounded down but at least one.
        share: f64,
        /// The probability that an example of a filtered class is left out.
        reject: f64,
    },
}

/// Row indices by their purpose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    pub(super) train: Vec<usize>,
    pub(super) validation: Vec<usize>,
    pub(super) test: Vec<usize>,
}

impl ClassShift {
    /// Checks that rows with these labels are enough, however they are split.
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

    /// The name of the set of out-of-distribution inputs that a held-out class makes.
    pub const HELD_OUT: &'static str = "held-out-class";

    /// Returns the occurring class that is held out, if any.
    ///
    /// # Panics
    /// When no class occurs.
    pub(super) fn held_out(self, seed: Seed, dataset: &str, repetition: u32, occurring: &[u32]) -> Option<u32> {
        if self != Self::HeldOut {
            return None;
        }
        let order = pick::prefix(occurring.len(), occurring.len(), &mut stream(seed, "held-out-class", dataset, 0));
        Some(occurring[order[repetition as usize % order.len()]])
    }

    /// Leaves out rows of filtered classes at random.
    pub(super) fn filter(
        self,
        seed: Seed,
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
            // A number is drawn for every row, so that rows left out at one probability are left out at every higher
            // one too.
            rows.retain(|&row| source.uniform() >= reject || !filtered.contains(&label(row)));
        }
    }
}
