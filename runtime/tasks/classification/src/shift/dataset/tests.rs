//! Tests the split of rows, the withheld classes and the choice of out-of-distribution inputs.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use jointly_core::Coordinates;
use jointly_core::tokens::Tokens;
use jointly_data::shift::fixture::png;
use jointly_data::shift::{ImageFolder, load_shift, locate_shift, shift_card};

use super::*;
use crate::shift::{Shift, ShiftLevel, shift_suite};
use crate::shift::{ShiftProblem, ShiftSource, attach_datasets};

/// The directory of real data, on a machine that has it.
const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data");

/// Loads a synthetic Iris dataset: 150 rows whose first feature is the row number, 50 per class.
fn iris() -> Arc<ShiftData> {
    let folder = tempfile::tempdir().unwrap();
    let names = ["setosa", "versicolor", "virginica"];
    let row = |i: usize| format!("{i},{},{},1,{}", i % 7, i % 3, names[i / 50]);
    let rows = (0..150).map(row).collect::<Vec<_>>().join("\n");
    fs::create_dir(folder.path().join("iris")).unwrap();
    fs::write(folder.path().join("iris/iris.csv"), rows).unwrap();
    let card = shift_card("iris").unwrap();
    Arc::new(load_shift(card, &locate_shift(card, &[folder.path().to_owned()]).unwrap()).unwrap())
}

fn problem(data: &Arc<ShiftData>, classes: ClassShift, repetition: u32) -> ShiftProblem {
    let dataset = ShiftDataset::known(shift_card(data.name()).unwrap()).with_classes(classes);
    let name = format!("test/{}/seed{repetition}", data.name());
    let mut problem =
        ShiftProblem { name, source: ShiftSource::Data(dataset), repetition, coordinates: Coordinates::default() };
    problem.attach(data);
    problem
}

/// Returns the first feature of each row as bits, which identify the row: standardising keeps the order of the feature.
fn first(data: &Dataset) -> Vec<u32> {
    let numbers = data.inputs().numbers();
    (0..numbers.rows()).map(|row| numbers.row(row)[0].to_bits()).collect()
}

#[test]
fn parts_are_disjoint_seeded_and_another_in_each_repetition() {
    let data = iris();
    let instance = |seed, repetition| problem(&data, ClassShift::None, repetition).instance(seed);
    let it = instance(1.into(), 0);
    let parts = [&it.train, &it.validation, &it.test];
    assert_eq!(parts.map(|part| part.labels().len()), [105, 15, 30]);
    let all: Vec<u32> = parts.into_iter().flat_map(first).collect();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 150);
    assert_eq!(instance(1.into(), 0).train, it.train);
    assert!(
        instance(1.into(), 1).test.labels() != it.test.labels()
            && instance(2.into(), 0).test.labels() != it.test.labels()
    );
    // Columns of the training rows have mean 0 and standard deviation 1.
    let column: Vec<f64> = it.train.inputs().numbers().values().iter().step_by(4).map(|&x| f64::from(x)).collect();
    let (mean, square) = (column.iter().sum::<f64>() / 105.0, column.iter().map(|x| x * x).sum::<f64>() / 105.0);
    assert!(mean.abs() < 1e-6 && (square - 1.0).abs() < 1e-6, "{mean} {square}");
    assert!(it.outsiders.is_empty());
    assert_eq!(problem(&data, ClassShift::None, 0).digest().unwrap(), data.digest());
}

