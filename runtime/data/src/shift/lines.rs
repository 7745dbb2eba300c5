//! A text file with one sentence on each line.

use std::path::Path;

use jointly_core::Inputs;

use super::super::error::DataDefect;
use super::super::open::Lines;
use super::newsgroups::{TEXT_LENGTH, inputs};
use super::words::{Vocabulary, words};

/// The most sentences that are read, more than there are test texts.
const SENTENCES: usize = 20_000;

/// Reads the first [`SENTENCES`] lines with words, as ids.
///
/// # Errors
/// When the file cannot be read, a mebibyte of its lines has no words, or no line has any.
pub(super) fn read(path: &Path, vocabulary: &Vocabulary) -> Result<Inputs, DataDefect> {
    let (mut lines, mut line, mut ids) = (Lines::open(path)?, Vec::new(), Vec::new());
    let length = TEXT_LENGTH as usize;
    while ids.len() < SENTENCES * length && lines.next(&mut line)? {
        if words(&line).next().is_some() {
            vocabulary.encode(&line, length, &mut ids);
        } else {
            lines.pass(&line)?;
        }
    }
    if ids.is_empty() {
        return Err(DataDefect::Count { what: "sentences", found: 0, expected: "at least 1".to_owned() });
    }
    Ok(inputs(ids))
}
