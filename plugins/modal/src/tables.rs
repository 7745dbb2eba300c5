//! Tables of embeddings: the numbers that stand for words and categories, and the steps of those that a batch has.

use jointly_nets::normals::Normals;
use jointly_nets::simd::{Lanes, floats, vectors};
use jointly_sdk::{Rng, Tokens};

/// The id that fills up a short text.
const PADDING: u32 = 0;

/// What tokens are, and which row of the tables each has.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Absent,
    /// So many words, in texts of so many.
    Text {
        vocabulary: usize,
        length: usize,
    },
    /// So many categories a column, one table below the other.
    Categories(Vec<usize>),
}

impl Kind {
    pub(crate) fn new(tokens: &Tokens) -> Self {
        match tokens {
            Tokens::Absent => Self::Absent,
            Tokens::Text { vocabulary, length } => Self::Text { vocabulary: *vocabulary as usize, length: *length },
            Tokens::Categories(sizes) => Self::Categories(sizes.iter().map(|size| *size as usize).collect()),
        }
    }

    /// Tokens of an input.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { length, .. } => *length,
            Self::Categories(sizes) => sizes.len(),
        }
    }

    /// Embeddings that an input becomes.
    pub(crate) fn vectors(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { .. } => 1,
            Self::Categories(sizes) => sizes.len(),
        }
    }

    /// Rows of all tables.
    pub(crate) fn ids(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { vocabulary, .. } => *vocabulary,
            Self::Categories(sizes) => sizes.iter().sum(),
        }
    }

    /// Whether an input's tokens are in the tables.
    pub(crate) fn knows(&self, tokens: &[u32]) -> bool {
        match self {
            Self::Absent => true,
            Self::Text { vocabulary, .. } => tokens.iter().all(|id| (*id as usize) < *vocabulary),
            Self::Categories(sizes) => tokens.iter().zip(sizes).all(|(id, size)| (*id as usize) < *size),
        }
    }
}

/// The embeddings of all words or categories: points that are learnt, of which no agent is uncertain.
///
/// # Formula
///
/// A text is the mean of the embeddings of its words, those that fill it up apart, and zero without any; a row of categories is the
/// embedding of each, side by side. Embeddings start normal, with the standard deviation 1 / sqrt(width).
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    kind: Kind,
    width: usize,
    values: Vec<f32>,
}

impl Tables {
    pub(crate) fn new(kind: Kind, width: usize, rng: &mut Rng) -> Self {
        let len = kind.ids() * width;
        let mut normals = vec![Lanes::splat(0.0); vectors(len)];
        if len > 0 {
            Normals::new(rng).fill(&mut normals);
        }
        let scale = 1.0 / (width as f32).sqrt();
        let values = floats(&normals)[..len].iter().map(|value| scale * value).collect();
        Self { kind, width, values }
    }

    /// Numbers that an input's tokens become.
    pub(crate) fn numbers(&self) -> usize {
        self.kind.vectors() * self.width
    }

    /// The rows of the tables that an input's tokens have, in order, without padding.
    fn rows<'a>(&'a self, tokens: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        let (sizes, is_text): (&[usize], bool) = match &self.kind {
            Kind::Absent => (&[], false),
            Kind::Text { .. } => (&[], true),
            Kind::Categories(sizes) => (sizes, false),
        };
        let mut offset = 0;
        let used = tokens.iter().enumerate().filter(move |(_, id)| !is_text || **id != PADDING);
        used.map(move |(column, id)| {
            let row = offset + *id as usize;
            offset += sizes.get(column).copied().unwrap_or(0);
            row
        })
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    /// Writes what an input's tokens become.
    pub(crate) fn write(&self, tokens: &[u32], out: &mut [f32]) {
        match self.kind {
            Kind::Absent => {}
            Kind::Categories(_) => {
                let out = out.chunks_exact_mut(self.width);
                out.zip(self.rows(tokens)).for_each(|(out, row)| out.copy_from_slice(self.row(row)));
            }
            Kind::Text { .. } => {
                out.fill(0.0);
                let mut words = 0u32;
                for row in self.rows(tokens) {
                    out.iter_mut().zip(self.row(row)).for_each(|(sum, value)| *sum += value);
                    words += 1;
                }
                let share = share(words);
                for sum in out {
                    *sum *= share;
                }
            }
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }
}

/// What a word counts in a text of so many.
fn share(words: u32) -> f32 {
    1.0 / words.max(1) as f32
}

/// Adam for tables, row by row: a row is moved by the batches alone that have it, and its steps are counted by itself, so that
/// a batch costs what it has and a rare word does not drift between the texts that have it.
#[derive(Debug)]
pub(crate) struct Steps {
    rate: f32,
    first: Vec<f32>,
    second: Vec<f32>,
    /// Steps of each row.
    counts: Vec<i32>,
    /// Where the gradient of each row of the tables is, if a batch has it.
    places: Vec<u32>,
    /// Rows that the batch has, in the order in which they were met.
    met: Vec<u32>,
    gradient: Vec<f32>,
}

const NOWHERE: u32 = u32::MAX;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

impl Steps {
    pub(crate) fn new(tables: &Tables, rate: f32) -> Self {
        let rows = tables.kind.ids();
        Self {
            rate,
            first: vec![0.0; tables.values.len()],
            second: vec![0.0; tables.values.len()],
            counts: vec![0; rows],
            places: vec![NOWHERE; rows],
            met: Vec::new(),
            gradient: Vec::new(),
        }
    }

    /// Adds the gradient that an input's row has, given that with respect to what its tokens became.
    pub(crate) fn add(&mut self, tables: &Tables, tokens: &[u32], slopes: &[f32]) {
        let width = tables.width;
        let share = match tables.kind {
            Kind::Text { .. } => share(tables.rows(tokens).count() as u32),
            Kind::Absent | Kind::Categories(_) => 1.0,
        };
        let mut parts = slopes.chunks_exact(width).cycle();
        for row in tables.rows(tokens) {
            let place = &mut self.places[row];
            if *place == NOWHERE {
                *place = self.met.len() as u32;
                self.met.push(row as u32);
                self.gradient.resize(self.met.len() * width, 0.0);
            }
            let gradient = &mut self.gradient[*place as usize * width..][..width];
            if let Some(slopes) = parts.next() {
                gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += share * slope);
            }
        }
    }

    /// Moves the rows that the batch had, and forgets the batch.
    ///
    /// # Formula
    ///
    /// That of `jointly_nets::adam`, with the row's own count of steps.
    pub(crate) fn step(&mut self, tables: &mut Tables) {
        let width = tables.width;
        for (row, gradient) in self.met.iter().zip(self.gradient.chunks_exact(width)) {
            let row = *row as usize;
            self.places[row] = NOWHERE;
            let count = &mut self.counts[row];
            *count = count.saturating_add(1);
            let correction = |beta: f32| (1.0 - f64::from(beta).powi(*count)) as f32;
            let rate = self.rate / correction(BETA1);
            let root = 1.0 / correction(BETA2);
            let place = row * width..(row + 1) * width;
            let moments = self.first[place.clone()].iter_mut().zip(&mut self.second[place.clone()]);
            for ((value, slope), (first, second)) in tables.values[place].iter_mut().zip(gradient).zip(moments) {
                *first = BETA1 * *first + (1.0 - BETA1) * slope;
                *second = BETA2 * *second + (1.0 - BETA2) * slope * slope;
                *value -= rate * *first / ((*second * root).sqrt() + EPSILON);
            }
        }
        self.met.clear();
        self.gradient.clear();
    }
}