#[test]
fn a_class_held_out_is_never_seen_and_the_outsiders_are_of_it() {
    let data = iris();
    let mut held = HashSet::new();
    for repetition in 0..3 {
        let problem = problem(&data, ClassShift::HeldOut, repetition);
        let it = problem.instance(1.into());
        assert_eq!((problem.task().num_classes, it.task.num_classes), (2, 2));
        assert_eq!(it.outsiders[0].name, "held-out-class");
        assert_eq!(it.outsiders[0].inputs.rows(), 20, "as many as there are to test on");
        let parts = [&it.train, &it.validation, &it.test];
        assert_eq!(parts.map(|part| part.labels().len()), [70, 10, 20]);
        assert!(parts.iter().flat_map(|part| part.labels()).all(|&label| label < 2));
        let seen: HashSet<u32> = parts.into_iter().flat_map(first).collect();
        let outside = it.outsiders[0].inputs.numbers();
        assert!((0..20).all(|row| !seen.contains(&outside.row(row)[0].to_bits())));
        // Rows are sorted by class, so any held-out row identifies the held-out class.
        let below = it.test.inputs().numbers();
        held.insert((0..20).filter(|&row| below.row(row)[0] < outside.row(10)[0]).count() / 5);
        // The remaining labels are in the order of the classes.
        let (numbers, labels) = (it.train.inputs().numbers(), it.train.labels());
        let largest = |label| {
            let rows = (0..70).filter(|&row| labels[row] == label);
            rows.map(|row| numbers.row(row)[0]).fold(f32::MIN, f32::max)
        };
        assert!(largest(0) < largest(1));
    }
    assert!(held.len() >= 2, "repetitions hold out different classes");
}

#[test]
fn filtered_classes_are_rarer_in_training_alone() {
    let data = iris();
    let instance = |reject| {
        let classes = ClassShift::Filtered { share: 0.34, reject };
        problem(&data, classes, 0).instance(1.into())
    };
    let counts = |part: &Dataset| {
        let mut counts = [0_usize; 3];
        part.labels().iter().for_each(|&label| counts[label as usize] += 1);
        counts
    };
    let whole = problem(&data, ClassShift::None, 0).instance(1.into());
    let (none, half, all) = (instance(0.0), instance(0.5), instance(1.0));
    assert_eq!(none.train, whole.train);
    assert_eq!((&half.test.labels(), &all.test.labels()), (&whole.test.labels(), &whole.test.labels()));
    let (before, some, none_left) = (counts(&whole.train), counts(&half.train), counts(&all.train));
    let filtered: Vec<usize> = (0..3).filter(|&class| none_left[class] == 0).collect();
    assert_eq!(filtered.len(), 1, "a third of three");
    for class in 0..3 {
        if class == filtered[0] {
            // Half of about 35, within five standard deviations.
            assert!(some[class].abs_diff(before[class] / 2) < 15, "{some:?} of {before:?}");
            assert_eq!(counts(&all.validation)[class], 0);
        } else {
            assert_eq!((some[class], none_left[class]), (before[class], before[class]));
        }
    }
}

#[test]
fn a_persons_own_images_have_their_own_classes() {
    let folder = tempfile::tempdir().unwrap();
    for class in ["a", "b"] {
        let within = folder.path().join(class);
        fs::create_dir(&within).unwrap();
        for image in 0..20_u8 {
            let pixels = png(8, 8, |x, y| [10 * image + (x * y) as u8]);
            fs::write(within.join(format!("{image}.png")), pixels).unwrap();
        }
    }
    let images = ImageFolder {
        train: folder.path().to_owned(),
        test: None,
        outsiders: vec![("same".to_owned(), folder.path().to_owned())],
        side: 8,
        grey: true,
    };
    let data = Arc::new(images.load("mine").unwrap());
    let mut problem = ShiftProblem {
        name: "own/mine/seed0".to_owned(),
        source: ShiftSource::Data(ShiftDataset::own("mine")),
        repetition: 0,
        coordinates: Coordinates::default(),
    };
    assert_eq!(problem.digest(), None);
    problem.attach(&data);
    let it = problem.instance(0.into());
    assert_eq!([&it.train, &it.validation, &it.test].map(|part| part.labels().len()), [28, 4, 8]);
    assert_eq!(it.outsiders[0].inputs.rows(), 8, "as many as there are to test on");
    let level: ShiftLevel = "gaussian-blur/2".parse().unwrap();
    assert_ne!(it.shifted(&level).unwrap(), *it.test.inputs());
}

