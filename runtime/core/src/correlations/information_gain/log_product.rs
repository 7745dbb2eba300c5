//! The logarithm of a long product, computed with a single logarithm.

use std::f64::consts::LN_2;

/// The number of partial products.
pub(super) const LANES: usize = 8;
/// The number of factors that a partial product takes before its exponent is split off: 2^-40 to the sixteenth power
/// does not underflow.
pub(super) const FACTORS: usize = 16;

const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;

/// A product of factors in [2^-40, 1], as eight mantissas and a power of two.
///
/// Exponents are moved without rounding, so only the products of factors round.
pub(super) struct LogProduct {
    lanes: [f64; LANES],
    exponent: i64,
}

impl LogProduct {
    pub(super) fn new() -> Self {
        Self { lanes: [1.0; LANES], exponent: 0 }
    }

    /// Multiplies each lane by the product of at most `FACTORS` factors; each is in [1, 2) afterwards.
    pub(super) fn multiply(&mut self, products: [f64; LANES]) {
        for (lane, product) in self.lanes.iter_mut().zip(products) {
            let bits = (*lane * product).to_bits();
            self.exponent += (bits >> 52) as i64 - 1023;
            *lane = f64::from_bits(bits & MANTISSA | ONE);
        }
    }

    /// Returns the natural logarithm of the product.
    pub(super) fn ln(&self) -> f64 {
        let mantissa: f64 = self.lanes.iter().product();
        libm::log(mantissa) + self.exponent as f64 * LN_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// Tolerance for rounding in a sum of 2,000 logarithms of up to 28 each.
    const ROUNDING: f64 = 1e-9;

    fn of(factors: &[f64]) -> f64 {
        let mut product = LogProduct::new();
        for chunk in factors.chunks(LANES * FACTORS) {
            let mut products = [1.0; LANES];
            for factors in chunk.chunks(LANES) {
                for (lane, factor) in products.iter_mut().zip(factors) {
                    *lane *= factor;
                }
            }
            product.multiply(products);
        }
        product.ln()
    }

    #[test]
    fn it_is_the_sum_of_logarithms() {
        let mut source = stream(0, "test", "log-product", 0);
        for count in [0, 1, 7, 128, 129, 2000] {
            let factors: Vec<f64> = (0..count).map(|_| libm::exp2(-40.0 * source.uniform())).collect();
            let sum: f64 = factors.iter().map(|x| x.ln()).sum();
            assert!((of(&factors) - sum).abs() < ROUNDING, "{count}");
        }
    }

    #[test]
    fn factors_of_one_and_the_smallest_are_exact() {
        assert_eq!(of(&[1.0; 1000]), 0.0);
        assert_eq!(of(&[super::super::RESOLUTION; 1000]), -40_000.0 * LN_2);
    }
}
