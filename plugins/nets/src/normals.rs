//! Generates standard normal numbers in bulk, faster than [`Rng`].

use jointly_sdk::Rng;

use crate::ints::Ints;
use crate::simd::{LANES, Lanes};

/// Independent generators that run in parallel. Their number is the same on every machine, so that the numbers are the
/// same.
const STREAMS: usize = 8;

/// Vectors that hold one number of each generator.
const VECTORS: usize = STREAMS / LANES;

type Word = [Ints; VECTORS];

/// A stream of standard normal numbers.
///
/// # Formula
///
/// Box and Muller (1958): with u and v uniform, sqrt(-2 ln u) times the cosine and the sine of 2 pi v are independent
/// and normal. u is an odd multiple of 2^-31, so no number exceeds 6.56 in absolute value; a normal distribution has
/// probability 5e-11 beyond that. The logarithm, the root, the cosine and the sine are accurate to a few units in the
/// last place of an `f32`.
///
/// The bits come from eight xoshiro128+ generators of Blackman and Vigna (2021) with separate seeds.
#[derive(Clone, Debug)]
pub struct Normals {
    state: [Word; 4],
}

impl Normals {
    /// Seeds the stream with the next numbers of `rng`.
    pub fn new(rng: &mut Rng) -> Self {
        let mut word = || -> Word { std::array::from_fn(|_| Ints::from_array(std::array::from_fn(|_| bits(rng)))) };
        Self { state: [word(), word(), word(), word()] }
    }

    /// Fills the vectors with the next numbers.
    pub fn fill(&mut self, out: &mut [Lanes]) {
        let (turns, rest) = out.as_chunks_mut::<{ 2 * VECTORS }>();
        for turn in turns {
            *turn = self.turn();
        }
        if !rest.is_empty() {
            rest.copy_from_slice(&self.turn()[..rest.len()]);
        }
    }

    /// Returns two numbers of every generator.
    #[inline]
    fn turn(&mut self) -> [Lanes; 2 * VECTORS] {
        let (radii, angles) = (self.next_words(), self.next_words());
        let mut out = [Lanes::splat(0.0); 2 * VECTORS];
        for i in 0..VECTORS {
            let (cos, sin) = point(angles[i]);
            let radius = radius(radii[i]);
            out[i] = radius * cos;
            out[VECTORS + i] = radius * sin;
        }
        out
    }

    /// Returns the next 32 bits of every generator.
    #[inline]
    fn next_words(&mut self) -> Word {
        let [a, b, c, d] = &mut self.state;
        std::array::from_fn(|i| {
            let sum = a[i] + d[i];
            let shifted = b[i].shl::<9>();
            c[i] = c[i] ^ a[i];
            d[i] = d[i] ^ b[i];
            b[i] = b[i] ^ c[i];
            a[i] = a[i] ^ d[i];
            c[i] = c[i] ^ shifted;
            d[i] = d[i].shl::<11>() | d[i].shr::<21>();
            sum
        })
    }
}

fn bits(rng: &mut Rng) -> i32 {
    (rng.next_u64() >> 32) as u32 as i32
}

/// Returns sqrt(-2 ln u), where u is the 31 highest bits of the word, with the last of them set, divided by 2^31.
///
/// # Formula
///
/// 2^31 u = 2^e m with m between sqrt(1/2) and sqrt(2), and ln m = 2 (s + s^3 / 3 + s^5 / 5 + s^7 / 7 + ...) with s =
/// (m - 1) / (m + 1), whose absolute value is below 0.172.
#[inline]
fn radius(word: Ints) -> Lanes {
    const ROOT_HALF: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
    let bits = Ints::of_bits((word.shr::<1>() | Ints::splat(1)).to_lanes());
    let exponent = (bits - Ints::splat(ROOT_HALF)).sar::<23>();
    let mantissa = (bits - exponent.shl::<23>()).to_bits();
    let s = (mantissa - Lanes::splat(1.0)) / (mantissa + Lanes::splat(1.0));
    let square = s * s;
    let terms = [1.0 / 5.0, 1.0 / 3.0, 1.0];
    let sum = terms.into_iter().fold(Lanes::splat(1.0 / 7.0), |sum, term| sum.mul_add(square, Lanes::splat(term)));
    // The exponent of a number below 2^31 is at most 31, so the sum is not negative.
    let rest = (Ints::splat(31) - exponent).to_lanes() * Lanes::splat(2.0 * std::f32::consts::LN_2);
    (sum * s).mul_add(Lanes::splat(-4.0), rest).sqrt()
}

