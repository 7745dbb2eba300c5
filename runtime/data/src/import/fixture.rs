//! Writes .npz files for tests, where an error is a failed test.
#![allow(clippy::missing_panics_doc)]

use npyz::{AutoSerialize, Order};

use super::writer::NpzWriter;

/// An archive under construction.
#[derive(Default)]
#[must_use]
pub struct Fixture(NpzWriter);

impl Fixture {
    /// Makes an empty archive.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array in C order.
    pub fn array<T: AutoSerialize>(self, key: &str, shape: &[u64], values: Vec<T>) -> Self {
        self.ordered(key, Order::C, shape, values)
    }

    /// Adds an array.
    pub fn ordered<T: AutoSerialize>(mut self, key: &str, order: Order, shape: &[u64], values: Vec<T>) -> Self {
        self.0.ordered(key, order, shape, values).unwrap();
        self
    }

    /// Adds an entry unchanged.
    pub fn raw(mut self, name: &str, bytes: &[u8]) -> Self {
        self.0.raw(name, bytes).unwrap();
        self
    }

    /// Returns the bytes of the file.
    pub fn bytes(self) -> Vec<u8> {
        self.0.finish().unwrap()
    }
}

/// Returns the header of an .npy array, without its values.
pub fn npy_header(descr: &str, shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").bytes());
    npy
}
