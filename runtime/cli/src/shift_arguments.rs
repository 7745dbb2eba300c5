//! The options of `run` and `sweep` that are only for dataset shift.

use anyhow::{Result, bail};
use clap::Args;
use jointly_engine::shift_suite::ShiftChoices;

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Options of dataset shift")]
pub(crate) struct ShiftArguments {
    /// Only these levels of shift, such as 'rotation/{30,60},fog/*': those of the suite that match, or, where none
    /// does, any that the inputs can be shifted by [default: the suite's]
    #[arg(long, value_name = "GLOB")]
    shifts: Vec<String>,
    /// Orders of the joint predictions that are scored, each a divisor of the largest [default: the suite's]
    #[arg(long, value_name = "TAU", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    taus: Vec<u32>,
    /// The side of user-supplied images as agents see them, in pixels [default: 32]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    side: Option<u32>,
    /// Show agents user-supplied images in grey
    #[arg(long)]
    grey: bool,
}

impl ShiftArguments {
    /// Returns the overrides of these options.
    pub(crate) fn choices(&self) -> ShiftChoices {
        let shifts: Vec<String> = self.shifts.iter().flat_map(|list| patterns(list)).collect();
        let given = (!shifts.is_empty()).then_some(shifts);
        let taus = (!self.taus.is_empty()).then(|| self.taus.clone());
        ShiftChoices { draws: None, taus, shifts: given, side: self.side, grey: self.grey }
    }

    /// Refuses these options if the suite is not of dataset shift.
    pub(crate) fn refuse(&self) -> Result<()> {
        let given = [
            ("--shifts", !self.shifts.is_empty()),
            ("--taus", !self.taus.is_empty()),
            ("--side", self.side.is_some()),
            ("--grey", self.grey),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} is for suites of dataset shift: leave it out"),
            None => Ok(()),
        }
    }
}

/// Splits a list of patterns at its commas, except commas within braces.
fn patterns(list: &str) -> Vec<String> {
    let (mut all, mut depth) = (vec![String::new()], 0_u32);
    for letter in list.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (letter, all.last_mut()) {
            (',', _) if depth == 0 => all.push(String::new()),
            (_, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::patterns;

    #[test]
    fn commas_part_patterns_outside_braces_alone() {
        assert_eq!(patterns("rotation/{30,60},fog/3"), ["rotation/{30,60}", "fog/3"]);
        assert_eq!(patterns("a,,b"), ["a", "", "b"]);
        assert_eq!(patterns("}a,{b,c"), ["}a", "{b,c"]);
    }
}
