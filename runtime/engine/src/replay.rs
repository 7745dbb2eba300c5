//! Chooses units of an entry to run again, and compares their results.

use anyhow::Result;
use jointly_core::{digest, stream};
use jointly_record::difference::difference;
use jointly_record::directory::JOURNAL;
use jointly_record::unit::{Unit, UnitResult};

/// Chooses `sample` units uniformly at random and returns them in order. The choice also depends on what the entry claims,
/// so that a known seed does not determine the units by itself.
pub fn choose(mut units: Vec<Unit>, sample: usize, seed: u64, claim: &str) -> Vec<Unit> {
    let mut stream = stream(seed, "units to verify", &digest(claim.as_bytes()), 0);
    let mut chosen = Vec::new();
    while chosen.len() < sample && !units.is_empty() {
        // The remainder of 64 random bits is biased by less than a part in 10^12.
        let at = stream.next_u64() % units.len() as u64;
        chosen.push(units.swap_remove(at as usize));
    }
    chosen.sort_by_key(|unit| (unit.problem, unit.agent));
    chosen
}

/// Returns the first difference between a unit's result and its line of the journal.
///
/// # Errors
/// Never: a result can be written as JSON.
pub fn other_result(held: &UnitResult, again: &UnitResult) -> Result<Option<String>> {
    if (&held.outcome, &held.log) == (&again.outcome, &again.log) {
        return Ok(None);
    }
    let line = |result: &UnitResult| serde_json::to_value(UnitResult { seconds: None, ..result.clone() });
    let place = difference(&line(held)?, &line(again)?, "line");
    Ok(Some(format!("{JOURNAL} has another result for {} on {}: {place}", held.agent, held.problem)))
}
