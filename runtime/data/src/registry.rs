//! The datasets that suites know: the ten of the paper (Table 2), and two that fewer files make.
//!
//! A digest is one that the dataset's publisher or a catalogue of datasets states, and is checked against what is
//! fetched; nothing is fetched without one.

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

/// All datasets, the paper's in its own order, then the others.
pub fn cards() -> &'static [Card] {
    CARDS
}

/// The dataset of that name, if there is one.
pub fn card(name: &str) -> Option<&'static Card> {
    CARDS.iter().find(|card| card.name == name)
}
