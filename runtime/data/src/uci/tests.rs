//! A small table, damaged in every way, and the real tables if they are on this machine.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::regression::{RegressionTable, TableSplit};

/// The directory of real files, on a machine that has some.
const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

static SMALL: UciCard = UciCard { name: "small", summary: "", folder: "small", rows: 5, input_dim: 2, splits: 2 };

/// Five rows of three columns, the target in the middle.
const FILES: [(&str, &str); 7] = [
    ("data.txt", "0 100 0.5\n1 101 1.5\n\n2 102 2.5\n3 103 3.5\n4 104 4.5\n"),
    ("index_features.txt", "0\n2\n"),
    ("index_target.txt", "1\n"),
    ("splits/index_train_0.txt", "4\n0\n2\n1\n"),
    ("splits/index_test_0.txt", "3\n"),
    ("splits/index_train_1.txt", "1.000e+00\n2.000e+00\n3.000e+00\n"),
    ("splits/index_test_1.txt", "0\n4\n"),
];

/// Writes the small table with one file replaced or, if the text is empty, left out.
fn folder(changed: &str, text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, original) in FILES {
        let text = if name == changed { text } else { original };
        if !text.is_empty() {
            let path = directory.path().join("uci/small").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    directory
}

fn load(directory: &TempDir) -> Result<RegressionTable, crate::DataError> {
    load_uci(&SMALL, &locate_uci(&SMALL, &[directory.path().to_owned()]).unwrap())
}

#[test]
fn columns_and_splits_are_those_of_the_index_files() {
    let table = load(&folder("", "")).unwrap();
    assert_eq!(table.data().targets(), [100.0, 101.0, 102.0, 103.0, 104.0]);
    assert_eq!(table.data().inputs().row(3), [3.0, 3.5]);
    let TableSplit { train, test } = table.split(0.into(), 0);
    assert_eq!((train.targets(), test.targets()), ([104.0, 100.0, 102.0, 101.0].as_slice(), [103.0].as_slice()));
    assert_eq!(train.inputs().row(0), [4.0, 4.5]);
    assert_eq!(table.split(0.into(), 1).test.targets(), [100.0, 104.0]);
}

#[test]
fn the_digest_is_that_of_the_contents() {
    let digest = |name, text| load(&folder(name, text)).unwrap().digest().to_owned();
    let original = digest("", "");
    assert_eq!(digest("splits/index_train_1.txt", "1 2 3"), original);
    assert_ne!(digest("splits/index_train_1.txt", "1 3 2"), original);
    assert_ne!(digest("index_features.txt", "2 0"), original);
}

#[test]
fn what_is_not_the_table_is_refused() {
    let message = |name, text| load(&folder(name, text)).unwrap_err().to_string();
    for (name, text, what) in [
        ("data.txt", "0 1 2\n", "it holds 1 rows, expected 5"),
        ("data.txt", "0 1 2\n3 4\n", "line 2: it has 2 fields"),
        (
            "data.txt",
            "0 1 2\n3 4 5\n3 4 5\n3 4 1e300\n3 4 5\n",
            "line 4: field 3 is \"1e300\", expected a finite number",
        ),
        ("index_features.txt", "0\n", "it holds 1 columns, expected 2"),
        ("index_features.txt", "0\n1\n", "it holds 1, which is the target's column"),
        ("index_features.txt", "0\n3\n", "line 2: it holds 3, expected whole numbers from 0 to 2"),
        ("splits/index_test_0.txt", "3\n0\n", "line 2: it holds 0, which index_train_0.txt holds too"),
        ("splits/index_test_1.txt", "\n", "it holds 0 rows, expected at least 1"),
        ("splits/index_train_1.txt", "", "failed to read small from"),
    ] {
        let message = message(name, text);
        assert!(message.contains(what) && message.contains(name), "{message}");
    }
}

#[test]
fn a_table_that_is_nowhere_comes_with_what_to_do() {
    let elsewhere = tempfile::tempdir().unwrap();
    let missing = locate_uci(&SMALL, &[elsewhere.path().to_owned()]).unwrap_err();
    let message = missing.to_string();
    let place = elsewhere.path().display().to_string();
    assert!(
        message.contains(&place) && message.contains("put its data.txt") && message.contains("uci/small"),
        "{message}"
    );
    assert!(locate_uci(&SMALL, &[]).unwrap_err().to_string().contains("since there is none"));
}

#[test]
fn the_published_layout_is_found_too() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("UCI_Datasets/small/data");
    fs::create_dir_all(&data).unwrap();
    for (name, text) in FILES {
        fs::write(data.join(name.rsplit('/').next().unwrap()), text).unwrap();
    }
    let published = load(&directory).unwrap();
    let own = load(&folder("", "")).unwrap();
    assert_eq!((published.data(), published.digest()), (own.data(), own.digest()));
}

#[test]
fn rows_of_the_same_features_are_refused() {
    let message = load(&folder("data.txt", "1 100 2\n1 101 2\n1 102 2\n1 103 2\n1 104 2\n")).unwrap_err().to_string();
    assert!(message.contains("data.txt: all 5 rows of features are the same"), "{message}");
}

#[test]
fn real_tables_are_what_their_cards_say() {
    let mut read = 0;
    for card in uci_cards() {
        let Ok(folder) = locate_uci(card, &[PathBuf::from(REAL)]) else {
            eprintln!("skipped: {} is not in {REAL}", card.name);
            continue;
        };
        let table = load_uci(card, &folder).unwrap();
        let tenth = f64::from(card.rows) / 10.0;
        for i in 0..card.splits {
            let TableSplit { train, test } = table.split(0.into(), i);
            assert_eq!(train.rows() + test.rows(), card.rows as usize, "{}", card.name);
            assert!((test.rows() as f64 - tenth).abs() <= 1.0, "{}: {}", card.name, test.rows());
        }
        read += 1;
    }
    if read > 0 {
        let boston = uci_card("boston").unwrap();
        if let Ok(folder) = locate_uci(boston, &[PathBuf::from(REAL)]) {
            let table = load_uci(boston, &folder).unwrap();
            let mean = table.data().targets().iter().map(|&y| f64::from(y)).sum::<f64>() / 506.0;
            // The mean price that the literature reports.
            assert!((mean - 22.532_806).abs() < 1e-5, "{mean}");
        }
    }
}
