//! Measures how much a file asks of the compiler, from its sections, and refuses what would take it too long: fuel does
//! not limit compilation.

use wasmparser::{
    BinaryReaderError, CompositeInnerType, Encoding, FuncType, Instance, Parser, Payload, SubType, TypeRef,
};

use crate::function_extent::{self, FunctionExtent, ModuleTypes};
use crate::load_error::LoadError;
use jointly_core::printable::clean;

/// The custom sections in which a core module carries its component types.
pub(crate) const COMPONENT_TYPE: &str = "component-type";

/// A quantity of a file and the most that is compiled of it.
///
/// The limits are at least three times what the largest known agents need: interpreters of Python and JavaScript, and
/// an agent in Rust without optimisation.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Quantity {
    Bytes,
    Modules,
    Components,
    Types,
    Imports,
    Functions,
    Tables,
    Memories,
    Globals,
    Exports,
    ElementSegments,
    DataSegments,
    ComponentItems,
    ComponentTypes,
    ComponentTypeBytes,
    NameBytes,
    Instantiated,
    Operands,
    Merges,
    Crossings,
    Locals,
    FunctionBytes,
    Blocks,
    Depth,
    Loops,
    FunctionOperands,
    FunctionMerges,
    FunctionCrossings,
}

use Quantity as Q;

/// Each quantity's name in messages, and its limit.
const LIMITS: [(&str, u64); Q::FunctionCrossings as usize + 1] = [
    ("bytes", 256 << 20),
    ("core modules", 256),
    ("components", 256),
    ("core types", 100_000),
    ("core imports", 100_000),
    ("functions", 200_000),
    ("tables", 256),
    ("memories", 256),
    ("globals", 100_000),
    ("core exports", 100_000),
    ("element segments", 10_000),
    ("data segments", 100_000),
    ("types, aliases, instances, functions, imports and exports of components", 50_000),
    ("component types of a core module", 100),
    ("bytes in component types of a core module", 1 << 20),
    ("bytes of names of functions and locals", 16 << 20),
    ("functions and globals of all instances of core modules", 4_000_000),
    ("operands of instructions", 100_000_000),
    ("values that merge where branches meet", 50_000_000),
    ("values that live across branches", 8_000_000_000),
    ("parameters and locals in one function", 50_000),
    ("bytes in one function", 4 << 20),
    ("blocks in one function", 40_000),
    ("blocks within one another", 4_000),
    ("loops within one another", 50),
    ("operands of instructions in one function", 2_500_000),
    ("values that merge where branches meet in one function", 2_500_000),
    ("values that live across branches in one function", 1_600_000_000),
];

/// The quantities of a file so far.
pub(crate) struct Extent([u64; LIMITS.len()]);

