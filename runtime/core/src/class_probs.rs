//! Checks class probabilities that an agent answered before they are scored.

use crate::distribution::distribution_defect;

/// Checks class probabilities of the functions `draws` at `rows` rows, and describes the first defect.
pub fn defect(probs: &[f32], draws: &[u64], rows: usize, num_classes: usize) -> Option<String> {
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
    use super::defect;

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
