//! Verdicts on published numbers.

use std::ops::AddAssign;

use serde::Serialize;

use crate::manifest::{Comparison, Published};
use crate::values::Estimate;

/// A verdict on a published number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours agrees within the errors.
    Reproduced,
    /// Ours agrees within the errors, which are so large that much else would.
    Uncertain,
    /// Ours agrees, by settings that were chosen for it.
    Fitted,
    /// Ours differs.
    Differs,
}

impl Verdict {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Uncertain => "uncertain",
            Self::Fitted => "fitted",
            Self::Differs => "differs",
        }
    }
}

/// The numbers of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Numbers that are reproduced.
    pub reproduced: usize,
    /// Numbers of which ours is too uncertain.
    pub uncertain: usize,
    /// Numbers that agree by settings that were chosen for it.
    pub fitted: usize,
    /// Numbers that differ.
    pub differ: usize,
}

impl Counts {
    /// Returns the number of verdicts.
    pub fn all(self) -> usize {
        self.reproduced + self.uncertain + self.fitted + self.differ
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.reproduced += more.reproduced;
        self.uncertain += more.uncertain;
        self.fitted += more.fitted;
        self.differ += more.differ;
    }
}

impl Published {
    /// Returns the text in tables.
    pub fn shown(self) -> String {
        match self {
            Self::Number(number, 0.0) => number.to_string(),
            Self::Number(number, stderr) => format!("{number} ±{stderr}"),
            Self::Below(bound) => format!("below {bound}"),
            Self::Above(bound) => format!("above {bound}"),
        }
    }

    /// Judges ours.
    ///
    /// # Formula
    /// With e the [error](Estimate::error) of ours, f the published standard error and E^2 = e^2 + 4 f^2, a number differs if
    /// |ours - published| > tolerance + reading error + E. Else it is uncertain if E exceeds the
    /// comparison's [resolution](Comparison::resolution), the tolerance and the reading error, and else reproduced. A side is reproduced if ours lies on it by more than e, differs if
    /// it lies on the other by as much, and else is uncertain. Without a standard error, as on a single problem, ours is
    /// uncertain.
    pub(crate) fn judge(self, comparison: &Comparison, ours: Estimate) -> Verdict {
        let own = ours.error();
        if !own.is_finite() {
            return Verdict::Uncertain;
        }
        let agrees = match self {
            Self::Number(number, published) => {
                let error = (own * own + 4.0 * published * published).sqrt();
                let Comparison { tolerance, reading_error, .. } = *comparison;
                // Rounding of decimal numbers must not decide.
                let slack = 1e-9 * number.abs();
                let agrees = (ours.value - number).abs() <= tolerance + reading_error + error + slack;
                let wide = error > comparison.resolution(number).max(tolerance).max(reading_error);
                if agrees && wide {
                    return Verdict::Uncertain;
                }
                agrees
            }
            Self::Below(bound) | Self::Above(bound) => {
                let above = if matches!(self, Self::Above(_)) { ours.value - bound } else { bound - ours.value };
                if above.abs() <= own {
                    return Verdict::Uncertain;
                }
                above > 0.0
            }
        };
        if agrees { Verdict::Reproduced } else { Verdict::Differs }
    }
}

