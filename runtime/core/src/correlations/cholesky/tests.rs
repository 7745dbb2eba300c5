//! Cholesky factorisations compared with reconstruction and a plain version, and matrices that have none.

use super::*;
use crate::stream::stream;

/// Tolerance for elements near 1 of matrices with a few hundred rows.
const RECONSTRUCTION: f64 = 1e-12;
const SOLUTION: f64 = 1e-9;

/// Returns G G' / n + I / 10 for a standard normal G.
fn positive_definite(n: usize, index: u64) -> Dense {
    let mut source = stream(0, "test", "cholesky", index);
    let g = Dense::from_fn(n, n, |_, _| source.normal());
    let product = |i, j| g.row(i).iter().zip(g.row(j)).map(|(a, b)| a * b).sum::<f64>() / n as f64;
    Dense::symmetric(n, |i, j| product(i, j) + if i == j { 0.1 } else { 0.0 })
}

fn reconstructed(cholesky: &Cholesky) -> Dense {
    let u = cholesky.upper();
    Dense::from_fn(u.rows(), u.rows(), |i, j| (0..=i.min(j)).map(|k| u[(k, i)] * u[(k, j)]).sum())
}

fn largest_difference(a: &Dense, b: &Dense) -> f64 {
    a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn the_factor_times_itself_is_the_matrix() {
    for (index, n) in [0, 1, 2, 5, 63, 64, 65, 200].into_iter().enumerate() {
        let matrix = positive_definite(n, index as u64);
        let cholesky = Cholesky::new(&matrix).unwrap();
        assert_eq!(cholesky.jitter(), 0.0);
        assert!(largest_difference(&reconstructed(&cholesky), &matrix) < RECONSTRUCTION, "{n}");
        let below = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        assert!(below.into_iter().all(|place| cholesky.upper()[place] == 0.0));
    }
}

#[test]
fn panels_change_no_bit() {
    let matrix = positive_definite(150, 9);
    let mut plain = matrix.clone();
    for k in 0..150 {
        let root = plain[(k, k)].sqrt();
        plain[(k, k)] = root;
        for j in k + 1..150 {
            plain[(k, j)] /= root;
        }
        for i in k + 1..150 {
            for j in i..150 {
                plain[(i, j)] -= plain[(k, i)] * plain[(k, j)];
            }
        }
    }
    let cholesky = Cholesky::new(&matrix).unwrap();
    for i in 0..150 {
        assert_eq!(cholesky.upper().row(i)[i..], plain.row(i)[i..]);
    }
}

#[test]
fn solutions_solve() {
    let n = 130;
    let matrix = positive_definite(n, 1);
    let cholesky = Cholesky::new(&matrix).unwrap();
    let x: Vec<f64> = (0..n).map(|i| (i as f64 - 60.0) / 10.0).collect();
    let b: Vec<f64> = (0..n).map(|i| matrix.row(i).iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
    let solution = cholesky.solve(&b);
    assert!(solution.iter().zip(&x).all(|(a, b)| (a - b).abs() < SOLUTION));
    // L times the half solution of a right side gives that side again.
    let mut half = Dense::from_fn(n, 3, |i, j| b[i] + j as f64);
    cholesky.half_solve(&mut half);
    for j in 0..3 {
        let column: Vec<f64> = (0..n).map(|i| half[(i, j)]).collect();
        let again = cholesky.multiply(&column);
        assert!(again.iter().zip(&b).all(|(again, b)| (again - b - j as f64).abs() < SOLUTION));
    }
}

#[test]
fn the_determinant_is_that_of_a_small_matrix() {
    let matrix = Dense::new(2, 2, vec![4.0, 2.0, 2.0, 3.0]).unwrap();
    let cholesky = Cholesky::exact(&matrix).unwrap();
    assert!((cholesky.log_determinant() - 8.0_f64.ln()).abs() < RECONSTRUCTION);
    assert_eq!(cholesky.multiply(&[1.0, 0.0]), [2.0, 1.0]);
}

#[test]
fn a_singular_matrix_gets_the_least_jitter_that_helps_and_says_so() {
    let ones = Dense::from_fn(3, 3, |_, _| 2.0);
    let cholesky = Cholesky::new(&ones).unwrap();
    assert_eq!(cholesky.jitter(), 2.0 * JITTERS[1]);
    assert_eq!(Cholesky::exact(&ones).unwrap_err(), CholeskyError::NotPositiveDefinite { pivot: 1, jitter: 0.0 });
    // An eigenvalue of -3e-9 needs more jitter than the smaller steps of the ladder.
    let nearly = Dense::new(2, 2, vec![1.0, 1.0 + 3e-9, 1.0 + 3e-9, 1.0]).unwrap();
    assert_eq!(Cholesky::new(&nearly).unwrap().jitter(), 1e-8);
}

#[test]
fn what_has_no_factor_is_named() {
    let of = |values: [f64; 4]| Cholesky::new(&Dense::new(2, 2, values.to_vec()).unwrap()).unwrap_err();
    assert_eq!(of([1.0, f64::NAN, 0.0, 1.0]), CholeskyError::NotFinite { row: 0, col: 1 });
    assert_eq!(of([1.0, 0.0, f64::INFINITY, 1.0]), CholeskyError::NotFinite { row: 1, col: 0 });
    assert_eq!(of([1.0, 2.0, 2.0, 1.0]), CholeskyError::NotPositiveDefinite { pivot: 1, jitter: 1e-6 });
    assert_eq!(of([0.0; 4]), CholeskyError::NotPositiveDefinite { pivot: 0, jitter: 0.0 });
    assert_eq!(of([-1.0, 0.0, 0.0, -1.0]), CholeskyError::NotPositiveDefinite { pivot: 0, jitter: 0.0 });
    let error = Cholesky::new(&Dense::zeros(2, 3)).unwrap_err();
    assert_eq!(error.to_string(), "a matrix of 2 x 3 is not square");
}

#[test]
fn draws_have_the_covariance() {
    let matrix = Dense::new(2, 2, vec![2.0, -1.0, -1.0, 1.0]).unwrap();
    let cholesky = Cholesky::new(&matrix).unwrap();
    let mut source = stream(0, "test", "draws", 0);
    let draws: Vec<Vec<f64>> = (0..20_000).map(|_| cholesky.sample(&[1.0, -1.0], &mut source)).collect();
    let moment = |f: &dyn Fn(&[f64]) -> f64| draws.iter().map(|d| f(d)).sum::<f64>() / draws.len() as f64;
    // Tolerance: five standard errors of a mean of 20,000 products.
    let tolerance = 5.0 * 8.0_f64.sqrt() / 20_000.0_f64.sqrt();
    assert!((moment(&|d| d[0]) - 1.0).abs() < tolerance);
    assert!((moment(&|d| (d[0] - 1.0) * (d[0] - 1.0)) - 2.0).abs() < tolerance);
    assert!((moment(&|d| (d[0] - 1.0) * (d[1] + 1.0)) + 1.0).abs() < tolerance);
}
