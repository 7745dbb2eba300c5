//! The time at which a run ends, finished or not.

use std::time::{Duration, Instant};

use jointly_record::quantity::counted;

/// The end of a run whose time is limited. It decides no score: units that are not finished by then are not recorded.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    seconds: u64,
    at: Instant,
}

impl Deadline {
    /// Returns the deadline that is `seconds` from now.
    pub fn after(seconds: u64) -> Self {
        Self { seconds, at: Instant::now() + Duration::from_secs(seconds) }
    }

    /// Returns whether it has passed.
    pub fn has_passed(&self) -> bool {
        Instant::now() >= self.at
    }

    /// Says that the run was ended with `recorded` of `all` units in the journal of a directory.
    pub fn notice(&self, recorded: usize, all: usize, directory: &str) -> String {
        let are = if all == 1 { "is" } else { "are" };
        format!(
            "stopped after {} s, as --timeout asked: {recorded} of {} {are} recorded in {directory}; the same command goes on",
            self.seconds,
            counted(all, "unit")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Deadline;

    #[test]
    fn a_deadline_passes_and_says_what_is_recorded() {
        assert!(Deadline::after(0).has_passed() && !Deadline::after(1000).has_passed());
        let said = Deadline::after(30).notice(12, 40, "runs/a");
        assert_eq!(
            said,
            "stopped after 30 s, as --timeout asked: 12 of 40 units are recorded in runs/a; the same command goes on"
        );
    }
}
