//! Arrays in an .npz archive: found by name, checked for type and order, read as a stream.

use std::fmt::Display;
use std::io::{Error, ErrorKind, Read, Seek};

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr};
use zip::ZipArchive;

use super::error::{ImportDefect, SPLIT};
use crate::zip_names;

/// Number of bytes read at a time. The size that an array states is not trusted before its values are read.
const PIECE: usize = 1 << 16;
/// The longest header that is read, as in NumPy itself; NumPy writes headers of 118 bytes for plain arrays.
const MAX_HEADER: usize = 10_000;
/// The most brackets that a header may open. The header of an array of numbers opens two, that of an array of records
/// four; the parser takes up to three times as long for each further level of nesting, and 12 s for eight.
const MAX_BRACKETS: usize = 4;

/// A type of number that is read without conversion.
pub trait Element: Copy {
    /// NumPy's description of the type.
    const KIND: Kind;
    /// Reads the number from little-endian bytes, as many as `KIND` has.
    fn from_le(bytes: &[u8]) -> Self;
}

/// A type of number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    class: TypeChar,
    bytes: u64,
    name: &'static str,
}

impl Element for f32 {
    const KIND: Kind = Kind { class: TypeChar::Float, bytes: 4, name: "float32" };
    fn from_le(bytes: &[u8]) -> Self {
        Self::from_le_bytes(bytes.try_into().expect("four bytes"))
    }
}

impl Element for f64 {
    const KIND: Kind = Kind { class: TypeChar::Float, bytes: 8, name: "float64" };
    fn from_le(bytes: &[u8]) -> Self {
        Self::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }
}

impl Element for i64 {
    const KIND: Kind = Kind { class: TypeChar::Int, bytes: 8, name: "int64" };
    fn from_le(bytes: &[u8]) -> Self {
        Self::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }
}

impl Element for u8 {
    const KIND: Kind = Kind { class: TypeChar::Uint, bytes: 1, name: "uint8" };
    fn from_le(bytes: &[u8]) -> Self {
        bytes[0]
    }
}

/// Returns the array of an .npy file, named `key` in errors.
pub(crate) fn npy<'a>(key: &str, mut bytes: &'a [u8]) -> Result<Array<&'a [u8]>, ImportDefect> {
    let size = bytes.len() as u64;
    let header = header(&mut bytes).map_err(|error| damaged(key, &error))?;
    Array { key: key.to_owned(), header, reader: bytes }.within(size)
}

/// An opened archive.
pub struct Archive<R>(ZipArchive<R>);

impl<R: Read + Seek> Archive<R> {
    /// Refuses an archive with an array of an unknown name, which is probably misspelt.
    ///
    /// # Errors
    /// When there is such an array.
    pub fn holds_only(&self, known: &[&str]) -> Result<(), ImportDefect> {
        match self.names().into_iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(key) => Err(ImportDefect::UnknownKey { key, known: known.join(", ") }),
        }
    }

    /// Opens an archive and reads only its directory.
    ///
    /// # Errors
    /// When it is not an .npz archive, or two of its arrays have one name.
    pub fn open(reader: R) -> Result<Self, ImportDefect> {
        zip_names::open(reader).map(Self).map_err(|reason| ImportDefect::NotNpz { reason })
    }

    /// Returns the names of the arrays, in order; other entries are not read.
    fn names(&self) -> Vec<String> {
        let entries = self.0.file_names_raw().map(String::from_utf8_lossy);
        let mut names: Vec<_> = entries.filter_map(|name| name.strip_suffix(".npy").map(str::to_owned)).collect();
        names.sort_unstable();
        names
    }

    /// Returns the array named `key`, or `None` if there is none.
    ///
    /// The header is not trusted: an entry that is shorter than its shape needs is refused here.
    ///
    /// # Errors
    /// When the array cannot be read, or its entry is shorter than its values.
    pub fn find(&mut self, key: &str) -> Result<Option<Array<impl Read + '_>>, ImportDefect> {
        let Some(entry) = self.0.index_for_name_raw(format!("{key}.npy").as_bytes()) else { return Ok(None) };
        let mut reader = self.0.by_index(entry).map_err(|error| damaged(key, &error))?;
        let size = reader.size();
        let header = header(&mut reader).map_err(|error| damaged(key, &error))?;
        Array { key: key.to_owned(), header, reader }.within(size).map(Some)
    }

    /// Checks, by their headers, that the arrays named `keys`, as far as they exist, take at most `most` bytes in
    /// memory.
    ///
    /// # Errors
    /// When a header cannot be read, or the arrays take more.
    pub fn limit(&mut self, keys: &[&str], most: u64) -> Result<(), ImportDefect> {
        let mut total = 0_u64;
        for key in keys {
            let bytes = self.find(key)?.and_then(|array| array.bytes());
            total = total.saturating_add(bytes.unwrap_or(0));
        }
        if total <= most {
            return Ok(());
        }
        let what = format!("an archive of {}", keys.join(", "));
        Err(ImportDefect::TooLarge { what, bytes: total, limit: most, remedy: SPLIT })
    }

    /// Returns the array named `key`, which must exist.
    ///
    /// # Errors
    /// When the array does not exist or cannot be read.
    pub fn get(&mut self, key: &str) -> Result<Array<impl Read + '_>, ImportDefect> {
        let names = self.names();
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        self.find(key)?.ok_or(ImportDefect::MissingKey { key: key.to_owned(), found })
    }
}

