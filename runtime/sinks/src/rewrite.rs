//! Writes a component with other bodies of functions. All other bytes stay as they are.

use std::collections::HashMap;

use wasmparser::{BinaryReader, FunctionBody, Parser, ValType};

use super::Unknown;
use super::flow;
use super::status::Format;
use super::step::Function;

/// The section of a component that holds a core module.
const MODULE: u8 = 1;
/// The section of a core module that holds the bodies of functions.
const CODE: u8 = 10;
/// Custom sections, and the beginning of the names of those that count bytes of bodies.
const CUSTOM: u8 = 0;
const OFFSETS: &str = "metadata.code.";
/// The bytes before the first section: a magic number and a version.
const HEADER: usize = 8;

mod code {
    pub(super) const IF: u8 = 0x04;
    pub(super) const END: u8 = 0x0b;
    pub(super) const BR: u8 = 0x0c;
    pub(super) const EMPTY: u8 = 0x40;
    pub(super) const LOCAL_GET: u8 = 0x20;
    pub(super) const LOCAL_SET: u8 = 0x21;
    pub(super) const LOCAL_TEE: u8 = 0x22;
    pub(super) const V128: u8 = 0x7b;
    pub(super) const VECTOR: u8 = 0xfd;
    pub(super) const V128_CONST: u32 = 0x0c;
    pub(super) const F32X4_SPLAT: u32 = 0x13;
    pub(super) const F64X2_SPLAT: u32 = 0x14;
    pub(super) const F32X4_EXTRACT_LANE: u32 = 0x1f;
    pub(super) const F64X2_EXTRACT_LANE: u32 = 0x21;
    pub(super) const F32X4_EQ: u32 = 0x41;
    pub(super) const F64X2_EQ: u32 = 0x47;
    pub(super) const V128_BITSELECT: u32 = 0x52;
}

/// A new body has at most `SPARE` bytes more than `GROWTH` times the bytes of the old one.
const SPARE: usize = 64 << 10;
const GROWTH: usize = 6;

/// Returns the new body of a function, or `None` if no value in it has to be made canonical.
pub(super) fn body(file: &[u8], body: &FunctionBody, function: &Function) -> Result<Option<Vec<u8>>, Unknown> {
    let needs = flow::needs(&function.steps, &function.locals, function.results)
        .ok_or(Unknown("its loops were walked too often"))?;
    if needs.is_none() {
        return Ok(None);
    }
    let most = GROWTH * body.range().len() + SPARE;
    let mut reader = body.get_binary_reader();
    let groups = reader.read_var_u32()?;
    let declared = reader.original_position();
    for _ in 0..groups {
        reader.read_var_u32()?;
        reader.read::<ValType>()?;
    }
    let start = reader.original_position();
    let mut new = Vec::with_capacity(2 * body.range().len());
    // One more local, a vector.
    number(&mut new, groups + 1);
    new.extend(&file[declared..start]);
    number(&mut new, 1);
    new.push(code::V128);
    let (mut written, mut before) = (start, start);
    for ((step, value), locals) in function.steps.iter().zip(needs.values).zip(needs.locals) {
        if !locals.is_empty() {
            new.extend(&file[written..before]);
            written = before;
            let depth = step.act.condition();
            if depth.is_some() {
                new.extend([code::IF, code::EMPTY]);
            }
            for (local, format) in locals {
                let (local, ty) = function.floats[local];
                of_local(&mut new, code::LOCAL_GET, local);
                canonical(&mut new, format, ty, function.count)?;
                of_local(&mut new, code::LOCAL_SET, local);
            }
            if let Some(depth) = depth {
                new.push(code::BR);
                number(&mut new, depth as u32 + 1);
                new.push(code::END);
                written = step.end;
            }
        }
        if let Some(format) = value {
            new.extend(&file[written..step.end]);
            written = step.end;
            canonical(&mut new, format, step.top.ok_or(Unknown("a type is missing"))?, function.count)?;
        }
        before = step.end;
        if new.len() > most {
            return Err(Unknown("a function becomes too large"));
        }
    }
    new.extend(&file[written..body.range().end]);
    if new.len() > most {
        return Err(Unknown("a function becomes too large"));
    }
    Ok(Some(new))
}