#[test]
fn words_are_replaced_and_padding_stays() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["train", "test"] {
        for group in jointly_data::shift::NEWSGROUPS {
            let within = folder.path().join(format!("20newsgroups/20news-bydate-{part}/{group}"));
            fs::create_dir_all(&within).unwrap();
            fs::write(within.join("1"), format!("From: x\n\n{group} {}", "word ".repeat(100))).unwrap();
            fs::write(within.join("2"), format!("From: x\n\n{group} words")).unwrap();
        }
    }
    let card = shift_card("20newsgroups").unwrap();
    let mut problems = vec![ShiftProblem {
        name: "test/text/seed0".to_owned(),
        source: ShiftSource::Data(ShiftDataset::known(card)),
        repetition: 0,
        coordinates: Coordinates::default(),
    }];
    attach_datasets(&mut problems, &[folder.path().to_owned()]).unwrap();
    let it = problems[0].instance(0.into());
    assert_eq!([&it.train, &it.validation, &it.test].map(|part| part.labels().len()), [18, 2, 20]);
    assert!(problems[0].takes(Shift::Reassign) && !problems[0].takes(Shift::GaussianFeatures));
    let shifted = |severity: f64| it.shifted(&Shift::Reassign.at(severity).unwrap()).unwrap();
    let Tokens::Text { vocabulary, .. } = it.task.tokens else { unreachable!("the task is of texts") };
    let before = it.test.inputs().tokens().values();
    let (mut changed, mut words) = (0_usize, 0_usize);
    for ((&old, &new), &half) in before.iter().zip(shifted(1.0).tokens().values()).zip(shifted(0.5).tokens().values()) {
        assert_eq!(old == 0, new == 0, "padding stays, and nothing becomes it");
        assert!(new < vocabulary && (half == old || half == new));
        words += usize::from(old != 0);
        changed += usize::from(half != old);
    }
    // Within five standard deviations of half of the words.
    assert!(changed.abs_diff(words / 2) < (1.25 * words as f64).sqrt() as usize * 3, "{changed} of {words}");
    assert_eq!(shifted(0.0), *it.test.inputs());
    let image: ShiftLevel = "fog/1".parse().unwrap();
    assert!(it.shifted(&image).unwrap_err().to_string().contains("fog shifts images, not tokens"));
}

#[test]
fn categories_stay_in_their_column() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("criteo")).unwrap();
    let line = |i: usize| {
        let fields = (0..39).map(|j| if j < 13 { format!("{}", i + j) } else { format!("{:x}", i * j) });
        format!("{}\t{}\n", i % 2, fields.collect::<Vec<_>>().join("\t"))
    };
    fs::write(folder.path().join("criteo/train.txt"), (0..100).map(line).collect::<String>()).unwrap();
    let mut problems = shift_suite("shift/clicks").unwrap().problems;
    attach_datasets(&mut problems, &[folder.path().to_owned()]).unwrap();
    let it = problems[0].instance(0.into());
    assert_eq!([&it.train, &it.validation, &it.test].map(|part| part.labels().len()), [90, 5, 5]);
    let shifted = it.shifted(&"reassign/0.95".parse().unwrap()).unwrap();
    assert!(it.task.check(&shifted).is_ok());
    assert_eq!(shifted.numbers(), it.test.inputs().numbers());
    assert_ne!(shifted.tokens(), it.test.inputs().tokens());
    // The counts are a table, which noise shifts.
    let noisy = it.shifted(&"gaussian-features/1".parse().unwrap()).unwrap();
    assert!(noisy.numbers() != it.test.inputs().numbers() && noisy.tokens() == it.test.inputs().tokens());
}

