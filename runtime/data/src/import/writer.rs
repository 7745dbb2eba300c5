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
        self.0.start_file(format!("{key}.npy"), SimpleFileOptions::default()).map_err(io::Error::other)?;
        let mut npy = Vec::new();
        let options = npyz::WriteOptions::new().default_dtype().order(Order::C).shape(shape);
        let mut writer = options.writer(&mut npy).begin_nd()?;
        writer.extend(values)?;
        writer.finish()?;
        self.0.write_all(&npy)
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// When the archive would become too large for its format.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        Ok(self.0.finish().map_err(io::Error::other)?.into_inner())
    }
}
