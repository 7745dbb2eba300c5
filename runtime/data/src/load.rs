//! Reads a dataset's files into memory, checked against its card.

use std::ops::Range;

use jointly_core::pick;
use jointly_core::stream::stream;

use super::card::{Card, Format, Labels};
use super::equal_inputs::are_equal;
use super::error::{DataDefect, DataError};
use super::examples::{Examples, Features, LoadedDataset, digest};
use super::idx::Idx;
use super::locate::Found;
use super::normalize::{Columns, Unscalable};
use super::table::Table;
use super::{cifar, idx, numpy, open, table};

/// The seed of the order that splits a table into training and test examples, the same in every run.
const SPLIT_SEED: u64 = 0;

/// Reads a dataset from its files, as [`locate`](super::locate) finds them.
///
/// # Errors
/// When a file cannot be read, is damaged, does not match the card, or its inputs are all equal.
///
/// # Panics
/// When the number of files is not the number of the card's parts.
pub fn load(card: &'static Card, files: &[Found]) -> Result<LoadedDataset, DataError> {
    assert_eq!(files.len(), card.parts.len(), "a file for each part of {}", card.name);
    let reader = Reader { card, files };
    let last = files.len() - 1;
    // With the part that holds the test images.
    let (train, test, tested) = match card.format {
        Format::Table(labels) => return reader.table(&labels),
        Format::Idx => (reader.idx_pair(0)?, reader.idx_pair(2)?, 2),
        Format::IdxCut => {
            let (train, test) = reader.idx_pair(0)?.cut(card.test_size as usize);
            (train, test, 0)
        }
        Format::Npy => (reader.npy_pair(0)?, reader.npy_pair(2)?, 2),
        Format::Npz => (reader.npz_pair(0)?, reader.npz_pair(1)?, 1),
        Format::Cifar => {
            let train = reader.cifar(0..last, card.train_size)?;
            (train, reader.cifar(last..files.len(), card.test_size)?, last)
        }
    };
    let train = train.take(card, card.train_size).map_err(|defect| reader.refuse(0, defect))?;
    let test = test.take(card, card.test_size).map_err(|defect| reader.refuse(last, defect))?;
    for (part, pixels) in [(0, &train.0), (tested, &test.0)] {
        if are_equal(pixels, card.input_dim as usize) {
            let count = pixels.len() / card.input_dim as usize;
            return Err(reader.refuse(part, DataDefect::Equal { what: "images", count }));
        }
    }
    let digest = digest(card, [train.0.as_slice(), &test.0], &[&train.1, &test.1]);
    let examples = |(pixels, labels)| Examples { features: Features::Pixels(pixels), labels };
    Ok(LoadedDataset { card, train: examples(train), test: examples(test), digest })
}

/// Reads the rows of a table's file, in their order and units.
///
/// # Errors
/// As [`load`].
pub(super) fn load_rows(card: &'static Card, labels: &Labels, files: &[Found]) -> Result<Table, DataError> {
    Reader { card, files }.rows(labels)
}

struct Reader<'a> {
    card: &'static Card,
    files: &'a [Found],
}