/// Writes instructions that make NaNs of the value on top of the stack canonical.
///
/// They compare vectors, and scalars as vectors, because a comparison of scalars gives an integer, which may become an
/// address and so costs as much fuel as a miss of all caches.
fn canonical(new: &mut Vec<u8>, format: Format, ty: ValType, local: u32) -> Result<(), Unknown> {
    let (splat, extract, equal) = match format {
        Format::F32 => (code::F32X4_SPLAT, code::F32X4_EXTRACT_LANE, code::F32X4_EQ),
        Format::F64 => (code::F64X2_SPLAT, code::F64X2_EXTRACT_LANE, code::F64X2_EQ),
    };
    let scalar = match ty {
        ValType::F32 | ValType::F64 => true,
        ValType::V128 => false,
        _ => return Err(Unknown("a float has another type")),
    };
    if scalar {
        vector(new, splat);
    }
    of_local(new, code::LOCAL_TEE, local);
    vector(new, code::V128_CONST);
    match format {
        Format::F32 => (0..4).for_each(|_| new.extend(0x7fc0_0000_u32.to_le_bytes())),
        Format::F64 => (0..2).for_each(|_| new.extend(0x7ff8_0000_0000_0000_u64.to_le_bytes())),
    }
    of_local(new, code::LOCAL_GET, local);
    of_local(new, code::LOCAL_GET, local);
    vector(new, equal);
    vector(new, code::V128_BITSELECT);
    if scalar {
        vector(new, extract);
        new.push(0);
    }
    Ok(())
}

fn of_local(new: &mut Vec<u8>, code: u8, local: u32) {
    new.push(code);
    number(new, local);
}

fn vector(new: &mut Vec<u8>, code: u32) {
    new.push(code::VECTOR);
    number(new, code);
}

/// Writes a number as LEB128.
fn number(new: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        new.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    new.push(value as u8);
}

/// Returns a component or a core module with new bodies, by where the old ones begin.
pub(super) fn file(file: &[u8], bodies: &mut HashMap<usize, Vec<u8>>) -> Result<Vec<u8>, Unknown> {
    if Parser::is_core_wasm(file) {
        return module(file, 0, bodies);
    }
    sections(file, 0, |id, at, contents| if id == MODULE { module(contents, at, bodies).map(Some) } else { Ok(None) })
}

fn module(bytes: &[u8], at: usize, bodies: &mut HashMap<usize, Vec<u8>>) -> Result<Vec<u8>, Unknown> {
    sections(bytes, at, |id, at, contents| match id {
        CODE => functions(contents, at, bodies).map(Some),
        // The positions in them are no longer right; they are hints only.
        CUSTOM if BinaryReader::new(contents, 0).read_string()?.starts_with(OFFSETS) => Ok(Some(Vec::new())),
        _ => Ok(None),
    })
}

/// Copies the sections of a module or a component that begins at `at` in the file, with the contents that `new` gives in
/// the place of its own. A section without contents is left out.
fn sections(
    bytes: &[u8],
    at: usize,
    mut new: impl FnMut(u8, usize, &[u8]) -> Result<Option<Vec<u8>>, Unknown>,
) -> Result<Vec<u8>, Unknown> {
    let mut out = bytes.get(..HEADER).ok_or(Unknown("it has no sections"))?.to_vec();
    let mut reader = BinaryReader::new(&bytes[HEADER..], at + HEADER);
    while !reader.eof() {
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()? as usize;
        let start = reader.original_position();
        let contents = reader.read_bytes(size)?;
        let other = new(id, start, contents)?;
        let contents = other.as_deref().unwrap_or(contents);
        if other.as_ref().is_none_or(|other| !other.is_empty()) {
            out.push(id);
            number(&mut out, u32::try_from(contents.len()).map_err(|_| Unknown("it becomes too large"))?);
            out.extend(contents);
        }
    }
    Ok(out)
}

fn functions(contents: &[u8], at: usize, bodies: &mut HashMap<usize, Vec<u8>>) -> Result<Vec<u8>, Unknown> {
    let mut reader = BinaryReader::new(contents, at);
    let count = reader.read_var_u32()?;
    let mut out = Vec::with_capacity(2 * contents.len());
    number(&mut out, count);
    for _ in 0..count {
        let size = reader.read_var_u32()? as usize;
        let start = reader.original_position();
        let body = reader.read_bytes(size)?;
        let other = bodies.remove(&start);
        let body = other.as_deref().unwrap_or(body);
        number(&mut out, u32::try_from(body.len()).map_err(|_| Unknown("it becomes too large"))?);
        out.extend(body);
    }
    Ok(out)
}
