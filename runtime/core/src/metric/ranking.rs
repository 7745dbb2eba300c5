//! How well a score separates two kinds of rows: areas under curves, and the detection of out-of-distribution rows.

/// The true positive rate, in percent, at which detection is compared.
pub const DETECTION_PERCENT: u32 = 95;

/// Computes the area under the receiver operating characteristic.
///
/// # Formula
/// The probability that the score of a random positive exceeds that of a random negative, plus half the probability
/// that they are equal: with P positives, N negatives, (number of pairs with `s_i` > `s_j` + half those with `s_i` =
/// `s_j`) / (P N), i over positives and j over negatives. Pairs are counted in integers after sorting, in O(n log n),
/// so neither the order of rows nor rounding can change the result. For binary classification the score is the
/// probability of the positive class. Without a positive or without a negative it is NaN. Hanley and McNeil, "The
/// Meaning and Use of the Area under a Receiver Operating Characteristic (ROC) Curve" (1982).
///
/// `scores` and `positives` have the same length; scores may be infinite.
///
/// # Panics
/// When lengths differ or a score is NaN.
pub fn auc(scores: &[f64], positives: &[bool]) -> f64 {
    let steps = Steps::of(scores, positives);
    // Twice the number of correctly ordered pairs, each positive with the negatives that follow.
    let mut twice = 0;
    let mut above = 0;
    for step in &steps.descending {
        twice += step.negatives * (2 * above + step.positives);
        above += step.positives;
    }
    ratio(twice, 2 * steps.positives * steps.negatives)
}

/// Computes the area under the precision-recall curve, as average precision.
///
/// # Formula
/// Sum over thresholds t from the largest score down of (R(t) - R(t+)) Q(t): Q is the precision, the share of positives
/// among rows with a score of at least t, R the recall, the share of positives with a score of at least t, and t+ the
/// threshold before. Rows with equal scores pass a threshold together, so their order does not matter; a score that is
/// the same for all rows gives the share of positives. Nothing is interpolated: Davis and Goadrich, "The Relationship
/// Between Precision-Recall and ROC Curves" (2006), show that lines between the points are too optimistic. Without a
/// positive or without a negative it is NaN. It takes O(n log n) time.
///
/// `scores` and `positives` have the same length; scores may be infinite.
///
/// # Panics
/// When lengths differ or a score is NaN.
pub fn average_precision(scores: &[f64], positives: &[bool]) -> f64 {
    let steps = Steps::of(scores, positives);
    if steps.positives == 0 || steps.negatives == 0 {
        return f64::NAN;
    }
    let (mut found, mut passed) = (0, 0);
    let mut sum = 0.0;
    for step in &steps.descending {
        found += step.positives;
        passed += step.positives + step.negatives;
        sum += step.positives as f64 * ratio(found, passed);
    }
    sum / steps.positives as f64
}

/// Computes the false positive rate at a true positive rate of `percent` percent.
///
/// # Formula
/// With t the largest threshold at which at least `percent` / 100 of all positives have a score of at least t (compared
/// in integers), the share of negatives whose score is at least t: the smallest false positive rate at which the true
/// positive rate is reached. Rows with equal scores pass together; nothing is interpolated. (Other code uses the
/// threshold whose true positive rate is nearest, which may fall short of it.) Without a positive or without a negative
/// it is NaN.
///
/// `scores` and `positives` have the same length; scores may be infinite.
///
/// # Panics
/// When lengths differ, a score is NaN, or `percent` is not from 1 to 100.
pub fn false_positive_rate(scores: &[f64], positives: &[bool], percent: u32) -> f64 {
    assert!((1..=100).contains(&percent), "a rate from 1 to 100 percent");
    let steps = Steps::of(scores, positives);
    if steps.positives == 0 || steps.negatives == 0 {
        return f64::NAN;
    }
    let (mut found, mut mistaken) = (0, 0);
    for step in &steps.descending {
        found += step.positives;
        mistaken += step.negatives;
        if 100 * found >= u64::from(percent) * steps.positives {
            break;
        }
    }
    ratio(mistaken, steps.negatives)
}

/// How well a score separates out-of-distribution rows from rows in distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// Area under the receiver operating characteristic, the same whichever side is positive; 1/2 by chance.
    pub auroc: f64,
    /// Average precision with out-of-distribution rows as positives; their share of all rows by chance.
    pub aupr_out: f64,
    /// Average precision with in-distribution rows as positives; their share of all rows by chance.
    pub aupr_in: f64,
    /// The share of rows in distribution that are classified as out of distribution, at the threshold that detects 95 %
    /// of the out-of-distribution rows.
    pub fpr95_out: f64,
    /// The share of out-of-distribution rows that are classified as in distribution, at the threshold that keeps 95 %
    /// of the rows in distribution.
    pub fpr95_in: f64,
}

