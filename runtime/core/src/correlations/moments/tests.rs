//! Moments computed by hand, moments of functions that agree, and defects that are named.

use super::*;

const ROUNDING: f64 = 1e-15;

#[test]
fn two_functions_on_paper() {
    // Values 1, 5 and 3, 1: deviations (-1, 2) and (1, -2).
    let functions = SampledFunctions::new(2, &[1.0, 5.0, 3.0, 1.0], &[1.0, 0.0, 3.0, 0.0]).unwrap();
    let moments = functions.moments();
    assert_eq!(moments.mean(), [2.0, 3.0]);
    assert_eq!(moments.covariance().values(), [1.0, -2.0, -2.0, 4.0]);
    assert_eq!(moments.noise_variance(), [5.0, 0.0]);
    assert_eq!(moments.correlation().values(), [1.0, -1.0, -1.0, 1.0]);
    assert_eq!(moments.target_covariance().values(), [6.0, -2.0, -2.0, 4.0]);
    assert_eq!(moments.target_variance(), [6.0, 4.0]);
    let rho = -2.0 / 24.0_f64.sqrt();
    assert!((moments.target_correlation()[(0, 1)] - rho).abs() < ROUNDING);
}

#[test]
fn functions_that_agree_have_no_variance_at_all() {
    // 0.1 is no dyadic number, so dividing a sum would leave a remainder.
    let functions = SampledFunctions::new(2, &[0.1, 0.7, 0.1, 0.3, 0.1, 0.5], &[0.1; 6]).unwrap();
    let moments = functions.moments();
    assert_eq!(moments.mean()[0], 0.1);
    assert_eq!(moments.variance()[0], 0.0);
    assert_eq!(moments.covariance()[(0, 1)], 0.0);
    assert_eq!(moments.correlation().values(), [1.0, 0.0, 0.0, 1.0]);
    let certain = SampledFunctions::new(3, &[1.0_f32, 2.0, 3.0], &[0.5; 3]).unwrap().moments();
    assert_eq!(certain.covariance(), &Dense::zeros(3, 3));
    assert_eq!(certain.noise_variance(), [0.25; 3]);
}

#[test]
fn blocks_and_rows_have_the_bits_of_the_whole() {
    let mut source = crate::stream::stream(0, "test", "functions", 0);
    let (draws, rows) = (101, 9);
    let means: Vec<f32> = (0..draws * rows).map(|_| source.normal() as f32).collect();
    let functions = SampledFunctions::new(rows, &means, &vec![0.1; draws * rows]).unwrap();
    let moments = functions.moments();
    let block = functions.covariance(0..4, 4..9);
    assert_eq!(block, moments.covariance().block(&[0, 1, 2, 3], &[4, 5, 6, 7, 8]));
    let mut row = vec![f64::NAN; 6];
    functions.covariance_row(3, &mut row);
    assert_eq!(row, moments.covariance().row(3)[..6]);
    assert_eq!(functions.variance(), moments.variance());
    // The formula computed literally, function by function.
    for i in 0..rows {
        for j in 0..rows {
            let value = |k: usize, i: usize| f64::from(means[k * rows + i]) - moments.mean()[i];
            let covariance = (0..draws).map(|k| value(k, i) * value(k, j)).sum::<f64>() / draws as f64;
            assert!((covariance - moments.covariance()[(i, j)]).abs() < 10.0 * ROUNDING);
        }
    }
}

#[test]
fn units_scale_and_shift() {
    let moments = SampledFunctions::new(2, &[1.0, 5.0, 3.0, 1.0], &[1.0, 0.0, 3.0, 0.0]).unwrap().moments();
    let in_units = moments.in_units(10.0, 2.0);
    assert_eq!(in_units.mean(), [14.0, 16.0]);
    assert_eq!(in_units.covariance().values(), [4.0, -8.0, -8.0, 16.0]);
    assert_eq!(in_units.noise_variance(), [20.0, 0.0]);
    assert_eq!(in_units.target_correlation(), moments.target_correlation());
}

