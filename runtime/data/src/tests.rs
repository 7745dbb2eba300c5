//! Complete datasets in each format: small ones made here, those on this machine, damaged files, and problems made of
//! them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jointly_core::stream::{Stream, stream};
use jointly_core::{Dataset, Matrix, Task};
use tempfile::TempDir;

use super::*;
use crate::examples::Examples;
use crate::import::fixture::{Fixture, npy_header};
use crate::problem::RealInstance;

/// The directory of real files, on a machine that has some.
const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

const fn file(path: &'static str) -> Place {
    Place { path, member: None }
}

const BASE: Card = Card {
    name: "small",
    summary: "",
    kind: Kind::Image,
    num_classes: 3,
    input_dim: 6,
    train_size: 20,
    test_size: 10,
    in_paper: false,
    format: Format::Idx,
    parts: &[],
    downloads: &[],
    origin: "nothing",
};

static TABLE: Card = Card {
    kind: Kind::Table,
    format: Format::Table(Labels::From(0)),
    parts: &[Part { holds: "rows", places: &[file("a/small.csv"), file("small.csv")] }],
    ..BASE
};
static IDX: Card = Card {
    parts: &[
        Part { holds: "training images", places: &[file("train-images")] },
        Part { holds: "training labels", places: &[file("train-labels")] },
        Part { holds: "test images", places: &[file("test-images")] },
        Part { holds: "test labels", places: &[file("test-labels")] },
    ],
    ..BASE
};
static IDX_CUT: Card = Card {
    format: Format::IdxCut,
    parts: &[Part { holds: "images", places: &[file("images")] }, Part { holds: "labels", places: &[file("labels")] }],
    ..BASE
};
static NPY: Card = Card { format: Format::Npy, ..Card { parts: IDX.parts, ..BASE } };
static NPZ: Card = Card {
    format: Format::Npz,
    parts: &[
        Part { holds: "training", places: &[file("train.npz")] },
        Part { holds: "test", places: &[file("test.npz")] },
    ],
    ..BASE
};
static CIFAR: Card = Card {
    input_dim: 3072,
    format: Format::Cifar,
    parts: &[
        Part { holds: "batch 1", places: &[file("batch1")] },
        Part { holds: "batch 2", places: &[file("batch2")] },
        Part { holds: "test batch", places: &[file("test")] },
    ],
    ..BASE
};

/// A data directory with files of a dataset.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Self(folder)
    }

    fn directories(&self) -> Vec<PathBuf> {
        vec![self.0.path().to_owned()]
    }

    fn load(&self, card: &'static Card) -> Result<LoadedDataset, DataError> {
        load(card, &locate(card, &self.directories()).unwrap())
    }
}

/// Returns `count` bytes, each below `most`.
fn bytes(count: usize, most: u64, source: &mut Stream) -> Vec<u8> {
    (0..count).map(|_| (source.next_u64() % most) as u8).collect()
}

fn idx(shape: &[u32], values: &[u8]) -> Vec<u8> {
    let sizes = shape.iter().flat_map(|size| size.to_be_bytes());
    [0, 0, 8, shape.len() as u8].into_iter().chain(sizes).chain(values.iter().copied()).collect()
}

fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    [npy_header(descr, shape), values.to_vec()].concat()
}

