//! A problem read from an .npz file.

use std::io::{Cursor, Read, Seek};
use std::ops::Range;
use std::path::Path;

use jointly_core::digest::digest;
use jointly_core::{Dataset, Inputs, MAX_CLASSES, Matrix, Task, TauSamples};

use super::error::{ImportDefect, ImportError};
use super::limits::MAX_IMPORT_BYTES;
use super::npz::{Archive, Element};
use super::open;
use crate::equal_inputs::{are_equal, inputs_are_equal, which_are_equal};

/// How far above 0 rounding may raise the logarithm of a probability.
const ROUNDING: f64 = 1e-6;

/// An imported problem: training data and labelled test tau-samples.
///
/// The file is NumPy's .npz with `x_train` (T, d) float32, `y_train` (T,) int64, `x_test` (N, tau, d) float32 and
/// `y_test` (N, tau) int64; and, where known, `log_likelihood` (N,) float64 of the test labels under the true
/// environment, and the scalars `temperature`, `num_classes` and `hidden_layers`. Without `num_classes` there is a
/// class for each label up to the largest, and at least 2. The optional `unlabelled_inputs` (U, d) float32, U at least
/// 1, are further inputs whose labels agents are not given. There are at most [`MAX_CLASSES`], and the arrays fill at
/// most [`MAX_IMPORT_BYTES`].
#[derive(Clone, Debug)]
pub struct ImportedProblem {
    task: Task,
    train: Dataset,
    unlabelled: Option<Inputs>,
    tau: u32,
    samples: u32,
    test_inputs: Vec<f32>,
    test_labels: Vec<u32>,
    log_likelihoods: Option<Vec<f64>>,
    /// The [digest](fn@digest) of the file.
    pub digest: String,
    /// SHA-256 of the contents, which does not depend on compression; it names the random streams.
    content: String,
}

impl ImportedProblem {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read, or does not match the type's documentation.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let bytes = open::read(path).map_err(|defect| defect.of(path))?;
        Self::from_bytes(bytes, path)
    }

    /// Reads the bytes of a file; `path` only names it in errors.
    ///
    /// # Errors
    /// When the bytes do not match the type's documentation.
    pub fn from_bytes(bytes: impl AsRef<[u8]>, path: &Path) -> Result<Self, ImportError> {
        let bytes = bytes.as_ref();
        parse(bytes, digest(bytes)).map_err(|defect| defect.of(path))
    }

    /// Returns the task as agents are told.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns the training examples.
    pub fn train(&self) -> &Dataset {
        &self.train
    }

    /// Returns the inputs without labels, if the file has any.
    pub fn unlabelled(&self) -> Option<&Inputs> {
        self.unlabelled.as_ref()
    }

    /// Returns the number of inputs in a tau-sample.
    pub fn tau(&self) -> u32 {
        self.tau
    }

    /// Returns the number N of tau-samples.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Returns the labels of all tau-samples, one after another.
    pub fn test_labels(&self) -> &[u32] {
        &self.test_labels
    }

    /// Returns the joint log-likelihood of each tau-sample's labels under the true environment, if it is known.
    pub fn log_likelihoods(&self) -> Option<&[f64]> {
        self.log_likelihoods.as_deref()
    }

    /// Returns the name of the problem in random streams, which depends only on the data, not on the file's name or
    /// compression.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns which of its inputs are all equal, if some are.
    pub fn equal_inputs(&self) -> Option<&'static str> {
        let training = inputs_are_equal(self.train.inputs());
        let test = are_equal(&self.test_inputs, self.task.input_dim as usize);
        which_are_equal(training, test)
    }

    /// Returns whether no label is 0, the first class: labels may have been counted from 1.
    pub fn lacks_first_class(&self) -> bool {
        self.train.labels().iter().chain(&self.test_labels).all(|&label| label > 0)
    }

    fn hash_content(&self) -> String {
        let Task { input_dim, num_classes, .. } = self.task;
        let sizes = [input_dim, num_classes, self.tau, self.samples];
        let train_inputs = self.train.inputs().numbers().values();
        let inputs = train_inputs.iter().chain(&self.test_inputs).flat_map(|x| x.to_le_bytes());
        let labels = self.train.labels().iter().chain(&self.test_labels).flat_map(|label| label.to_le_bytes());
        // Problems without such inputs add nothing, so they keep the content digest that older versions gave them.
        let unlabelled = self.unlabelled.iter().flat_map(|inputs| inputs.numbers().values());
        let unlabelled = unlabelled.flat_map(|x| x.to_le_bytes());
        let sizes = sizes.iter().flat_map(|size| size.to_le_bytes());
        let bytes: Vec<u8> = sizes.chain(inputs).chain(labels).chain(unlabelled).collect();
        digest(&bytes)
    }

    /// Returns a range of the tau-samples.
    ///
    /// # Panics
    /// When `tau` is not the problem's or the range exceeds its end.
    pub fn test(&self, tau: u32, samples: Range<u32>) -> TauSamples {
        assert_eq!(tau, self.tau, "an imported problem has one tau");
        let samples = samples.start as usize..samples.end as usize;
        let rows = samples.start * tau as usize..samples.end * tau as usize;
        let cols = self.task.input_dim as usize;
        TauSamples {
            inputs: Matrix::from_rows(cols, self.test_inputs[rows.start * cols..rows.end * cols].to_vec()).into(),
            labels: self.test_labels[rows].to_vec(),
            log_likelihoods: self.log_likelihoods.as_ref().map(|all| all[samples].to_vec()),
        }
    }
}

