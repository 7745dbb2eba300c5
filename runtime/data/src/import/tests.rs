//! The contents of imported problems, and every way in which a file is refused.

use std::path::Path;

use npyz::Order;

use super::fixture::{Fixture, npy_header};
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

/// Returns the problem with one array replaced or added.
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
    assert_eq!(imported.train().inputs().numbers().row(1), [1.0, 1.1]);
    assert_eq!(imported.train().labels(), [0, 1, 0]);
    let test = imported.test(2, 1..2);
    assert_eq!(test.inputs.numbers().values(), [2.0, 2.5, 3.0, 3.5]);
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
fn inputs_without_labels_are_read_and_make_another_problem() {
    let plain = parse(file(problem())).unwrap();
    assert_eq!(plain.unlabelled(), None);
    let imported = parse(file(with("unlabelled_inputs", Values::F32(vec![1, 2], vec![7.0, 8.0])))).unwrap();
    assert_eq!(imported.unlabelled().unwrap().numbers().values(), [7.0, 8.0]);
    assert_eq!(imported.train(), plain.train());
    assert_ne!(imported.content(), plain.content());
    for (shape, values) in [(vec![1, 3], vec![0.0; 3]), (vec![0, 2], vec![]), (vec![2], vec![0.0; 2])] {
        let message = refusal(with("unlabelled_inputs", Values::F32(shape, values)));
        assert!(message.contains("unlabelled_inputs has shape [") && message.contains("(U, d)"), "{message}");
    }
    let message = refusal(with("unlabelled_inputs", Values::F32(vec![1, 2], vec![0.0, f32::INFINITY])));
    assert!(message.contains("unlabelled_inputs[0, 1] is inf, expected a finite number"), "{message}");
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
        "failed to read data.npz: there is no array \"y_test\", only x_test, x_train, y_train: name it in np.savez(file, y_test=...)"
    );
}

#[test]
fn doubles_are_refused_with_the_conversion_to_make() {
    let arrays = with("x_train", Values::F64(vec![3, 2], vec![0.0; 6]));
    assert_eq!(
        refusal(arrays),
        "failed to read data.npz: x_train is float64, expected float32: save it with .astype(np.float32)"
    );
}

#[test]
fn short_integers_are_refused_with_the_conversion_to_make() {
    let arrays = with("y_train", Values::I32(vec![3], vec![0; 3]));
    assert_eq!(
        refusal(arrays),
        "failed to read data.npz: y_train is int32, expected int64: save it with .astype(np.int64)"
    );
}

#[test]
fn labels_must_match_inputs() {
    let arrays = with("y_train", Values::I64(vec![4], vec![0; 4]));
    assert_eq!(
        refusal(arrays),
        "failed to read data.npz: y_train has shape [4], expected (T,) = (3,), as x_train has: save it in that shape"
    );
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
        "failed to read data.npz: y_test[1, 1] is 2, expected a class from 0 to 1: number the classes from 0"
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
    assert_eq!(
        message,
        "failed to read data.npz: temperature is 0, expected a positive number: save the environment's, or leave it out where it is not known"
    );
}

#[test]
fn one_class_is_too_few() {
    let message = refusal(with("num_classes", Values::I64(vec![], vec![1])));
    assert_eq!(
        message,
        "failed to read data.npz: num_classes is 1, expected a whole number from 2 to 65536: save a number in that range, or leave it out"
    );
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
    // The header claims six numbers, but the archive entry holds five.
    let mut npy = npy_header("<f4", "(3, 2)");
    npy.extend([0; 20]);
    let bytes = Fixture::new().raw("x_train.npy", &npy).bytes();
    let error = parse(bytes).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Truncated { .. }), "{error}");
    assert!(error.to_string().contains("x_train is cut short: its shape [3, 2]"), "{error}");
}

#[test]
fn an_array_longer_than_its_shape_is_refused() {
    let mut npy = npy_header("<f4", "(3, 2)");
    npy.extend([0; 28]);
    let error = parse(Fixture::new().raw("x_train.npy", &npy).bytes()).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Damaged { .. }), "{error}");
}

