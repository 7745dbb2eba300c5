//! The datasets that suites of dataset shift know.

use super::super::card::{Card, Part, Place};
use super::super::registry::{images, tables};
use super::card::{OutsiderCard, Portion, ShiftCard, ShiftContent, ShiftSplit};

/// Tables have no fixed test set.
const TABLE: ShiftSplit = ShiftSplit { validation: Portion::Share(0.1), test: Some(Portion::Share(0.2)) };

const NOT_MNIST: OutsiderCard = OutsiderCard {
    name: "notmnist",
    summary: "letters A to J in many typefaces, 28 x 28",
    part: Part {
        holds: "images",
        places: &[
            Place::file("notmnist/t10k-images-idx3-ubyte.gz"),
            Place::file("notmnist/t10k-images-idx3-ubyte"),
            Place::file("images/notmnist-t10k-images-idx3-ubyte.gz"),
            Place::file("notmnist/notMNIST_small-images-idx3-ubyte.gz"),
            Place::file("notmnist/notMNIST_small-images-idx3-ubyte"),
        ],
    },
    origin: "the images of notMNIST in MNIST's format, https://github.com/davidflanagan/notMNIST-to-MNIST",
};

const DIGITS: OutsiderCard = OutsiderCard {
    name: "mnist",
    summary: "handwritten digits, 28 x 28",
    part: Part {
        holds: "images",
        places: &[
            Place::file("mnist/t10k-images-idx3-ubyte.gz"),
            Place::file("mnist/t10k-images-idx3-ubyte"),
            Place::file("images/mnist-t10k-images-idx3-ubyte.gz"),
        ],
    },
    origin: "the test images of MNIST, https://storage.googleapis.com/cvdf-datasets/mnist/",
};

const SVHN: OutsiderCard = OutsiderCard {
    name: "svhn",
    summary: "house numbers cut out of street views, 32 x 32 in colour",
    part: Part {
        holds: "test images",
        places: &[Place::file("svhn/test_32x32.mat"), Place::file("svhn/test_32x32.npz")],
    },
    origin: "test_32x32.mat of SVHN's cropped digits, http://ufldl.stanford.edu/housenumbers/, or an .npz with an array images \
             of bytes, images x 32 x 32 x 3",
};

const LM1B: OutsiderCard = OutsiderCard {
    name: "lm1b",
    summary: "sentences of the One Billion Word Benchmark",
    part: Part {
        holds: "text, a sentence a line",
        places: &[
            Place::file("lm1b/lm1b.txt"),
            Place::file("lm1b/lm1b.txt.gz"),
            Place::file("lm1b/news.en.heldout-00000-of-00050"),
            Place::file(
                "lm1b/1-billion-word-language-modeling-benchmark-r13output/\
                 heldout-monolingual.tokenized.shuffled/news.en.heldout-00000-of-00050",
            ),
        ],
    },
    origin: "any of its text files, https://www.statmt.org/lm-benchmark/",
};

const fn known(card: &'static Card, split: ShiftSplit, outsiders: &'static [OutsiderCard]) -> ShiftCard {
    ShiftCard { name: card.name, summary: card.summary, content: ShiftContent::Known(card), split, outsiders }
}

/// The archive that holds both folders.
const NEWS: &str = "20newsgroups/20news-bydate.tar.gz";

static CARDS: [ShiftCard; 9] = [
    known(&images::MNIST, ShiftSplit { validation: Portion::Rows(10_000), test: None }, &[NOT_MNIST]),
    known(
        &images::MNIST_T10K,
        ShiftSplit { validation: Portion::Rows(500), test: Some(Portion::Rows(1500)) },
        &[NOT_MNIST],
    ),
    known(&images::FASHION_MNIST, ShiftSplit { validation: Portion::Rows(10_000), test: None }, &[DIGITS, NOT_MNIST]),
    known(&images::CIFAR10, ShiftSplit { validation: Portion::Rows(10_000), test: None }, &[SVHN]),
    ShiftCard {
        name: "20newsgroups",
        summary: "posts to newsgroups, the ten of even number as classes, the ten of odd number as OOD inputs",
        content: ShiftContent::Newsgroups {
            parts: &[
                Part {
                    holds: "training texts",
                    places: &[
                        Place::file("20newsgroups/20news-bydate-train"),
                        Place { path: NEWS, member: Some("20news-bydate-train") },
                    ],
                },
                Part {
                    holds: "test texts",
                    places: &[
                        Place::file("20newsgroups/20news-bydate-test"),
                        Place { path: NEWS, member: Some("20news-bydate-test") },
                    ],
                },
            ],
            origin: "20news-bydate.tar.gz, http://qwone.com/~jason/20Newsgroups/",
        },
        split: ShiftSplit { validation: Portion::Share(0.1), test: None },
        outsiders: &[LM1B],
    },
    ShiftCard {
        name: "criteo",
        summary: "whether advertisements were clicked, by 13 counts and 26 hashed categories",
        content: ShiftContent::Clicks {
            parts: &[Part {
                holds: "labelled clicks",
                places: &[Place::file("criteo/train.txt"), Place::file("criteo/train.txt.gz")],
            }],
            origin: "train.txt of the Criteo Display Advertising Challenge",
        },
        split: ShiftSplit { validation: Portion::Share(0.05), test: Some(Portion::Share(0.05)) },
        outsiders: &[],
    },
    known(&tables::IRIS, TABLE, &[]),
    known(&tables::WINE_QUALITY, TABLE, &[]),
    known(&tables::GERMAN_CREDIT, TABLE, &[]),
];

/// Returns all datasets.
pub fn shift_cards() -> &'static [ShiftCard] {
    &CARDS
}

/// Returns the dataset of that name, if there is one.
pub fn shift_card(name: &str) -> Option<&'static ShiftCard> {
    CARDS.iter().find(|card| card.name == name)
}