/// An array whose header is read and whose values follow.
pub struct Array<R> {
    key: String,
    header: NpyHeader,
    reader: R,
}

impl<R: Read> Array<R> {
    /// Checks that the array is in C order and has no more values than the `size` bytes of its file can hold.
    fn within(self, size: u64) -> Result<Self, ImportDefect> {
        // Arrays with fewer than two dimensions have no meaningful order.
        if self.header.order() == Order::Fortran && self.shape().len() > 1 {
            return Err(ImportDefect::FortranOrder { key: self.key });
        }
        if self.bytes().is_none_or(|bytes| bytes > size) {
            return Err(ImportDefect::Truncated { key: self.key, shape: self.header.shape().to_vec() });
        }
        Ok(self)
    }

    /// Returns the length of each dimension.
    pub fn shape(&self) -> &[u64] {
        self.header.shape()
    }

    /// Returns the number of bytes that the header states, or `None` if it overflows.
    pub fn bytes(&self) -> Option<u64> {
        let bytes = self.header.dtype().num_bytes().unwrap_or(0) as u64;
        self.shape().iter().try_fold(bytes, |bytes, &n| bytes.checked_mul(n))
    }

    /// Returns the shape if it has `N` dimensions; `expected` names them in the error.
    ///
    /// # Errors
    /// When it has another number of dimensions.
    pub fn dimensions<const N: usize>(&self, expected: &str) -> Result<[u64; N], ImportDefect> {
        self.shape().try_into().map_err(|_| self.misshapen(expected))
    }

    /// Makes the error that the shape is not `expected`.
    pub fn misshapen(&self, expected: impl Into<String>) -> ImportDefect {
        ImportDefect::Shape { key: self.key.clone(), found: self.shape().to_vec(), expected: expected.into() }
    }

    /// Returns whether the values have that type.
    pub fn holds(&self, kind: Kind) -> bool {
        matches!(self.header.dtype(), DType::Plain(plain)
            if plain.type_char() == kind.class && plain.size_field() == kind.bytes && plain.endianness() != Endianness::Big)
    }

    /// Checks that the values are of type `T`.
    ///
    /// # Errors
    /// When they are of another type.
    pub fn check<T: Element>(&self) -> Result<(), ImportDefect> {
        if self.holds(T::KIND) { Ok(()) } else { Err(self.mistyped(T::KIND.name, T::KIND.name)) }
    }

    /// Makes the error that the type is not `expected`.
    pub fn mistyped(&self, expected: &'static str, remedy: &'static str) -> ImportDefect {
        ImportDefect::Dtype { key: self.key.clone(), found: numpy_name(&self.header.dtype()), expected, remedy }
    }

    /// Reads all values.
    ///
    /// # Errors
    /// When they are of another type, end early or fail the checksum.
    pub fn read<T: Element>(self) -> Result<Vec<T>, ImportDefect> {
        self.check::<T>()?;
        let count = self.shape().iter().try_fold(1_u64, |count, &n| count.checked_mul(n));
        let mut values = Vec::new();
        match count.map(usize::try_from) {
            Some(Ok(count)) => {
                let mut source = self.into_values::<T>()?;
                source.read(count, &mut values)?;
                source.finish()?;
            }
            _ => return Err(self.misshapen("a shape that fits in memory")),
        }
        Ok(values)
    }

