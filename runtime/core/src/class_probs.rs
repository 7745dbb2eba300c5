//! Checks class probabilities that an agent answered, and divides each row by its sum, before they are scored.

use crate::distribution::{distribution_defect, normalize};

/// Returns class probabilities of the functions `draws` at `rows` rows, each row divided by its own sum.
///
/// A sum may differ from 1 by a rounding. Without the division an agent whose sums are all at the upper bound of that
/// tolerance would score better than one with the same predictions.
///
/// # Errors
/// Describes the first defect.
pub fn normalized(mut probs: Vec<f32>, draws: &[u64], rows: usize, num_classes: usize) -> Result<Vec<f32>, String> {
    if let Some(what) = defect(&probs, draws, rows, num_classes) {
        return Err(what);
    }
    probs.chunks_exact_mut(num_classes).for_each(normalize);
    Ok(probs)
}

/// Checks class probabilities of the functions `draws` at `rows` rows, and describes the first defect.
fn defect(probs: &[f32], draws: &[u64], rows: usize, num_classes: usize) -> Option<String> {
    let expected = draws.len() * rows * num_classes;
    if probs.len() != expected {
        return Some(format!(
            "{} probabilities for {} draws x {rows} rows x {num_classes} classes, expected {expected}",
            probs.len(),
            draws.len(),
        ));
    }
    let mut rows_of_draws = probs.chunks_exact(num_classes).enumerate();
    let (at, what) = rows_of_draws.find_map(|(at, row)| Some((at, distribution_defect(row)?)))?;
    Some(format!("{what} at row {} of draw {}", at % rows, draws[at / rows]))
}

#[cfg(test)]
mod tests {
    use super::{defect, normalized};

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
            defect(&probs, &draws, 3, 2)
        };
        assert_eq!(with([1.0, 0.0]), None);
        assert_eq!(with([0.500_05, 0.5]), None);
        assert_eq!(with([0.5, f32::NAN]).unwrap(), "a probability that is not finite at row 1 of draw 9");
        assert_eq!(with([-0.5, 1.5]).unwrap(), "a probability of -0.5 at row 1 of draw 9");
        assert_eq!(with([1.0, 1.0]).unwrap(), "probabilities that sum to 2 at row 1 of draw 9");
        assert_eq!(
            defect(&[0.5; 11], &draws, 3, 2).unwrap(),
            "11 probabilities for 2 draws x 3 rows x 2 classes, expected 12"
        );
        assert_eq!(defect(&[], &[], 3, 2), None);
        assert_eq!(defect(&[], &draws, 0, 2), None);
    }
}