#[test]
fn a_damaged_value_does_not_pass_the_checksum() {
    let mut source = jointly_core::stream(0, "test", "damaged", 0);
    let values = (0..1000).map(|_| source.uniform() as f32).collect();
    let mut bytes = Fixture::new().array("x_train", &[500, 2], values).bytes();
    bytes[2000] ^= 1;
    let error = parse(bytes).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Damaged { .. }), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = ImportedProblem::read(Path::new("/nonexistent/data.npz")).unwrap_err();
    assert!(error.to_string().starts_with("failed to read /nonexistent/data.npz: "), "{error}");
    assert!(error.to_string().ends_with(": give the path of a .npz file"), "{error}");
    let error = ImportedProblem::read(&std::env::temp_dir()).unwrap_err();
    assert!(error.to_string().ends_with("is a directory: give the path of a .npz file"), "{error}");
}

#[test]
fn a_file_on_disk_is_read_like_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.npz");
    std::fs::write(&path, file(problem())).unwrap();
    let imported = ImportedProblem::read(&path).unwrap();
    assert_eq!(imported.digest, parse(file(problem())).unwrap().digest);
}

#[test]
fn too_many_classes_are_refused() {
    let message = refusal(with("num_classes", Values::I64(vec![], vec![65_537])));
    assert!(message.contains("num_classes is 65537, expected a whole number from 2 to 65536"), "{message}");
    let message = refusal(with("y_train", Values::I64(vec![3], vec![0, 300_000_000, 0])));
    assert!(message.contains("y_train[1] is 300000000, expected a class from 0 to 65535"), "{message}");
    let most = with("y_train", Values::I64(vec![3], vec![0, 65_535, 0]));
    assert_eq!(parse(file(most)).unwrap().task().num_classes, 65_536);
}

#[test]
fn a_header_that_promises_more_than_its_entry_holds_is_refused() {
    for shape in ["(4294967295, 4294967295)", "(1, 4294967295)"] {
        let error = parse(Fixture::new().raw("x_train.npy", &npy_header("<f4", shape)).bytes()).unwrap_err();
        assert!(matches!(error.defect, ImportDefect::Truncated { .. }), "{error}");
    }
}

/// The parser of headers tries each nested bracket three times.
#[test]
fn a_header_of_many_brackets_is_not_read() {
    for [open, close] in [["{", "}"], ["[", "]"]] {
        let descr = format!("{}1{}", open.repeat(60), close.repeat(60));
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n");
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        npy.extend((text.len() as u16).to_le_bytes());
        npy.extend(text.bytes());
        let error = parse(Fixture::new().raw("x_train.npy", &npy).bytes()).unwrap_err().to_string();
        assert!(error.contains("its header is not that of an array of numbers"), "{error}");
    }
}

#[test]
fn a_header_that_claims_gibibytes_is_not_read() {
    let npy = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': '<f4'";
    let error = parse(Fixture::new().raw("x_train.npy", npy).bytes()).unwrap_err();
    assert!(error.to_string().contains("its header claims 4294967295 bytes"), "{error}");
}

/// Zeros compress a thousandfold, so a small file may hold more than the memory does.
#[test]
fn arrays_that_memory_cannot_hold_together_are_refused_unread() {
    let keys = ["x_train", "y_train", "x_test", "y_test", "log_likelihood"];
    let mut archive = Archive::open(std::io::Cursor::new(file(problem()))).unwrap();
    // 14 numbers of 4 bytes and 7 labels of 8; there are no log-likelihoods.
    archive.limit(&keys, 112).unwrap();
    let message = archive.limit(&keys, 111).unwrap_err().to_string();
    assert_eq!(
        message,
        "an archive of x_train, y_train, x_test, y_test, log_likelihood needs 112 bytes of memory, expected at most 111: \
         save fewer rows or tau-samples a file"
    );
}

#[test]
fn a_file_larger_than_a_problem_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse.npz");
    std::fs::File::create(&path).unwrap().set_len(1 << 31).unwrap();
    let error = ImportedProblem::read(&path).unwrap_err();
    assert!(error.to_string().contains("the file needs 2147483648 bytes"), "{error}");
}
