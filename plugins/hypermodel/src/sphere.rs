//! Random directions.

use jointly_sdk::Rng;

/// Draws a vector uniformly from the unit sphere.
pub(crate) fn unit_vector(dim: usize, rng: &mut Rng) -> Vec<f32> {
    // A normal vector has a direction unless it is zero, which is extremely unlikely; then another one is drawn.
    loop {
        let vector: Vec<f32> = (0..dim).map(|_| rng.normal()).collect();
        let length = dot(&vector, &vector).sqrt();
        if length > 0.0 {
            return vector.into_iter().map(|value| value / length).collect();
        }
    }
}

/// Draws a vector uniformly from the part of the unit sphere that is orthogonal to a unit vector; `None` in one
/// dimension.
pub(crate) fn orthogonal_unit_vector(to: &[f32], rng: &mut Rng) -> Option<Vec<f32>> {
    if to.len() < 2 {
        return None;
    }
    loop {
        let vector = unit_vector(to.len(), rng);
        let along = dot(&vector, to);
        let rest: Vec<f32> = vector.iter().zip(to).map(|(value, to)| value - along * to).collect();
        let length = dot(&rest, &rest).sqrt();
        // The remainder of a vector that is nearly parallel is mostly rounding error.
        if length > MIN_LENGTH {
            return Some(rest.into_iter().map(|value| value / length).collect());
        }
    }
}

/// The smallest accepted length of the remainder of a unit vector.
const MIN_LENGTH: f32 = 1e-3;

/// Computes the inner product.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 1e-4;

    #[test]
    fn directions_have_length_one_and_are_orthogonal() {
        let mut rng = Rng::new(0, 0);
        for dim in 2..8 {
            let one = unit_vector(dim, &mut rng);
            let other = orthogonal_unit_vector(&one, &mut rng).unwrap();
            assert!((dot(&one, &one) - 1.0).abs() < TOLERANCE && (dot(&other, &other) - 1.0).abs() < TOLERANCE);
            assert!(dot(&one, &other).abs() < TOLERANCE);
        }
        assert_eq!(orthogonal_unit_vector(&[1.0], &mut rng), None);
    }
}
