//! One planar flow: an invertible map that moves each point along one direction, by an amount that depends on its
//! coordinate along another.

use std::f32::consts::E;

use jointly_nets::softplus::{logistic, softplus};

/// The learnt parameters of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) u: Vec<f32>,
    pub(crate) w: Vec<f32>,
    pub(crate) b: f32,
}

/// A planar flow (Rezende and Mohamed 2015).
///
/// # Formula
///
/// f(z) = z + v tanh(w.z + b), and ln |det df/dz| = ln(1 + (1 - t^2) w.v) with t the tanh. It is invertible if w.v >
/// -1. To ensure this, v = u + c w with c = (softplus(w.u) - 1 - w.u) / |w|^2: then w.v = softplus(w.u) - 1.
#[derive(Debug)]
pub(crate) struct Planar {
    raw: Raw,
    /// The vector v.
    direction: Vec<f32>,
    /// The numbers w.u, |w|^2 and 1 + w.v.
    along: f32,
    square: f32,
    stretch: f32,
}

/// The gradient with respect to v, w, b and 1 + w.v.
#[derive(Debug)]
pub(crate) struct Slopes {
    direction: Vec<f32>,
    w: Vec<f32>,
    b: f32,
    stretch: f32,
}

impl Planar {
    pub(crate) fn new(raw: Raw) -> Self {
        let (along, square) = (dot(&raw.w, &raw.u), dot(&raw.w, &raw.w).max(f32::MIN_POSITIVE));
        let stretch = softplus(along);
        let c = (stretch - 1.0 - along) / square;
        let direction = raw.u.iter().zip(&raw.w).map(|(u, w)| u + c * w).collect();
        Self { raw, direction, along, square, stretch }
    }

    /// Returns the u with which a flow along w is the identity: softplus(w.u) is 1, and v is 0.
    pub(crate) fn identity(w: &[f32]) -> Vec<f32> {
        let factor = (E - 1.0).ln() / dot(w, w).max(f32::MIN_POSITIVE);
        w.iter().map(|w| factor * w).collect()
    }

    /// Returns a zero gradient.
    pub(crate) fn slopes(&self) -> Slopes {
        let zeros = vec![0.0; self.direction.len()];
        Slopes { direction: zeros.clone(), w: zeros, b: 0.0, stretch: 0.0 }
    }

    /// Moves a point; returns the tanh.
    pub(crate) fn push(&self, z: &mut [f32]) -> f32 {
        let t = (dot(&self.raw.w, z) + self.raw.b).tanh();
        z.iter_mut().zip(&self.direction).for_each(|(z, v)| *z += t * v);
        t
    }

    /// Computes 1 + (1 - t^2) w.v in a form that rounding cannot make zero.
    pub(crate) fn determinant(&self, t: f32) -> f32 {
        t * t + (1.0 - t * t) * self.stretch
    }

    /// Inverts the flow at a point, given the tanh, and propagates `gradient` back through it. The loss includes
    /// minus `volume` times the logarithm of the determinant. Adds to the flow's own gradient.
    pub(crate) fn pull(&self, t: f32, z: &mut [f32], gradient: &mut [f32], volume: f32, slopes: &mut Slopes) {
        z.iter_mut().zip(&self.direction).for_each(|(z, v)| *z -= t * v);
        slopes.direction.iter_mut().zip(&*gradient).for_each(|(slope, gradient)| *slope += t * gradient);
        let (turn, determinant) = (1.0 - t * t, self.determinant(t));
        slopes.stretch -= volume * turn / determinant;
        let by_t = dot(gradient, &self.direction) + volume * 2.0 * t * (self.stretch - 1.0) / determinant;
        let inner = by_t * turn;
        slopes.b += inner;
        slopes.w.iter_mut().zip(&*z).for_each(|(slope, z)| *slope += inner * z);
        gradient.iter_mut().zip(&self.raw.w).for_each(|(gradient, w)| *gradient += inner * w);
    }

    /// Writes the gradients with respect to u and w; returns the gradient with respect to b.
    pub(crate) fn finish(&self, slopes: &Slopes, u: &mut [f32], w: &mut [f32]) -> f32 {
        let c = (self.stretch - 1.0 - self.along) / self.square;
        let by_c = dot(&slopes.direction, &self.raw.w);
        let by_stretch = slopes.stretch + by_c / self.square;
        let by_along = by_stretch * logistic(self.along) - by_c / self.square;
        let by_square = -by_c * c / self.square;
        for (j, (u, w)) in u.iter_mut().zip(w).enumerate() {
            let (raw_u, raw_w) = (self.raw.u[j], self.raw.w[j]);
            *u = slopes.direction[j] + by_along * raw_w;
            *w = slopes.w[j] + c * slopes.direction[j] + 2.0 * by_square * raw_w + by_along * raw_u;
        }
        slopes.b
    }
}

/// Computes the inner product in a fixed order, with eight independent sums.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
