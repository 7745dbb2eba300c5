//! What an imported problem holds, and every way in which a file is refused.

use std::path::Path;

use npyz::Order;

use super::fixture::Fixture;
use super::*;

fn problem() -> Vec<(&'static str, Values)> {
    vec![
        ("x_train", Values::F32(vec![3, 2], vec![0.0, 0.1, 1.0, 1.1, 2.0, 2.1])),
        ("y_train", Values::I64(vec![3], vec![0, 1, 0])),
        ("x_test", Values::F32(vec![2, 2, 2], vec![0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5])),
        ("y_test", Values::I64(vec![2, 2], vec![0, 1, 1, 2])),
    ]
}

#[derive(Clone)]
enum Values {
    F32(Vec<u64>, Vec<f32>),
    F64(Vec<u64>, Vec<f64>),
    I32(Vec<u64>, Vec<i32>),
    I64(Vec<u64>, Vec<i64>),
}

fn file(arrays: Vec<(&str, Values)>) -> Vec<u8> {
    let add = |fixture: Fixture, (key, values): (&str, Values)| match values {
        Values::F32(shape, values) => fixture.array(key, &shape, values),
        Values::F64(shape, values) => fixture.array(key, &shape, values),
        Values::I32(shape, values) => fixture.array(key, &shape, values),
        Values::I64(shape, values) => fixture.array(key, &shape, values),
    };
    arrays.into_iter().fold(Fixture::new(), add).bytes()
}

/// The problem with one array put in place of, or added to, its own.
fn with(key: &'static str, values: Values) -> Vec<(&'static str, Values)> {
    let mut arrays = problem();
    arrays.retain(|(other, _)| *other != key);
    arrays.push((key, values));
    arrays
}

fn parse(bytes: Vec<u8>) -> Result<ImportedProblem, ImportError> {
    ImportedProblem::from_bytes(bytes, Path::new("data.npz"))
}

fn refusal(arrays: Vec<(&str, Values)>) -> String {
    parse(file(arrays)).unwrap_err().to_string()
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let imported = parse(file(problem())).unwrap();
    assert_eq!((imported.tau(), imported.samples()), (2, 2));
    let task = imported.task();
    assert_eq!((task.input_dim, task.num_classes, task.temperature, task.hidden_layers), (2, 3, None, None));
    assert_eq!(imported.train().inputs().row(1), [1.0, 1.1]);
    assert_eq!(imported.train().labels(), [0, 1, 0]);
    let test = imported.test(2, 1..2);
    assert_eq!(test.inputs.values(), [2.0, 2.5, 3.0, 3.5]);
    assert_eq!(test.labels, [1, 2]);
    assert_eq!(test.log_likelihoods, None);
}

#[test]
fn what_is_known_of_the_environment_is_read_too() {
    let mut arrays = with("log_likelihood", Values::F64(vec![2], vec![-1.0, -2.0]));
    arrays.push(("temperature", Values::F64(vec![], vec![0.5])));
    arrays.push(("num_classes", Values::I64(vec![], vec![7])));
    arrays.push(("hidden_layers", Values::I64(vec![], vec![2])));
    let imported = parse(file(arrays)).unwrap();
    let task = imported.task();
    assert_eq!((task.num_classes, task.temperature, task.hidden_layers), (7, Some(0.5), Some(2)));
    assert_eq!(imported.test(2, 1..2).log_likelihoods, Some(vec![-2.0]));
}

#[test]
fn without_a_number_of_classes_there_are_at_least_two() {
    let mut arrays = with("y_train", Values::I64(vec![3], vec![0; 3]));
    arrays.retain(|(key, _)| *key != "y_test");
    arrays.push(("y_test", Values::I64(vec![2, 2], vec![0; 4])));
    assert_eq!(parse(file(arrays)).unwrap().task().num_classes, 2);
}

#[test]
fn there_may_be_nothing_to_train_on() {
    let mut arrays = with("x_train", Values::F32(vec![0, 2], vec![]));
    arrays.retain(|(key, _)| *key != "y_train");
    arrays.push(("y_train", Values::I64(vec![0], vec![])));
    assert_eq!(parse(file(arrays)).unwrap().train().labels().len(), 0);
}

#[test]
fn the_digest_is_of_the_bytes() {
    let bytes = file(problem());
    let digest = parse(bytes.clone()).unwrap().digest;
    assert!(digest.starts_with("sha256:") && digest.len() == 7 + 64);
    let other = file(with("y_train", Values::I64(vec![3], vec![1, 1, 0])));
    assert_ne!(parse(other).unwrap().digest, digest);
    assert_eq!(parse(bytes).unwrap().digest, digest);
}

#[test]
fn a_missing_array_is_named_beside_those_that_are_there() {
    let mut arrays = problem();
    arrays.retain(|(key, _)| *key != "y_test");
    assert_eq!(
        refusal(arrays),
        "read data.npz: there is no array \"y_test\", only x_test, x_train, y_train: name it in np.savez(file, y_test=...)"
    );
}

