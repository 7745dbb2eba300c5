//! The probit in `f64`, by Wichura's algorithm AS 241.

/// Coefficients of numerator and denominator, constant term first.
type Ratio = ([f64; 8], [f64; 8]);

/// The coefficients within 0.425 of the median, in powers of 0.425^2 - (p - 1/2)^2.
const CENTRE: Ratio = (
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
);

/// The coefficients beyond, where r = sqrt(-log of the tail) is at most 5, in powers of r - 1.6.
const FLANK: Ratio = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

/// The coefficients further out, in powers of r - 5.
const TAIL: Ratio = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

/// Returns the standard normal quantile of `p`: -inf at 0, inf at 1, NaN outside [0, 1].
///
/// # Formula
/// x such that `Phi(x)` = p, with a relative error of about 1e-16. The coefficients are those of routine PPND16 in
/// Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988).
pub fn probit(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180_625 - q * q, &CENTRE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return if q < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // Outside [0, 1] the tail is negative and its logarithm NaN, as it should be.
    let r = (-libm::log(tail)).sqrt();
    let x = if r <= 5.0 { ratio(r - 1.6, &FLANK) } else { ratio(r - 5.0, &TAIL) };
    if q < 0.0 { -x } else { x }
}

fn ratio(x: f64, (numerator, denominator): &Ratio) -> f64 {
    polynomial(x, numerator) / polynomial(x, denominator)
}

fn polynomial(x: f64, coefficients: &[f64; 8]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative error that AS 241 states for PPND16, with a margin for the test's own rounding.
    const RELATIVE: f64 = 1e-15;
    /// Tolerance for the rounding of `Phi` itself, magnified by the steepness of the tails.
    const ROUND_TRIP: f64 = 2e-13;

    #[test]
    fn quantiles_that_tables_print() {
        let table = [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_409),
            (0.975, 1.959_963_984_540_054),
            (0.5, 0.0),
        ];
        for (p, expected) in table {
            let error = (probit(p) - expected).abs();
            assert!(error <= RELATIVE * expected.abs().max(f64::MIN_POSITIVE) * 2.0, "{p}: {}", probit(p));
        }
    }

    #[test]
    fn it_undoes_the_distribution_function() {
        for i in -3500..3500 {
            let x = f64::from(i) * 0.01;
            if x > 5.0 {
                break;
            }
            let p = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
            // Near 1, p itself has lost digits: dividing its rounding error by the density gives that of x.
            let density = 0.398_942_280_401_432_7 * libm::exp(-0.5 * x * x);
            let tolerance = ROUND_TRIP * x.abs().max(1.0) + f64::EPSILON * p / density;
            if p > f64::MIN_POSITIVE {
                assert!((probit(p) - x).abs() < tolerance, "{x}: {}", probit(p));
            }
        }
    }

    #[test]
    fn the_ends_are_infinite_and_outside_there_is_nothing() {
        assert_eq!(probit(0.0), f64::NEG_INFINITY);
        assert_eq!(probit(1.0), f64::INFINITY);
        assert!(probit(-0.1).is_nan() && probit(1.1).is_nan() && probit(f64::NAN).is_nan());
    }
}
