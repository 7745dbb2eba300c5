//! The datasets that suites know: the ten of the paper (Table 2), and two that can be made from fewer files.
//!
//! Digests are those stated by a dataset's publisher or by a catalogue of datasets. Fetched files are compared with
//! them; nothing is fetched without one.

pub(super) mod images;
pub(super) mod tables;

use super::card::Card;

const CARDS: &[Card] = &[
    tables::IRIS,
    tables::WINE_QUALITY,
    tables::GERMAN_CREDIT,
    images::MNIST,
    images::FASHION_MNIST,
    images::MNIST_CORRUPTED_SHOT_NOISE,
    images::EMNIST_LETTERS,
    images::EMNIST_DIGITS,
    images::CMATERDB,
    images::CIFAR10,
    images::MNIST_T10K,
    images::NOTMNIST_T10K,
];

/// Returns all datasets: the paper's in its own order, then the others.
pub fn cards() -> &'static [Card] {
    CARDS
}

/// Returns the dataset of that name, if there is one.
pub fn card(name: &str) -> Option<&'static Card> {
    CARDS.iter().find(|card| card.name == name)
}
