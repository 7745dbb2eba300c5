//! The Adam optimiser of the papers, in double precision and confined to a box.

use crate::bounds::Bound;
use crate::lbfgs::{Objective, defined};

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Takes up to `steps` steps of Adam and returns the best point that was seen. Returns `None` if the objective has no
/// value at the start; ends early where it has none.
///
/// # Formula
///
/// With g the gradient: m = .9 m + .1 g, v = .999 v + .001 g^2, and a parameter moves by -rate (m / (1 - .9^t)) /
/// (sqrt(v / (1 - .999^t)) + 1e-8) at step t (Kingma and Ba 2015), then to the nearest point of the box.
pub fn minimise(
    start: &[f64],
    bounds: &[Bound],
    (steps, rate): (usize, f64),
    objective: &mut Objective,
) -> Option<(Vec<f64>, f64)> {
    let mut x: Vec<f64> = start.iter().zip(bounds).map(|(x, bound)| bound.clamp(*x)).collect();
    let mut gradient = vec![0.0; x.len()];
    let mut best = (x.clone(), defined(objective, &x, &mut gradient)?);
    let mut moments = vec![(0.0, 0.0); x.len()];
    let (mut left1, mut left2) = (1.0, 1.0);
    for _ in 0..steps {
        left1 *= BETA1;
        left2 *= BETA2;
        for (((x, g), (m, v)), bound) in x.iter_mut().zip(&gradient).zip(&mut moments).zip(bounds) {
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            let step = rate * (*m / (1.0 - left1)) / ((*v / (1.0 - left2)).sqrt() + EPSILON);
            *x = bound.clamp(*x - step);
        }
        let Some(value) = defined(objective, &x, &mut gradient) else { break };
        if value < best.1 {
            best = (x.clone(), value);
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bowl_is_descended_within_the_box() {
        let bounds = [Bound { least: -5.0, most: 5.0 }, Bound { least: 1.0, most: 5.0 }];
        let mut bowl = |x: &[f64], gradient: &mut [f64]| {
            gradient.copy_from_slice(&[2.0 * (x[0] - 2.0), 8.0 * x[1]]);
            Some((x[0] - 2.0).powi(2) + 4.0 * x[1] * x[1])
        };
        let (x, value) = minimise(&[0.0, 3.0], &bounds, (2000, 0.01), &mut bowl).unwrap();
        assert!((x[0] - 2.0).abs() < 1e-3 && x[1] == 1.0 && (value - 4.0).abs() < 1e-5, "{x:?} {value}");
        assert!(minimise(&[0.0, 3.0], &bounds, (9, 0.01), &mut |_, _| None).is_none());
    }
}
