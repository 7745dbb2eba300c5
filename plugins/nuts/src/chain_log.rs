//! The summary that a chain writes to the log after its run.

use crate::tree::Report;

/// Sums over the transitions of a chain after its warm-up.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainLog {
    transitions: u64,
    diverged: u64,
    saturated: u64,
    acceptance: f64,
}

impl ChainLog {
    /// Adds a transition to the sums.
    pub(crate) fn add(&mut self, report: &Report) {
        self.transitions += 1;
        self.diverged += u64::from(report.diverged);
        self.saturated += u64::from(report.saturated);
        self.acceptance += report.acceptance;
    }

    /// Returns the log line about chain number `chain`, with its adapted step size and its depth limit.
    pub(crate) fn line(&self, chain: usize, step: f32, depth: u32) -> String {
        let transitions = self.transitions.max(1) as f64;
        let percent = |count: u64| 100.0 * count as f64 / transitions;
        format!(
            "chain {chain}: step {step:.3e}, mean acceptance {:.2}; of {} transitions {:.1} % diverged and {:.1} % \
             reached the depth {depth}",
            self.acceptance / transitions,
            self.transitions,
            percent(self.diverged),
            percent(self.saturated),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_transitions() {
        let mut log = ChainLog::default();
        let report = |diverged, saturated| Report { acceptance: 0.75, steps: 3, diverged, saturated };
        for report in [report(true, false), report(false, true), report(false, true), report(false, false)] {
            log.add(&report);
        }
        assert_eq!(
            log.line(2, 0.0125, 7),
            "chain 2: step 1.250e-2, mean acceptance 0.75; of 4 transitions 25.0 % diverged and 50.0 % reached the depth 7"
        );
        let nothing = ChainLog::default().line(0, 0.01, 7);
        assert!(nothing.contains("of 0 transitions 0.0 % diverged"), "{nothing}");
    }
}