impl Comparison {
    /// Returns the error from which on agreement says nothing: if none is given, half the range of the published numbers, since
    /// such an error does not tell them from one another, or half of the number where fewer than three differ.
    pub fn resolution(&self, number: f64) -> f64 {
        let numbers = self.published.values().filter_map(|published| match published {
            Published::Number(number, _) => Some(*number),
            Published::Below(_) | Published::Above(_) => None,
        });
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        let half = match numbers.as_slice() {
            [least, _, .., most] if least < most => (most - least) / 2.0,
            _ => number.abs() / 2.0,
        };
        self.resolution.unwrap_or(half)
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict;
    use super::Verdict::{Differs, Reproduced, Uncertain};
    use crate::manifest::{Comparison, Published};
    use crate::values::Estimate;

    fn comparison(reading_error: f64, tolerance: f64) -> Comparison {
        let text = format!(
            "title = 'x'\nscore = 'x'\nreading-error = {reading_error}\ntolerance = {tolerance}\npublished = {{ a = 1 }}"
        );
        toml::from_str(&text).unwrap()
    }

    /// Judges a number over a million units, for which Student's t distribution is nearly the normal one.
    fn judge(published: Published, comparison: &Comparison, value: f64, stderr: f64) -> Verdict {
        published.judge(comparison, Estimate { value, stderr, units: 1_000_000 })
    }

    /// The quantile of Student's t distribution at .97725 is 2.869 with four degrees of freedom.
    #[test]
    fn few_units_have_a_larger_error() {
        let of = |units| Estimate { value: 1.0, stderr: 0.1, units };
        assert!((of(5).error() - 0.2869).abs() < 1e-3 && (of(1_000_000).error() - 0.2).abs() < 1e-6);
        assert!(of(1).error().is_nan());
        let exact = comparison(0.0, 0.0);
        assert_eq!(Published::Number(1.25, 0.0).judge(&exact, of(5)), Reproduced);
        assert_eq!(Published::Number(1.25, 0.0).judge(&exact, of(50)), Differs);
        assert_eq!(Published::Above(0.75).judge(&exact, of(5)), Uncertain);
        // Of two units the error is 1.4.
        assert_eq!(Published::Number(1.0, 0.0).judge(&exact, of(2)), Uncertain);
        assert_eq!(Published::Above(0.5).judge(&exact, of(2)), Uncertain);
        assert_eq!(Published::Number(3.0, 0.0).judge(&exact, of(2)), Differs);
    }

    #[test]
    fn errors_decide_what_is_reproduced() {
        let exact = comparison(0.0, 0.0);
        let number = Published::Number(0.73, 0.0);
        assert_eq!(judge(number, &exact, 0.73, 0.0), Reproduced);
        assert_eq!(judge(number, &exact, 0.74, 0.0), Differs);
        assert_eq!(judge(number, &exact, 0.73, f64::NAN), Uncertain);
        assert_eq!(judge(Published::Below(1.0), &exact, 0.73, f64::NAN), Uncertain);
        assert_eq!(judge(number, &exact, 0.75, 0.01), Reproduced);
        assert_eq!(judge(number, &exact, 0.76, 0.01), Differs);
        assert_eq!(judge(number, &comparison(0.01, 0.0), 0.76, 0.01), Reproduced);
        assert_eq!(judge(number, &comparison(0.0, 0.03), 0.76, 0.0), Reproduced);
        // sqrt(.03^2 + .04^2) = .05.
        assert_eq!(judge(Published::Number(1.0, 0.03), &exact, 1.1, 0.04), Reproduced);
        assert_eq!(judge(Published::Number(1.0, 0.03), &exact, 1.11, 0.04), Differs);
        // 2 s = .6 is more than half of .85; half of 1.3 is more than it.
        assert_eq!(judge(Published::Number(0.85, 0.0), &exact, 0.26, 0.3), Uncertain);
        assert_eq!(judge(Published::Number(1.3, 0.0), &exact, 1.0, 0.3), Reproduced);
        assert_eq!(judge(Published::Number(0.0, 0.0), &exact, 0.1, 0.1), Uncertain);
        assert_eq!(judge(Published::Number(0.0, 0.0), &comparison(0.0, 0.3), 0.1, 0.1), Reproduced);
        assert_eq!(judge(Published::Below(0.0), &exact, -0.1, 0.04), Reproduced);
        assert_eq!(judge(Published::Below(0.0), &exact, -0.1, 0.05), Uncertain);
        assert_eq!(judge(Published::Below(0.0), &exact, 0.1, 0.06), Uncertain);
        assert_eq!(judge(Published::Below(0.0), &exact, 0.1, 0.04), Differs);
        assert_eq!(judge(Published::Above(0.5), &exact, 0.6, 0.04), Reproduced);
        assert_eq!(judge(Published::Above(0.5), &exact, 0.4, 0.04), Differs);
    }

    /// An error of .15 does not tell 1, 1.1 and 1.2 apart; of 1.1 alone it is a seventh.
    #[test]
    fn an_error_as_large_as_the_differences_says_nothing() {
        let published = Published::Number(1.1, 0.0);
        let among = |others: &str| {
            let text = format!("title = 'x'\nscore = 'x'\npublished = {{ a = 1.1{others}");
            let comparison: Comparison = toml::from_str(&text).unwrap();
            judge(published, &comparison, 1.1, 0.075)
        };
        assert_eq!(among(", b = 1, c = 1.2 }"), Uncertain);
        assert_eq!(among(", b = 1, c = 1.4 }"), Reproduced);
        assert_eq!(among(", b = 1 }"), Reproduced);
        assert_eq!(among(", b = 1, c = '< 2' }"), Reproduced);
        assert_eq!(among(" }\nresolution = 0.1"), Uncertain);
        assert_eq!(among(", b = 1, c = 1.2 }\nresolution = 0.2"), Reproduced);
    }
}
