//! Entries sorted into contests and other runs, which are ranked apart and compared.

use anyhow::{Result, bail};
use jointly_record::plan::Plan;

use crate::combined::Merged;
use crate::entry::Entry;

/// The leaderboards that entries make.
pub struct Boards<'e> {
    /// The entries that rank: contests or, if there are none, all entries. A sealed seed by itself shows nothing: whoever
    /// made it could know the problems.
    pub ranked: Merged<'e>,
    /// The other entries, if there are contests.
    pub public: Option<Merged<'e>>,
}

impl<'e> Boards<'e> {
    /// Combines contests, and other entries beside them.
    ///
    /// # Errors
    /// When entries of one kind cannot be [combined](Merged::of), or the two kinds differ in more than seed and problems.
    pub fn of(entries: &'e [Entry]) -> Result<Self> {
        let (sealed, public): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.is_of_contest());
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
    pub fn all(&self) -> impl Iterator<Item = &Merged<'e>> {
        std::iter::once(&self.ranked).chain(&self.public)
    }
}
