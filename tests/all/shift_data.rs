//! Dataset shift on data read from files: texts, clicks, tables and user-supplied images, made up here, and the images
//! of MNIST if they are at hand.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use jointly_data::shift::NEWSGROUPS;
use jointly_data::shift::fixture::png;
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{done, refused, run, skipped};
use crate::run::RunDirectory;

/// An agent that learns every kind of input, fast.
const AGENT: &str = "mlp:epochs=2";

/// Runs the agent on matching problems of a suite, verifies the run, and returns its scores.
fn scored(suite: &str, problems: &str, options: &[&str], again: &[&str]) -> Value {
    let directory = RunDirectory::new();
    let fixed = ["run", AGENT, "--suite", suite, "--problems", problems, "--draws", "5", "--taus", "1,5"];
    let finished = run(fixed.iter().chain(&["--out", directory.argument()]).chain(options));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let said = done(["verify", directory.argument()].iter().chain(again));
    assert!(said.contains(" verified: "), "{said}");
    let file = directory.file("page.html");
    done(["report", directory.argument(), "--format", "html", "--output", argument(&file)]);
    let page = fs::read_to_string(file).unwrap();
    assert!(page.contains(AGENT) && !page.contains("NaN"));
    directory.scores()["agents"][0].clone()
}

fn conditions(agent: &Value) -> Vec<&str> {
    let conditions = agent["problems"][0]["conditions"].as_array().unwrap();
    conditions.iter().map(|condition| condition["condition"].as_str().unwrap()).collect()
}

fn write(folder: &TempDir, name: &str, contents: impl AsRef<[u8]>) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn argument(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn texts_are_classified_and_other_groups_and_sentences_are_outside() {
    let folder = tempfile::tempdir().unwrap();
    for (part, count) in [("train", 12), ("test", 4)] {
        for (number, group) in NEWSGROUPS.iter().enumerate() {
            for i in 0..count {
                let text = format!("From: {i}\nSubject: none\n\nword{number} word{number} and the {i} word{number}\n");
                write(&folder, &format!("20newsgroups/20news-bydate-{part}/{group}/{i}"), text);
            }
        }
    }
    let sentences: String = (0..50).fold(String::new(), |mut text, i| {
        writeln!(text, "A sentence number {i} of something else .").unwrap();
        text
    });
    write(&folder, "lm1b/lm1b.txt", sentences);
    let data = ["--data", argument(folder.path())];
    let agent = scored("shift/text", "*/seed0", &[&data[..], &["--shifts", "reassign/0.5"]].concat(), &data);
    assert_eq!(conditions(&agent), ["none", "reassign/0.5", "outside/odd-classes", "outside/lm1b"]);
    assert!(agent["scores"]["nll"]["mean"].as_f64().unwrap() < 10.0_f64.ln(), "{agent}");
}

#[test]
fn clicks_have_an_auc_and_categories_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let clicks: String = (0..400).fold(String::new(), |mut text, i| {
        let label = u32::from(i * 7 % 3 == 0);
        let counts: String = (0..13).fold(String::new(), |counts, j| format!("{counts}\t{}", i * j % 5));
        let categories: String = (0..26).fold(String::new(), |all, j| format!("{all}\t{:08x}", (i * 7 % 3) * 31 + j));
        writeln!(text, "{label}{counts}{categories}").unwrap();
        text
    });
    write(&folder, "criteo/train.txt", clicks);
    let data = ["--data", argument(folder.path())];
    let agent = scored("shift/clicks", "*/seed0", &[&data[..], &["--shifts", "reassign/0.95"]].concat(), &data);
    let unshifted = agent["scores"]["auc"]["mean"].as_f64().unwrap();
    let shifted = agent["scores"]["auc_shifted"]["mean"].as_f64().unwrap();
    assert!(unshifted > 0.9 && shifted < unshifted, "{unshifted} and {shifted}");
}

