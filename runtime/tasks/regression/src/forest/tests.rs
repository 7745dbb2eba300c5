//! Forests against answers worked out by hand, and as fits of data with a known distribution.

use jointly_core::stream::stream;

use super::*;

const ONE: ForestSettings = ForestSettings { trees: 1, depth: 15 };

fn source(i: u64) -> Stream {
    stream(0, "test", "forest", i)
}

fn whole(inputs: &Matrix, targets: &[f64], depth: u32) -> Tree {
    Tree::grow(inputs, targets, (0..targets.len()).collect(), depth)
}

#[test]
fn a_tree_of_all_rows_holds_each_of_them() {
    let inputs = Matrix::new(4, 2, vec![0.0, 5.0, 0.0, 6.0, 1.0, 5.0, 1.0, 6.0]).unwrap();
    // Neither feature alone lowers the sum of squares here: a split without gain leads to splits with gain.
    let targets = [1.0, -1.0, -1.0, 1.0];
    let tree = whole(&inputs, &targets, 2);
    for (row, target) in targets.iter().enumerate() {
        assert_eq!(tree.predict(inputs.row(row)), *target);
    }
    assert_eq!(whole(&inputs, &targets, 0).predict(&[0.0, 5.0]), 0.0);
}

#[test]
fn the_best_split_is_taken_first_and_lies_half_way() {
    let inputs = Matrix::new(5, 1, vec![0.0, 1.0, 2.0, 4.0, 5.0]).unwrap();
    let tree = whole(&inputs, &[1.0, 1.2, 0.8, 9.0, 11.0], 1);
    assert!((tree.predict(&[3.0]) - 1.0).abs() < 1e-12);
    assert!((tree.predict(&[3.001]) - 10.0).abs() < 1e-12);
}

#[test]
fn where_inputs_are_the_same_there_is_nothing_to_split() {
    let inputs = Matrix::new(3, 1, vec![2.0; 3]).unwrap();
    assert_eq!(whole(&inputs, &[1.0, 2.0, 6.0], 9).predict(&[0.0]), 3.0);
}

#[test]
fn neighbouring_floats_are_told_apart() {
    let next = f32::from_bits(1.0_f32.to_bits() + 1);
    let inputs = Matrix::new(2, 1, vec![1.0, next]).unwrap();
    let tree = whole(&inputs, &[3.0, 4.0], 1);
    assert_eq!((tree.predict(&[1.0]), tree.predict(&[next])), (3.0, 4.0));
}

#[test]
fn a_tree_leaves_out_about_a_third_of_the_rows() {
    // Each row is a leaf of its own, so a tree answers rows that it has not seen by a neighbour.
    let rows = 2000;
    let inputs = Matrix::new(rows, 1, (0..rows).map(|i| i as f32).collect()).unwrap();
    let targets: Vec<f64> = (0..rows).map(|i| i as f64).collect();
    let forest = Forest::fit(&inputs, &targets, ForestSettings { depth: 40, ..ONE }, source);
    let missed = forest.predict(&inputs).iter().zip(&targets).filter(|(a, b)| a != b).count() as f64 / rows as f64;
    // exp(-1), within four standard errors.
    assert!((missed - 0.368).abs() < 0.05, "{missed}");
}

#[test]
fn a_forest_learns_a_function_and_not_its_noise() {
    let mut draw = stream(1, "test", "forest", 0);
    let rows = 600;
    let inputs = Matrix::new(rows, 2, (0..2 * rows).map(|_| draw.uniform() as f32).collect()).unwrap();
    let truth: Vec<f64> = (0..rows).map(|i| f64::from(4.0 * inputs.row(i)[0])).collect();
    let targets: Vec<f64> = truth.iter().map(|f| f + draw.normal()).collect();
    let error = |trees| {
        let forest = Forest::fit(&inputs, &targets, ForestSettings { trees, depth: 15 }, source);
        let squares = forest.predict(&inputs).iter().zip(&truth).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        squares / rows as f64
    };
    // One deep tree keeps nearly all of the noise's variance of 1; a forest averages much of it away.
    let (one, many) = (error(1), error(100));
    assert!(one > 0.7 && many < 0.6, "{one} and {many}");
}

#[test]
fn the_same_streams_grow_the_same_forest() {
    let inputs = Matrix::new(50, 1, (0..50).map(|i| (i % 7) as f32).collect()).unwrap();
    let targets: Vec<f64> = (0..50).map(|i| f64::from(i % 5)).collect();
    let settings = ForestSettings { trees: 3, depth: 4 };
    let forest = Forest::fit(&inputs, &targets, settings, source);
    assert_eq!(forest, Forest::fit(&inputs, &targets, settings, source));
    assert_ne!(forest, Forest::fit(&inputs, &targets, settings, |i| source(i + 3)));
}

#[test]
fn out_of_bag_is_the_mean_of_the_trees_that_did_not_see_a_row() {
    let inputs = Matrix::new(12, 1, (0..12).map(|i| i as f32).collect()).unwrap();
    let targets: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
    let settings = ForestSettings { trees: 5, depth: 15 };
    let (forest, unseen) = Forest::with_out_of_bag(&inputs, &targets, settings, source);
    assert_eq!(forest, Forest::fit(&inputs, &targets, settings, source));
    let samples = (0..5).map(|i| {
        let mut source = source(i);
        (0..12).map(|_| (source.uniform() * 12.0) as usize).collect::<Vec<_>>()
    });
    let trees: Vec<(Vec<usize>, Tree)> =
        samples.map(|rows| (rows.clone(), Tree::grow(&inputs, &targets, rows, 15))).collect();
    for (row, unseen) in unseen.iter().enumerate() {
        let of = |all: bool| {
            let trees = trees.iter().filter(|(rows, _)| all || !rows.contains(&row));
            let values: Vec<f64> = trees.map(|(_, tree)| tree.predict(inputs.row(row))).collect();
            (values.iter().sum::<f64>() / values.len() as f64, values.len())
        };
        let expected = if of(false).1 == 0 { of(true).0 } else { of(false).0 };
        assert!((unseen - expected).abs() < 1e-12, "row {row}");
    }
}