/// Files by name.
type Files = Vec<(&'static str, Vec<u8>)>;

/// Returns the card and a complete set of files for each format.
fn datasets() -> Vec<(&'static Card, Files)> {
    let mut source = stream(0, "test", "datasets", 0);
    let source = &mut source;
    let rows = (0..30).map(|i| format!("{},{},{},{},{},1,{}\n", i, i * i % 7, i % 5, 100 - i, i % 11, i % 3));
    let table: String = rows.collect();
    let (train, test) = (bytes(20 * 6, 256, source), bytes(10 * 6, 256, source));
    let (train_labels, test_labels) = (bytes(20, 3, source), bytes(10, 3, source));
    let wide = |labels: &[u8]| labels.iter().map(|&label| i64::from(label)).collect::<Vec<_>>();
    let wide_bytes = |labels: &[u8]| wide(labels).iter().flat_map(|label| label.to_le_bytes()).collect::<Vec<u8>>();
    let npz = |n: u64, images: &[u8], labels: &[u8]| {
        Fixture::new().array("images", &[n, 2, 3], images.to_vec()).array("labels", &[n], wide(labels)).bytes()
    };
    let mut records = |n: usize| -> Vec<u8> {
        (0..n).flat_map(|i| [vec![(i % 3) as u8], bytes(3072, 256, source)].concat()).collect()
    };
    let cifar = vec![("batch1", records(10)), ("batch2", records(10)), ("test", records(10))];
    vec![
        (&TABLE, vec![("small.csv", table.trim_end().as_bytes().to_vec())]),
        (
            &IDX,
            vec![
                ("train-images", idx(&[20, 2, 3], &train)),
                ("train-labels", idx(&[20], &train_labels)),
                ("test-images", idx(&[10, 2, 3], &test)),
                ("test-labels", idx(&[10], &test_labels)),
            ],
        ),
        (
            &IDX_CUT,
            vec![
                ("images", idx(&[30, 2, 3], &[train.clone(), test.clone()].concat())),
                ("labels", idx(&[30], &[train_labels.clone(), test_labels.clone()].concat())),
            ],
        ),
        (
            &NPY,
            vec![
                ("train-images", npy("|u1", "(20, 2, 3)", &train)),
                ("train-labels", npy("<i8", "(20,)", &wide_bytes(&train_labels))),
                ("test-images", npy("|u1", "(10, 2, 3)", &test)),
                ("test-labels", npy("|u1", "(10,)", &test_labels)),
            ],
        ),
        (&NPZ, vec![("train.npz", npz(20, &train, &train_labels)), ("test.npz", npz(10, &test, &test_labels))]),
        (&CIFAR, cifar),
    ]
}

#[test]
fn formats_of_the_same_images_make_the_same_dataset() {
    let all = datasets();
    let loaded: Vec<_> = all[1..5].iter().map(|(card, files)| Folder::new(files).load(card).unwrap()).collect();
    for other in &loaded[1..] {
        assert_eq!(other.digest(), loaded[0].digest());
        assert_eq!(all_rows(&other.train, 20), all_rows(&loaded[0].train, 20));
    }
}

#[test]
fn a_table_is_split_and_normalised_by_its_training_rows() {
    let (card, files) = datasets().swap_remove(0);
    let loaded = Folder::new(&files).load(card).unwrap();
    let train = loaded.train.inputs(card, &(0..20).collect::<Vec<_>>());
    let test = loaded.test.inputs(card, &(0..10).collect::<Vec<_>>());
    for column in 0..6 {
        let values = || train.values().iter().skip(column).step_by(6).map(|&x| f64::from(x));
        let (mean, square) = (values().sum::<f64>() / 20.0, values().map(|x| x * x).sum::<f64>() / 20.0);
        let spread = if column == 5 { 0.0 } else { 1.0 };
        // Tolerance for rounding twenty numbers to f32.
        assert!(mean.abs() < 1e-6 && (square - spread).abs() < 1e-6, "column {column}: {mean} {square}");
    }
    // The first column identifies the rows: each is in exactly one part.
    let rows: HashSet<u32> = train.values().iter().chain(test.values()).step_by(6).map(|x| x.to_bits()).collect();
    assert_eq!(rows.len(), 30);
}

#[test]
fn cifar_reads_its_batches_in_order() {
    let (card, files) = datasets().pop().unwrap();
    let loaded = Folder::new(&files).load(card).unwrap();
    assert_eq!(loaded.train.labels, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0].repeat(2));
    assert_eq!(loaded.test.labels.len(), 10);
}

/// Makes datasets of all examples, which must succeed for any data that a loader accepts.
fn build(data: &LoadedDataset) {
    let task = Task::new(data.card.input_dim, data.card.num_classes);
    for examples in [&data.train, &data.test] {
        let rows: Vec<usize> = (0..examples.labels.len()).collect();
        let dataset = Dataset::new(&task, examples.inputs(data.card, &rows), examples.labels(&rows)).unwrap();
        assert_eq!(dataset.rows(), rows.len());
    }
}

/// Loads the table with column 2 replaced, by row.
fn with_column(value: impl Fn(usize) -> f64) -> Result<LoadedDataset, DataError> {
    let rows: Vec<String> =
        (0..30).map(|i| format!("{i},{:e},{},{},{},1,{}", value(i), i % 5, i % 4, i % 11, i % 3)).collect();
    Folder::new(&[("small.csv", rows.join("\n").into_bytes())]).load(&TABLE)
}

