//! User-supplied tables as files: their names, the suites made of them, and data with extreme values.

use std::fmt::Write as _;
use std::path::Path;

use jointly_core::matrix::Matrix;
use jointly_core::regression::Targets;
use jointly_data::import::fixture::Fixture;
use jointly_data::regression::MAX_TARGET;

use super::*;
use crate::noise::Noise;
use crate::tests::linear::Linear;
use crate::{Process, RegressionOptions, regression_suite_on};

fn read(file: &str, bytes: impl Into<Vec<u8>>) -> Result<TableFile, TableFileError> {
    TableFile::from_bytes(file, bytes.into(), Path::new(file))
}

fn refusal(file: &str, bytes: impl Into<Vec<u8>>) -> String {
    read(file, bytes).unwrap_err().to_string()
}

/// Returns rows with two features and a target that is nearly linear in them, times a scale.
fn rows(count: usize, scale: f64) -> (Vec<f32>, Vec<f32>) {
    let inputs = |i: usize| [i as f32 * 0.25, (i * 7 % 11) as f32];
    let target = |i: usize| (scale * ((i as f64) * 0.5 - (i * 7 % 11) as f64 + (i * 5 % 3) as f64)) as f32;
    ((0..count).flat_map(inputs).collect(), (0..count).map(target).collect())
}

fn text(header: &str, count: usize, scale: f64) -> String {
    let (inputs, targets) = rows(count, scale);
    let mut text = header.to_owned();
    for (x, y) in inputs.chunks(2).zip(targets) {
        writeln!(text, "{},{},{y:e}", x[0], x[1]).unwrap();
    }
    text
}

#[test]
fn text_and_archives_of_one_table_are_the_same_table() {
    let plain = read("mine.csv", text("", 40, 1.0)).unwrap();
    let (inputs, targets) = rows(40, 1.0);
    let data = plain.table.data().unwrap();
    assert_eq!((data.data().inputs().values(), data.data().targets()), (inputs.as_slice(), targets.as_slice()));
    assert_eq!((data.data().inputs().cols(), data.name(), plain.table.card().is_none()), (2, "mine", true));
    let wide: Vec<f64> = inputs.iter().map(|&x| x.into()).collect();
    let archive = Fixture::new().array("x", &[40, 2], wide).array("y", &[40], targets.clone()).bytes();
    for (file, bytes) in [
        ("mine.csv", text("width,\"height, in feet\",price\n", 40, 1.0).into_bytes()),
        ("mine.CSV", text("\u{feff}\n", 40, 1.0).replace(',', " , ").replace('\n', "\r\n").into_bytes()),
        ("mine.npz", archive),
    ] {
        let other = read(file, bytes).unwrap();
        let own = other.table.data().unwrap();
        assert_eq!((own.data(), own.digest()), (data.data(), data.digest()), "{file}");
        assert_ne!(other.digest, plain.digest, "of the bytes");
    }
    let changed = read("mine.csv", text("", 40, 2.0)).unwrap();
    assert_ne!(changed.table.data().unwrap().digest(), data.digest());
}

#[test]
fn names_that_problems_cannot_have_are_refused() {
    let good = text("", 40, 1.0);
    for file in ["mine", "mine.txt", "mine.csv.gz", ""] {
        assert!(refusal(file, good.clone()).contains("ends in neither .csv nor .npz"), "{file}");
    }
    for name in ["", "my table", "a*", "a{b,c}", "-x", ".x", "caf\u{e9}", "a/b", &"a".repeat(65)] {
        let message = refusal(&format!("{name}.csv"), good.clone());
        assert!(message.contains("the table would be called") && message.contains("rename the file to"), "{message}");
    }
    for name in ["boston", "protein", "line", "gap", "uci", "tables", "d5", "sim0", "quick", "synthetic-own"] {
        let message = refusal(&format!("{name}.csv"), good.clone());
        assert!(message.contains(&format!("would be called {name}, which means something else")), "{message}");
    }
    for name in ["mine", "Boston", "a.b-c_1", "2024"] {
        assert_eq!(read(&format!("{name}.csv"), good.clone()).unwrap().table.name(), name);
    }
}

