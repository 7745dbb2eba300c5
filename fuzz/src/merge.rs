//! Two core modules as one, so that an agent can contain any other module.

use wasm_encoder::reencode::utils;
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    AbstractHeapType, CodeSection, DataCountSection, DataSection, ElementSection, ExportSection, Function,
    FunctionSection, GlobalSection, ImportSection, Instruction, MemorySection, Module, TableSection, TypeSection,
};
use wasmparser::{CompositeInnerType, FuncType, FunctionBody, Parser, Payload, TypeRef, ValType};

type Merged<T = ()> = Result<T, Error<std::convert::Infallible>>;

/// Returns the first module with all items of the second after its own. The body of its last function, which takes
/// nothing and returns an i64, is replaced: it calls every function of the second module with constants, and returns a
/// digest of the bits of what they return.
///
/// # Panics
/// When one of the two is no module, or the second has imports, exports or a start function.
pub(crate) fn merged(first: &[u8], second: &[u8]) -> Vec<u8> {
    let mut sections = Sections::default();
    let held = sections.add(first, &mut RoundtripReencoder).expect("the first is a module");
    let mut shifted = Shifted(held.clone());
    let added = sections.add(second, &mut shifted).expect("the second is a module");
    assert!(added.imported == 0, "the second module has no imports");
    let last = held.own.len().checked_sub(1).expect("the first module has a function of its own");
    sections.finish(last, digest(&added, held.functions()))
}

/// The numbers of items of a module, and the types of its functions.
#[derive(Clone, Default)]
struct Items {
    types: Vec<FuncType>,
    groups: u32,
    imported: u32,
    own: Vec<u32>,
    tables: u32,
    memories: u32,
    globals: u32,
    elements: u32,
    data: u32,
}

impl Items {
    fn functions(&self) -> u32 {
        self.imported + self.own.len() as u32
    }
}

/// Moves every index of a module behind the items of another.
struct Shifted(Items);

impl Reencode for Shifted {
    type Error = std::convert::Infallible;

    /// The engine has references to functions only; others become null references to functions, as which they are valid
    /// wherever they were.
    fn abstract_heap_type(&mut self, _: wasmparser::AbstractHeapType) -> Merged<AbstractHeapType> {
        Ok(AbstractHeapType::Func)
    }
    fn type_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.groups)
    }
    fn function_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.functions())
    }
    fn table_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.tables)
    }
    fn memory_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.memories)
    }
    fn global_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.globals)
    }
    fn element_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.elements)
    }
    fn data_index(&mut self, index: u32) -> Merged<u32> {
        Ok(index + self.0.data)
    }
}

#[derive(Default)]
struct Sections {
    types: TypeSection,
    imports: ImportSection,
    functions: FunctionSection,
    tables: TableSection,
    memories: MemorySection,
    globals: GlobalSection,
    exports: ExportSection,
    elements: ElementSection,
    bodies: Vec<Function>,
    data: DataSection,
}

impl Sections {
    /// Adds a module's sections, and returns its items.
    fn add<R: Reencode<Error = std::convert::Infallible>>(&mut self, module: &[u8], re: &mut R) -> Merged<Items> {
        let mut items = Items::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section.clone() {
                        for ty in group?.into_types() {
                            items.groups += 1;
                            let CompositeInnerType::Func(ty) = ty.composite_type.inner else {
                                unreachable!("only functions have types without garbage collection")
                            };
                            items.types.push(ty);
                        }
                    }
                    utils::parse_type_section(re, &mut self.types, section)?;
                }
                Payload::ImportSection(section) => {
                    for import in section.clone().into_imports() {
                        assert!(matches!(import?.ty, TypeRef::Func(_)), "only functions are imported");
                        items.imported += 1;
                    }
                    utils::parse_import_section(re, &mut self.imports, section)?;
                }
                Payload::FunctionSection(section) => {
                    items.own = section.clone().into_iter().collect::<Result<_, _>>()?;
                    utils::parse_function_section(re, &mut self.functions, section)?;
                }
                Payload::TableSection(section) => {
                    items.tables = section.count();
                    utils::parse_table_section(re, &mut self.tables, section)?;
                }
                Payload::MemorySection(section) => {
                    items.memories = section.count();
                    utils::parse_memory_section(re, &mut self.memories, section)?;
                }
                Payload::GlobalSection(section) => {
                    items.globals = section.count();
                    utils::parse_global_section(re, &mut self.globals, section)?;
                }
                Payload::ExportSection(section) => utils::parse_export_section(re, &mut self.exports, section)?,
                Payload::ElementSection(section) => {
                    items.elements = section.count();
                    utils::parse_element_section(re, &mut self.elements, section)?;
                }
                Payload::CodeSectionEntry(body) => self.bodies.push(reencoded(re, &body)?),
                Payload::DataSection(section) => {
                    items.data = section.count();
                    utils::parse_data_section(re, &mut self.data, section)?;
                }
                Payload::StartSection { .. } => unreachable!("a module without a start function"),
                _ => {}
            }
        }
        Ok(items)
    }

    /// Returns the module, with another body of the function at a place among its own.
    fn finish(mut self, replaced: usize, digest: Function) -> Vec<u8> {
        self.bodies[replaced] = digest;
        let mut code = CodeSection::new();
        self.bodies.iter().for_each(|body| {
            code.function(body);
        });
        let mut module = Module::new();
        module.section(&self.types).section(&self.imports).section(&self.functions).section(&self.tables);
        module.section(&self.memories).section(&self.globals).section(&self.exports).section(&self.elements);
        module.section(&DataCountSection { count: self.data.len() }).section(&code).section(&self.data);
        module.finish()
    }
}

