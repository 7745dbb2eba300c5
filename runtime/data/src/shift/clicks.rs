//! Criteo's clicks: a label, 13 counts and 26 categories on each line.

use std::path::Path;

use jointly_core::matrix::Matrix;
use jointly_core::{Inputs, Task, TokenMatrix, Tokens};

use super::super::error::DataDefect;
use super::super::open::Lines;
use super::examples::{Labelled, Rows};

/// Number of counts on a line.
const COUNTS: usize = 13;
/// Number of buckets that the categories of each column are hashed into, as in the paper's code.
const CLICK_BUCKETS: [u32; 26] = [
    1373, 2148, 4847, 9781, 396, 28, 3591, 2798, 14, 7403, 2511, 5598, 9501, 46, 4753, 4056, 23, 3828, 5856, 12, 4226,
    23, 61, 3098, 494, 5087,
];
/// The most lines that are read, from the beginning; the file has 46 million.
pub const CLICK_ROWS: usize = 200_000;
/// The fewest lines of a dataset.
const FEWEST: usize = 40;
/// The longest category, in bytes; Criteo's have 8.
const LONGEST: usize = 64;

pub(super) fn task() -> Task {
    Task { tokens: Tokens::Categories(CLICK_BUCKETS.to_vec()), ..Task::new(COUNTS as u32, 2) }
}

/// Reads the first `most` lines of a file.
///
/// A count x becomes `log(1 + x)`, a missing or negative count 0. A category becomes one of its column's buckets, by a
/// hash of its bytes; a missing category is hashed too.
///
/// # Errors
/// When a line has another number of fields, a label is neither 0 nor 1, a count is not a whole number or a category is
/// longer than 64 bytes, with the line's number; when a mebibyte of lines is empty; or when there are fewer than 40
/// lines.
pub(super) fn read(path: &Path, most: usize) -> Result<Labelled, DataDefect> {
    let (mut lines, mut line) = (Lines::open(path)?, Vec::new());
    let (mut numbers, mut tokens, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    while labels.len() < most && lines.next(&mut line)? {
        if line.is_empty() {
            lines.pass(&line)?;
            continue;
        }
        let refuse = |what: String| DataDefect::Line { line: lines.number, what };
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
        let expected = 1 + COUNTS + CLICK_BUCKETS.len();
        if fields.len() != expected {
            return Err(refuse(format!("it has {} fields separated by tabs, expected {expected}", fields.len())));
        }
        labels.push(match fields[0] {
            b"0" => 0,
            b"1" => 1,
            other => return Err(refuse(format!("the label is {:?}, expected 0 or 1", text(other)))),
        });
        for (j, field) in fields[1..=COUNTS].iter().enumerate() {
            let count = if field.is_empty() { Some(0) } else { text(field).parse::<i64>().ok() };
            let count = count
                .ok_or_else(|| refuse(format!("count {} is {:?}, expected a whole number", j + 1, text(field))))?;
            numbers.push(libm::log1p(count.max(0) as f64) as f32);
        }
        for (j, (field, buckets)) in fields[1 + COUNTS..].iter().zip(CLICK_BUCKETS).enumerate() {
            if field.len() > LONGEST {
                return Err(refuse(format!("category {} has more than {LONGEST} bytes", j + 1)));
            }
            tokens.push(bucket(field, buckets));
        }
    }
    let rows = labels.len();
    if rows < FEWEST {
        return Err(DataDefect::Count { what: "lines", found: rows as u64, expected: format!("at least {FEWEST}") });
    }
    let tokens = TokenMatrix::new(rows, CLICK_BUCKETS.len(), tokens).expect("each line has as many");
    let inputs = Inputs::new(Matrix::from_rows(COUNTS, numbers), tokens).expect("as many rows");
    Ok(Labelled { rows: Rows::Inputs(inputs), labels })
}

fn text(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(LONGEST)];
    String::from_utf8_lossy(shown).into_owned()
}

/// Returns the bucket of a category: FNV-1a with 64 bits, mixed once more and scaled to the number of buckets.
fn bucket(category: &[u8], buckets: u32) -> u32 {
    let hash = category
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = mixed ^ (mixed >> 33);
    ((u128::from(mixed) * u128::from(buckets)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_fill_their_buckets_evenly() {
        for buckets in [12_u32, 46] {
            let mut counts = vec![0_u32; buckets as usize];
            let categories = 20_000_u32;
            for category in 0..categories {
                counts[bucket(format!("{:08x}", category.wrapping_mul(2_654_435_761)).as_bytes(), buckets) as usize] +=
                    1;
            }
            let mean = f64::from(categories) / f64::from(buckets);
            // Tolerance: six standard errors of a binomial count.
            assert!(counts.iter().all(|&n| (f64::from(n) - mean).abs() < 6.0 * mean.sqrt()), "{counts:?}");
        }
        assert_eq!(bucket(b"68fd1e64", 1), 0);
        assert_ne!(bucket(b"68fd1e64", 5000), bucket(b"", 5000));
    }
}
