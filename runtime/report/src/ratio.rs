//! Ratios of means: an agent's score divided by a baseline's on the same problems.

use std::fmt;

use jointly_record::quantity;

use crate::figure::digits;

/// A ratio of two means over the same problems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    /// NaN if there is no ratio.
    pub(crate) value: f64,
    /// NaN with fewer than two clusters or a value that is not finite.
    pub(crate) stderr: f64,
    pub(crate) problems: usize,
    /// The defect of the baseline, if it is the reason why there is no ratio.
    pub(crate) defect: Option<Defect>,
}

/// Why a ratio to a baseline's mean would be misleading or undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    Infinite,
    NotPositive,
    NotANumber,
}

impl Defect {
    fn of(base: f64) -> Option<Self> {
        match base {
            _ if base.is_nan() => Some(Self::NotANumber),
            f64::INFINITY => Some(Self::Infinite),
            _ if base <= 0.0 => Some(Self::NotPositive),
            _ => None,
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Infinite => "baseline is infinite",
            Self::NotPositive => "baseline is not above 0",
            Self::NotANumber => "baseline is not a number",
        })
    }
}

impl Ratio {
    /// Returns the text in a picture: the ratio with its error, or why there is none.
    pub(crate) fn text(&self) -> String {
        self.defect.map_or_else(|| quantity::brief(self.value, self.stderr), |defect| defect.to_string())
    }

    /// Returns the text in a table: the ratio alone, or why there is none.
    pub(crate) fn cell(&self) -> String {
        self.defect.map_or_else(|| digits(self.value), |defect| defect.to_string())
    }
}

/// Returns the ratio of the mean of `mine` to the mean of `theirs`. Value j of either belongs to problem j, in cluster
/// `clusters[j]`.
///
/// # Formula
/// As [`jointly_core::ratio_of_means`], where 0 < mean(theirs) < infinity.
///
/// # Panics
/// When the three lists differ in length.
pub(crate) fn ratio_of_means(mine: &[f64], theirs: &[f64], clusters: &[&str]) -> Ratio {
    assert_eq!(mine.len(), theirs.len(), "a ratio needs the same problems on both sides");
    let none = Ratio { value: f64::NAN, stderr: f64::NAN, problems: mine.len(), defect: None };
    if mine.is_empty() {
        return none;
    }
    if let Some(defect) = Defect::of(theirs.iter().sum::<f64>() / theirs.len() as f64) {
        return Ratio { defect: Some(defect), ..none };
    }
    let (value, stderr) = jointly_core::ratio_of_means(mine, theirs, clusters);
    Ratio { value, stderr, ..none }
}

/// Says in which panels a ratio is missing, and why; returns `None` if no ratio is missing.
pub(crate) fn defects<'r>(panels: impl IntoIterator<Item = (u32, Vec<&'r Ratio>)>) -> Option<String> {
    let mut places: Vec<String> = Vec::new();
    for (tau, ratios) in panels {
        let mut why: Vec<String> = Vec::new();
        for defect in ratios.iter().filter_map(|ratio| ratio.defect) {
            if !why.contains(&defect.to_string()) {
                why.push(defect.to_string());
            }
        }
        if !why.is_empty() {
            places.push(format!("at tau = {tau} the {}", why.join(", the ")));
        }
    }
    (!places.is_empty()).then(|| format!("Ratios are missing where they would mislead: {}.", places.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{Defect, defects, ratio_of_means};

    #[test]
    fn a_multiple_is_certain() {
        let ratio = ratio_of_means(&[0.5, 1.0, 4.0], &[1.0, 2.0, 8.0], &["a", "b", "c"]);
        assert_eq!((ratio.value, ratio.stderr, ratio.problems), (0.5, 0.0, 3));
    }

    #[test]
    fn the_error_is_that_on_paper() {
        // R = 3 / 2; residuals (1 - 1.5) / 2, (5 - 4.5) / 2 are -1/4 and 1/4; sqrt(2 / 16 / 1 / 2) = 1/4.
        let ratio = ratio_of_means(&[1.0, 5.0], &[1.0, 3.0], &["a", "b"]);
        assert_eq!((ratio.value, ratio.stderr), (1.5, 0.25));
    }

    #[test]
    fn problems_of_one_dataset_are_one_unit() {
        // The same residuals, each from two problems of one cluster: -1/4 twice and 1/4 twice.
        let clusters = ["a", "a", "b", "b"];
        let ratio = ratio_of_means(&[1.0, 1.0, 5.0, 5.0], &[1.0, 1.0, 3.0, 3.0], &clusters);
        assert_eq!((ratio.value, ratio.stderr, ratio.problems), (1.5, 0.25, 4));
        assert!(ratio_of_means(&[1.0, 5.0], &[1.0, 3.0], &["a", "a"]).stderr.is_nan());
    }

    #[test]
    fn what_is_not_finite_is_kept() {
        assert_eq!(ratio_of_means(&[1.0, f64::INFINITY], &[1.0, 1.0], &["a", "b"]).value, f64::INFINITY);
        assert!(ratio_of_means(&[1.0, f64::INFINITY], &[1.0, 1.0], &["a", "b"]).stderr.is_nan());
        assert!(ratio_of_means(&[1.0], &[2.0], &["a"]).stderr.is_nan());
        assert!(ratio_of_means(&[], &[], &[]).value.is_nan());
    }

    #[test]
    fn nothing_is_divided_by_a_baseline_that_is_infinite_or_not_above_zero() {
        let bases = [
            ([1.0, f64::INFINITY], Defect::Infinite),
            ([1.0, -1.0], Defect::NotPositive),
            ([1.0, -3.0], Defect::NotPositive),
            ([1.0, f64::NEG_INFINITY], Defect::NotPositive),
            ([1.0, f64::NAN], Defect::NotANumber),
        ];
        for (theirs, defect) in bases {
            let ratio = ratio_of_means(&[1.0, 2.0], &theirs, &["a", "b"]);
            assert!(ratio.value.is_nan() && ratio.stderr.is_nan(), "{theirs:?}");
            assert_eq!((ratio.defect, ratio.problems), (Some(defect), 2));
            assert_eq!((ratio.text(), ratio.cell()), (defect.to_string(), defect.to_string()));
        }
    }

    #[test]
    fn a_caption_says_where_ratios_are_missing_and_why() {
        let (fine, infinite) =
            (ratio_of_means(&[1.0], &[2.0], &["a"]), ratio_of_means(&[1.0], &[f64::INFINITY], &["a"]));
        assert_eq!(defects([(1, vec![&fine]), (100, vec![&fine])]), None);
        let sentence = defects([(1, vec![&fine, &infinite, &infinite]), (100, vec![&fine])]).unwrap();
        assert_eq!(sentence, "Ratios are missing where they would mislead: at tau = 1 the baseline is infinite.");
    }
}