/// Computes how well a score detects out-of-distribution rows. Larger scores mean out of distribution, as for the
/// predictive entropy or the negative confidence.
///
/// # Formula
/// With out-of-distribution rows as positives, [`auc`] and [`average_precision`] of the scores and their
/// [`false_positive_rate`] at 95 % (Hendrycks et al., "Deep Anomaly Detection with Outlier Exposure" (2019)); with
/// in-distribution rows as positives, average precision and false positive rate of the negated scores (Liang et al.,
/// "Enhancing The Reliability of Out-of-distribution Image Detection in Neural Networks" (2018), whose FPR at 95 % TPR
/// is `fpr95_in`). Precision depends on the number of rows on each side. Without rows on either side, all are NaN.
///
/// # Panics
/// When a score is NaN.
pub fn detection(inside: &[f64], outside: &[f64]) -> Detection {
    let scores = [inside, outside].concat();
    let negated: Vec<f64> = scores.iter().map(|score| -score).collect();
    let is_outside: Vec<bool> = (0..scores.len()).map(|r| r >= inside.len()).collect();
    let is_inside: Vec<bool> = is_outside.iter().map(|outside| !outside).collect();
    Detection {
        auroc: auc(&scores, &is_outside),
        aupr_out: average_precision(&scores, &is_outside),
        aupr_in: average_precision(&negated, &is_inside),
        fpr95_out: false_positive_rate(&scores, &is_outside, DETECTION_PERCENT),
        fpr95_in: false_positive_rate(&negated, &is_inside, DETECTION_PERCENT),
    }
}

/// The numbers of rows with one score.
#[derive(Clone, Copy, Default)]
struct Step {
    positives: u64,
    negatives: u64,
}

/// Rows grouped by distinct score.
struct Steps {
    descending: Vec<Step>,
    positives: u64,
    negatives: u64,
}

impl Steps {
    fn of(scores: &[f64], positives: &[bool]) -> Self {
        assert_eq!(scores.len(), positives.len(), "a score a row");
        assert!(!scores.iter().any(|score| score.is_nan()), "scores are numbers");
        let mut rows: Vec<(f64, bool)> = scores.iter().copied().zip(positives.iter().copied()).collect();
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        // The sort distinguishes zeros of both signs, which are equal here.
        let descending: Vec<Step> = rows.chunk_by(|a, b| a.0 == b.0).map(Step::of).collect();
        let count = |of: fn(&Step) -> u64| descending.iter().map(of).sum();
        Self { positives: count(|step| step.positives), negatives: count(|step| step.negatives), descending }
    }
}

impl Step {
    fn of(rows: &[(f64, bool)]) -> Self {
        let positives = rows.iter().filter(|(_, positive)| *positive).count() as u64;
        Self { positives, negatives: rows.len() as u64 - positives }
    }
}

