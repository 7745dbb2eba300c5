//! The tables that suites know.

use super::super::card::{Card, Download, Format, Kind, Labels, Part, Place};

pub(crate) const IRIS: Card = Card {
    name: "iris",
    summary: "Iris flowers by sepal and petal",
    kind: Kind::Table,
    num_classes: 3,
    input_dim: 4,
    train_size: 120,
    test_size: 30,
    in_paper: true,
    format: Format::Table(Labels::Names(&[
        &["Iris-setosa", "setosa"],
        &["Iris-versicolor", "versicolor"],
        &["Iris-virginica", "virginica"],
    ])),
    parts: &[Part {
        holds: "150 rows",
        places: &[Place::file("iris/iris.data"), Place::file("iris/iris.csv"), Place::file("tabular/iris.csv")],
    }],
    downloads: &[Download {
        path: "iris/iris.data",
        url: "https://archive.ics.uci.edu/ml/machine-learning-databases/iris/iris.data",
        bytes: 4551,
        digest: "sha256:6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0",
    }],
    origin: "iris.data of the UCI repository's dataset Iris, https://archive.ics.uci.edu/dataset/53/iris",
};

pub(crate) const WINE_QUALITY: Card = Card {
    name: "wine-quality",
    summary: "white wines' quality, from 0 to 10, by their chemistry",
    kind: Kind::Table,
    num_classes: 11,
    input_dim: 11,
    train_size: 3918,
    test_size: 980,
    in_paper: true,
    format: Format::Table(Labels::From(0)),
    parts: &[Part {
        holds: "4898 rows",
        places: &[Place::file("wine-quality/winequality-white.csv"), Place::file("tabular/winequality-white.csv")],
    }],
    downloads: &[Download {
        path: "wine-quality/winequality-white.csv",
        url: "https://archive.ics.uci.edu/ml/machine-learning-databases/wine-quality/winequality-white.csv",
        bytes: 264_426,
        digest: "sha256:76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
    }],
    origin: "winequality-white.csv of the UCI repository's dataset Wine Quality, \
             https://archive.ics.uci.edu/dataset/186/wine+quality",
};

pub(crate) const GERMAN_CREDIT: Card = Card {
    name: "german-credit",
    summary: "credit risks, good or bad, in their numeric form",
    kind: Kind::Table,
    num_classes: 2,
    input_dim: 24,
    train_size: 800,
    test_size: 200,
    in_paper: true,
    format: Format::Table(Labels::From(1)),
    parts: &[Part {
        holds: "1000 rows",
        places: &[Place::file("german-credit/german.data-numeric"), Place::file("tabular/german.data-numeric")],
    }],
    downloads: &[Download {
        path: "german-credit/german.data-numeric",
        url: "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data-numeric",
        bytes: 102_000,
        digest: "sha256:2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8",
    }],
    origin: "german.data-numeric of the UCI repository's dataset Statlog (German Credit Data), \
             https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
};
