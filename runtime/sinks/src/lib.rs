//! Makes NaNs canonical where their bits can be observed, instead of after each operation.
//!
//! The bits of a NaN that arithmetic gives depend on the processor. The engine can make every such NaN canonical where it
//! arises, which costs up to three fifths of the time of code that consists of arithmetic. But a sum of products is the same
//! whatever the bits of NaNs in it are: they can be seen only where a value leaves arithmetic, by a store, a call, or an
//! operator on bits. This pass inserts instructions that make a value canonical there, before a component is compiled
//! without the engine's own.
//!
//! The result has the bits that the engine's own way gives where no operation is a call of the engine. ARCHITECTURE.md says why.

#![deny(missing_docs)]

mod flow;
mod operators;
mod rewrite;
mod status;
mod step;

use std::collections::HashMap;

use wasmparser::{BinaryReaderError, FuncValidatorAllocations, Parser, ValidPayload, Validator, WasmFeatures};

use step::Function;

/// Why the pass does not understand a component.
#[derive(Debug)]
pub struct Unknown(pub &'static str);

impl From<BinaryReaderError> for Unknown {
    fn from(_: BinaryReaderError) -> Self {
        Self("it is not valid")
    }
}

/// The number of this pass, in the name of compiled code: code of one is no code of another. One that inserts other
/// instructions gives another fuel, and needs another number of the price list too.
pub const VERSION: u32 = 3;

/// Returns a component, or a core module, that gives the same bits on all machines if it is compiled without canonical
/// NaNs: those that it gives with them.
///
/// # Errors
/// When it has operators that are not known here, or is not valid: then it has to be compiled with canonical NaNs.
pub fn with_sinks(file: &[u8]) -> Result<Vec<u8>, Unknown> {
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    let mut bodies = HashMap::new();
    let mut allocations = FuncValidatorAllocations::default();
    for payload in Parser::new(0).parse_all(file) {
        if let ValidPayload::Func(function, body) = validator.payload(&payload?)? {
            let function = Function::of(function, &body, allocations)?;
            if let Some(new) = rewrite::body(file, &body, &function)? {
                bodies.insert(body.range().start, new);
            }
            allocations = function.allocations;
        }
    }
    let new = rewrite::file(file, &mut bodies)?;
    if !bodies.is_empty() {
        return Err(Unknown("it has modules in components within it"));
    }
    // What is inserted is valid but for limits of the engine, which this would find.
    Validator::new_with_features(WasmFeatures::all()).validate_all(&new)?;
    Ok(new)
}
