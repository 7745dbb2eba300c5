//! Writes .npz files for tests, where an error is a failed test.
#![allow(clippy::missing_panics_doc)]

use std::io::{Cursor, Write};

use npyz::{AutoSerialize, Order, WriterBuilder};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive under construction.
#[must_use]
pub struct Fixture(Box<ZipWriter<Cursor<Vec<u8>>>>);

impl Default for Fixture {
    fn default() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())).into())
    }
}

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
    pub fn ordered<T: AutoSerialize>(self, key: &str, order: Order, shape: &[u64], values: Vec<T>) -> Self {
        let mut npy = Vec::new();
        let options = npyz::WriteOptions::new().default_dtype().order(order).shape(shape);
        let mut writer = options.writer(&mut npy).begin_nd().unwrap();
        writer.extend(values).unwrap();
        writer.finish().unwrap();
        self.raw(&format!("{key}.npy"), &npy)
    }

    /// Adds an entry unchanged.
    pub fn raw(mut self, name: &str, bytes: &[u8]) -> Self {
        self.0.start_file(name, SimpleFileOptions::default()).unwrap();
        self.0.write_all(bytes).unwrap();
        self
    }

    /// Returns the bytes of the file.
    pub fn bytes(self) -> Vec<u8> {
        self.0.finish().unwrap().into_inner()
    }
}

/// Returns the header of an .npy array, without its values.
pub fn npy_header(descr: &str, shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").bytes());
    npy
}