impl Extent {
    /// Measures a file, and returns its extent or the first limit that it exceeds. This takes time and memory in
    /// proportion to the file's bytes.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, LoadError> {
        let mut extent = Self([0; LIMITS.len()]);
        extent.add(Q::Bytes, bytes.len() as u64)?;
        // The enclosing modules and components, outermost first.
        let mut within: Vec<Module> = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(malformed)?;
            match payload {
                Payload::Version { encoding, .. } => {
                    let quantity = if encoding == Encoding::Module { Q::Modules } else { Q::Components };
                    extent.add(quantity, 1)?;
                    within.push(Module::default());
                }
                Payload::End(_) => drop(within.pop()),
                payload => {
                    if let Some(module) = within.last_mut() {
                        extent.add_section(module, payload)?;
                    }
                }
            }
        }
        Ok(extent)
    }

    fn add_section(&mut self, module: &mut Module, payload: Payload) -> Result<(), LoadError> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for ty in group.map_err(malformed)?.into_types() {
                        self.add(Q::Types, 1)?;
                        module.types.push(ty);
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.add(Q::Imports, 1)?;
                    if let TypeRef::Func(ty) | TypeRef::FuncExact(ty) = import.map_err(malformed)?.ty {
                        module.functions.push(ty);
                    }
                }
            }
            Payload::FunctionSection(section) => {
                self.add(Q::Functions, section.count().into())?;
                for ty in section {
                    module.functions.push(ty.map_err(malformed)?);
                    module.declared += 1;
                }
            }
            Payload::CodeSectionEntry(body) => {
                let function = module.functions.len() - module.declared + module.bodies;
                module.bodies += 1;
                let ty = module.functions.get(function).copied();
                // These two bound the memory of measuring the function.
                self.raise(Q::FunctionBytes, body.range().len() as u64)?;
                let locals = function_extent::locals(&body, ty, module).map_err(malformed)?;
                self.raise(Q::Locals, locals)?;
                self.add_function(&FunctionExtent::of(&body, ty, locals, module).map_err(malformed)?)?;
            }
            Payload::TableSection(section) => self.add(Q::Tables, section.count().into())?,
            Payload::MemorySection(section) => self.add(Q::Memories, section.count().into())?,
            Payload::GlobalSection(section) => self.add(Q::Globals, section.count().into())?,
            Payload::ExportSection(section) => self.add(Q::Exports, section.count().into())?,
            Payload::ElementSection(section) => self.add(Q::ElementSegments, section.count().into())?,
            Payload::DataSection(section) => self.add(Q::DataSegments, section.count().into())?,
            Payload::InstanceSection(section) => {
                self.add(Q::ComponentItems, section.count().into())?;
                for instance in section {
                    if let Instance::Instantiate { .. } = instance.map_err(malformed)? {
                        // Whichever module it is: an instance has a record for each of its functions and globals.
                        self.add(Q::Instantiated, self.0[Q::Functions as usize] + self.0[Q::Globals as usize])?;
                    }
                }
            }
            Payload::CustomSection(section) if section.name() == "name" => {
                self.add(Q::NameBytes, section.data().len() as u64)?;
            }
            Payload::CoreTypeSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::ComponentInstanceSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::ComponentAliasSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::ComponentTypeSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::ComponentCanonicalSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::ComponentImportSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::ComponentExportSection(section) => self.add(Q::ComponentItems, section.count().into())?,
            Payload::CustomSection(section) if section.name().starts_with(COMPONENT_TYPE) => {
                self.add(Q::ComponentTypes, 1)?;
                self.add(Q::ComponentTypeBytes, section.data().len() as u64)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn add_function(&mut self, function: &FunctionExtent) -> Result<(), LoadError> {
        self.add(Q::Operands, function.operands)?;
        self.add(Q::Merges, function.merges)?;
        self.add(Q::Crossings, function.crossings)?;
        self.raise(Q::Blocks, function.blocks)?;
        self.raise(Q::Depth, function.depth)?;
        self.raise(Q::Loops, function.loops)?;
        self.raise(Q::FunctionOperands, function.operands)?;
        self.raise(Q::FunctionMerges, function.merges)?;
        self.raise(Q::FunctionCrossings, function.crossings)
    }

    /// Adds to a quantity of the whole file.
    fn add(&mut self, quantity: Q, value: u64) -> Result<(), LoadError> {
        self.raise(quantity, self.0[quantity as usize].saturating_add(value))
    }

    /// Raises a quantity to that of one function.
    fn raise(&mut self, quantity: Q, value: u64) -> Result<(), LoadError> {
        let (what, limit) = LIMITS[quantity as usize];
        if value > limit {
            return Err(LoadError::TooLarge { what, value, limit });
        }
        let so_far = &mut self.0[quantity as usize];
        *so_far = value.max(*so_far);
        Ok(())
    }
}

/// The types and functions of a module, which its functions name by index.
#[derive(Default)]
struct Module {
    types: Vec<SubType>,
    /// The type of each function, imported ones first.
    functions: Vec<u32>,
    /// The number of functions that are not imported.
    declared: usize,
    /// The number of functions whose body has been read.
    bodies: usize,
}

impl ModuleTypes for Module {
    fn ty(&self, index: u32) -> Option<&SubType> {
        self.types.get(index as usize)
    }

    fn function(&self, ty: u32) -> Option<&FuncType> {
        match &self.ty(ty)?.composite_type.inner {
            CompositeInnerType::Func(function) => Some(function),
            _ => None,
        }
    }

