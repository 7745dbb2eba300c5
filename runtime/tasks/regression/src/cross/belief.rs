//! An agent's belief about test points as bytes: what cross-normalised likelihoods need of it.

use thiserror::Error;

use jointly_core::correlations::{Dense, Moments, correlation_matrix};

/// What the bytes begin with; the last digit is the version.
const MAGIC: [u8; 8] = *b"jointly1";
/// Magic, number of rows, number of points in a group.
const HEADER: usize = 16;
/// Lists of one `f64` a row.
const LISTS: usize = 4;
/// The most rows, so that no size overflows: 8.6 MB.
const MOST_ROWS: u32 = 2048;
/// The most points in a group.
const MOST_BATCH: u32 = 64;
/// The largest mean or target, and the square root of the largest variance: residuals and sums of these do not overflow.
const LARGEST: f64 = 1e100;

/// An agent's belief about n test points, and the targets there.
///
/// # Format
/// All numbers are little-endian. `"jointly1"`; n and b as u32; then as f64, n each: the mean, the variance of the function,
/// the variance of the noise, the target, in the data's units; then as f32 the correlations of the function's values, without
/// noise: (0, 1), (0, 2), ..., (0, n - 1), (1, 2), ..., n (n - 1) / 2 of them. 500 rows are 515 kB.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrelationBelief {
    moments: Moments,
    targets: Vec<f64>,
    batch: u32,
}

/// Why bytes are no belief.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BeliefDefect {
    /// They begin otherwise.
    #[error("it does not begin with \"jointly1\": it is not a belief, or that of another version")]
    Magic,
    /// They end early, or go on.
    #[error("it holds {found} bytes, expected {expected}")]
    Length {
        /// Bytes that are there.
        found: usize,
        /// Bytes that should be.
        expected: usize,
    },
    /// A number of the header is out of range.
    #[error("{what} is {value}, expected 1 to {most}")]
    Header {
        /// Which.
        what: &'static str,
        /// What is there.
        value: u32,
        /// The most that may be.
        most: u32,
    },
    /// A number is out of range.
    #[error("{what} {index} is {value:?}, expected {expected}")]
    Value {
        /// The list.
        what: &'static str,
        /// The place in it.
        index: usize,
        /// What is there.
        value: f64,
        /// What must be there.
        expected: &'static str,
    },
}

impl CorrelationBelief {
    /// A belief at rows with these targets, to be compared in groups of `batch`.
    ///
    /// Correlations are rounded to `f32`: it is what [`read`](Self::read) makes of its bytes.
    ///
    /// # Errors
    /// When a mean or target is further from 0 than 1e100 or a variance larger than 1e200.
    ///
    /// # Panics
    /// When there is not one target for each row, or there are no rows or more than 2048, or `batch` is not 1 to 64.
    pub fn new(moments: &Moments, targets: &[f64], batch: u32) -> Result<Self, BeliefDefect> {
        assert_eq!(moments.rows(), targets.len(), "a target for each row");
        in_range(targets.len() as u32, batch).expect("sizes in range");
        let correlation = moments.correlation();
        let rounded = |i, j| f64::from(correlation[(i, j)] as f32);
        let (mean, variance) = (moments.mean().to_vec(), moments.variance());
        assembled(mean, &variance, moments.noise_variance().to_vec(), targets.to_vec(), batch, rounded)
    }

    /// The belief, its correlations as `f32` hold them.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The target of each row.
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// The number of points in a group.
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// The belief as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let n = self.targets.len();
        let mut bytes = Vec::with_capacity(length(n));
        bytes.extend(MAGIC);
        bytes.extend((n as u32).to_le_bytes());
        bytes.extend(self.batch.to_le_bytes());
        let variance = self.moments.variance();
        for list in [self.moments.mean(), &variance, self.moments.noise_variance(), &self.targets] {
            bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        }
        let correlation = correlation_matrix(self.moments.covariance());
        for i in 0..n {
            bytes.extend(correlation.row(i)[i + 1..].iter().flat_map(|&rho| (rho as f32).to_le_bytes()));
        }
        bytes
    }

    /// Reads a belief, whatever the bytes are.
    ///
    /// # Errors
    /// When they are not as the format says, a number is not finite, a variance is negative, or a correlation is further from
    /// 0 than 1.
    pub fn read(bytes: &[u8]) -> Result<Self, BeliefDefect> {
        let magic = bytes.get(..MAGIC.len());
        if magic.is_some_and(|magic| magic != MAGIC) || (magic.is_none() && !MAGIC.starts_with(bytes)) {
            return Err(BeliefDefect::Magic);
        }
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            return Err(BeliefDefect::Length { found: bytes.len(), expected: HEADER });
        };
        let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (rows, batch) = (number(8), number(12));
        in_range(rows, batch)?;
        let n = rows as usize;
        if bytes.len() != length(n) {
            return Err(BeliefDefect::Length { found: bytes.len(), expected: length(n) });
        }
        let (lists, triangle) = body.split_at(LISTS * n * size_of::<f64>());
        let mut lists = lists.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let mut list = || -> Vec<f64> { lists.by_ref().take(n).collect() };
        let (mean, variance, noise, targets) = (list(), list(), list(), list());
        let mut correlation = Dense::zeros(n, n);
        let mut triangle = triangle.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).enumerate();
        for i in 0..n {
            for (j, (index, value)) in (i + 1..n).zip(triangle.by_ref()) {
                if !(-1.0..=1.0).contains(&value) {
                    let (what, expected) = ("correlation", "a number from -1 to 1");
                    return Err(BeliefDefect::Value { what, index, value, expected });
                }
                correlation[(i, j)] = value;
            }
        }
        assembled(mean, &variance, noise, targets, batch, |i, j| correlation[(i, j)])
    }
}

fn in_range(rows: u32, batch: u32) -> Result<(), BeliefDefect> {
    for (what, value, most) in [("the number of rows", rows, MOST_ROWS), ("the size of a group", batch, MOST_BATCH)] {
        if value == 0 || value > most {
            return Err(BeliefDefect::Header { what, value, most });
        }
    }
    Ok(())
}

fn assembled(
    mean: Vec<f64>,
    variance: &[f64],
    noise: Vec<f64>,
    targets: Vec<f64>,
    batch: u32,
    correlation: impl Fn(usize, usize) -> f64,
) -> Result<CorrelationBelief, BeliefDefect> {
    let (place, spread) = (-LARGEST..=LARGEST, 0.0..=LARGEST * LARGEST);
    let lists = [
        ("mean", &mean[..], &place, "a number from -1e100 to 1e100"),
        ("variance", variance, &spread, "a number from 0 to 1e200"),
        ("noise variance", &noise[..], &spread, "a number from 0 to 1e200"),
        ("target", &targets[..], &place, "a number from -1e100 to 1e100"),
    ];
    for (what, values, range, expected) in lists {
        if let Some(index) = values.iter().position(|x| !range.contains(x)) {
            return Err(BeliefDefect::Value { what, index, value: values[index], expected });
        }
    }
    let deviations: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
    let covariance = |i: usize, j: usize| {
        if i == j { variance[i] } else { correlation(i, j) * deviations[i] * deviations[j] }
    };
    let covariance = Dense::symmetric(mean.len(), covariance);
    let moments = Moments::new(mean, covariance, noise).expect("moments whose numbers are in range");
    Ok(CorrelationBelief { moments, targets, batch })
}

fn length(rows: usize) -> usize {
    HEADER + LISTS * rows * size_of::<f64>() + rows * (rows - 1) / 2 * size_of::<f32>()
}
