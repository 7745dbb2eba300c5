//! An agent's predictive distribution at test points as bytes: the input of cross-normalised likelihoods.

use thiserror::Error;

use jointly_core::correlations::{Dense, Moments, correlation_matrix};

/// The first bytes; the last digit is the version.
const MAGIC: [u8; 8] = *b"jointly1";
/// Length in bytes of the header: magic, number of rows, number of points in a group.
const HEADER: usize = 16;
/// Number of lists with one `f64` per row.
const LISTS: usize = 4;
/// Maximum number of rows, whose correlations are stored for all pairs. Of the paper's tables naval has most test rows,
/// 2387.
pub(crate) const MOST_ROWS: u32 = 2500;
/// The length in bytes of the longest belief.
pub const MOST_BELIEF_BYTES: usize = length(MOST_ROWS as usize);
/// Maximum number of points in a group, whose correlations are factorised.
pub(crate) const MOST_BATCH: u32 = 64;
/// The largest absolute value of a mean or target, and the square root of the largest variance, so that residuals and
/// sums of these do not overflow.
const LARGEST: f64 = 1e100;

/// An agent's predictive distribution at n test points, and the targets there.
///
/// # Format
/// All numbers are little-endian. The bytes are `"jointly1"`; n and b as u32; as f64, n numbers each: the mean, the
/// variance of the function, the variance of the noise and the target, in the data's units; as f32 the correlations of
/// the function's values, without noise: (0, 1), (0, 2), ..., (0, n - 1), (1, 2), ..., n (n - 1) / 2 of them. 500 rows
/// take 515 kB, and 2500, the most, 12.6 MB.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrelationBelief {
    moments: Moments,
    targets: Vec<f64>,
    batch: u32,
}

/// Why bytes cannot be read.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BeliefDefect {
    /// They begin with other bytes.
    #[error("it does not begin with \"jointly1\": it is not a belief, or that of another version")]
    Magic,
    /// They are too short or too long.
    #[error("it holds {found} bytes, expected {expected}")]
    Length {
        /// The number of bytes found.
        found: usize,
        /// The number of bytes expected.
        expected: usize,
    },
    /// A number of the header is out of range.
    #[error("{what} is {value}, expected 1 to {most}")]
    Header {
        /// The name of the number.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The largest allowed value.
        most: u32,
    },
    /// A number is out of range.
    #[error("{what} {index} is {value:?}, expected {expected}")]
    Value {
        /// The name of the list.
        what: &'static str,
        /// The index in the list.
        index: usize,
        /// The value found.
        value: f64,
        /// The values allowed.
        expected: &'static str,
    },
}

impl CorrelationBelief {
    /// Creates a predictive distribution at rows with these targets, to be compared in groups of `batch` points.
    ///
    /// Correlations are rounded to `f32`, so that the result equals what [`read`](Self::read) returns for its bytes.
    ///
    /// # Errors
    /// When the absolute value of a mean or target exceeds 1e100, or a variance exceeds 1e200.
    ///
    /// # Panics
    /// When there is not one target for each row, the number of rows is not 1 to 2500, or `batch` is not 1 to 64.
    pub fn new(moments: &Moments, targets: &[f64], batch: u32) -> Result<Self, BeliefDefect> {
        assert_eq!(moments.rows(), targets.len(), "a target for each row");
        in_range(targets.len() as u32, batch).expect("sizes in range");
        let correlation = moments.correlation();
        let rounded = |i, j| f64::from(correlation[(i, j)] as f32);
        let (mean, variance) = (moments.mean().to_vec(), moments.variance());
        assembled(mean, &variance, moments.noise_variance().to_vec(), targets.to_vec(), batch, rounded)
    }

    /// Returns the moments, with correlations rounded to `f32`.
    pub fn into_moments(self) -> Moments {
        self.moments
    }

    /// Returns the target of each row.
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// Returns the number of points in a group.
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// Writes the predictive distribution as bytes.
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

    /// Reads a predictive distribution from any bytes.
    ///
    /// # Errors
    /// When the bytes do not follow the format, a number is not finite or out of range, a variance is negative, or the
    /// absolute value of a correlation exceeds 1.
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

const fn length(rows: usize) -> usize {
    HEADER + LISTS * rows * size_of::<f64>() + rows * (rows - 1) / 2 * size_of::<f32>()
}
