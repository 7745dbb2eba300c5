//! Problems that are exported, and predictions that are read back.

use std::path::Path;

use jointly_data::import::{Archive, NpzWriter};

use crate::command::{done, finish, jointly, refused};
use crate::run::RunDirectory;

const PROBLEMS: &str = "quick/t10/temp0.1/seed[01]";
const DRAWS: u64 = 3;

/// Writes predictions for an exported problem: 1/2 for each class, in three functions that are the same.
fn predict(problem: &Path, predictions: &Path, classes: u64) {
    let mut archive = Archive::open(std::fs::File::open(problem).unwrap()).unwrap();
    let rows = archive.get("x_test").unwrap().shape()[0];
    let values = vec![1.0_f32 / classes as f32; (DRAWS * rows * classes) as usize];
    let mut npz = NpzWriter::default();
    npz.array("probs", &[DRAWS, rows, classes], values).unwrap();
    let fingerprint = archive.get("fingerprint").unwrap().read::<i64>().unwrap();
    npz.array("fingerprint", &[], fingerprint).unwrap();
    std::fs::create_dir_all(predictions.parent().unwrap()).unwrap();
    std::fs::write(predictions, npz.finish().unwrap()).unwrap();
}

#[test]
fn predictions_of_exported_problems_score_as_the_agent_that_predicts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (problems, halves) = (folder.path().join("problems"), folder.path().join("halves"));
    let text = done(["export", "--suite", "quick", "--problems", PROBLEMS, "--out", problems.to_str().unwrap()]);
    assert!(text.starts_with("2 problems of quick in "), "{text}");
    let names = ["quick/t10/temp0.1/seed0.npz", "quick/t10/temp0.1/seed1.npz"];
    for name in names {
        let mut archive = Archive::open(std::fs::File::open(problems.join(name)).unwrap()).unwrap();
        assert_eq!(archive.get("x_train").unwrap().shape(), [10, 2]);
        assert_eq!(archive.get("y_train").unwrap().read::<i64>().unwrap().len(), 10);
        assert!(archive.find("y_test").unwrap().is_none());
        predict(&problems.join(name), &halves.join(name), 2);
    }
    let agent = format!("predictions:{}", halves.display());
    let directory = RunDirectory::of(&[&agent, "uniform"], PROBLEMS);
    let scores = directory.scores();
    for name in ["kl_tau1", "kl_tau100", "ece"] {
        assert_eq!(scores["agents"][0]["scores"][name]["mean"], scores["agents"][1]["scores"][name]["mean"], "{name}");
    }
    assert_eq!((&scores["agents"][0]["agent"], &scores["agents"][0]["tier"]), (&"halves".into(), &"reported".into()));
    assert!(done(["verify", directory.argument()]).contains("1 agent replayed, 1 reported"));

    // Predictions for the test inputs of another seed have the same names and shapes.
    let other = RunDirectory::new();
    assert_eq!(other.run(&[&agent], PROBLEMS, &["--seed", "1"]).code, Some(3));
    let failure = other.scores()["agents"][0]["failures"][1].clone();
    assert!(failure["message"].as_str().unwrap().contains("predictions for another problem"), "{failure}");

    // Predictions that changed are another plan, those of another shape a failure, and missing ones no run.
    predict(&problems.join(names[0]), &halves.join(names[0]), 4);
    assert!(directory.run(&[&agent, "uniform"], PROBLEMS, &[]).stderr.contains("holds another plan"));
    let finished = RunDirectory::new().run(&[&agent], PROBLEMS, &[]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stdout.contains("failed on 1 of 2 problems"), "{}", finished.stdout);
    std::fs::remove_file(halves.join(names[1])).unwrap();
    let run = ["run", &agent, "--suite", "quick", "--problems", PROBLEMS];
    refused(run, &["has no predictions for 1 of 2 problems", "seed1.npz is missing"]);
    refused(["run", "predictions:/no/where", "--suite", "quick"], &["there is no folder /no/where"]);
    refused(["export", "--suite", "quick/active", "--out", "x"], &["takes suites of classification alone"]);
    let finished = finish(jointly().args(["check", &agent]));
    assert_eq!(finished.code, Some(2), "{finished:?}");
}