fn parse(bytes: &[u8], digest: String) -> Result<ImportedProblem, ImportDefect> {
    let mut archive = Archive::open(Cursor::new(bytes))?;
    let arrays = ["x_train", "y_train", "x_test", "y_test", "log_likelihood", "unlabelled_inputs"];
    archive.limit(&arrays, MAX_IMPORT_BYTES)?;

    archive.holds_only(&[
        "x_train",
        "y_train",
        "x_test",
        "y_test",
        "log_likelihood",
        "unlabelled_inputs",
        "temperature",
        "num_classes",
        "hidden_layers",
    ])?;
    let array = archive.get("x_train")?;
    let [train_size, input_dim] = array.dimensions("(T, d)")?;
    if input_dim == 0 {
        return Err(array.misshapen("(T, d) with d at least 1"));
    }
    let train_inputs = finite("x_train", &[train_size, input_dim], array.read::<f32>()?)?;

    let array = archive.get("y_train")?;
    if array.shape() != [train_size] {
        return Err(array.misshapen(format!("(T,) = ({train_size},), as x_train has")));
    }
    let train_labels = array.read::<i64>()?;

    let array = archive.get("x_test")?;
    let [samples, tau, test_dim] = array.dimensions("(N, tau, d)")?;
    if test_dim != input_dim || samples == 0 || tau == 0 || samples.max(tau) > u64::from(u32::MAX) {
        return Err(
            array.misshapen(format!("(N, tau, d) with N and tau at least 1 and d = {input_dim}, as x_train has"))
        );
    }
    let test_inputs = finite("x_test", &[samples, tau, input_dim], array.read::<f32>()?)?;

    let array = archive.get("y_test")?;
    if array.shape() != [samples, tau] {
        return Err(array.misshapen(format!("(N, tau) = ({samples}, {tau}), as x_test has")));
    }
    let test_labels = array.read::<i64>()?;

    let log_likelihoods = log_likelihoods(&mut archive, samples)?;
    let unlabelled = unlabelled(&mut archive, input_dim)?;
    let num_classes = match count(&mut archive, "num_classes", 2, MAX_CLASSES)? {
        Some(num_classes) => num_classes,
        None => classes_of(&[("y_train", &[train_size], &train_labels), ("y_test", &[samples, tau], &test_labels)])?,
    };
    let train_labels = classes("y_train", &[train_size], &train_labels, num_classes)?;
    let test_labels = classes("y_test", &[samples, tau], &test_labels, num_classes)?;

    let task = Task {
        temperature: temperature(&mut archive)?,
        hidden_layers: count(&mut archive, "hidden_layers", 0, u32::MAX)?,
        ..Task::new(input_dim as u32, num_classes)
    };
    let inputs = Matrix::from_rows(input_dim as usize, train_inputs);
    let train = Dataset::new(&task, inputs, train_labels).expect("inputs and labels were checked one by one");
    let (tau, samples) = (tau as u32, samples as u32);
    let mut problem = ImportedProblem {
        task,
        train,
        unlabelled,
        tau,
        samples,
        test_inputs,
        test_labels,
        log_likelihoods,
        digest,
        content: String::new(),
    };
    problem.content = problem.hash_content();
    Ok(problem)
}

/// Reads `unlabelled_inputs` (U, d), if it exists.
fn unlabelled<R: Read + Seek>(archive: &mut Archive<R>, input_dim: u64) -> Result<Option<Inputs>, ImportDefect> {
    let Some(array) = archive.find("unlabelled_inputs")? else { return Ok(None) };
    let [rows, cols] = array.dimensions("(U, d)")?;
    if rows == 0 || cols != input_dim {
        return Err(array.misshapen(format!("(U, d) with U at least 1 and d = {input_dim}, as x_train has")));
    }
    let values = finite("unlabelled_inputs", &[rows, cols], array.read::<f32>()?)?;
    Ok(Some(Matrix::from_rows(cols as usize, values).into()))
}