fn reencoded<R: Reencode<Error = std::convert::Infallible>>(re: &mut R, body: &FunctionBody) -> Merged<Function> {
    let mut function = re.new_function_with_parsed_locals(body)?;
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        function.instruction(&re.parse_instruction(&mut reader)?);
    }
    Ok(function)
}

/// Returns the body that calls all functions of `items`, the first of which has the index `first`.
fn digest(items: &Items, first: u32) -> Function {
    use wasm_encoder::HeapType;
    // Local 0 is the digest so far, 1 the bits of one result, 2 a vector.
    let mut body = Function::new([(2, wasm_encoder::ValType::I64), (1, wasm_encoder::ValType::V128)]);
    let mut say = |instruction: Instruction| {
        body.instruction(&instruction);
    };
    for (function, ty) in (first..).zip(&items.own) {
        let ty = &items.types[*ty as usize];
        for (place, parameter) in ty.params().iter().enumerate() {
            let place = place as i32;
            match parameter {
                ValType::I32 => say(Instruction::I32Const(place - 1)),
                ValType::I64 => say(Instruction::I64Const(i64::from(place) << 40)),
                ValType::F32 => say(Instruction::F32Const((f32::from(place as i16) - 0.5).into())),
                ValType::F64 => say(Instruction::F64Const((1e-310 * f64::from(place) - 0.1).into())),
                ValType::V128 => say(Instruction::V128Const(0x7fc0_0000_3f80_0000_8000_0000_0000_0001)),
                ValType::Ref(_) => say(Instruction::RefNull(HeapType::FUNC)),
            }
        }
        say(Instruction::Call(function));
        for result in ty.results().iter().rev() {
            match result {
                ValType::I32 => say(Instruction::I64ExtendI32U),
                ValType::I64 => {}
                ValType::F32 => {
                    say(Instruction::I32ReinterpretF32);
                    say(Instruction::I64ExtendI32U);
                }
                ValType::F64 => say(Instruction::I64ReinterpretF64),
                ValType::V128 => {
                    say(Instruction::LocalTee(2));
                    say(Instruction::I64x2ExtractLane(0));
                    say(Instruction::LocalGet(2));
                    say(Instruction::I64x2ExtractLane(1));
                    say(Instruction::I64Const(7));
                    say(Instruction::I64Rotl);
                    say(Instruction::I64Xor);
                }
                ValType::Ref(_) => {
                    say(Instruction::RefIsNull);
                    say(Instruction::I64ExtendI32U);
                }
            }
            say(Instruction::LocalSet(1));
            say(Instruction::LocalGet(0));
            say(Instruction::I64Const(0x0000_0100_0000_01b3));
            say(Instruction::I64Mul);
            say(Instruction::LocalGet(1));
            say(Instruction::I64Xor);
            say(Instruction::LocalSet(0));
        }
    }
    say(Instruction::LocalGet(0));
    say(Instruction::End);
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three functions return 0/0 as a float, its bits as an integer that passes through memory, and what a table's
    /// function makes of them. On paper: h = ((0 * p + a) * p + b) * p + c with xor for plus, p = 1099511628211.
    #[test]
    fn the_digest_is_that_of_what_functions_return() {
        let honest = wat::parse_str("(module (memory 1) (func (export \"a\") (result i64) (i64.const 0)))").unwrap();
        let other = wat::parse_str(
            "(module (memory 1) (table 2 funcref) (elem (i32.const 0) $b $b) (global $zero f32 (f32.const 0)) (type $t (func (result i64)))
               (func $a (result f32) (f32.div (global.get $zero) (global.get $zero)))
               (func $b (type $t) (f32.store offset=8 (i32.const 0) (call $a)) (i64.load offset=8 (i32.const 0)))
               (func $c (param i32 f64) (result i32 i64) (i32.const 5) (call_indirect (type $t) (i32.const 1))))",
        )
        .unwrap();
        let merged = merged(&honest, &other);
        let mut config = wasmtime::Config::new();
        config.cranelift_nan_canonicalization(true);
        let engine = wasmtime::Engine::new(&config).unwrap();
        let module = wasmtime::Module::new(&engine, &merged).unwrap();
        let mut store = wasmtime::Store::new(&engine, ());
        let instance = wasmtime::Instance::new(&mut store, &module, &[]).unwrap();
        let digest = instance.get_typed_func::<(), i64>(&mut store, "a").unwrap().call(&mut store, ()).unwrap();
        let nan = i64::from(f32::NAN.to_bits());
        let on_paper =
            [nan, nan, nan, 5].iter().fold(0_i64, |sum, bits| sum.wrapping_mul(0x0000_0100_0000_01b3) ^ bits);
        assert_eq!(digest, on_paper);
    }
}
