//! Invalid problem and prediction files: the error names the file, the array and the remedy.

use crate::command::refused;
use crate::npz::{Archive, TemporaryFile, inputs, problem, problem_without_inputs};

/// Asserts that a run on the file is refused and writes nothing.
fn refused_problem(bytes: impl AsRef<[u8]>, texts: &[&str]) {
    let file = TemporaryFile::new("mine.npz", bytes);
    let out = file.sibling("out");
    let texts: Vec<&str> = [file.argument()].into_iter().chain(texts.iter().copied()).collect();
    refused(["run", "uniform", "--problem", file.argument(), "--out", out.to_str().unwrap()], &texts);
    assert!(!out.exists());
}

fn refused_predictions(archive: Archive, texts: &[&str]) {
    let file = TemporaryFile::new("predictions.npz", archive.bytes());
    let texts: Vec<&str> = [file.argument()].into_iter().chain(texts.iter().copied()).collect();
    refused(["score", file.argument()], &texts);
}

#[test]
fn a_missing_array() {
    refused_problem(problem_without_inputs().bytes(), &["no array \"x_train\"", "np.savez(file, x_train=...)"]);
}

#[test]
fn a_wrong_shape() {
    let archive = problem_without_inputs().array("x_train", &[3, 1], vec![0.0_f32; 3]);
    refused_problem(archive.bytes(), &["y_train has shape [4]", "(3,)"]);
}

#[test]
fn a_wrong_number_of_dimensions() {
    let archive = problem_without_inputs().array("x_train", &[4], vec![0.0_f32; 4]);
    refused_problem(archive.bytes(), &["x_train has shape [4]", "(T, d)"]);
}

#[test]
fn a_wrong_type() {
    let archive = problem_without_inputs().array("x_train", &[4, 1], vec![0.0_f64; 4]);
    refused_problem(archive.bytes(), &["x_train is float64", "expected float32", ".astype(np.float32)"]);
}

#[test]
fn a_label_that_is_no_class() {
    let labels = |labels: [i64; 4]| {
        let archive = inputs(Archive::new()).array("y_train", &[4], labels.to_vec());
        let archive = archive.array("x_test", &[1, 1, 1], vec![0.0_f32]).array("y_test", &[1, 1], vec![0_i64]);
        archive.array("num_classes", &[], vec![2_i64]).bytes()
    };
    refused_problem(labels([0, 1, 2, 0]), &["y_train[2] is 2", "a class from 0 to 1"]);
    refused_problem(labels([0, -1, 1, 0]), &["y_train[1] is -1", "a class from 0 to 1"]);
}

#[test]
fn a_number_that_is_none() {
    let archive = problem_without_inputs().array("x_train", &[4, 1], vec![0.0, 1.0, f32::NAN, 2.0]);
    refused_problem(archive.bytes(), &["x_train[2, 0] is NaN", "before saving"]);
}

#[test]
fn a_file_that_is_no_archive() {
    refused_problem("x_train,y_train\n0,1\n", &["not an .npz archive", "np.savez"]);
    refused_problem("", &["not an .npz archive", "np.savez"]);
}

#[test]
fn an_archive_cut_short() {
    let bytes = problem().bytes();
    for length in [bytes.len() - 1, bytes.len() / 2] {
        refused_problem(&bytes[..length], &["cut short", "np.savez"]);
    }
}

#[test]
fn a_file_that_is_not_there() {
    let place = TemporaryFile::new("other", "").sibling("nowhere.npz");
    refused(["score", place.to_str().unwrap()], &["nowhere.npz", "No such file"]);
    let out = place.with_file_name("out");
    let args = ["run", "uniform", "--problem", place.to_str().unwrap(), "--out", out.to_str().unwrap()];
    refused(args, &["nowhere.npz", "No such file"]);
}

#[test]
fn predictions_without_labels() {
    let archive = Archive::new().array("probs", &[1, 1, 2], vec![0.5_f32; 2]);
    refused_predictions(archive, &["no array \"labels\"", "np.savez"]);
}

#[test]
fn predictions_that_are_no_distributions() {
    let archive = Archive::new().array("probs", &[1, 2, 2], vec![0.5_f32, 0.5, 3.0, -1.0]);
    refused_predictions(archive.array("labels", &[2], vec![0_i64, 1]), &["probs[m=0, n=1, t=0]", "softmax"]);
}

#[test]
fn predictions_of_a_wrong_type() {
    let archive = Archive::new().array("probs", &[1, 1, 2], vec![0.5_f64; 2]).array("labels", &[1], vec![0_i64]);
    refused_predictions(archive, &["probs is float64", ".astype(np.float32)"]);
}

#[test]
fn labels_of_another_shape_than_the_predictions() {
    let archive = Archive::new().array("probs", &[1, 2, 2], vec![0.5_f32; 4]).array("labels", &[3], vec![0_i64; 3]);
    refused_predictions(archive, &["labels has shape [3]", "(2,)"]);
}
