//! Writes .npz files for tests, where an error is a failed test.
#![allow(clippy::missing_panics_doc)]

use std::io::{Cursor, Write};

use npyz::npz::NpzWriter;
use npyz::{AutoSerialize, Order, WriterBuilder};

/// An archive under construction.
#[must_use]
pub struct Fixture(NpzWriter<Cursor<Vec<u8>>>);

impl Default for Fixture {
    fn default() -> Self {
        Self(NpzWriter::new(Cursor::new(Vec::new())))
    }
}

impl Fixture {
    /// An archive of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array in C order.
    pub fn array<T: AutoSerialize>(self, key: &str, shape: &[u64], values: Vec<T>) -> Self {
        self.ordered(key, Order::C, shape, values)
    }

    /// Adds an array.
    pub fn ordered<T: AutoSerialize>(mut self, key: &str, order: Order, shape: &[u64], values: Vec<T>) -> Self {
        let builder = self.0.array(key, defaults()).unwrap();
        let mut writer = builder.default_dtype().order(order).shape(shape).begin_nd().unwrap();
        writer.extend(values).unwrap();
        writer.finish().unwrap();
        self
    }

    /// Adds an entry as it is.
    pub fn raw(mut self, name: &str, bytes: &[u8]) -> Self {
        self.0.zip_writer().start_file(name, defaults()).unwrap();
        self.0.zip_writer().write_all(bytes).unwrap();
        self
    }

    /// The bytes of the file.
    pub fn bytes(mut self) -> Vec<u8> {
        self.0.zip_writer().finish().unwrap().into_inner()
    }
}

/// The zip crate's own defaults: deflated.
fn defaults<T: Default>() -> T {
    T::default()
}

/// The header of an .npy array, without its values.
pub fn npy_header(descr: &str, shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").bytes());
    npy
}