    fn type_of_function(&self, index: u32) -> Option<u32> {
        self.functions.get(index as usize).copied()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn malformed(error: BinaryReaderError) -> LoadError {
    LoadError::Malformed(clean(error.message()))
}

#[cfg(test)]
mod tests {
    use super::{Extent, LIMITS, Q};
    use crate::LoadError;

    fn extent(module: &str) -> Result<Extent, LoadError> {
        Extent::of(&wat::parse_str(module).unwrap())
    }

    /// Returns quantities of a module with one function of two parameters, `$a` and `$b`.
    fn quantities<const N: usize>(body: &str, of: [Q; N]) -> [u64; N] {
        let module = format!("(module (func (param $a i32) (param $b i32) {body}))");
        let extent = extent(&module).unwrap();
        of.map(|quantity| extent.0[quantity as usize])
    }

    fn too_large(module: &str) -> (&'static str, u64, u64) {
        match extent(module) {
            Err(LoadError::TooLarge { what, value, limit }) => (what, value, limit),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it is within the limits"),
        }
    }

    #[test]
    fn blocks_merge_the_locals_that_are_set_within_them() {
        let set = "(local.set $a (i32.const 0))";
        let merges = |body: &str| quantities(body, [Q::Merges])[0];
        assert_eq!(merges(set), 0);
        assert_eq!(merges(&format!("(block {set})")), 0, "nothing branches to its end");
        assert_eq!(merges(&format!("(block (br_if 0 (local.get $a)) {set})")), 2);
        assert_eq!(merges(&format!("(if (local.get $b) (then {set}))")), 2);
        assert_eq!(merges(&format!("(loop {set} {set} (br_if 0 (local.get $a)))")), 2, "a local is counted once");
        let both = format!("{set} (local.set $b (i32.const 0))");
        let nested = format!("(block (loop {both} (br_if 0 (local.get $a)) (br_if 1 (local.get $a))))");
        assert_eq!(merges(&nested), 4 + 4);
        // The outer block has counted the local before the inner one sets it.
        let branch = "(br_if 0 (local.get $b))";
        assert_eq!(merges(&format!("(block {set} {branch} (block {branch} {set}))")), 2 + 2);
        assert_eq!(merges(&format!("(block {branch} (block {branch} {set}) {set})")), 2 + 2);
        assert_eq!(merges(&format!("(block {branch} (block {branch} {set}) (local.set $b (i32.const 0)))")), 4 + 2);
        assert_eq!(merges("(drop (block (result i32) (br_if 0 (local.get $a) (local.get $b))))"), 2, "its result");
    }

    #[test]
    fn values_on_the_stack_and_locals_cross_the_ends_of_basic_blocks() {
        // The function's beginning and end, and the block's, with two locals; one value on the stack in the block.
        let body = "(i32.const 1) (block (nop)) (drop)";
        assert_eq!(quantities(body, [Q::Crossings, Q::Blocks, Q::Depth, Q::Loops]), [4 * 2 + 2, 2, 2, 0]);
        assert_eq!(quantities("(loop (loop))", [Q::Blocks, Q::Depth, Q::Loops]), [3, 3, 2]);
        let conditional = "(i32.const 1) (if (local.get $a) (then (nop)) (else (nop))) (drop)";
        assert_eq!(quantities(conditional, [Q::Crossings])[0], 5 * 2 + 3);
    }

    #[test]
    fn a_call_takes_and_gives_what_its_type_says() {
        let module = "(module (func $f (param i32 i32) (result i32 i32 i32) unreachable)
            (func (call $f (i32.const 0) (i32.const 0)) (drop) (drop) (drop)))";
        // In the first function 1 + the end's 1 + 3 + 3; in the second 2 x 2, 1 + 2 + 3, 3 x 2, and the end's 1.
        assert_eq!(extent(module).unwrap().0[Q::Operands as usize], 8 + 17);
    }

    #[test]
    fn what_is_too_large_is_named_with_its_value_and_its_limit() {
        let nest = |loops: usize| format!("(module (func {} {}))", "(loop".repeat(loops), ")".repeat(loops));
        assert!(extent(&nest(50)).is_ok());
        assert_eq!(too_large(&nest(51)), ("loops within one another", 51, 50));
        let locals = |locals: usize| format!("(module (func (local {})))", "i32 ".repeat(locals));
        let (what, limit) = LIMITS[Q::Locals as usize];
        assert!(extent(&locals(limit as usize)).is_ok());
        assert_eq!(too_large(&locals(limit as usize + 1)), (what, limit + 1, limit));
        let memories = format!("(module {})", "(memory 1)".repeat(257));
        assert_eq!(too_large(&memories), ("memories", 257, 256));
    }

    #[test]
    fn locals_are_counted_before_anything_is_kept_of_them() {
        // One function whose body declares 2^32 - 1 locals of one type.
        let body = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x0a\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b";
        let (what, limit) = LIMITS[Q::Locals as usize];
        match Extent::of(body) {
            Err(LoadError::TooLarge { what: named, value, limit: most }) => {
                assert_eq!((named, value, most), (what, u64::from(u32::MAX), limit));
            }
            other => panic!("{:?}", other.err()),
        }
    }

    #[test]
    fn quantities_are_those_of_all_modules_together() {
        let module = "(core module (memory 1) (func (nop)))";
        let component = extent(&format!("(component {module} {module})")).unwrap();
        assert_eq!(
            [Q::Modules, Q::Components, Q::Functions, Q::Memories].map(|it| component.0[it as usize]),
            [2, 1, 2, 2]
        );
    }
}
