//! A dataset in memory: normalised features, or pixels that are normalised when they are read.

use jointly_core::digest::Hasher;
use jointly_core::matrix::Matrix;

use super::card::Card;
use super::normalize;

/// A dataset that is read and checked.
#[derive(Debug)]
pub struct LoadedDataset {
    pub(super) card: &'static Card,
    pub(super) train: Examples,
    pub(super) test: Examples,
    pub(super) digest: String,
}

impl LoadedDataset {
    /// The card of the dataset.
    pub fn card(&self) -> &'static Card {
        self.card
    }

    /// The [digest](fn@jointly_core::digest) of the contents, which does not depend on names, formats or compression of the files.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// Labelled examples.
#[derive(Debug)]
pub(super) struct Examples {
    pub(super) features: Features,
    pub(super) labels: Vec<u32>,
}

/// Features, row after row.
#[derive(Debug)]
pub(super) enum Features {
    /// Normalised features.
    Numbers(Vec<f32>),
    /// Pixels as bytes, a quarter of the memory; each image is normalised when it is read.
    Pixels(Vec<u8>),
}

impl Examples {
    /// Returns the normalised inputs of the chosen examples, in the given order.
    pub(super) fn inputs(&self, card: &Card, rows: &[usize]) -> Matrix {
        let columns = card.input_dim as usize;
        let mut values = Vec::with_capacity(rows.len() * columns);
        for &row in rows {
            let range = row * columns..(row + 1) * columns;
            match &self.features {
                Features::Numbers(numbers) => values.extend(&numbers[range]),
                Features::Pixels(pixels) => normalize::image(&pixels[range], &mut values),
            }
        }
        Matrix::from_rows(columns, values)
    }

    /// Returns the labels of the chosen examples, in the given order.
    pub(super) fn labels(&self, rows: &[usize]) -> Vec<u32> {
        rows.iter().map(|&row| self.labels[row]).collect()
    }
}

/// Computes the digest of raw examples: the numbers of examples and features, then features and labels.
pub(super) fn digest<'a>(card: &Card, features: impl IntoIterator<Item = &'a [u8]>, labels: &[&[u32]]) -> String {
    let mut hash = Hasher::default();
    hash.add(b"jointly dataset 1");
    for size in [card.num_classes, card.input_dim, card.train_size, card.test_size] {
        hash.add(&size.to_le_bytes());
    }
    features.into_iter().for_each(|bytes| hash.add(bytes));
    for labels in labels {
        labels.iter().for_each(|label| hash.add(&label.to_le_bytes()));
    }
    hash.finish()
}