#[test]
fn chosen_rows_keep_their_moments() {
    let moments = SampledFunctions::new(2, &[1.0, 5.0, 3.0, 1.0], &[1.0, 0.0, 3.0, 0.0]).unwrap().moments();
    let other = moments.select(&[1, 0]);
    assert_eq!(other.mean(), [3.0, 2.0]);
    assert_eq!(other.covariance().values(), [4.0, -2.0, -2.0, 1.0]);
    assert_eq!(other.noise_variance(), [0.0, 5.0]);
    assert_eq!(moments.select(&[]).rows(), 0);
}

#[test]
fn defects_of_stated_moments_are_named() {
    let of = |mean: [f64; 2], covariance: [f64; 4], noise: &[f64]| {
        Moments::new(mean.to_vec(), Dense::new(2, 2, covariance.to_vec()).unwrap(), noise.to_vec()).map(|_| ())
    };
    let identity = [1.0, 0.0, 0.0, 1.0];
    assert_eq!(of([0.0; 2], identity, &[0.0, 0.0]), Ok(()));
    let shape = MomentsError::Shape { what: "the noise variance", expected: 2, found: 1 };
    assert_eq!(of([0.0; 2], identity, &[0.0]), Err(shape));
    let mean = MomentsError::NotFinite { what: "the mean", row: 1 };
    assert_eq!(of([0.0, f64::NAN], identity, &[0.0, 0.0]), Err(mean));
    let covariance = MomentsError::NotFinite { what: "the covariance", row: 1 };
    assert_eq!(of([0.0; 2], [1.0, 0.0, f64::INFINITY, 1.0], &[0.0, 0.0]), Err(covariance));
    let variance = MomentsError::Negative { what: "the variance", row: 1, value: -1.0 };
    assert_eq!(of([0.0; 2], [1.0, 0.0, 0.0, -1.0], &[0.0, 0.0]), Err(variance));
    let asymmetric = MomentsError::Asymmetric { row: 0, col: 1, above: 0.5, below: 0.4 };
    assert_eq!(of([0.0; 2], [1.0, 0.5, 0.4, 1.0], &[0.0, 0.0]), Err(asymmetric));
    let wide = Moments::new(vec![0.0; 2], Dense::zeros(1, 4), vec![0.0; 2]).unwrap_err();
    assert_eq!(wide.to_string(), "a row of the covariance holds 4 values, not 2");
}

#[test]
fn mirrored_covariances_that_rounding_parts_are_joined() {
    let covariance = Dense::new(2, 2, vec![1.0, 0.5, 0.5 + 1e-9, 1.0]).unwrap();
    let moments = Moments::new(vec![0.0; 2], covariance, vec![0.0; 2]).unwrap();
    assert_eq!(moments.covariance()[(0, 1)], moments.covariance()[(1, 0)]);
    assert!((moments.covariance()[(0, 1)] - 0.5 - 5e-10).abs() < ROUNDING);
}

#[test]
fn defects_of_samples_are_named() {
    let of = |means: &[f64], sds: &[f64]| SampledFunctions::new(2, means, sds).map(|_| ()).unwrap_err();
    assert_eq!(of(&[], &[]), MomentsError::NoDraws);
    assert_eq!(of(&[0.0; 3], &[0.0; 3]), MomentsError::Shape { what: "the means", expected: 2, found: 3 });
    assert_eq!(of(&[0.0; 4], &[0.0; 2]), MomentsError::Shape { what: "the noise sds", expected: 4, found: 2 });
    assert_eq!(of(&[0.0, f64::NAN], &[0.0; 2]), MomentsError::NotFinite { what: "the mean", row: 1 });
    assert_eq!(of(&[0.0; 2], &[f64::INFINITY, 0.0]), MomentsError::NotFinite { what: "the noise sd", row: 0 });
    let negative = MomentsError::Negative { what: "the noise sd", row: 0, value: -0.5 };
    assert_eq!(of(&[0.0; 2], &[-0.5, 0.0]), negative);
}