impl Reader<'_> {
    fn refuse(&self, part: usize, defect: DataDefect) -> DataError {
        defect.of(self.card.name, &self.files[part].path)
    }

    /// Reads and parses a part of the dataset.
    fn part<T>(&self, part: usize, parse: impl FnOnce(Vec<u8>) -> Result<T, DataDefect>) -> Result<T, DataError> {
        open::read(&self.files[part]).and_then(parse).map_err(|defect| self.refuse(part, defect))
    }

    /// Reads the rows of the only part, and checks their number against the card.
    fn rows(&self, labels: &Labels) -> Result<Table, DataError> {
        let card = self.card;
        self.part(0, |bytes| {
            let table = table::parse(&bytes, card.input_dim as usize, card.num_classes, labels)?;
            let (found, expected) = (table.labels.len(), (card.train_size + card.test_size) as usize);
            if found != expected {
                let expected = expected.to_string();
                return Err(DataDefect::Count { what: "rows", found: found as u64, expected });
            }
            if are_equal(&table.features, card.input_dim as usize) {
                return Err(DataDefect::Equal { what: "rows of features", count: found });
            }
            Ok(table)
        })
    }

    fn table(&self, labels: &Labels) -> Result<LoadedDataset, DataError> {
        let card = self.card;
        let columns = card.input_dim as usize;
        let table = self.rows(labels)?;
        let bytes: Vec<u8> = table.features.iter().flat_map(|x| x.to_le_bytes()).collect();
        let digest = digest(card, [bytes.as_slice()], &[&table.labels]);

        let rows = table.labels.len();
        let order = pick::prefix(rows, rows, &mut stream(SPLIT_SEED, "split", card.name, 0));
        let (train, test) = order.split_at(card.train_size as usize);
        let features = |rows: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|row| &table.features[row * columns..(row + 1) * columns]).copied().collect()
        };
        // Converts a position among some of the rows into a position in the file.
        let refuse = |rows: &[usize], place: Unscalable| {
            let Unscalable { row, column } = place;
            let row = rows[row];
            let value = table.features[row * columns + column];
            self.refuse(0, DataDefect::Scale { row: row + 1, column: column + 1, value })
        };
        let train_features = features(train);
        let scale = Columns::of(columns, &train_features).map_err(|place| refuse(train, place))?;
        let examples = |rows: &[usize], features: &[f64]| {
            let features = scale.normalize(features).map_err(|place| refuse(rows, place))?;
            let labels = rows.iter().map(|&row| table.labels[row]).collect();
            Ok(Examples { features: Features::Numbers(features), labels })
        };
        let (train, test) = (examples(train, &train_features)?, examples(test, &features(test))?);
        Ok(LoadedDataset { card, train, test, digest })
    }

    /// Reads images from one part and their labels from the next.
    fn idx_pair(&self, images: usize) -> Result<Raw, DataError> {
        let raw = self.images(images, idx::parse)?;
        self.labelled(raw, images + 1, |bytes| Ok(idx::parse(bytes)?.values.into_iter().map(i64::from).collect()))
    }

    fn npy_pair(&self, images: usize) -> Result<Raw, DataError> {
        let raw = self.images(images, |bytes| numpy::images(&bytes))?;
        self.labelled(raw, images + 1, |bytes| numpy::labels(&bytes))
    }

    fn npz_pair(&self, part: usize) -> Result<Raw, DataError> {
        self.part(part, |bytes| {
            let (images, labels) = numpy::pair(&bytes)?;
            Raw::of(self.card, images)?.labelled(labels)
        })
    }

    /// Reads `size` images and labels from several parts, in equal shares.
    fn cifar(&self, parts: Range<usize>, size: u32) -> Result<Raw, DataError> {
        let share = size as usize / parts.len();
        let mut raw = Raw { columns: self.card.input_dim as usize, pixels: Vec::new(), labels: Vec::new() };
        for part in parts {
            let before = raw.labels.len();
            self.part(part, |bytes| cifar::parse(&bytes, &mut raw.pixels, &mut raw.labels))?;
            let found = raw.labels.len() - before;
            if found != share {
                let defect = DataDefect::Count { what: "images", found: found as u64, expected: share.to_string() };
                return Err(self.refuse(part, defect));
            }
        }
        Ok(raw)
    }

    fn images(&self, part: usize, parse: impl FnOnce(Vec<u8>) -> Result<Idx, DataDefect>) -> Result<Raw, DataError> {
        self.part(part, |bytes| Raw::of(self.card, parse(bytes)?))
    }

    fn labelled(
        &self,
        raw: Raw,
        part: usize,
        parse: impl FnOnce(Vec<u8>) -> Result<Vec<i64>, DataDefect>,
    ) -> Result<Raw, DataError> {
        self.part(part, |bytes| raw.labelled(parse(bytes)?))
    }
}

/// Images and labels of a file.
struct Raw {
    columns: usize,
    pixels: Vec<u8>,
    labels: Vec<i64>,
}

impl Raw {
    /// Takes images without their labels, and checks their size against the card.
    fn of(card: &Card, images: Idx) -> Result<Self, DataDefect> {
        if images.shape.first().is_none_or(|&count| count == 0) {
            return Err(DataDefect::Count { what: "images", found: 0, expected: "at least 1".to_owned() });
        }
        let size = images.shape[1..].iter().try_fold(1_u64, |size, &n| size.checked_mul(n)).unwrap_or(u64::MAX);
        if size != u64::from(card.input_dim) {
            let expected = card.input_dim.to_string();
            return Err(DataDefect::Count { what: "pixels an image", found: size, expected });
        }
        Ok(Self { columns: card.input_dim as usize, pixels: images.values, labels: Vec::new() })
    }

    fn labelled(self, labels: Vec<i64>) -> Result<Self, DataDefect> {
        let (images, found) = (self.pixels.len() / self.columns, labels.len() as u64);
        if images as u64 != found {
            return Err(DataDefect::Count { what: "labels", found, expected: format!("{images}, one for each image") });
        }
        Ok(Self { labels, ..self })
    }

    /// Splits off the `last` last examples.
    fn cut(mut self, last: usize) -> (Self, Self) {
        let first = self.labels.len().saturating_sub(last);
        let (pixels, labels) = (self.pixels.split_off(first * self.columns), self.labels.split_off(first));
        let rest = Self { columns: self.columns, pixels, labels };
        (self, rest)
    }

    /// Takes the first `size` examples, and checks that their labels are classes.
    fn take(mut self, card: &Card, size: u32) -> Result<(Vec<u8>, Vec<u32>), DataDefect> {
        let found = self.labels.len() as u64;
        if found < u64::from(size) {
            return Err(DataDefect::Count { what: "images", found, expected: format!("at least {size}") });
        }
        self.pixels.truncate(size as usize * self.columns);
        let class = |(index, &label): (usize, &i64)| {
            let class = u32::try_from(label).ok().filter(|&class| class < card.num_classes);
            class.ok_or(DataDefect::Label { index, label, classes: card.num_classes })
        };
        let labels = self.labels[..size as usize].iter().enumerate().map(class).collect::<Result<_, _>>()?;
        Ok((self.pixels, labels))
    }
}