/// Tests that a table is refused before it runs if holding out a class would leave nothing to learn.
#[test]
fn a_class_is_held_out_only_of_enough() {
    let attach = |classes: &dyn Fn(usize) -> usize| {
        let folder = tempfile::tempdir().unwrap();
        let names = ["setosa", "versicolor", "virginica"];
        let rows = (0..150).map(|i| format!("{i},{},3,4,{}", i % 5, names[classes(i)])).collect::<Vec<_>>().join("\n");
        fs::create_dir(folder.path().join("iris")).unwrap();
        fs::write(folder.path().join("iris/iris.csv"), rows).unwrap();
        let mut problems = shift_suite("shift/tabular").unwrap().problems;
        problems.retain(|problem| problem.dataset().unwrap().name() == "iris");
        let result = attach_datasets(&mut problems, &[folder.path().to_owned()]).map_err(|error| error.to_string());
        if result.is_ok() {
            assert!(problems.iter().all(|problem| !problem.instance(0.into()).test.labels().is_empty()));
        }
        result
    };
    assert_eq!(attach(&|i| i % 3), Ok(()));
    let expected = "to hold one out takes 3 classes and 3 rows beside any of them: get the file again, whole, or leave such \
                    problems out by --problems";
    let two: &dyn Fn(usize) -> usize = &|i| i % 2;
    for (few, counts) in [(two, "2 classes, 75 rows"), (&|i| if i < 148 { 0 } else { i - 147 }, "3 classes, 2 rows")] {
        let message = attach(few).unwrap_err();
        assert!(message.starts_with("failed to read iris from "), "{message}");
        let defect = format!("iris.csv: rows have {counts} beside the most frequent one, and {expected}");
        assert!(message.ends_with(&defect), "{message}");
    }
}

#[test]
fn a_class_is_filtered_only_beside_another() {
    let filtered = ClassShift::Filtered { share: 0.34, reject: 0.5 };
    assert!(filtered.check(&[0, 2, 0]).is_ok() && ClassShift::None.check(&[]).is_ok());
    let message = filtered.check(&[1, 1]).unwrap_err().to_string();
    assert!(message.starts_with("rows have 1 classes, 0 rows beside the most frequent one, and to filter one takes"));
}

#[test]
fn missing_data_are_named() {
    let mut problems = shift_suite("shift/text").unwrap().problems;
    let error = attach_datasets(&mut problems, &["/nowhere".into()]).unwrap_err().to_string();
    assert!(
        error.starts_with("there are no training texts of 20newsgroups in /nowhere: get 20news-bydate.tar.gz"),
        "{error}"
    );
    assert!(attach_datasets(&mut shift_suite("quick/shift").unwrap().problems, &[]).is_ok());
}

#[test]
fn real_problems_have_their_parts() {
    let directories = [Path::new(REAL).to_owned()];
    let mut problems: Vec<ShiftProblem> =
        ["shift/mnist", "shift/tabular"].into_iter().flat_map(|name| shift_suite(name).unwrap().problems).collect();
    problems.retain(|problem| {
        let there = locate_shift(problem.dataset().unwrap().card().unwrap(), &directories).is_ok();
        if !there {
            eprintln!("skipped: {} has no data in {REAL}", problem.name);
        }
        there
    });
    attach_datasets(&mut problems, &directories).unwrap();
    for problem in problems.iter().filter(|problem| problem.repetition == 0) {
        let it = problem.instance(0.into());
        let sizes = [&it.train, &it.validation, &it.test].map(|part| part.labels().len());
        if problem.name.contains("t10k") {
            assert_eq!(sizes, [8000, 500, 1500]);
            assert_eq!(it.outsiders.iter().map(|outsiders| outsiders.inputs.rows()).collect::<Vec<_>>(), [1500]);
        }
        assert!(sizes.iter().all(|&size| size > 0), "{}: {sizes:?}", problem.name);
        let loaded = problem.dataset().unwrap().data().unwrap().outsiders().count();
        assert!(loaded > 0 || !problem.name.contains("t10k"), "{}", problem.name);
        assert_eq!(it.outsiders.len(), usize::from(problem.name.contains("held-out")) + loaded, "{}", problem.name);
    }
}
