//! Tests of problems that the host draws: the contents of an instance, and the effect of shifts on it.

use jointly_core::dataset::Dataset;

use super::*;
use crate::shift::{ShiftError, ShiftLevel};

fn problem(side: usize) -> ShiftProblem {
    let drawn = DrawnDigits::new(40, 10, 20).with_side(side);
    ShiftProblem {
        name: "test/drawn/seed0".to_owned(),
        source: ShiftSource::Drawn(drawn),
        repetition: 0,
        coordinates: Coordinates::default(),
    }
}

fn level(text: &str) -> ShiftLevel {
    text.parse().unwrap()
}

fn rows(data: &Dataset) -> Vec<&[f32]> {
    let numbers = data.inputs().numbers();
    (0..numbers.rows()).map(|row| numbers.row(row)).collect()
}

#[test]
fn drawn_digits_are_as_many_as_asked_for_and_none_twice() {
    for side in [8, 14, 28, 40] {
        let problem = problem(side);
        let instance = problem.instance(3.into());
        let sets = [&instance.train, &instance.validation, &instance.test];
        assert_eq!(sets.map(|set| set.labels().len()), [40, 10, 20]);
        let all: Vec<&[f32]> = sets.into_iter().flat_map(rows).collect();
        assert!(all.iter().all(|image| image.len() == side * side));
        assert!(all.iter().enumerate().all(|(i, image)| !all[..i].contains(image)));
        assert_eq!(instance.outsiders[0].inputs.rows(), 20);
        assert_eq!(instance.task, problem.task());
        let again = problem.instance(3.into());
        assert_eq!((&again.train, &again.test), (&instance.train, &instance.test));
        assert_ne!(problem.instance(4.into()).train, instance.train);
    }
}

/// Averaging an image of finer pixels nearly gives that of coarser pixels.
#[test]
fn a_digit_is_the_same_at_every_size() {
    let (coarse, fine) = (problem(14).instance(0.into()), problem(28).instance(0.into()));
    assert_eq!(coarse.train.labels(), fine.train.labels());
    let mut squares = 0.0;
    for (coarse, fine) in rows(&coarse.train).iter().zip(rows(&fine.train)) {
        for place in 0..14 * 14 {
            let corner = place / 14 * 2 * 28 + place % 14 * 2;
            let mean = [0, 1, 28, 29].iter().map(|step| fine[corner + step]).sum::<f32>() / 4.0;
            squares += (coarse[place] - mean).powi(2);
        }
    }
    let error = (squares / (40.0 * 196.0)).sqrt();
    // Ink is from 0 to 1; a coarse pixel's ink is sampled at its middle.
    assert!(error < 0.08, "{error}");
}

#[test]
fn a_row_is_shifted_by_itself() {
    let instance = problem(28).instance(0.into());
    let mut first = instance.clone();
    first.test = instance.test.select(&[0, 1, 2]);
    for text in ["rotation/30", "gaussian-noise/2", "elastic/5", "frost/3"] {
        let all = instance.shifted(&level(text)).unwrap();
        assert_eq!(first.shifted(&level(text)).unwrap(), all.select(&[0, 1, 2]));
        assert_ne!(all, *instance.test.inputs());
        assert!(all.numbers().values().iter().all(|x| (0.0..=1.0).contains(x)));
    }
    assert_eq!(instance.shifted(&level("fog/0")).unwrap(), *instance.test.inputs());
}

/// With CIFAR-10-C's constants digits would hardly change.
#[test]
fn digits_are_corrupted_with_the_constants_of_large_images() {
    let instance = problem(28).instance(0.into());
    let noisy = instance.shifted(&level("gaussian-noise/1")).unwrap();
    // 0.08 is ImageNet-C's standard deviation at severity 1, 0.04 CIFAR-10-C's; values from 0.4 to 0.6 are not clipped.
    let pairs = instance.test.inputs().numbers().values().iter().zip(noisy.numbers().values());
    let inner: Vec<f64> =
        pairs.filter(|(x, _)| (0.4..0.6).contains(*x)).map(|(x, y)| (f64::from(*y) - f64::from(*x)).powi(2)).collect();
    let deviation = (inner.iter().sum::<f64>() / inner.len() as f64).sqrt();
    assert!((deviation - 0.08).abs() < 5.0 * 0.08 / (2.0 * inner.len() as f64).sqrt(), "{deviation}");
}

#[test]
fn shifts_of_other_data_are_refused() {
    let problem = problem(28);
    // Rotation, translation and 18 corruptions: grey images have no saturation.
    assert_eq!(Shift::ALL.into_iter().filter(|&shift| problem.takes(shift)).count(), 2 + 18);
    assert!(!problem.takes(Shift::Saturate) && !problem.takes(Shift::Reassign));
    let error = problem.instance(0.into()).shifted(&level("reassign/0.5")).unwrap_err();
    assert!(matches!(error, ShiftError::Input { shift: "reassign", .. }), "{error}");
}
