//! Untrusted arrays: an imported problem, a table, predictions to score.

use std::fs;
use std::path::Path;

use jointly_classification::{PredictionOptions, score_predictions};
use jointly_data::ImportedProblem;
use jointly_data::regression::{MAX_TABLE_ROWS, MIN_TABLE_ROWS, RegressionTable, TableFormat};

use crate::{Contents, Ending};

/// The signatures of an entry in the archive's directory, of an entry itself, and of the end of the directory.
const LISTED: [u8; 4] = *b"PK\x01\x02";
const ENTRY: [u8; 4] = *b"PK\x03\x04";
const END: [u8; 4] = *b"PK\x05\x06";

/// Reads the bytes as each kind of .npz file. Checksums of uncompressed values are corrected first.
///
/// # Panics
/// When an accepted file violates what such a file must satisfy, or reads differently a second time.
pub fn npz(bytes: &[u8]) -> Ending {
    let bytes = summed(bytes.to_vec());
    let read = [problem(&bytes), table(&bytes), predictions(&bytes)];
    read.into_iter().flatten().next().map_or(Ending::Refused, Ending::Holds)
}

fn problem(bytes: &[u8]) -> Option<Contents> {
    let read = || ImportedProblem::from_bytes(bytes, Path::new("case.npz"));
    let problem = match read() {
        Ok(problem) => problem,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    assert_eq!(read().ok().as_ref().map(ImportedProblem::content), Some(problem.content()));
    let (task, train) = (problem.task(), problem.train());
    let (tau, samples) = (problem.tau(), problem.samples());
    assert!(task.num_classes >= 2 && tau > 0 && samples > 0);
    assert_eq!(train.inputs().numbers().rows(), train.labels().len());
    let all = problem.test(tau, 0..samples);
    assert_eq!(all.labels, problem.test_labels());
    assert_eq!(all.labels.len(), tau as usize * samples as usize);
    assert!(train.labels().iter().chain(&all.labels).all(|label| *label < task.num_classes));
    for numbers in
        [train.inputs(), &all.inputs].into_iter().chain(problem.unlabelled()).map(jointly_core::Inputs::numbers)
    {
        assert_eq!(numbers.cols(), task.input_dim as usize);
        assert!(numbers.values().iter().all(|x| x.is_finite()));
    }
    Some(Contents::Problem)
}

fn table(bytes: &[u8]) -> Option<Contents> {
    let read = TableFormat::Npz.parse(bytes).and_then(|data| RegressionTable::user_supplied("case", data));
    let table = match read {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let data = table.data();
    assert!((MIN_TABLE_ROWS..=MAX_TABLE_ROWS).contains(&data.rows()));
    assert!(data.inputs().values().iter().chain(data.targets()).all(|x| x.is_finite()));
    let split = table.split(0.into(), 0);
    assert_eq!(split.train.rows() + split.test.rows(), data.rows());
    Some(Contents::Table)
}

fn predictions(bytes: &[u8]) -> Option<Contents> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("case.npz");
    fs::write(&path, bytes).expect("a file can be written");
    let scored = match score_predictions(&path, None, &PredictionOptions::default(), &mut |_| ()) {
        Ok(scored) => scored,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    assert!((0.0..=1.0).contains(&scored.accuracy.mean) && (0.0..=1.0).contains(&scored.ece), "{scored:?}");
    assert!(!scored.joint.mean.is_nan() && scored.num_classes >= 2 && scored.draws > 0, "{scored:?}");
    Some(Contents::Predictions)
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 2).map(|bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    Some(short(bytes, at)? | short(bytes, at + 2)? << 16)
}

/// Sets the correct checksum of each uncompressed entry of the archive.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.windows(END.len()).rposition(|window| window == END);
    let mut listed = end.and_then(|end| long(&bytes, end + 16));
    while let Some(at) = listed.filter(|at| bytes.get(*at..*at + LISTED.len()) == Some(&LISTED)) {
        let Some((sum, content)) = stored(&bytes, at) else { break };
        if let Some(sums) = sum {
            let sum = crc32fast::hash(&bytes[content]).to_le_bytes();
            for place in sums {
                bytes[place..place + 4].copy_from_slice(&sum);
            }
        }
        let lengths = [28, 30, 32].map(|field| short(&bytes, at + field).unwrap_or_default());
        listed = Some(at + 46 + lengths.iter().sum::<usize>());
    }
    bytes
}

/// Returns the places of a listed entry's checksum, if the entry is not compressed, and the range of its bytes.
fn stored(bytes: &[u8], at: usize) -> Option<(Option<[usize; 2]>, std::ops::Range<usize>)> {
    let (method, size, entry) = (short(bytes, at + 10)?, long(bytes, at + 20)?, long(bytes, at + 42)?);
    let start = entry + 30 + short(bytes, entry + 26)? + short(bytes, entry + 28)?;
    let whole = bytes.get(entry..entry + ENTRY.len()) == Some(&ENTRY) && bytes.get(start..start + size).is_some();
    Some(((method == 0 && whole).then_some([at + 16, entry + 14]), start..start + size))
}