    /// Returns a reader of the values.
    ///
    /// # Errors
    /// When they are of another type.
    pub fn into_values<T: Element>(self) -> Result<Values<R>, ImportDefect> {
        self.check::<T>()?;
        Ok(Values { key: self.key, shape: self.header.shape().to_vec(), reader: self.reader, piece: vec![0; PIECE] })
    }
}

/// A reader of an array's values.
pub struct Values<R> {
    key: String,
    shape: Vec<u64>,
    reader: R,
    piece: Vec<u8>,
}

impl<R: Read> Values<R> {
    /// Appends the next `count` values to `values`.
    ///
    /// # Errors
    /// When they end early.
    pub fn read<T: Element>(&mut self, count: usize, values: &mut Vec<T>) -> Result<(), ImportDefect> {
        let size = T::KIND.bytes as usize;
        let mut left = count;
        while left > 0 {
            let now = left.min(PIECE / size);
            self.fill(now * size)?;
            values.extend(self.piece[..now * size].chunks_exact(size).map(T::from_le));
            left -= now;
        }
        Ok(())
    }

    /// Skips the next `bytes` bytes, which still count towards the archive's checksum.
    ///
    /// # Errors
    /// When they end early.
    pub fn skip(&mut self, mut bytes: u64) -> Result<(), ImportDefect> {
        while bytes > 0 {
            let now = bytes.min(PIECE as u64);
            self.fill(now as usize)?;
            bytes -= now;
        }
        Ok(())
    }

    /// Checks that nothing follows; this also compares the archive's checksum.
    ///
    /// # Errors
    /// When something follows, or the checksum differs.
    pub fn finish(mut self) -> Result<(), ImportDefect> {
        match self.reader.read(&mut self.piece[..1]) {
            Ok(0) => Ok(()),
            Ok(_) => {
                let reason = format!("it holds more values than its shape {:?} needs", self.shape);
                Err(ImportDefect::Damaged { key: self.key, reason })
            }
            Err(error) => Err(damaged(&self.key, &error)),
        }
    }

    fn fill(&mut self, bytes: usize) -> Result<(), ImportDefect> {
        self.reader.read_exact(&mut self.piece[..bytes]).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => ImportDefect::Truncated { key: self.key.clone(), shape: self.shape.clone() },
            _ => damaged(&self.key, &error),
        })
    }
}

/// Reads a header. It may state a length of up to 4 GiB and open as many brackets, so both are limited.
fn header(reader: &mut impl Read) -> Result<NpyHeader, Error> {
    let refused = |reason: String| Err(Error::new(ErrorKind::InvalidData, reason));
    // A magic string of six bytes, a version of two, and a length of two bytes in version 1 and four bytes in later
    // versions.
    let mut bytes = vec![0; 12];
    reader.read_exact(&mut bytes)?;
    let (short, long) = ([bytes[8], bytes[9]], [bytes[8], bytes[9], bytes[10], bytes[11]]);
    let (start, length) = match bytes[6] {
        0 | 1 => (10, usize::from(u16::from_le_bytes(short))),
        _ => (12, u32::from_le_bytes(long) as usize),
    };
    if length > MAX_HEADER {
        return refused(format!("its header claims {length} bytes"));
    }
    reader.take((start + length).saturating_sub(bytes.len()) as u64).read_to_end(&mut bytes)?;
    if bytes.iter().filter(|byte| b"([{".contains(byte)).count() > MAX_BRACKETS {
        return refused("its header is not that of an array of numbers".to_owned());
    }
    NpyHeader::from_reader(bytes.as_slice())
}

fn damaged(key: &str, error: &impl Display) -> ImportDefect {
    ImportDefect::Damaged { key: key.to_owned(), reason: error.to_string() }
}

fn numpy_name(dtype: &DType) -> String {
    match dtype {
        DType::Plain(plain) => plain_name(plain),
        other => other.descr(),
    }
}

fn plain_name(plain: &TypeStr) -> String {
    let bits = plain.size_field() * 8;
    let name = match plain.type_char() {
        TypeChar::Float => format!("float{bits}"),
        TypeChar::Int => format!("int{bits}"),
        TypeChar::Uint => format!("uint{bits}"),
        TypeChar::Complex => format!("complex{bits}"),
        TypeChar::Bool => "bool".to_owned(),
        _ => plain.to_string(),
    };
    if plain.endianness() == Endianness::Big { format!("big-endian {name}") } else { name }
}
