//! Entries sorted into those under a sealed seed and those under a public one, which are ranked apart and compared.

use anyhow::{Result, bail};
use jointly_core::Seed;
use jointly_record::plan::Plan;

use crate::combined::Merged;
use crate::entry::Entry;

/// The leaderboards that entries make.
pub struct Boards {
    /// The entries that rank: those under a sealed seed or, if there are none, all of them.
    pub ranked: Merged,
    /// The entries under a public seed, if others are under a sealed one.
    pub public: Option<Merged>,
}

impl Boards {
    /// Combines the entries under a sealed seed, and those under a public one beside them.
    ///
    /// # Errors
    /// When entries of one kind cannot be [combined](Merged::of), or the two kinds differ in more than seed and problems.
    pub fn of(entries: &[Entry]) -> Result<Self> {
        let (sealed, public): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| is_sealed(&entry.plan));
        let ([first, ..], [other, ..]) = (&*sealed, &*public) else {
            return Ok(Self { ranked: Merged::of(&entries.iter().collect::<Vec<_>>())?, public: None });
        };
        let seeded = Plan { seed: first.plan.seed, ..other.plan.with_version_of(&first.plan) };
        if let Some(difference) = seeded.other_conditions(&first.plan) {
            bail!(
                "{} cannot stand beside {}: it has {difference}; give entries of one suite with the same options",
                other.shown(),
                first.shown()
            );
        }
        Ok(Self { ranked: Merged::of(&sealed)?, public: Some(Merged::of(&public)?) })
    }

    /// Returns the boards, the one that ranks first.
    pub fn all(&self) -> impl Iterator<Item = &Merged> {
        std::iter::once(&self.ranked).chain(&self.public)
    }
}

/// Returns whether nobody could know a plan's problems before its seed was published.
pub fn is_sealed(plan: &Plan) -> bool {
    matches!(plan.seed, Seed::Sealed(_))
}
