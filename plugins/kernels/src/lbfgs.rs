//! The limited-memory BFGS optimiser, confined to a box.

use std::collections::VecDeque;

use crate::bounds::Bound;
use crate::product::{axpy, dot};

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 10;
/// The largest change of a parameter in one step; parameters are logarithms, or of order one.
const LONGEST: f64 = 2.0;
/// The share of the descent predicted by the gradient that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// The largest number of times that a step is shortened before it is given up.
const SHORTENINGS: usize = 20;
/// A step is little if it lowers the value by at most this share of it.
const LITTLE: f64 = 1e-9;
/// The number of consecutive little steps that ends the search.
const PATIENCE: usize = 3;
/// The search ends when no free parameter has a larger gradient, as a share of the value.
const FLAT: f64 = 1e-7;

/// The minimised function: returns the value at the parameters and writes its gradient, or returns `None` if there is
/// no value.
pub type Objective<'a> = dyn FnMut(&[f64], &mut [f64]) -> Option<f64> + 'a;

/// Minimises from a start in at most `steps` steps; returns `None` if the objective has no value at the start. The
/// value found is no larger than that at the start.
///
/// # Formula
///
/// The direction comes from the two-loop recursion (Nocedal 1980) over the parameters that are not held at a bound. A
/// step is shortened until it descends by 1e-4 of the descent that the gradient predicts, and projected to the box. If
/// no step length succeeds, the memory is cleared once; if it still fails, the search ends.
pub fn minimise(start: &[f64], bounds: &[Bound], steps: usize, objective: &mut Objective) -> Option<(Vec<f64>, f64)> {
    let project = |x: &mut Vec<f64>| x.iter_mut().zip(bounds).for_each(|(x, bound)| *x = bound.clamp(*x));
    let mut x = start.to_vec();
    project(&mut x);
    let mut gradient = vec![0.0; x.len()];
    let mut value = defined(objective, &x, &mut gradient)?;
    let mut memory = Memory::default();
    let mut little = 0;
    for _ in 0..steps {
        let free: Vec<bool> = x.iter().zip(&gradient).zip(bounds).map(|((x, g), bound)| !bound.holds(*x, *g)).collect();
        let masked: Vec<f64> = gradient.iter().zip(&free).map(|(g, free)| if *free { *g } else { 0.0 }).collect();
        let steepest = largest(&masked);
        if steepest <= FLAT * (1.0 + value.abs()) {
            break;
        }
        let mut direction = memory.direction(&masked, &free);
        if dot(&direction, &masked) > -1e-10 * norm(&direction) * norm(&masked) {
            memory = Memory::default();
            direction = memory.direction(&masked, &free);
        }
        let first = if memory.pairs.is_empty() { (0.5 / steepest).min(1.0) } else { 1.0 };
        let mut length = first.min(LONGEST / largest(&direction));
        let mut found = None;
        for _ in 0..SHORTENINGS {
            let mut next = x.clone();
            axpy(length, &direction, &mut next);
            project(&mut next);
            let moved: Vec<f64> = next.iter().zip(&x).map(|(next, x)| next - x).collect();
            let promised = dot(&moved, &gradient);
            let mut next_gradient = vec![0.0; x.len()];
            match defined(objective, &next, &mut next_gradient) {
                Some(next_value) if next_value <= value + SUFFICIENT * promised => {
                    found = Some((next, moved, next_value, next_gradient));
                    break;
                }
                // The minimum of the parabola through the known values and slope.
                Some(next_value) => {
                    let parabola = -0.5 * promised / (next_value - value - promised);
                    length *= parabola.clamp(0.1, 0.5);
                }
                None => length *= 0.2,
            }
        }
        let Some((next, moved, next_value, next_gradient)) = found else {
            if memory.pairs.is_empty() {
                break;
            }
            memory = Memory::default();
            continue;
        };
        let change = next_gradient.iter().zip(&gradient).map(|(next, g)| next - g).collect();
        memory.remember(moved, change);
        little = if value - next_value <= LITTLE * (1.0 + value.abs()) { little + 1 } else { 0 };
        (x, value, gradient) = (next, next_value, next_gradient);
        if little == PATIENCE {
            break;
        }
    }
    Some((x, value))
}

/// Returns the value if it and the gradient are finite.
pub(crate) fn defined(objective: &mut Objective, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
    gradient.fill(0.0);
    let value = objective(x, gradient)?;
    (value.is_finite() && gradient.iter().all(|g| g.is_finite())).then_some(value)
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// Curvature information from earlier steps.
#[derive(Default)]
struct Memory {
    /// Step, change of the gradient, and 1 over their inner product; the oldest first.
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Memory {
    fn remember(&mut self, step: Vec<f64>, change: Vec<f64>) {
        let product = dot(&step, &change);
        // A step along which the curvature is not positive gives no information on a minimum.
        if product <= 1e-10 * norm(&step) * norm(&change) {
            return;
        }
        if self.pairs.len() == MEMORY {
            self.pairs.pop_front();
        }
        self.pairs.push_back((step, change, product.recip()));
    }

    /// Returns minus the inverse curvature times the gradient; zero for parameters that are not free.
    fn direction(&self, gradient: &[f64], free: &[bool]) -> Vec<f64> {
        let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut factors = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let factor = inverse * dot(step, &q);
            axpy(-factor, change, &mut q);
            factors.push(factor);
        }
        if let Some((_, change, inverse)) = self.pairs.back() {
            let scale = 1.0 / (inverse * dot(change, change));
            for q in &mut q {
                *q *= scale;
            }
        }
        for ((step, change, inverse), factor) in self.pairs.iter().zip(factors.iter().rev()) {
            axpy(factor - inverse * dot(change, &q), step, &mut q);
        }
        q.iter_mut().zip(free).filter(|(_, free)| !**free).for_each(|(q, _)| *q = 0.0);
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Bound = Bound { least: -10.0, most: 10.0 };

    /// Rosenbrock's valley, undefined where the first coordinate is 3 or more.
    fn valley(x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient.copy_from_slice(&[-2.0 * a - 400.0 * x[0] * b, 200.0 * b]);
        (x[0] < 3.0).then_some(a * a + 100.0 * b * b)
    }

    #[test]
    fn a_valley_is_followed_to_its_end() {
        let (x, value) = minimise(&[-1.2, 1.0], &[FREE; 2], 200, &mut valley).unwrap();
        assert!(value < 1e-10 && (x[0] - 1.0).abs() < 1e-4 && (x[1] - 1.0).abs() < 1e-4, "{x:?} {value}");
    }

    #[test]
    fn the_box_holds() {
        let bounds = [Bound { least: -10.0, most: 0.5 }, FREE];
        let (x, _) = minimise(&[-1.2, 1.0], &bounds, 200, &mut valley).unwrap();
        assert!((x[0] - 0.5).abs() < 1e-9 && (x[1] - 0.25).abs() < 1e-4, "{x:?}");
    }

    #[test]
    fn there_is_no_minimum_from_where_nothing_is_defined() {
        assert!(minimise(&[4.0, 0.0], &[FREE; 2], 10, &mut valley).is_none());
        let flat = minimise(&[4.0], &[FREE], 10, &mut |_, _| Some(1.0)).unwrap();
        assert_eq!(flat, (vec![4.0], 1.0));
    }
}
