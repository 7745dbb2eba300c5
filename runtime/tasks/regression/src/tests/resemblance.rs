//! Section 5.5: simulations that resemble a table.

use jointly_core::regression::Targets;
use std::path::PathBuf;

use jointly_core::matrix::Matrix;
use jointly_core::stream::stream;
use jointly_data::uci::{load_uci, locate_uci, uci_card};

use super::super::*;

/// The directory of real files, on a machine that has them.
const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data");

/// Creates a table whose noise grows with its one input.
fn table(rows: usize) -> Targets {
    let mut source = stream(0, "test", "table", 0);
    let inputs: Vec<f32> = (0..rows).map(|_| source.uniform() as f32).collect();
    let targets = inputs.iter().map(|&x| 10.0 * x + (0.1 + 2.0 * x) * source.normal() as f32).collect();
    Targets::new(Matrix::new(rows, 1, inputs).unwrap(), targets).unwrap()
}

#[test]
fn rows_are_shared_out_as_those_of_boston() {
    let sizes = |rows| Process::table("t", table(rows), Noise::Normal).unwrap().sizes();
    assert_eq!(sizes(506), Sizes { train: 366, validation: 40, test: 100 });
    assert_eq!(sizes(1012), Sizes { train: 732, validation: 80, test: 200 });
    assert_eq!(sizes(50), Sizes { train: 36, validation: 4, test: 10 });
    let own = Sizes { train: 20, validation: 0, test: 5 };
    let instance = Process::table("t", table(50), Noise::Normal).unwrap().with_sizes(own).instance(0.into());
    let simulation = instance.simulation(0);
    assert_eq!((simulation.train.rows(), simulation.validation, instance.test(0).data().rows()), (20, None, 5));
}

#[test]
fn the_forests_follow_the_table() {
    let about =
        |residuals| spreads(&Process::table("t", table(1000), Noise::Normal).unwrap().with_residuals(residuals));
    // The whole forest has fitted part of the noise, so its residuals are smaller than the noise. Residuals of the
    // trees that did not see a row consist of the noise and the error of these trees.
    let (in_bag, out_of_bag) = (about(Residuals::InBag), about(Residuals::OutOfBag));
    assert!((0.1..1.2).contains(&in_bag) && (1.6..2.6).contains(&out_of_bag), "{in_bag} and {out_of_bag}, true 1.8");
}

/// Returns the mean standard deviation of the noise for x above 0.7, and checks that the function is about 10 x and
/// that the noise grows with x.
fn spreads(process: &Process) -> f64 {
    let test = process.instance(0.into()).test(0);
    let (mut error, mut low, mut high) = (0.0, Vec::new(), Vec::new());
    for (row, (&truth, &std)) in test.truth().iter().zip(test.noise_stds()).enumerate() {
        let x = f64::from(test.data().inputs().row(row)[0]);
        error += (truth - 10.0 * x).abs() / test.truth().len() as f64;
        if x < 0.3 {
            low.push(std);
        } else if x > 0.7 {
            high.push(std);
        }
    }
    let mean = |stds: &[f64]| stds.iter().sum::<f64>() / stds.len() as f64;
    assert!(error < 1.0 && mean(&high) > 2.0 * mean(&low), "{error}, {} and {}", mean(&low), mean(&high));
    mean(&high)
}

#[test]
fn inputs_stay_and_targets_are_drawn_anew() {
    let process = Process::table("t", table(60), Noise::Normal).unwrap();
    let (instance, other) = (process.instance(0.into()), process.instance(1.into()));
    let (first, second) = (instance.simulation(0), instance.simulation(1));
    assert_eq!(first.train.inputs(), second.train.inputs());
    assert_ne!(first.train.targets(), second.train.targets());
    assert_eq!(first, process.instance(0.into()).simulation(0));
    assert_ne!(instance.test(0).data().inputs(), other.test(0).data().inputs());
    let values = |data: &Targets| data.inputs().values().to_vec();
    let test = values(instance.test(0).data());
    let validation = values(first.validation.as_ref().unwrap());
    assert!(values(&first.train).iter().chain(&validation).all(|x| !test.contains(x)), "no row serves twice");
    let heavy = Process::table("t", table(60), Noise::StudentT).unwrap().instance(0.into());
    assert_eq!(heavy.test(0).truth(), instance.test(0).truth());
    assert_ne!(heavy.test(0).data().targets(), instance.test(0).data().targets());
}

#[test]
fn bostons_simulation_resembles_boston() {
    let card = uci_card("boston").unwrap();
    let Ok(folder) = locate_uci(card, &[PathBuf::from(REAL)]) else {
        eprintln!("skipped: boston is not in {REAL}");
        return;
    };
    let table = load_uci(card, &folder).unwrap();
    for (residuals, range) in [(Residuals::InBag, 0.5..1.5), (Residuals::OutOfBag, 2.0..3.2)] {
        let process = Process::table("boston", table.data().clone(), Noise::Normal).unwrap().with_residuals(residuals);
        assert_eq!(process.sizes(), Sizes { train: 366, validation: 40, test: 100 });
        let instance = process.instance(0.into());
        let test = instance.test(0);
        let (stds, truth) = (test.noise_stds(), test.truth());
        let mean = stds.iter().sum::<f64>() / stds.len() as f64;
        let price = truth.iter().sum::<f64>() / truth.len() as f64;
        eprintln!("{residuals:?}: mean noise {mean}, mean price {price}");
        // Prices are about 22.5 with a standard deviation of 9.2.
        assert!(range.contains(&mean) && (18.0..27.0).contains(&price), "{residuals:?}: {mean}");
        assert!(stds.iter().all(|&std| std > 0.0));
    }
}
