//! Agents that do one thing again and again until their fuel ends.

use std::fmt::Write as _;

use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

/// The bytes of a page of memory.
pub(crate) const PAGE: u32 = 65_536;

/// The length of a chain of operations.
const CHAIN: usize = 16;

/// The groups of classes that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Integers,
    Floats,
    Vectors,
    /// Conversions of floats and vectors to integers, which can make an address wait for a load.
    ToIntegers,
    Control,
    /// Memory that the processor's first caches hold.
    SmallMemory,
    /// Memory that they do not hold.
    LargeMemory,
    Bulk,
    Tables,
    Host,
    Intrinsics,
}

impl Group {
    /// Returns whether the median is over its classes: operators that compute and whose prices are for that alone.
    pub(crate) fn is_ordinary(self) -> bool {
        matches!(self, Self::Integers | Self::Floats | Self::Vectors)
    }
}

/// A loop of one class of operators or calls, in the text format.
#[derive(Clone)]
pub(crate) struct Class {
    pub(crate) group: Group,
    pub(crate) name: String,
    pub(crate) pages: u32,
    pub(crate) imports: String,
    pub(crate) declarations: String,
    /// The code that runs once, where the agent trains.
    pub(crate) prepare: String,
    /// The code that runs once, before the loop.
    pub(crate) enter: String,
    pub(crate) body: String,
    /// How often the body stands in the loop, or the operation in itself.
    pub(crate) times: usize,
    pub(crate) encoding: StringEncoding,
}

impl Class {
    /// Makes a class whose loop needs nothing but itself.
    pub(crate) fn new(group: Group, name: impl Into<String>, body: impl Into<String>) -> Self {
        Self {
            group,
            name: name.into(),
            pages: 2,
            imports: String::new(),
            declarations: String::new(),
            prepare: String::new(),
            enter: String::new(),
            body: body.into(),
            times: 16,
            encoding: StringEncoding::UTF8,
        }
    }

    /// Makes a class of an operation on a local variable, whose result is the operand of the next, with nothing between.
    pub(crate) fn chain(group: Group, name: impl Into<String>, local: &str, operation: &str) -> Self {
        let operand = format!("(local.get {local})");
        let nested = (1..CHAIN).fold(operation.to_owned(), |inner, _| operation.replacen(&operand, &inner, 1));
        Self { times: 1, ..Self::new(group, name, format!("(local.set {local} {nested})")) }
    }

    /// Returns the core module with its component type, as a compiler would write it.
    pub(crate) fn module(&self) -> Result<Vec<u8>, String> {
        let mut text = include_str!("guest.wat").to_owned();
        let mut body = String::new();
        for _ in 0..self.times {
            let _ = writeln!(body, "{}", self.body);
        }
        let pages = self.pages.to_string();
        // Texts of the description are in the module's own encoding.
        let name = if self.encoding == StringEncoding::UTF16 { "p\\00r\\00o\\00b\\00e\\00" } else { "probe" };
        let parts = [
            ("{name}", &name.to_owned()),
            ("{imports}", &self.imports),
            ("{pages}", &pages),
            ("{declarations}", &self.declarations),
            ("{prepare}", &self.prepare),
            ("{enter}", &self.enter),
            ("{body}", &body),
        ];
        for (place, part) in parts {
            text = text.replace(place, part);
        }
        let mut module = wat::parse_str(&text).map_err(|error| error.to_string())?;
        let mut resolve = Resolve::default();
        resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).map_err(|error| error.to_string())?;
        let package = resolve.push_str("world.wit", include_str!("world.wit")).map_err(|error| format!("{error:#}"))?;
        let world = resolve.select_world(&[package], None).map_err(|error| error.to_string())?;
        wit_component::embed_component_metadata(&mut module, &resolve, world, self.encoding)
            .map_err(|error| error.to_string())?;
        // The host would do the same; here the message names the class.
        let encoder = ComponentEncoder::default().module(&module).map_err(|error| format!("{error:#}"))?;
        encoder.validate(true).encode().map_err(|error| format!("{error:#}"))
    }
}