#[test]
fn it_takes_the_place_of_the_suites_tables() {
    let user = |name: &str| user_table(name).unwrap();
    let tables = [user("mine"), user("yours")];
    let names = |suite: &str| -> Vec<String> {
        let problems = regression_suite_on(suite, &tables).unwrap().problems.into_iter();
        let mut seen = std::collections::HashSet::new();
        let names: Vec<String> = problems
            .filter(|it| it.table().is_some())
            .map(|it| format!("{} {}", it.name, it.coordinates.cluster))
            .collect();
        assert!(names.iter().all(|name| seen.insert(name.clone())), "{suite}");
        assert!(names.iter().all(|name| name.starts_with(&format!("{suite}/"))), "{suite}");
        names
    };
    for (suite, count, first) in [
        ("coverage/boston", 200, "coverage/boston/mine/sim0 "),
        ("coverage/tables", 200, "coverage/tables/mine/sim0 "),
        ("coverage/uci", 40, "coverage/uci/mine/split0 mine"),
        ("correlations/uci", 20, "correlations/uci/mine/seed0 mine"),
        ("correlations/active", 80, "correlations/active/mine/seed0/batch-mig mine"),
        ("quick/coverage", 10, "quick/coverage/mine/sim0 "),
        ("quick/correlations", 4, "quick/correlations/mine/seed0 mine"),
        ("quick/active", 8, "quick/active/mine/seed0/batch-mig mine"),
        ("coverage/line", 0, ""),
        ("correlations/synthetic", 0, ""),
    ] {
        let names = names(suite);
        assert_eq!((names.len(), names.first().map_or("", String::as_str)), (count, first), "{suite}");
    }
    assert!(
        regression_suite_on("quick/coverage", &tables).unwrap().problems.iter().any(|it| it.name.contains("/line/"))
    );
}

#[test]
fn no_law_of_noise_leaves_the_range_that_targets_are_given() {
    // The ends of the cells of uniform numbers, whose quantiles are the deviates.
    let end = 2.0_f64.powi(-54);
    for noise in Noise::ALL {
        for p in [end, 1.0 - 2.0 * end] {
            let deviate = noise.quantile(p).abs();
            assert!(f64::from(MAX_TARGET) * (1.0 + 2.0 * deviate) < f64::from(f32::MAX), "{noise}: {deviate}");
        }
    }
    let data = |scale| {
        let (inputs, targets) = rows(40, scale);
        Targets::new(Matrix::new(40, 2, inputs).unwrap(), targets).unwrap()
    };
    let error = Process::table("huge", data(1e37), Noise::Normal).unwrap_err().to_string();
    assert!(error.contains("expected at most 1e32 either way"), "{error}");
    assert!(RegressionTable::user_supplied("huge", data(1e37)).is_err());
}

/// Every kind of problem ends with scores, whatever the units of the target and the features.
#[test]
fn extreme_units_are_run_or_refused_and_never_panic() {
    let options = RegressionOptions {
        draws: 20,
        moment_draws: 40,
        rounds: 2,
        random_batches: 20,
        ..RegressionOptions::default()
    };
    // Targets are up to about 30 times the scale; the smallest ones have only a few significant bits.
    for scale in [3e30, 1e20, 1.0, 1e-20, 1e-41] {
        for noise in Noise::ALL {
            let options = RegressionOptions { noise, ..options.clone() };
            let table = read("mine.csv", text("", 40, scale)).unwrap().table;
            for suite in ["quick/coverage", "quick/correlations", "quick/active"] {
                let problems = regression_suite_on(suite, std::slice::from_ref(&table)).unwrap().problems.into_iter();
                for problem in problems.filter(|it| it.table().is_some() && !it.name.ends_with('1')) {
                    let mut agent = Linear::new(true);
                    let result = problem.run(&mut agent, None, 0.into(), &options, &mut |_| ());
                    let scores = result.unwrap_or_else(|error| panic!("{}: {error}", problem.name)).scores;
                    let rmse = scores.scores.rmse.0 / scale;
                    assert!(rmse.is_finite() && rmse < 100.0, "{} at {scale:e}: {rmse}", problem.name);
                    assert!(scores.scores.nll.0.is_finite() && scores.scores.crps.0.is_finite(), "{}", problem.name);
                    assert!(scores.scores.levels.iter().all(|level| level.width.0.is_finite()), "{}", problem.name);
                }
            }
        }
    }
    // Features of extreme size as well.
    let far: Vec<String> = text("", 40, 1.0).lines().map(|line| format!("{}e38,{line}", line.len() % 3)).collect();
    let table = read("mine.csv", far.join("\n")).unwrap().table;
    let suite = regression_suite_on("quick/coverage", &[table]).unwrap();
    for problem in suite.problems.iter().filter(|it| it.table().is_some()) {
        problem.run(&mut Linear::new(false), None, 0.into(), &options, &mut |_| ()).unwrap();
    }
}
