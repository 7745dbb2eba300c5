//! Requesting each function once, in any order, gives the same bits as requesting every draw.

use jointly_core::estimate::MarginalMean;
use proptest::prelude::*;

use crate::brute_force::{Case, case};

/// Generates a case, the number of draws that name each function, and a shuffled list of all draws.
fn repeated() -> impl Strategy<Value = (Case, Vec<u64>, Vec<usize>)> {
    case().prop_flat_map(|case| {
        let counts = prop::collection::vec(1_u64..6, case.functions.len());
        counts.prop_flat_map(move |counts| {
            let draws: Vec<usize> =
                counts.iter().enumerate().flat_map(|(f, &count)| std::iter::repeat_n(f, count as usize)).collect();
            (Just(case.clone()), Just(counts), Just(draws).prop_shuffle())
        })
    })
}

proptest! {
    #[test]
    fn in_a_partition((case, counts, draws) in repeated(), clip: bool) {
        let mut once = case.partition(clip);
        for (function, &count) in case.functions.iter().zip(&counts) {
            once.add(function, count);
        }
        let mut all = case.partition(clip);
        for draw in draws {
            all.add(&case.functions[draw], 1);
        }
        prop_assert_eq!(once.finish().log_likelihood.to_bits(), all.finish().log_likelihood.to_bits());
    }

    #[test]
    fn in_the_marginals((case, counts, draws) in repeated()) {
        let len = case.functions[0].len();
        let mut once = MarginalMean::new(len);
        for (function, &count) in case.functions.iter().zip(&counts) {
            once.add(function, count);
        }
        let mut all = MarginalMean::new(len);
        for draw in draws {
            all.add(&case.functions[draw], 1);
        }
        prop_assert_eq!(once.finish(), all.finish());
    }
}