/// A feature that is not constant may still have a variance of 0, or none.
#[test]
fn what_cannot_be_normalised_is_refused_with_its_row_and_column() {
    let names = |error: DataError, odd: usize| {
        let place = format!("small.csv: row {}, column 2: ", odd + 1);
        assert!(error.to_string().contains(&place), "{error}");
    };
    // 20 rows are training rows; one of the others leaves the column constant there, or is too far from it.
    for (odd_value, others, refusals) in [(1e-170, 0.0, 20), (1.0, 1e-170, 0), (1e300, 1e-3, 30)] {
        let mut refused = 0;
        for odd in 0..30 {
            // The other rows must differ if an extreme row is to be refused.
            let other = |i: usize| if refusals == 30 { others * i as f64 } else { others };
            match with_column(|i| if i == odd { odd_value } else { other(i) }) {
                Ok(data) => build(&data),
                Err(error) => {
                    names(error, odd);
                    refused += 1;
                }
            }
        }
        assert_eq!(refused, refusals, "{odd_value:e} among {others:e}");
    }
    let error = with_column(|i| if i % 2 == 0 { 1.7e308 } else { 1.6e308 }).unwrap_err();
    assert!(error.to_string().contains("column 2: 1.7e308 is too small or too large"), "{error}");
}

/// No damage makes a loader panic: it is refused, changes the data, or affects nothing relevant.
#[test]
fn damaged_files_are_refused_or_other_data() {
    for (card, files) in datasets() {
        let whole = Folder::new(&files).load(card).unwrap();
        for (at, (name, bytes)) in files.iter().enumerate() {
            let spoil = |spoiled: Vec<u8>| {
                let mut files = files.clone();
                files[at].1 = spoiled;
                Folder::new(&files).load(card)
            };
            for cut in [0, 1, 3, 5, bytes.len() / 2, bytes.len() - 1] {
                let error = spoil(bytes[..cut].to_vec()).expect_err("part of a file is refused");
                assert!(error.to_string().contains(name), "{error}");
            }
            let step = bytes.len() / 60 + 1;
            for flip in (0..bytes.len()).step_by(step) {
                let mut spoiled = bytes.clone();
                spoiled[flip] ^= 1 << (flip % 8);
                if let Ok(other) = spoil(spoiled) {
                    build(&other);
                    // An archive's metadata of its members, and parts of an array's header, do not affect a dataset.
                    let idle = matches!(card.format, Format::Npz) || matches!(card.format, Format::Npy) && flip < 128;
                    assert!(idle || other.digest() != whole.digest(), "{name}: byte {flip}");
                }
            }
            // Files without images: with sizes whose product overflows, and with the right size.
            let none = match card.format {
                Format::Idx | Format::IdxCut => {
                    Some([idx(&[0, u32::MAX, u32::MAX, u32::MAX], &[]), idx(&[0, 2, 3], &[])])
                }
                Format::Npy => {
                    Some([npy("|u1", "(0, 4294967295, 4294967295, 4294967295)", &[]), npy("|u1", "(0, 2, 3)", &[])])
                }
                Format::Table(_) | Format::Npz | Format::Cifar => None,
            };
            for file in none.into_iter().flatten() {
                let error = spoil(file).expect_err("a file of nothing is refused").to_string();
                let what = if name.ends_with("images") { "images, expected at least 1" } else { "labels, expected" };
                assert!(error.contains(&format!("{name}: it holds 0 {what}")), "{error}");
            }
            let error = spoil(b"PK something else entirely".to_vec()).expect_err("another file is refused");
            assert!(error.to_string().starts_with("failed to read small from "), "{error}");
        }
    }
}

#[test]
fn too_few_examples_and_labels_that_are_no_classes_are_refused() {
    let refused = |at: usize, bytes: Vec<u8>| {
        let (card, mut files) = datasets().swap_remove(1);
        files[at].1 = bytes;
        Folder::new(&files).load(card).unwrap_err().to_string()
    };
    let message = refused(1, idx(&[19], &[0; 19]));
    assert!(message.contains("train-labels: it holds 19 labels, expected 20, one for each image"), "{message}");
    let message = refused(0, idx(&[20, 2, 2], &[0; 80]));
    assert!(message.contains("train-images: it holds 4 pixels an image, expected 6"), "{message}");
    let message = refused(3, idx(&[10], &[0, 0, 3, 0, 0, 0, 0, 0, 0, 0]));
    assert!(message.contains("label 2 is 3, expected a class from 0 to 2"), "{message}");
    let (card, mut files) = datasets().swap_remove(0);
    files[0].1.extend(b"\n1,2,3,4,5,6,0\n");
    let message = Folder::new(&files).load(card).unwrap_err().to_string();
    assert!(message.contains("small.csv: it holds 31 rows, expected 30"), "{message}");
}

