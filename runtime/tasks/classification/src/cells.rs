//! Warns when a partition has more cells than its draws can fill.

use jointly_core::Partitioning;

use crate::{Evaluation, Problem};

/// The number of draws a cell below which an estimate triggers a warning.
const FEW: u32 = 4;

/// Returns a warning when `draws` leave few draws in each cell of `planes` hyperplanes.
pub fn warning(draws: u32, planes: u32) -> Option<String> {
    let cells = 1_u64 << planes;
    (draws >> planes < FEW).then(|| {
        format!(
            "{draws} draws are few for {cells} cells (2^{planes} planes): the estimate depends on the few in a cell; give \
             more draws or fewer --planes"
        )
    })
}

/// Returns a warning when an evaluation partitions the draws of any of these problems too finely.
pub fn warning_of(evaluation: &Evaluation, problems: &[Problem]) -> Option<String> {
    let mut taus = problems.iter().flat_map(|problem| problem.taus(evaluation));
    let parts = evaluation.partition != Partitioning::Jackknife && taus.any(|tau| tau > evaluation.partition_above);
    warning(evaluation.draws, evaluation.planes).filter(|_| parts)
}

#[cfg(test)]
mod tests {
    use jointly_core::Partitioning;

    use super::{warning, warning_of};
    use crate::{Evaluation, suite};

    #[test]
    fn cells_that_hold_few_draws_are_warned_of() {
        assert!(warning(1000, 10).unwrap().starts_with("1000 draws are few for 1024 cells (2^10 planes)"));
        assert!(warning(511, 7).is_some());
        assert_eq!(warning(512, 7), None);
        assert_eq!(warning(4, 0), None);
        assert_eq!(warning(1, 0).as_deref().map(|text| &text[..21]), Some("1 draws are few for 1"));
    }

    #[test]
    fn suites_that_part_their_draws_too_finely_are_warned_of() {
        let of = |name: &str, draws: Option<u32>| {
            let suite = suite(name).unwrap();
            let draws = draws.unwrap_or(suite.evaluation.draws);
            warning_of(&Evaluation { draws, ..suite.evaluation }, &suite.problems)
        };
        assert!(of("testbed/real", None).is_some_and(|text| text.starts_with("1000 draws are few for 1024 cells")));
        assert_eq!(of("testbed/real", Some(4096)), None);
        assert_eq!(of("testbed", None), None);
        assert!(of("testbed", Some(100)).is_some());
        let corrected = suite("testbed/real").unwrap();
        let evaluation = Evaluation { partition: Partitioning::Jackknife, ..corrected.evaluation };
        assert_eq!(warning_of(&evaluation, &corrected.problems), None);
        // No tau is above 10, so no partition is used.
        assert_eq!(of("quick/dyadic", Some(1)), None);
    }
}
