//! A dataset in memory, and inputs of no class beside it.

use jointly_core::digest::Hasher;
use jointly_core::{Inputs, Matrix, Task};

/// The largest value of a pixel.
const WHITE: f32 = 255.0;
/// A column whose standard deviation is below this share of its largest value is constant, but for rounding.
const CONSTANT: f64 = 1e-12;

/// A dataset that is read and checked, with whatever outsiders there were.
#[derive(Debug)]
pub struct ShiftData {
    pub(super) name: String,
    /// What an agent is told, all classes being there.
    pub task: Task,
    /// What is shared out.
    pub pool: Labelled,
    /// What is always tested on, where the dataset has such.
    pub test: Option<Labelled>,
    /// Inputs of no class, each set under its name.
    pub outsiders: Vec<(String, Rows)>,
    pub(super) digest: String,
}

/// Labelled rows.
#[derive(Debug)]
pub struct Labelled {
    /// The inputs.
    pub rows: Rows,
    /// The class of each.
    pub labels: Vec<u32>,
}

/// Rows as they take least memory.
#[derive(Debug)]
pub enum Rows {
    /// Bytes, so many a row, seen over 255.
    Pixels { columns: usize, bytes: Vec<u8> },
    /// Numbers, so many a row, standardised by whichever of them are trained on.
    Table { columns: usize, values: Vec<f64> },
    /// What agents see.
    Inputs(Inputs),
}

impl ShiftData {
    /// The dataset's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What an agent is told, all classes being there.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The [digest](fn@jointly_core::digest) of what the files hold, outsiders too, however they are named, written or packed.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The sets of outsiders that are there, and how many each has.
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
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Pixels { columns, bytes } => bytes.len() / columns,
            Self::Table { columns, values } => values.len() / columns,
            Self::Inputs(inputs) => inputs.rows(),
        }
    }

    /// Those rows as agents see them that train on some of this table's rows.
    ///
    /// # Formula
    /// Of tables `(x_ij - mean_j) / deviation_j`, mean and standard deviation those of column j over the rows trained on; 0
    /// in a column that is constant there.
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

/// The mean and standard deviation of a column.
struct Scale {
    mean: f64,
    /// 0 where the column is constant.
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
