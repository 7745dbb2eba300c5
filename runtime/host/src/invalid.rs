//! What an answer must be before it is scored.

/// Probabilities of a row may miss a sum of one by this much.
const SUM_TOLERANCE: f64 = 1e-4;

/// Checks class probabilities of `draws` functions at `rows` rows, and says what is wrong with the first bad one.
pub(crate) fn defect(probs: &[f32], draws: &[u64], rows: usize, num_classes: usize) -> Option<String> {
    let expected = draws.len() * rows * num_classes;
    if probs.len() != expected {
        return Some(format!(
            "{} probabilities for {} draws x {rows} rows x {num_classes} classes, expected {expected}",
            probs.len(),
            draws.len(),
        ));
    }
    let (at, row) = probs.chunks_exact(num_classes).enumerate().find(|(_, row)| !is_distribution(row))?;
    let (draw, t) = (draws[at / rows], at % rows);
    let what = if row.iter().any(|p| !p.is_finite()) {
        "a probability that is not finite".to_owned()
    } else if let Some(p) = row.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        format!("a probability of {p}")
    } else {
        format!("probabilities that sum to {}", sum(row))
    };
    Some(format!("{what} at row {t} of draw {draw}"))
}

fn is_distribution(row: &[f32]) -> bool {
    // A NaN is in no range, and makes no sum.
    row.iter().all(|p| (0.0..=1.0).contains(p)) && (sum(row) - 1.0).abs() <= SUM_TOLERANCE
}

fn sum(row: &[f32]) -> f64 {
    row.iter().map(|p| f64::from(*p)).sum()
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