#[test]
fn doubles_are_refused_with_the_conversion_to_make() {
    let arrays = with("x_train", Values::F64(vec![3, 2], vec![0.0; 6]));
    assert_eq!(
        refusal(arrays),
        "read data.npz: x_train is float64, expected float32: save it with .astype(np.float32)"
    );
}

#[test]
fn short_integers_are_refused_with_the_conversion_to_make() {
    let arrays = with("y_train", Values::I32(vec![3], vec![0; 3]));
    assert_eq!(refusal(arrays), "read data.npz: y_train is int32, expected int64: save it with .astype(np.int64)");
}

#[test]
fn labels_must_match_inputs() {
    let arrays = with("y_train", Values::I64(vec![4], vec![0; 4]));
    assert_eq!(refusal(arrays), "read data.npz: y_train has shape [4], expected (T,) = (3,), as x_train has");
}

#[test]
fn test_inputs_must_have_the_dimension_of_training_inputs() {
    let arrays = with("x_test", Values::F32(vec![2, 2, 3], vec![0.0; 12]));
    let message = refusal(arrays);
    assert!(message.contains("x_test has shape [2, 2, 3], expected (N, tau, d)"), "{message}");
    assert!(message.contains("d = 2"), "{message}");
}

#[test]
fn a_label_beyond_the_classes_is_located() {
    let arrays = with("num_classes", Values::I64(vec![], vec![2]));
    assert_eq!(
        refusal(arrays),
        "read data.npz: y_test[1, 1] is 2, expected a class from 0 to 1: number the classes from 0"
    );
}

#[test]
fn a_negative_label_is_located() {
    let message = refusal(with("y_train", Values::I64(vec![3], vec![0, -1, 0])));
    assert!(message.contains("y_train[1] is -1"), "{message}");
}

#[test]
fn what_is_not_a_number_is_located() {
    let mut values = vec![0.0; 8];
    values[5] = f32::NAN;
    let message = refusal(with("x_test", Values::F32(vec![2, 2, 2], values)));
    assert!(message.contains("x_test[1, 0, 1] is NaN, expected a finite number"), "{message}");
}

#[test]
fn an_infinite_log_likelihood_is_refused() {
    let message = refusal(with("log_likelihood", Values::F64(vec![2], vec![-1.0, f64::NEG_INFINITY])));
    assert!(message.contains("log_likelihood[1] is -inf"), "{message}");
}

#[test]
fn columns_first_are_refused() {
    let fixture = Fixture::new().ordered("x_train", Order::Fortran, &[3, 2], vec![0.0_f32; 6]);
    let message = parse(fixture.bytes()).unwrap_err().to_string();
    assert!(message.contains("x_train is in Fortran order: save it with np.ascontiguousarray(x_train)"), "{message}");
}

#[test]
fn a_temperature_must_be_positive() {
    let message = refusal(with("temperature", Values::F64(vec![], vec![0.0])));
    assert_eq!(message, "read data.npz: temperature is 0, expected a positive number");
}

#[test]
fn one_class_is_too_few() {
    let message = refusal(with("num_classes", Values::I64(vec![], vec![1])));
    assert_eq!(message, "read data.npz: num_classes is 1, expected a whole number of at least 2");
}

#[test]
fn what_is_no_archive_is_refused() {
    let error = parse(b"x,y\n1,2\n".to_vec()).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::NotNpz { .. }), "{error}");
}

#[test]
fn a_file_cut_short_is_refused() {
    let bytes = file(problem());
    let error = parse(bytes[..bytes.len() - 30].to_vec()).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::NotNpz { .. }), "{error}");
}

#[test]
fn an_array_cut_short_is_refused() {
    // A header that promises six numbers over an archive entry that holds five.
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
    npy.extend(format!("{header:<117}\n").bytes());
    npy.extend([0; 20]);
    let bytes = Fixture::new().raw("x_train.npy", &npy).bytes();
    let error = parse(bytes).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Truncated { .. }), "{error}");
    assert!(error.to_string().contains("x_train is cut short: its shape [3, 2]"), "{error}");
}

#[test]
fn an_array_longer_than_its_shape_is_refused() {
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
    npy.extend(format!("{header:<117}\n").bytes());
    npy.extend([0; 28]);
    let error = parse(Fixture::new().raw("x_train.npy", &npy).bytes()).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Damaged { .. }), "{error}");
}

#[test]
fn a_damaged_value_does_not_pass_the_checksum() {
    let mut source = crate::stream(0, "test", "damaged", 0);
    let values = (0..1000).map(|_| source.uniform() as f32).collect();
    let mut bytes = Fixture::new().array("x_train", &[500, 2], values).bytes();
    bytes[2000] ^= 1;
    let error = parse(bytes).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Damaged { .. }), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = ImportedProblem::read(Path::new("/nonexistent/data.npz")).unwrap_err();
    assert!(error.to_string().starts_with("read /nonexistent/data.npz: "), "{error}");
}

#[test]
fn a_file_on_disk_is_read_like_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.npz");
    std::fs::write(&path, file(problem())).unwrap();
    let imported = ImportedProblem::read(&path).unwrap();
    assert_eq!(imported.digest, parse(file(problem())).unwrap().digest);
}