#[test]
fn inputs_that_are_all_the_same_are_refused_by_their_file() {
    let refused = |dataset: usize, at: usize, bytes: Vec<u8>| {
        let (card, mut files) = datasets().swap_remove(dataset);
        files[at].1 = bytes;
        Folder::new(&files).load(card).unwrap_err().to_string()
    };
    let message = refused(1, 0, idx(&[20, 2, 3], &[7; 120]));
    assert!(message.contains("train-images: all 20 images are the same, so no agent can learn from them"), "{message}");
    let message = refused(1, 2, idx(&[10, 2, 3], &[0, 1, 2, 3, 4, 5].repeat(10)));
    assert!(message.contains("test-images: all 10 images are the same"), "{message}");
    let blank = [vec![1], vec![0; 3072]].concat();
    assert!(refused(5, 2, blank.repeat(10)).contains("test: all 10 images are the same"));
    let message = refused(0, 0, b"1,2,3,4,5,1,0\n1,2,3,4,5,1,1\n1,2,3,4,5,1,2\n".repeat(10));
    assert!(message.contains("small.csv: all 30 rows of features are the same"), "{message}");
}

#[test]
fn missing_parts_are_named() {
    let (_, mut files) = datasets().swap_remove(1);
    files.remove(2);
    let missing = locate(&IDX, &Folder::new(&files).directories()).unwrap_err();
    assert_eq!(missing.iter().map(|part| part.holds).collect::<Vec<_>>(), ["test images"]);
    assert_eq!(locate(&IDX, &["/nonexistent".into()]).unwrap_err().len(), 4);
}

#[test]
fn the_first_directory_and_place_come_first() {
    let (a, b) =
        (Folder::new(&[("small.csv", vec![])]), Folder::new(&[("a/small.csv", vec![]), ("small.csv", vec![])]));
    let find = |directories: [&Folder; 2]| {
        let directories: Vec<_> = directories.iter().flat_map(|folder| folder.directories()).collect();
        locate(&TABLE, &directories).unwrap()[0].path.clone()
    };
    assert_eq!(find([&a, &b]), a.0.path().join("small.csv"));
    assert_eq!(find([&b, &a]), b.0.path().join("a/small.csv"));
}

fn real_problem(train_size: u32, repetition: u32) -> RealProblem {
    let (card, files) = datasets().swap_remove(2);
    let data = Arc::new(Folder::new(&files).load(card).unwrap());
    let mut real = RealProblem::new(card, train_size, repetition);
    real.attach(&data);
    real
}

fn real_instance(train_size: u32, repetition: u32, seed: u64) -> RealInstance {
    real_problem(train_size, repetition).instance(seed.into(), &format!("test/small/t{train_size}/seed{repetition}"))
}

/// The bits of each input, with its label.
type Rows = Vec<(Vec<u32>, u32)>;

fn rows(inputs: &Matrix, labels: &[u32]) -> Rows {
    let bits = |i| inputs.row(i).iter().map(|x| x.to_bits()).collect();
    (0..inputs.rows()).map(|i| (bits(i), labels[i])).collect()
}

fn train_rows(instance: &RealInstance) -> Rows {
    rows(instance.train().inputs().numbers(), instance.train().labels())
}

fn all_rows(examples: &Examples, count: usize) -> Rows {
    let all: Vec<usize> = (0..count).collect();
    rows(&examples.inputs(&IDX_CUT, &all), &examples.labels(&all))
}

#[test]
fn fewer_examples_are_among_more_of_them() {
    let train = |size, repetition, seed| train_rows(&real_instance(size, repetition, seed));
    let full = train(u32::MAX, 0, 5);
    assert_eq!(full.len(), 20);
    assert_eq!(full.iter().collect::<HashSet<_>>().len(), 20);
    assert_eq!(train(10, 0, 5), full[..10]);
    assert_eq!(train(1, 0, 5), full[..1]);
    assert_ne!(train(10, 1, 5), full[..10], "another repetition has other examples");
    assert_ne!(train(10, 0, 6), full[..10], "another seed has other examples");
}

#[test]
fn training_examples_beyond_the_first_are_inputs_without_labels() {
    let (full, some) = (real_instance(u32::MAX, 0, 5), real_instance(15, 0, 5));
    assert_eq!(full.unlabelled(), None);
    let unlabelled = some.unlabelled().unwrap();
    assert_eq!(unlabelled.numbers().values(), &full.train().inputs().numbers().values()[15 * 6..]);
    assert_eq!(train_rows(&some), train_rows(&full)[..15]);
}