/// Returns a ratio; without rows it is NaN, with the same bits on every CPU.
fn ratio(part: u64, whole: u64) -> f64 {
    super::rows::share(part as f64, whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tolerance for rounding in a sum of a few dozen shares.
    const ROUNDING: f64 = 1e-13;

    /// The definitions computed literally, over all pairs and all thresholds.
    struct Plain<'a>(&'a [f64], &'a [bool]);

    impl Plain<'_> {
        fn scores(&self, kind: bool) -> impl Iterator<Item = f64> {
            self.0.iter().zip(self.1).filter(move |(_, positive)| **positive == kind).map(|(score, _)| *score)
        }

        fn at_least(&self, kind: bool, t: f64) -> f64 {
            self.scores(kind).filter(|&score| score >= t).count() as f64
        }

        fn auc(&self) -> f64 {
            let mut pairs = 0.0;
            for p in self.scores(true) {
                for n in self.scores(false) {
                    pairs += if p > n { 1.0 } else { 0.0 } + if p == n { 0.5 } else { 0.0 };
                }
            }
            pairs / (self.scores(true).count() * self.scores(false).count()) as f64
        }

        /// Returns the mean over positives of the precision at their own score, which equals the sum over thresholds.
        fn average_precision(&self) -> f64 {
            let precision = |t: f64| self.at_least(true, t) / (self.at_least(true, t) + self.at_least(false, t));
            self.scores(true).map(precision).sum::<f64>() / self.scores(true).count() as f64
        }

        fn false_positive_rate(&self, percent: f64) -> f64 {
            let (positives, negatives) = (self.scores(true).count() as f64, self.scores(false).count() as f64);
            let reached = self.0.iter().filter(|&&t| 100.0 * self.at_least(true, t) >= percent * positives);
            reached.map(|&t| self.at_least(false, t) / negatives).fold(f64::INFINITY, f64::min)
        }
    }

    #[test]
    fn six_rows_on_paper() {
        // In descending order: + at 5, - at 4, + and - at 3, + at 2, - at 1.
        let scores = [3.0, 1.0, 5.0, 4.0, 3.0, 2.0];
        let positives = [true, false, true, false, false, true];
        // 5 exceeds three; 3 exceeds one and ties with one; 2 exceeds one.
        assert_eq!(auc(&scores, &positives), 5.5 / 9.0);
        assert!((average_precision(&scores, &positives) - (1.0 + 0.5 + 0.6) / 3.0).abs() < ROUNDING);
        assert_eq!(false_positive_rate(&scores, &positives, 33), 0.0);
        assert_eq!(false_positive_rate(&scores, &positives, 34), 2.0 / 3.0);
        assert_eq!(false_positive_rate(&scores, &positives, 95), 2.0 / 3.0);
    }

    #[test]
    fn a_rate_that_is_just_reached_counts_as_reached() {
        // 19 of 20 positives are above all negatives, one is below.
        let outside: Vec<f64> = (0..20).map(|i| if i == 0 { 0.0 } else { 2.0 }).collect();
        let found = detection(&[1.0; 10], &outside);
        assert_eq!(found.fpr95_out, 0.0);
        // 95 % of 10 in-distribution rows are all of them, and one of 20 out-of-distribution rows passes with them.
        assert_eq!(found.fpr95_in, 1.0 / 20.0);
        // 18 of 19 are less than 95 %, so all must pass.
        assert_eq!(detection(&[1.0; 10], &outside[..19]).fpr95_out, 1.0);
    }

    #[test]
    fn sides_that_are_apart_are_detected_and_swapped_they_are_not() {
        let apart = detection(&[0.0, 0.1, f64::NEG_INFINITY], &[0.2, f64::INFINITY]);
        assert_eq!((apart.auroc, apart.aupr_out, apart.aupr_in), (1.0, 1.0, 1.0));
        assert_eq!((apart.fpr95_out, apart.fpr95_in), (0.0, 0.0));
        let swapped = detection(&[0.2, f64::INFINITY], &[0.0, 0.1, f64::NEG_INFINITY]);
        assert_eq!((swapped.auroc, swapped.fpr95_out, swapped.fpr95_in), (0.0, 1.0, 1.0));
    }

    #[test]
    fn a_score_that_is_the_same_for_all_is_chance() {
        let found = detection(&[0.0, -0.0, 0.0], &[-0.0]);
        assert_eq!((found.auroc, found.aupr_out, found.aupr_in), (0.5, 0.25, 0.75));
        assert_eq!((found.fpr95_out, found.fpr95_in), (1.0, 1.0));
    }

    #[test]
    fn an_empty_side_gives_nan() {
        for found in [detection(&[], &[1.0]), detection(&[1.0], &[]), detection(&[], &[])] {
            let all = [found.auroc, found.aupr_out, found.aupr_in, found.fpr95_out, found.fpr95_in];
            assert!(all.iter().all(|x| x.is_nan()), "{found:?}");
        }
    }

    #[test]
    #[should_panic(expected = "scores are numbers")]
    fn a_score_that_is_no_number_is_refused() {
        auc(&[f64::NAN, 1.0], &[true, false]);
    }

    /// Rows with at least one of each kind and few distinct scores, so that ties are common.
    fn ranked() -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
        let row = (0u32..12, any::<bool>());
        prop::collection::vec(row, 0..60).prop_map(|mut rows| {
            rows.extend([(5, true), (6, false)]);
            rows.into_iter().map(|(score, positive)| (f64::from(score) / 12.0, positive)).unzip()
        })
    }

    proptest! {
        #[test]
        fn they_are_what_the_definitions_say((scores, positives) in ranked(), percent in 1u32..=100) {
            let plain = Plain(&scores, &positives);
            prop_assert!((auc(&scores, &positives) - plain.auc()).abs() < ROUNDING);
            prop_assert!((average_precision(&scores, &positives) - plain.average_precision()).abs() < ROUNDING);
            let rate = false_positive_rate(&scores, &positives, percent);
            prop_assert_eq!(rate, plain.false_positive_rate(percent.into()));
        }

        #[test]
        fn flipped_scores_have_the_rest_of_the_area((scores, positives) in ranked()) {
            let flipped: Vec<f64> = scores.iter().map(|score| -score).collect();
            let others: Vec<bool> = positives.iter().map(|positive| !positive).collect();
            let area = auc(&scores, &positives);
            prop_assert!((auc(&flipped, &positives) - (1.0 - area)).abs() < ROUNDING);
            prop_assert_eq!(auc(&flipped, &others), area);
        }

        #[test]
        fn neither_order_nor_scale_of_scores_moves_a_bit((scores, positives) in ranked(), by in 0usize..60) {
            let by = by % scores.len();
            let mut moved: Vec<f64> = scores.iter().map(|score| score * score * score - 7.0).collect();
            let mut kinds = positives.clone();
            moved.rotate_left(by);
            kinds.rotate_left(by);
            prop_assert_eq!(auc(&moved, &kinds), auc(&scores, &positives));
            prop_assert_eq!(average_precision(&moved, &kinds), average_precision(&scores, &positives));
            prop_assert_eq!(false_positive_rate(&moved, &kinds, 95), false_positive_rate(&scores, &positives, 95));
        }
    }
}
