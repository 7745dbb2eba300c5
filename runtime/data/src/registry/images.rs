//! The image datasets that suites know.

use super::super::card::{Card, Download, Format, Kind, Part, Place};

const fn within(path: &'static str, member: &'static str) -> Place {
    Place { path, member: Some(member) }
}

/// A part that is an idx file, compressed by gzip or not, or else in one of the other places.
macro_rules! idx {
    ($holds:literal, $path:expr $(, $other:expr)*) => {
        Part { holds: $holds, places: &[Place::file(concat!($path, ".gz")), Place::file($path) $(, $other)*] }
    };
}

/// The four idx files of a set in the layout of MNIST.
macro_rules! like_mnist {
    ($folder:literal) => {
        [
            idx!("training images", concat!($folder, "/train-images-idx3-ubyte")),
            idx!("training labels", concat!($folder, "/train-labels-idx1-ubyte")),
            idx!("test images", concat!($folder, "/t10k-images-idx3-ubyte")),
            idx!("test labels", concat!($folder, "/t10k-labels-idx1-ubyte")),
        ]
    };
}

/// One idx file of EMNIST.
macro_rules! emnist {
    ($holds:literal, $file:literal) => {
        idx!($holds, concat!("emnist/emnist-", $file), within(EMNIST_ARCHIVE, concat!("gzip/emnist-", $file, ".gz")))
    };
}

/// One array of MNIST-C under shot noise.
macro_rules! shot_noise {
    ($holds:literal, $file:literal) => {
        Part {
            holds: $holds,
            places: &[
                Place::file(concat!("mnist-corrupted/shot_noise/", $file)),
                within(MNIST_C_ARCHIVE, concat!("mnist_c/shot_noise/", $file)),
            ],
        }
    };
}

/// One file of records of CIFAR-10.
macro_rules! cifar {
    ($holds:literal, $file:literal) => {
        Part {
            holds: $holds,
            places: &[
                Place::file(concat!("cifar10/cifar-10-batches-bin/", $file)),
                within(CIFAR_ARCHIVE, concat!("cifar-10-batches-bin/", $file)),
            ],
        }
    };
}

/// The published archive of EMNIST, which holds all its sets.
const EMNIST: &[Download] = &[Download {
    path: EMNIST_ARCHIVE,
    url: "https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip",
    bytes: 561_753_746,
    digest: "sha256:fb9bb67e33772a9cc0b895e4ecf36d2cf35be8b709693c3564cea2a019fcda8e",
}];
const EMNIST_ARCHIVE: &str = "emnist/gzip.zip";
const MNIST_C_ARCHIVE: &str = "mnist-corrupted/mnist_c.zip";
const CIFAR_ARCHIVE: &str = "cifar10/cifar-10-binary.tar.gz";
const MNIST_TEST_IMAGES: Download = Download {
    path: "mnist/t10k-images-idx3-ubyte.gz",
    url: "https://storage.googleapis.com/cvdf-datasets/mnist/t10k-images-idx3-ubyte.gz",
    bytes: 1_648_877,
    digest: "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
};
const MNIST_TEST_LABELS: Download = Download {
    path: "mnist/t10k-labels-idx1-ubyte.gz",
    url: "https://storage.googleapis.com/cvdf-datasets/mnist/t10k-labels-idx1-ubyte.gz",
    bytes: 4542,
    digest: "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
};

