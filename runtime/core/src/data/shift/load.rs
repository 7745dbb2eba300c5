//! Reads a dataset's files, and those of its outsiders, into memory.

use super::super::card::{Card, Format};
use super::super::error::{DataDefect, DataError};
use super::super::examples::{Examples, Features};
use super::super::load::{load, load_rows};
use super::super::locate::Found;
use super::super::{idx, numpy, open};
use super::card::{ShiftCard, ShiftContent};
use super::examples::{Labelled, Rows, ShiftData};
use super::locate::ShiftFiles;
use super::{clicks, lines, matlab, newsgroups};

/// Reads a dataset from its files, as [`locate_shift`](super::locate_shift) finds them.
///
/// # Errors
/// When a file cannot be read, is damaged, or holds something else than the card says.
pub fn load_shift(card: &'static ShiftCard, files: &ShiftFiles) -> Result<ShiftData, DataError> {
    let refuse = |found: &Found, defect: DataDefect| defect.of(card.name, &found.path);
    let mut outsiders = Vec::new();
    let (pool, test) = match card.content {
        ShiftContent::Known(known) => {
            for (outsider, found) in &files.outsiders {
                let rows = images(found, known).map_err(|defect| defect.of(outsider.name, &found.path))?;
                outsiders.push((outsider.name.to_owned(), rows));
            }
            self::known(known, &files.parts)?
        }
        ShiftContent::Newsgroups { .. } => {
            let read = newsgroups::read(&files.parts[0], &files.parts[1]);
            let texts = read.map_err(|(part, defect)| refuse(&files.parts[part], defect))?;
            outsiders.push(texts.odd);
            for (outsider, found) in &files.outsiders {
                let sentences = lines::read(&found.path, &texts.vocabulary);
                let rows = Rows::Inputs(sentences.map_err(|defect| defect.of(outsider.name, &found.path))?);
                outsiders.push((outsider.name.to_owned(), rows));
            }
            (texts.train, Some(texts.test))
        }
        ShiftContent::Clicks { .. } => {
            let found = &files.parts[0];
            (clicks::read(&found.path, clicks::CLICK_ROWS).map_err(|defect| refuse(found, defect))?, None)
        }
    };
    Ok(ShiftData::new(card.name, card.task(), pool, test, outsiders))
}

/// What another card's files hold: rows to share out, and rows to test on where they are files of their own.
fn known(card: &'static Card, files: &[Found]) -> Result<(Labelled, Option<Labelled>), DataError> {
    let columns = card.input_dim as usize;
    if let Format::Table(labels) = &card.format {
        let table = load_rows(card, labels, files)?;
        return Ok((Labelled { rows: Rows::Table { columns, values: table.features }, labels: table.labels }, None));
    }
    let loaded = load(card, files)?;
    let labelled = |examples: Examples| match examples.features {
        Features::Pixels(bytes) => Labelled { rows: Rows::Pixels { columns, bytes }, labels: examples.labels },
        Features::Numbers(_) => unreachable!("tables are read above"),
    };
    let (mut pool, test) = (labelled(loaded.train), labelled(loaded.test));
    if !matches!(card.format, Format::IdxCut) {
        return Ok((pool, Some(test)));
    }
    // One file that was cut in two.
    if let (Rows::Pixels { bytes, .. }, Rows::Pixels { bytes: last, .. }) = (&mut pool.rows, test.rows) {
        bytes.extend(last);
    }
    pool.labels.extend(test.labels);
    Ok((pool, None))
}

/// Images as large as the card's.
fn images(found: &Found, card: &Card) -> Result<Rows, DataDefect> {
    let bytes = open::read(found)?;
    let extension = found.path.extension().and_then(|extension| extension.to_str());
    let images = match extension {
        Some("mat") => matlab::images(&bytes)?,
        Some("npz") => numpy::images_of(&bytes)?,
        _ => idx::parse(bytes)?,
    };
    let columns = card.input_dim as usize;
    let size = images.shape.iter().skip(1).try_fold(1_u64, |size, &n| size.checked_mul(n)).unwrap_or(u64::MAX);
    if images.values.is_empty() {
        return Err(DataDefect::Count { what: "images", found: 0, expected: "at least 1".to_owned() });
    }
    if size != columns as u64 {
        return Err(DataDefect::Count { what: "pixels an image", found: size, expected: columns.to_string() });
    }
    Ok(Rows::Pixels { columns, bytes: images.values })
}
