//! Reads the files of a dataset and of its out-of-distribution (OOD) inputs into memory.

use jointly_core::ImageShape;

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
/// When a file cannot be read, is damaged, does not match the card, or its inputs are all equal.
pub fn load_shift(card: &'static ShiftCard, files: &ShiftFiles) -> Result<ShiftData, DataError> {
    let refuse = |found: &Found, defect: DataDefect| defect.of(card.name, &found.path);
    let mut outsiders = Vec::new();
    let (pool, test) = match card.content {
        ShiftContent::Known(known) => {
            // The OOD inputs of images are images.
            for ((outsider, found), size) in files.outsiders.iter().zip(card.task().image.into_iter().cycle()) {
                let rows = images(found, size).and_then(Rows::differing);
                let rows = rows.map_err(|defect| defect.of(outsider.name, &found.path))?;
                outsiders.push((outsider.name.to_owned(), rows));
            }
            self::known(known, &files.parts)?
        }
        ShiftContent::Newsgroups { .. } => {
            let read = newsgroups::read(&files.parts[0], &files.parts[1]);
            let texts = read.map_err(|(part, defect)| refuse(&files.parts[part], defect))?;
            for (part, rows) in [(0, &texts.train.rows), (1, &texts.test.rows), (1, &texts.odd.1)] {
                rows.differ().map_err(|defect| refuse(&files.parts[part], defect))?;
            }
            outsiders.push(texts.odd);
            for (outsider, found) in &files.outsiders {
                let sentences = lines::read(&found.path, &texts.vocabulary);
                let rows = sentences.and_then(|sentences| Rows::Inputs(sentences).differing());
                let rows = rows.map_err(|defect| defect.of(outsider.name, &found.path))?;
                outsiders.push((outsider.name.to_owned(), rows));
            }
            (texts.train, Some(texts.test))
        }
        ShiftContent::Clicks { .. } => {
            let found = &files.parts[0];
            let clicks = clicks::read(&found.path, clicks::CLICK_ROWS);
            let differ = clicks.and_then(|clicks| clicks.rows.differ().map(|()| clicks));
            (differ.map_err(|defect| refuse(found, defect))?, None)
        }
    };
    Ok(ShiftData::new(card.name, card.task(), pool, test, outsiders))
}

/// Reads the dataset of another card: the rows to divide, and the test rows if they have files of their own.
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
    // `IdxCut` is one file that was cut into training and test rows, which are joined again.
    if let (Rows::Pixels { bytes, .. }, Rows::Pixels { bytes: last, .. }) = (&mut pool.rows, test.rows) {
        bytes.extend(last);
    }
    pool.labels.extend(test.labels);
    Ok((pool, None))
}

/// Reads images with the size of the dataset's from an array of images x rows x columns x channels; for grey images the
/// last dimension may be absent.
fn images(found: &Found, size: ImageShape) -> Result<Rows, DataDefect> {
    let bytes = open::read(found)?;
    let extension = found.path.extension().and_then(|extension| extension.to_str());
    let images = match extension {
        Some("mat") => matlab::images(&bytes)?,
        Some("npz") => numpy::images_of(&bytes)?,
        _ => idx::parse(bytes)?,
    };
    let sizes = [size.height(), size.width(), size.channels()].map(|side| side as u64);
    let grey = size.channels() == 1 && images.shape.get(1..) == Some(&sizes[..2]);
    if !grey && images.shape.get(1..) != Some(&sizes[..]) {
        let [rows, columns, channels] = sizes;
        let expected = match channels {
            1 => format!("[images, {rows}, {columns}] or [images, {rows}, {columns}, 1]"),
            _ => format!("[images, {rows}, {columns}, {channels}]"),
        };
        return Err(DataDefect::Shape { found: images.shape, expected });
    }
    if images.values.is_empty() {
        return Err(DataDefect::Count { what: "images", found: 0, expected: "at least 1".to_owned() });
    }
    Ok(Rows::Pixels { columns: size.values(), bytes: images.values })
}