#[test]
fn tau_samples_are_test_examples_and_depend_on_their_index_alone() {
    let instance = real_instance(10, 0, 3);
    let all = instance.test(4, 0..6);
    let some = instance.test(4, 2..4);
    assert_eq!(some.inputs.numbers().values(), &all.inputs.numbers().values()[2 * 4 * 6..4 * 4 * 6]);
    assert_eq!(some.labels, all.labels[8..16]);
    assert!(all.log_likelihoods.is_none());

    let problem = real_problem(10, 0);
    let data = problem.data().unwrap();
    let train = all_rows(&data.train, 20);
    let test: HashSet<_> = all_rows(&data.test, 10).into_iter().collect();
    let drawn = rows(all.inputs.numbers(), &all.labels);
    assert!(drawn.iter().all(|row| test.contains(row) && !train.contains(row)));
    assert!(drawn.iter().collect::<HashSet<_>>().len() < drawn.len(), "24 draws of 10 repeat some");
}

#[test]
fn what_agents_are_told() {
    let task = real_problem(10, 0).task();
    assert_eq!((task.input_dim, task.num_classes, task.temperature, task.hidden_layers), (6, 3, Some(0.01), None));
}

#[test]
fn the_registry_is_table_2() {
    let paper: Vec<_> = cards().iter().filter(|card| card.in_paper).collect();
    let sizes: Vec<_> =
        paper.iter().map(|card| (card.name, card.num_classes, card.input_dim, card.train_size)).collect();
    assert_eq!(
        sizes,
        [
            ("iris", 3, 4, 120),
            ("wine-quality", 11, 11, 3918),
            ("german-credit", 2, 24, 800),
            ("mnist", 10, 784, 60_000),
            ("fashion-mnist", 10, 784, 60_000),
            ("mnist-corrupted-shot-noise", 10, 784, 60_000),
            ("emnist-letters", 37, 784, 88_800),
            ("emnist-digits", 10, 784, 240_000),
            ("cmaterdb", 10, 3072, 5000),
            ("cifar10", 10, 3072, 50_000),
        ]
    );
}

/// The downloads of a dataset contain all of its parts.
#[test]
fn downloads_make_a_dataset() {
    for card in cards().iter().filter(|card| !card.downloads.is_empty()) {
        let fetched: HashSet<&str> = card.downloads.iter().map(|download| download.path).collect();
        for part in card.parts {
            assert!(part.places.iter().any(|place| fetched.contains(place.path)), "{}: {}", card.name, part.holds);
        }
        for download in card.downloads {
            let digits = download.digest.strip_prefix("sha256:").unwrap();
            assert!(digits.len() == 64 && digits.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')), "{digits}");
            assert!(download.url.starts_with("http") && download.bytes > 0);
            let name = |text: &str| text.rsplit('/').next().unwrap().to_owned();
            assert_eq!(name(download.url), name(download.path));
        }
    }
}

/// Loads the dataset from real files, if this machine has them.
fn at_hand(name: &str) -> Option<LoadedDataset> {
    let card = card(name).unwrap();
    if let Ok(files) = locate(card, &[Path::new(REAL).to_owned()]) {
        return Some(load(card, &files).unwrap());
    }
    eprintln!("skipped: {name} is not in {REAL}");
    None
}

/// Returns the number of examples of each class, training and test together.
fn counts(data: &LoadedDataset) -> Vec<usize> {
    let mut counts = vec![0; data.card.num_classes as usize];
    data.train.labels.iter().chain(&data.test.labels).for_each(|&label| counts[label as usize] += 1);
    counts
}

#[test]
fn real_tables_have_the_classes_that_are_known_of_them() {
    let known: [(&str, &[usize]); 3] = [
        ("iris", &[50, 50, 50]),
        ("wine-quality", &[0, 0, 0, 20, 163, 1457, 2198, 880, 175, 5, 0]),
        ("german-credit", &[700, 300]),
    ];
    for (name, classes) in known {
        if let Some(data) = at_hand(name) {
            assert_eq!(counts(&data), classes, "{name}");
        }
    }
}

#[test]
fn real_images_have_the_classes_that_are_known_of_them() {
    if let Some(data) = at_hand("mnist-t10k") {
        assert_eq!(counts(&data), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
        assert_eq!(data.train.labels[..10], [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]);
        assert_eq!(data.test.labels.len(), 1000);
    }
    if let Some(data) = at_hand("notmnist-t10k") {
        assert_eq!(counts(&data).iter().sum::<usize>(), 10_000);
        let inputs = data.test.inputs(data.card, &[0, 999]);
        for row in 0..2 {
            let square: f32 = inputs.row(row).iter().map(|x| x * x).sum();
            // 784 pixels with variance one, except for the 1e-8 that is added.
            assert!((square / 784.0 - 1.0).abs() < 1e-3, "{square}");
        }
    }
}
