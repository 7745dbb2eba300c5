//! Checks class probabilities that an agent answered, and divides each row by its sum, before they are scored.

use crate::distribution::{distribution_defect, is_distribution, normalize};

/// Number of rows that are checked together, then divided together while they are in the nearest cache.
const BLOCK: usize = 256;

/// Returns class probabilities of the functions `draws` at `rows` rows, each row divided by its own sum.
///
/// A sum may differ from 1 by a rounding. Without the division an agent whose sums are all at the upper bound of that
/// tolerance would score better than one with the same predictions.
///
/// # Errors
/// Describes the first defect.
pub fn normalized(mut probs: Vec<f32>, draws: &[u64], rows: usize, num_classes: usize) -> Result<Vec<f32>, String> {
    let expected = draws.len() * rows * num_classes;
    if probs.len() != expected {
        return Err(format!(
            "{} probabilities for {} draws x {rows} rows x {num_classes} classes, expected {expected}",
            probs.len(),
            draws.len(),
        ));
    }
    let defect = match num_classes {
        // The compiler checks and divides several rows at once if it knows their length.
        2 => divide(&mut probs, 2),
        _ => divide(&mut probs, num_classes),
    };
    match defect {
        None => Ok(probs),
        Some((at, what)) => {
            // Logits are numbers.
            let finite = probs[at * num_classes..][..num_classes].iter().all(|p| p.is_finite());
            let remedy = if finite { "; of logits, return the softmax" } else { "" };
            Err(format!("{what} at row {} of draw {}{remedy}", at % rows, draws[at / rows]))
        }
    }
}

/// Divides each row by its sum, up to the first block that has a defect; returns the place of the first row with one, and
/// the defect.
#[expect(clippy::inline_always, reason = "the number of classes is known only where it is called")]
#[inline(always)]
fn divide(probs: &mut [f32], num_classes: usize) -> Option<(usize, String)> {
    for (place, block) in probs.chunks_mut(BLOCK * num_classes).enumerate() {
        if !block.chunks_exact(num_classes).fold(true, |sound, row| sound & is_distribution(row)) {
            let mut rows = block.chunks_exact(num_classes).enumerate();
            return rows.find_map(|(row, probs)| Some((place * BLOCK + row, distribution_defect(probs)?)));
        }
        block.chunks_exact_mut(num_classes).for_each(normalize);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, normalized};

    #[test]
    fn sums_within_the_tolerance_win_nothing() {
        let fair = vec![0.3_f32, 0.7, 0.6, 0.4];
        let raised: Vec<f32> = fair.iter().map(|p| p * 1.000_09).collect();
        let divided = normalized(raised.clone(), &[0], 2, 2).unwrap();
        for ((raised, divided), fair) in raised.iter().zip(&divided).zip(&fair) {
            assert!(raised - fair > 2e-5 && (divided - fair).abs() < 1e-7, "{raised} {divided} {fair}");
        }
        let exact = vec![0.25, 0.75, 0.5, 0.5];
        assert_eq!(normalized(exact.clone(), &[0], 2, 2), Ok(exact));
        assert!(normalized(vec![0.5, 0.51], &[0], 1, 2).is_err());
    }

    #[test]
    fn each_defect_is_named_with_its_place() {
        let draws = [4, 9];
        let with = |bad: [f32; 2]| {
            let mut probs = [0.25, 0.75].repeat(6);
            probs[8..10].copy_from_slice(&bad);
            normalized(probs, &draws, 3, 2).err()
        };
        assert_eq!(with([1.0, 0.0]), None);
        assert_eq!(with([0.500_05, 0.5]), None);
        assert_eq!(with([0.5, f32::NAN]).unwrap(), "a probability that is not finite at row 1 of draw 9");
        assert_eq!(
            with([-0.5, 1.5]).unwrap(),
            "a probability of -0.5 at row 1 of draw 9; of logits, return the softmax"
        );
        assert_eq!(
            with([1.0, 1.0]).unwrap(),
            "probabilities that sum to 2 at row 1 of draw 9; of logits, return the softmax"
        );
        assert_eq!(
            normalized(vec![0.5; 11], &draws, 3, 2).unwrap_err(),
            "11 probabilities for 2 draws x 3 rows x 2 classes, expected 12"
        );
        assert_eq!(normalized(vec![], &[], 3, 2), Ok(vec![]));
        assert_eq!(normalized(vec![], &draws, 0, 2), Ok(vec![]));
    }

    #[test]
    fn rows_of_every_length_are_found_wherever_they_stand() {
        for (classes, at) in
            [2, 3, 10].into_iter().flat_map(|classes| [0, 1, BLOCK, 2 * BLOCK + 7].map(|at| (classes, at)))
        {
            let rows = 3 * BLOCK;
            let mut row = vec![0.0; classes];
            row[classes - 1] = 0.999_95;
            let mut probs = row.repeat(rows);
            row[classes - 1] = 1.0;
            assert_eq!(normalized(probs.clone(), &[8], rows, classes), Ok(row.repeat(rows)));
            probs[at * classes] = 0.5;
            probs[(rows - 1) * classes] = f32::NAN;
            let error = normalized(probs, &[8], rows, classes).unwrap_err();
            assert!(
                error.starts_with("probabilities that sum to ") && error.contains(&format!("at row {at} of draw 8;")),
                "{error}"
            );
        }
    }
}
