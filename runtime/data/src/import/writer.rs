//! Writes .npz files.

use std::io::{self, Cursor, Write};

use npyz::{AutoSerialize, Order, WriterBuilder};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An .npz under construction, in memory.
#[must_use]
pub struct NpzWriter(Box<ZipWriter<Cursor<Vec<u8>>>>);

impl Default for NpzWriter {
    fn default() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())).into())
    }
}

impl NpzWriter {
    /// Adds an array in C order.
    ///
    /// # Errors
    /// When the archive would become too large for its format.
    pub fn array<T: AutoSerialize>(
        &mut self,
        key: &str,
        shape: &[u64],
        values: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        self.ordered(key, Order::C, shape, values)
    }

    /// Adds an array.
    pub(super) fn ordered<T: AutoSerialize>(
        &mut self,
        key: &str,
        order: Order,
        shape: &[u64],
        values: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        let mut npy = Vec::new();
        let options = npyz::WriteOptions::new().default_dtype().order(order).shape(shape);
        let mut writer = options.writer(&mut npy).begin_nd()?;
        writer.extend(values)?;
        writer.finish()?;
        self.raw(&format!("{key}.npy"), &npy)
    }

    /// Adds an entry unchanged.
    pub(super) fn raw(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.start_file(name, SimpleFileOptions::default()).map_err(io::Error::other)?;
        self.0.write_all(bytes)
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// When the archive would become too large for its format.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        Ok(self.0.finish().map_err(io::Error::other)?.into_inner())
    }
}
