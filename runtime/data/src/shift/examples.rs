//! A dataset in memory, with its out-of-distribution (OOD) inputs.

use jointly_core::digest::Hasher;
use jointly_core::{Inputs, Matrix, Task};

use super::super::error::DataDefect;
use crate::equal_inputs::{are_equal, inputs_are_equal};

/// The largest value of a pixel.
const WHITE: f32 = 255.0;
/// A column whose standard deviation is below this share of its largest value counts as constant.
const CONSTANT: f64 = 1e-12;

/// A dataset that is read and checked, with the sets of OOD inputs that exist.
#[derive(Debug)]
pub struct ShiftData {
    pub(super) name: String,
    /// The task as agents are told, with all classes.
    pub task: Task,
    /// The rows that are divided between training and test.
    pub pool: Labelled,
    /// The fixed test set, if the dataset has one.
    pub test: Option<Labelled>,
    /// Sets of OOD inputs by name.
    pub outsiders: Vec<(String, Rows)>,
    pub(super) digest: String,
}

/// Labelled rows.
#[derive(Debug)]
pub struct Labelled {
    /// The inputs.
    pub rows: Rows,
    /// The class of each row.
    pub labels: Vec<u32>,
}

/// Rows in the form that takes least memory.
#[derive(Debug)]
pub enum Rows {
    /// Bytes, with this number for each row, which agents see divided by 255.
    Pixels { columns: usize, bytes: Vec<u8> },
    /// Numbers, with this number for each row, standardised by the training rows.
    Table { columns: usize, values: Vec<f64> },
    /// Inputs as agents see them.
    Inputs(Inputs),
}

impl ShiftData {
    /// Returns the dataset's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the task as agents are told, with all classes.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns the [digest](fn@jointly_core::digest) of the contents with OOD inputs, which does not depend on names,
    /// formats or compression of the files.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the sets of OOD inputs that exist, and the number of inputs in each.
    pub fn outsiders(&self) -> impl Iterator<Item = (&str, usize)> {
        self.outsiders.iter().map(|(name, rows)| (name.as_str(), rows.len()))
    }

    pub(super) fn new(
        name: &str,
        task: Task,
        pool: Labelled,
        test: Option<Labelled>,
        outsiders: Vec<(String, Rows)>,
    ) -> Self {
        let mut hash = Hasher::default();
        hash.add(b"jointly shift dataset 1");
        hash.add(&task.num_classes.to_le_bytes());
        let mut add = |name: &str, rows: &Rows, labels: &[u32]| {
            hash.add(&(name.len() as u64).to_le_bytes());
            hash.add(name.as_bytes());
            hash.add(&(rows.len() as u64).to_le_bytes());
            rows.hash(&mut hash);
            for label in labels {
                hash.add(&label.to_le_bytes());
            }
        };
        add("pool", &pool.rows, &pool.labels);
        if let Some(test) = &test {
            add("test", &test.rows, &test.labels);
        }
        for (name, rows) in &outsiders {
            add(name, rows, &[]);
        }
        let digest = hash.finish();
        Self { name: name.to_owned(), task, pool, test, outsiders, digest }
    }
}

impl Rows {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Pixels { columns, bytes } => bytes.len() / columns,
            Self::Table { columns, values } => values.len() / columns,
            Self::Inputs(inputs) => inputs.rows(),
        }
    }

    /// Returns the rows.
    ///
    /// # Errors
    /// When there are several, all the same.
    pub(super) fn differing(self) -> Result<Self, DataDefect> {
        self.differ().map(|()| self)
    }

    /// Refuses several rows that are all the same.
    pub(super) fn differ(&self) -> Result<(), DataDefect> {
        let (equal, what) = match self {
            Self::Pixels { columns, bytes } => (are_equal(bytes, *columns), "images"),
            Self::Table { columns, values } => (are_equal(values, *columns), "rows of features"),
            Self::Inputs(inputs) if inputs.numbers().cols() == 0 => (inputs_are_equal(inputs), "texts"),
            Self::Inputs(inputs) => (inputs_are_equal(inputs), "inputs"),
        };
        if equal { Err(DataDefect::Equal { what, count: self.len() }) } else { Ok(()) }
    }

    /// Returns the chosen rows as seen by an agent that is trained on the rows `trained`.
    ///
    /// # Formula
    /// For tables `(x_ij - mean_j) / deviation_j`, with the mean and the standard deviation of column j over the
    /// training rows; 0 in a column that is constant there.
    pub fn select(&self, rows: &[usize], trained: &[usize]) -> Inputs {
        match self {
            Self::Pixels { columns, bytes } => {
                let pixels = rows.iter().flat_map(|&row| &bytes[row * columns..(row + 1) * columns]);
                Matrix::from_rows(*columns, pixels.map(|&byte| f32::from(byte) / WHITE).collect()).into()
            }
            Self::Table { columns, values } => {
                let scales: Vec<Scale> = (0..*columns).map(|j| Scale::of(values, *columns, j, trained)).collect();
                let row = |&row: &usize| values[row * columns..(row + 1) * columns].iter().zip(&scales);
                let standardised = rows.iter().flat_map(row).map(|(&x, scale)| scale.standardise(x));
                Matrix::from_rows(*columns, standardised.collect()).into()
            }
            Self::Inputs(inputs) => inputs.select(rows),
        }
    }

    fn hash(&self, hash: &mut Hasher) {
        match self {
            Self::Pixels { bytes, .. } => hash.add(bytes),
            Self::Table { values, .. } => values.iter().for_each(|x| hash.add(&x.to_le_bytes())),
            Self::Inputs(inputs) => {
                inputs.numbers().values().iter().for_each(|x| hash.add(&x.to_le_bytes()));
                inputs.tokens().values().iter().for_each(|id| hash.add(&id.to_le_bytes()));
            }
        }
    }
}

/// The mean and the standard deviation of a column.
struct Scale {
    mean: f64,
    /// The standard deviation; 0 if the column is constant.
    deviation: f64,
}

impl Scale {
    fn of(values: &[f64], columns: usize, j: usize, rows: &[usize]) -> Self {
        let column = || rows.iter().map(|row| values[row * columns + j]);
        let count = rows.len().max(1) as f64;
        let mean = column().sum::<f64>() / count;
        let deviation = (column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt();
        let largest = values.iter().skip(j).step_by(columns).fold(0.0_f64, |most, x| most.max(x.abs()));
        Self { mean, deviation: if deviation > CONSTANT * largest { deviation } else { 0.0 } }
    }

    fn standardise(&self, x: f64) -> f32 {
        if self.deviation == 0.0 { 0.0 } else { ((x - self.mean) / self.deviation) as f32 }
    }
}