/// Reads `log_likelihood` (N,), if it exists.
///
/// # Errors
/// When it has another shape or type, a value that is not finite, or one above 0, up to rounding.
pub fn log_likelihoods<R: Read + Seek>(
    archive: &mut Archive<R>,
    samples: u64,
) -> Result<Option<Vec<f64>>, ImportDefect> {
    let Some(array) = archive.find("log_likelihood")? else { return Ok(None) };
    if array.shape() != [samples] {
        return Err(array.misshapen(format!("(N,) = ({samples},), one for each tau-sample")));
    }
    let values = finite("log_likelihood", &[samples], array.read::<f64>()?)?;
    match values.iter().position(|value| *value > ROUNDING) {
        None => Ok(Some(values)),
        Some(i) => Err(ImportDefect::Range {
            key: format!("log_likelihood[{i}]"),
            found: values[i].to_string(),
            expected: "at most 0, because labels are classes and have probabilities".to_owned(),
            remedy: "save the logarithm of the probability of the tau-sample's labels, without a minus",
        }),
    }
}

/// Converts the labels of the array `key` with that shape to classes.
///
/// # Errors
/// When a label is not a class below `num_classes`.
pub fn classes(key: &str, shape: &[u64], labels: &[i64], num_classes: u32) -> Result<Vec<u32>, ImportDefect> {
    let class = |(i, &label): (usize, &i64)| match u32::try_from(label) {
        Ok(class) if class < num_classes => Ok(class),
        _ => {
            Err(ImportDefect::Label { key: key.to_owned(), index: place(shape, i), label, classes: num_classes.into() })
        }
    };
    labels.iter().enumerate().map(class).collect()
}

/// Returns one more than the largest label, and at least 2.
fn classes_of(arrays: &[(&str, &[u64], &[i64])]) -> Result<u32, ImportDefect> {
    let mut num_classes = 2;
    for (key, shape, labels) in arrays {
        for (i, &label) in labels.iter().enumerate() {
            let class = u32::try_from(label).ok().filter(|&class| class < MAX_CLASSES);
            let Some(class) = class else {
                let classes = u64::from(MAX_CLASSES);
                return Err(ImportDefect::Label { key: (*key).to_owned(), index: place(shape, i), label, classes });
            };
            num_classes = num_classes.max(class + 1);
        }
    }
    Ok(num_classes)
}

fn finite<T: Element + Into<f64>>(key: &str, shape: &[u64], values: Vec<T>) -> Result<Vec<T>, ImportDefect> {
    match values.iter().position(|&value| !value.into().is_finite()) {
        None => Ok(values),
        Some(i) => {
            Err(ImportDefect::NotFinite { key: key.to_owned(), index: place(shape, i), value: values[i].into() })
        }
    }
}

/// Returns the indices of the element at place `i` of a row-major array.
pub fn place(shape: &[u64], i: usize) -> Vec<u64> {
    let mut rest = i as u64;
    let mut index: Vec<u64> = shape.iter().rev().map(|&n| (rest % n, rest /= n).0).collect();
    index.reverse();
    index
}

fn temperature<R: Read + Seek>(archive: &mut Archive<R>) -> Result<Option<f32>, ImportDefect> {
    let Some(array) = archive.find("temperature")? else { return Ok(None) };
    let [] = array.dimensions("()")?;
    let value = if array.holds(f32::KIND) {
        f64::from(array.read::<f32>()?[0])
    } else if array.holds(f64::KIND) {
        array.read::<f64>()?[0]
    } else {
        return Err(array.mistyped("float32 or float64", "float32"));
    };
    if value.is_finite() && value as f32 > 0.0 {
        Ok(Some(value as f32))
    } else {
        let (key, expected) = ("temperature".to_owned(), "a positive number".to_owned());
        let remedy = "save the environment's, or leave it out where it is not known";
        Err(ImportDefect::Range { key, found: value.to_string(), expected, remedy })
    }
}

/// Reads a scalar count from `least` to `most`.
fn count<R: Read + Seek>(
    archive: &mut Archive<R>,
    key: &str,
    least: u32,
    most: u32,
) -> Result<Option<u32>, ImportDefect> {
    let Some(array) = archive.find(key)? else { return Ok(None) };
    let [] = array.dimensions("()")?;
    let value = array.read::<i64>()?[0];
    match u32::try_from(value) {
        Ok(count) if (least..=most).contains(&count) => Ok(Some(count)),
        _ => {
            let expected = format!("a whole number from {least} to {most}");
            let remedy = "save a number in that range, or leave it out";
            Err(ImportDefect::Range { key: key.to_owned(), found: value.to_string(), expected, remedy })
        }
    }
}