#[test]
fn tables_lose_classes_and_their_columns_move() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"];
    let flowers: String = (0..150).fold(String::new(), |mut text, i| {
        let (class, x) = (f64::from(i / 50), f64::from(i % 50) / 50.0);
        let name = names[i as usize / 50];
        writeln!(text, "{},{},{},{x},{name}", class + x, 3.0 + x * x, 2.0 * class).unwrap();
        text
    });
    write(&folder, "iris/iris.data", flowers);
    let data = ["--data", argument(folder.path())];
    let shifts = ["--shifts", "feature-offset/*"];
    let agent = scored("shift/tabular", "*/iris/held-out/seed0", &[&data[..], &shifts].concat(), &data);
    assert_eq!(agent["problems"].as_array().unwrap().len(), 1);
    let found = conditions(&agent);
    assert_eq!((found[0], found.len()), ("none", 7));
    assert!(found[6].starts_with("outside/"), "{found:?}");
    // Two splits of one table are one unit, so there is no standard error.
    let agent = scored("shift/tabular", "*/iris/seed[01]", &[&data[..], &shifts].concat(), &data);
    let brier = &agent["scores"]["brier_shifted"];
    assert_eq!((&brier["problems"], &brier["datasets"], &brier["stderr"]), (&2.into(), &1.into(), &"nan".into()));
    // Missing data are reported before anything runs.
    let empty = tempfile::tempdir().unwrap();
    let absent = ["run", AGENT, "--suite", "shift/tabular", "--data", argument(empty.path())];
    refused(absent, &["iris", "--data", "--problems"]);
}

#[test]
fn a_persons_own_images_are_corrupted_at_the_size_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let save = |name: String, i: usize, class: usize| {
        // Stripes in one direction or the other, each image in its own colour.
        let bright = |x: usize, y: usize| ((if class == 0 { x } else { y }) / 6 + i).is_multiple_of(2);
        let pixel = |x, y| if bright(x, y) { [200, (i * 9 % 200) as u8, 40] } else { [20, 30, 40] };
        write(&folder, &name, png(40, 30, pixel));
    };
    for i in 0..40 {
        save(format!("train/{}/{i}.png", ["across", "down"][i % 2]), i, i % 2);
    }
    for i in 0..6 {
        save(format!("test/{}/{i}.png", ["across", "down"][i % 2]), i + 7, i % 2);
        write(&folder, &format!("outside/blank/{i}.png"), png(16, 16, |_, _| [(40 * i) as u8]));
    }
    let images = ["--images", argument(folder.path())];
    let options = ["--side", "16", "--grey", "--shifts", "fog/*"];
    let agent = scored("shift/images", "*/seed[01]", &[&images[..], &options].concat(), &images);
    assert_eq!(conditions(&agent), ["none", "fog/1", "fog/2", "fog/3", "fog/4", "fog/5", "outside/blank"]);
    let directory = RunDirectory::new();
    let fixed = ["run", AGENT, "--suite", "shift/images", "--out", directory.argument()];
    refused(fixed, &["--images DIR"]);
    // Grey images have no saturation.
    let grey = ["--grey", "--shifts", "saturate/3"];
    refused(fixed.iter().chain(&images).chain(&grey), &["cannot be shifted by saturate"]);
    refused(
        ["run", AGENT, "--suite", "quick/shift"].iter().chain(&images),
        &["--images is for the suite shift/images"],
    );
    refused(fixed.iter().chain(&["--images", "/nowhere"]), &["/nowhere", "no such folder"]);
    refused(["run", AGENT, "--suite", "quick/shift", "--side", "16"], &["--side", "leave"]);
    fs::write(folder.path().join("train/down/broken.png"), b"\x89PNG\r\n\x1a\nnot really").unwrap();
    refused(fixed.iter().chain(&images), &["broken.png"]);
}

#[test]
fn real_digits_that_are_turned_are_no_longer_read() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !data.join("images/mnist-t10k-images-idx3-ubyte.gz").exists() {
        return skipped(
            "real_digits_that_are_turned_are_no_longer_read",
            "MNIST's test images are not beside the project",
        );
    }
    let data = ["--data", argument(&data)];
    let shifts = ["--shifts", "rotation/90"];
    let agent = scored("shift/mnist", "*/t10k/seed0", &[&data[..], &shifts].concat(), &data);
    let at = |name: &str| agent["scores"][name]["mean"].as_f64().unwrap();
    assert!(at("accuracy") > 0.9 && at("accuracy_shifted") < 0.3, "{agent}");
    assert!(at("ece_shifted") > 10.0 * at("ece") && at("auroc") > 0.6, "{agent}");
    assert_eq!(conditions(&agent), ["none", "rotation/90", "outside/notmnist"]);
}