/// Returns the cosine and the sine of a uniformly distributed angle.
///
/// # Formula
///
/// The 30 lowest bits are an angle within an eighth of a turn of zero, whose cosine and sine are computed by their
/// Taylor polynomials. The other two bits reflect and exchange the two, which reaches the other three quarters.
#[inline]
fn point(word: Ints) -> (Lanes, Lanes) {
    const SCALE: f32 = std::f32::consts::FRAC_PI_4 / (1u32 << 31) as f32;
    let angle = word.shl::<2>().to_lanes() * Lanes::splat(SCALE);
    let square = angle * angle;
    let polynomial = |terms: [f32; 5]| {
        let [last, terms @ ..] = terms;
        terms.into_iter().fold(Lanes::splat(last), |sum, term| sum.mul_add(square, Lanes::splat(term)))
    };
    let cos = polynomial([1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0]);
    let sin = polynomial([1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0]) * angle;
    let cos = Ints::of_bits(cos) ^ (word & Ints::splat(i32::MIN));
    let sin = Ints::of_bits(sin);
    let exchanged = (cos ^ sin) & word.shl::<1>().sar::<31>();
    ((cos ^ exchanged).to_bits(), (sin ^ exchanged).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::floats;

    /// A few units in the last place.
    const RELATIVE: f64 = 4e-7;

    fn word(value: u32) -> Ints {
        Ints::splat(value.cast_signed())
    }

    #[test]
    fn radius_is_accurate() {
        let words = (0..1_000_000u32).map(|i| i.wrapping_mul(4_294_967)).chain([0, 1, 2, 3, u32::MAX, u32::MAX - 300]);
        for value in words {
            let u = f64::from(value >> 1 | 1) / f64::from(1u32 << 31);
            // The number itself is rounded to 24 bits, which is the larger error near one.
            let expected = (-2.0 * u.ln()).sqrt();
            let found = f64::from(radius(word(value)).to_array()[0]);
            let slack = RELATIVE * expected + 1e-7 / expected.max(1e-4);
            assert!((found - expected).abs() < slack, "{value}: {found} for {expected}");
        }
    }

    #[test]
    fn points_are_on_the_circle_in_all_quarters() {
        let mut quarters = [0; 4];
        for i in 0..1_000_000u32 {
            let (cos, sin) = point(word(i.wrapping_mul(4_294_967)));
            let (cos, sin) = (f64::from(cos.to_array()[0]), f64::from(sin.to_array()[0]));
            assert!((cos * cos + sin * sin - 1.0).abs() < RELATIVE, "{cos} {sin}");
            quarters[usize::from(cos > 0.0) * 2 + usize::from(sin > 0.0)] += 1;
        }
        assert!(quarters.iter().all(|count| (249_000..251_000).contains(count)), "{quarters:?}");
        // An angle of an eighth of a turn, without the sign bit that reflects.
        let (cos, sin) = point(word(0x2000_0000 - 1));
        assert!((cos.to_array()[0] - sin.to_array()[0]).abs() < 1e-6);
    }

    #[test]
    fn moments_tails_and_correlations_are_those_of_the_normal_law() {
        const COUNT: usize = 1 << 23;
        let mut values = vec![Lanes::splat(0.0); COUNT / LANES];
        Normals::new(&mut Rng::new(11, 0)).fill(&mut values);
        let values = floats(&values);
        // Five standard errors of a mean of COUNT numbers with this variance.
        let tolerance = |variance: f64| 5.0 * (variance / COUNT as f64).sqrt();
        // E z^n is 0, 1, 0, 3, 0, 15, 0, 105, ...
        for (power, expected, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let mean = values.iter().map(|z| f64::from(*z).powi(power)).sum::<f64>() / COUNT as f64;
            assert!((mean - expected).abs() < tolerance(variance), "moment {power}: {mean}");
        }
        let tails =
            [(0.5, 0.308_537_54), (1.0, 0.158_655_25), (2.0, 0.022_750_13), (3.0, 1.349_898e-3), (4.0, 3.167e-5)];
        for (threshold, p) in tails {
            for sign in [1.0, -1.0] {
                let share = values.iter().filter(|z| sign * **z > threshold).count() as f64 / COUNT as f64;
                assert!((share - p).abs() < tolerance(p), "beyond {threshold}: {share} for {p}");
            }
        }
        assert!(values.iter().any(|z| z.abs() > 4.8));
        for lag in [1, 2, 4, 8, 16, 24] {
            let products = values.iter().zip(&values[lag..]).map(|(a, b)| f64::from(a * b));
            let mean = products.sum::<f64>() / COUNT as f64;
            assert!(mean.abs() < tolerance(1.0), "lag {lag}: {mean}");
        }
    }

    #[test]
    fn a_stream_does_not_depend_on_how_it_is_asked_for() {
        let fill = |len: usize| {
            let mut values = vec![Lanes::splat(0.0); len];
            Normals::new(&mut Rng::new(2, 5)).fill(&mut values);
            floats(&values).to_vec()
        };
        assert_eq!(fill(7), fill(12)[..7 * LANES]);
        let mut other = vec![Lanes::splat(0.0); 7];
        Normals::new(&mut Rng::new(2, 6)).fill(&mut other);
        assert_ne!(fill(7), floats(&other));
    }
}
