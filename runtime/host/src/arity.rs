//! Refuses types of functions and blocks with more values than any compiler makes: a branch may carry as many, and its fuel
//! does not depend on them.

use wasmparser::{CompositeInnerType, Parser, Payload};

use crate::load_error::LoadError;
use jointly_core::printable::clean;

/// The most parameters of a function or block.
const PARAMETERS: usize = 64;
/// The most results, which compilers return in memory if there are several.
const RESULTS: usize = 16;

/// Refuses a core module, or a component with one, that has a type with too many values.
pub(crate) fn refuse_wide(bytes: &[u8]) -> Result<(), LoadError> {
    let damaged = |error: wasmparser::BinaryReaderError| LoadError::Malformed(clean(error.message()));
    for payload in Parser::new(0).parse_all(bytes) {
        let Payload::TypeSection(groups) = payload.map_err(damaged)? else { continue };
        for group in groups {
            let group = group.map_err(damaged)?;
            let wide = group.types().find_map(|ty| match &ty.composite_type.inner {
                CompositeInnerType::Func(ty) if ty.params().len() > PARAMETERS || ty.results().len() > RESULTS => {
                    Some((ty.params().len(), ty.results().len()))
                }
                _ => None,
            });
            if let Some((parameters, results)) = wide {
                return Err(LoadError::Wide { parameters, results, most: (PARAMETERS, RESULTS) });
            }
        }
    }
    Ok(())
}