pub(crate) const MNIST: Card = Card {
    name: "mnist",
    summary: "handwritten digits, 28 x 28",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 784,
    train_size: 60_000,
    test_size: 10_000,
    in_paper: true,
    format: Format::Idx,
    parts: &like_mnist!("mnist"),
    downloads: &[
        Download {
            path: "mnist/train-images-idx3-ubyte.gz",
            url: "https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
            bytes: 9_912_422,
            digest: "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        },
        Download {
            path: "mnist/train-labels-idx1-ubyte.gz",
            url: "https://storage.googleapis.com/cvdf-datasets/mnist/train-labels-idx1-ubyte.gz",
            bytes: 28_881,
            digest: "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        },
        MNIST_TEST_IMAGES,
        MNIST_TEST_LABELS,
    ],
    origin: "the four idx files of MNIST, https://storage.googleapis.com/cvdf-datasets/mnist/",
};

pub(crate) const FASHION_MNIST: Card = Card {
    name: "fashion-mnist",
    summary: "articles of clothing, 28 x 28",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 784,
    train_size: 60_000,
    test_size: 10_000,
    in_paper: true,
    format: Format::Idx,
    parts: &like_mnist!("fashion-mnist"),
    downloads: &[
        Download {
            path: "fashion-mnist/train-images-idx3-ubyte.gz",
            url: "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-images-idx3-ubyte.gz",
            bytes: 26_421_880,
            digest: "sha256:3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        },
        Download {
            path: "fashion-mnist/train-labels-idx1-ubyte.gz",
            url: "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-labels-idx1-ubyte.gz",
            bytes: 29_515,
            digest: "sha256:a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        },
        Download {
            path: "fashion-mnist/t10k-images-idx3-ubyte.gz",
            url: "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/t10k-images-idx3-ubyte.gz",
            bytes: 4_422_102,
            digest: "sha256:346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        },
        Download {
            path: "fashion-mnist/t10k-labels-idx1-ubyte.gz",
            url: "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/t10k-labels-idx1-ubyte.gz",
            bytes: 5148,
            digest: "sha256:67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        },
    ],
    origin: "the four idx files of Fashion-MNIST, https://github.com/zalandoresearch/fashion-mnist",
};

pub(super) const MNIST_CORRUPTED_SHOT_NOISE: Card = Card {
    name: "mnist-corrupted-shot-noise",
    summary: "MNIST-C: MNIST under shot noise",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 784,
    train_size: 60_000,
    test_size: 10_000,
    in_paper: true,
    format: Format::Npy,
    parts: &[
        shot_noise!("training images", "train_images.npy"),
        shot_noise!("training labels", "train_labels.npy"),
        shot_noise!("test images", "test_images.npy"),
        shot_noise!("test labels", "test_labels.npy"),
    ],
    downloads: &[Download {
        path: MNIST_C_ARCHIVE,
        url: "https://zenodo.org/record/3239543/files/mnist_c.zip",
        bytes: 246_661_575,
        digest: "sha256:af9ee8c6a815870c7fdde5af84c7bf8db0bcfa1f41056db83871037fba70e493",
    }],
    origin: "mnist_c.zip of MNIST-C, https://zenodo.org/record/3239543",
};

pub(super) const EMNIST_LETTERS: Card = Card {
    name: "emnist-letters",
    summary: "handwritten letters, 28 x 28; of 37 labels 1 to 26 occur",
    kind: Kind::Image,
    num_classes: 37,
    input_dim: 784,
    train_size: 88_800,
    test_size: 14_800,
    in_paper: true,
    format: Format::Idx,
    parts: &[
        emnist!("training images", "letters-train-images-idx3-ubyte"),
        emnist!("training labels", "letters-train-labels-idx1-ubyte"),
        emnist!("test images", "letters-test-images-idx3-ubyte"),
        emnist!("test labels", "letters-test-labels-idx1-ubyte"),
    ],
    downloads: EMNIST,
    origin: "gzip.zip of EMNIST, https://www.nist.gov/itl/products-and-services/emnist-dataset",
};

pub(super) const EMNIST_DIGITS: Card = Card {
    name: "emnist-digits",
    summary: "handwritten digits, 28 x 28, four times as many as MNIST has",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 784,
    train_size: 240_000,
    test_size: 40_000,
    in_paper: true,
    format: Format::Idx,
    parts: &[
        emnist!("training images", "digits-train-images-idx3-ubyte"),
        emnist!("training labels", "digits-train-labels-idx1-ubyte"),
        emnist!("test images", "digits-test-images-idx3-ubyte"),
        emnist!("test labels", "digits-test-labels-idx1-ubyte"),
    ],
    downloads: EMNIST,
    origin: "gzip.zip of EMNIST, https://www.nist.gov/itl/products-and-services/emnist-dataset",
};

pub(super) const CMATERDB: Card = Card {
    name: "cmaterdb",
    summary: "handwritten Bangla digits of CMATERdb, 32 x 32 in colour",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 3072,
    train_size: 5000,
    test_size: 1000,
    in_paper: true,
    format: Format::Npz,
    parts: &[
        Part { holds: "training images and labels", places: &[Place::file("cmaterdb/training-images.npz")] },
        Part { holds: "test images and labels", places: &[Place::file("cmaterdb/testing-images.npz")] },
    ],
    downloads: &[
        Download {
            path: "cmaterdb/training-images.npz",
            url: "https://raw.githubusercontent.com/prabhuomkar/CMATERdb/master/datasets/bangla-numerals/\
                  training-images.npz",
            bytes: 489_289,
            digest: "sha256:502957392649eecad013ac425b54fecc6d06dbc06bc647a46b0cfc6b96e2c130",
        },
        Download {
            path: "cmaterdb/testing-images.npz",
            url: "https://raw.githubusercontent.com/prabhuomkar/CMATERdb/master/datasets/bangla-numerals/\
                  testing-images.npz",
            bytes: 98_295,
            digest: "sha256:d1c9780ba5decc135175a021bd29961cd7316db009f428d8c04b84ba36a6d67a",
        },
    ],
    origin: "the Bangla numerals' .npz files, \
             https://github.com/prabhuomkar/CMATERdb/tree/master/datasets/bangla-numerals",
};

pub(crate) const CIFAR10: Card = Card {
    name: "cifar10",
    summary: "photographs of ten kinds of things, 32 x 32 in colour",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 3072,
    train_size: 50_000,
    test_size: 10_000,
    in_paper: true,
    format: Format::Cifar,
    parts: &[
        cifar!("training batch 1", "data_batch_1.bin"),
        cifar!("training batch 2", "data_batch_2.bin"),
        cifar!("training batch 3", "data_batch_3.bin"),
        cifar!("training batch 4", "data_batch_4.bin"),
        cifar!("training batch 5", "data_batch_5.bin"),
        cifar!("test batch", "test_batch.bin"),
    ],
    downloads: &[Download {
        path: CIFAR_ARCHIVE,
        url: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        bytes: 170_052_171,
        digest: "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
    }],
    origin: "the binary version of CIFAR-10, https://www.cs.toronto.edu/~kriz/cifar.html",
};

pub(crate) const MNIST_T10K: Card = Card {
    name: "mnist-t10k",
    summary: "the 10,000 test images of MNIST, the last 1,000 of them to test on",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 784,
    train_size: 9000,
    test_size: 1000,
    in_paper: false,
    format: Format::IdxCut,
    parts: &[
        idx!("images", "mnist/t10k-images-idx3-ubyte", Place::file("images/mnist-t10k-images-idx3-ubyte.gz")),
        idx!("labels", "mnist/t10k-labels-idx1-ubyte", Place::file("images/mnist-t10k-labels-idx1-ubyte.gz")),
    ],
    downloads: &[MNIST_TEST_IMAGES, MNIST_TEST_LABELS],
    origin: "the two t10k idx files of MNIST, https://storage.googleapis.com/cvdf-datasets/mnist/",
};

pub(super) const NOTMNIST_T10K: Card = Card {
    name: "notmnist-t10k",
    summary: "10,000 images of the letters A to J in many typefaces, the last 1,000 of them to test on",
    kind: Kind::Image,
    num_classes: 10,
    input_dim: 784,
    train_size: 9000,
    test_size: 1000,
    in_paper: false,
    format: Format::IdxCut,
    parts: &[
        idx!("images", "notmnist/t10k-images-idx3-ubyte", Place::file("images/notmnist-t10k-images-idx3-ubyte.gz")),
        idx!("labels", "notmnist/t10k-labels-idx1-ubyte", Place::file("images/notmnist-t10k-labels-idx1-ubyte.gz")),
    ],
    downloads: &[],
    origin: "the t10k files of notMNIST in MNIST's format, https://github.com/davidflanagan/notMNIST-to-MNIST",
};
