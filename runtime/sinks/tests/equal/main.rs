//! Generated functions give the same bits with sinks, compiled and interpreted, as where the engine makes the NaNs of every
//! operation canonical.
//!
//! `JOINTLY_SINKS=100000 cargo test --release -p jointly-sinks` takes that many functions; without it there are a few, the
//! same each time.

mod generator;

use std::env;

use generator::{FUNCTIONS, MEMORY, Random, module};
use wasmtime::{Config, Engine, Instance, Module, Store, V128, Val};

/// The functions that are generated unless the variable `JOINTLY_SINKS` says how many.
const COUNT: u32 = 1_200;

/// The target of the interpreter's code.
const INTERPRETER: &str = if cfg!(target_endian = "little") { "pulley64" } else { "pulley64be" };

fn engine(canonical_everywhere: bool, interpreted: bool) -> Engine {
    let mut config = Config::new();
    config.relaxed_simd_deterministic(true).cranelift_nan_canonicalization(canonical_everywhere);
    if interpreted {
        config.target(INTERPRETER).unwrap();
    }
    Engine::new(&config).unwrap()
}

/// Calls each function on a memory and arguments that follow from the seed, and returns the memory after each call with
/// what the function returned.
fn observed(engine: &Engine, module: &[u8], seed: u64) -> Vec<Vec<u8>> {
    let module = Module::new(engine, module).unwrap();
    let mut store = Store::new(engine, ());
    let instance = Instance::new(&mut store, &module, &[]).unwrap();
    let memory = instance.get_memory(&mut store, "memory").unwrap();
    let mut random = Random(seed);
    let call = |index| {
        let start: Vec<u8> = (0..MEMORY / 8).flat_map(|_| random.bits64().to_le_bytes()).collect();
        memory.write(&mut store, 0, &start).unwrap();
        let vector = u128::from(random.bits64()) << 64 | u128::from(random.bits64());
        let arguments = [Val::F32(random.bits32()), Val::F64(random.bits64()), Val::V128(V128::from(vector))];
        let mut results = [Val::I32(0), Val::I32(0), Val::I32(0)];
        let function = instance.get_func(&mut store, &format!("f{index}")).unwrap();
        function.call(&mut store, &arguments, &mut results).unwrap();
        let mut bytes = memory.data(&store)[..MEMORY].to_vec();
        for result in results {
            match result {
                Val::F32(bits) => bytes.extend(bits.to_le_bytes()),
                Val::F64(bits) => bytes.extend(bits.to_le_bytes()),
                Val::V128(bits) => bytes.extend(bits.as_u128().to_le_bytes()),
                other => panic!("{other:?}"),
            }
        }
        bytes
    };
    (0..FUNCTIONS).map(call).collect()
}

#[test]
fn generated_functions_give_the_same_bits() {
    let count = env::var("JOINTLY_SINKS").ok().map_or(COUNT, |count| count.parse().unwrap());
    let (oracle, compiled, interpreted) = (engine(true, false), engine(false, false), engine(false, true));
    let (mut functions, mut others) = (0, 0);
    for seed in 0..u64::from(count.div_ceil(FUNCTIONS)) {
        let plain = module(&mut Random(seed));
        let with_sinks = jointly_sinks::with_sinks(&plain).unwrap();
        let expected = observed(&oracle, &plain, seed);
        let found = [observed(&compiled, &with_sinks, seed), observed(&interpreted, &with_sinks, seed)];
        // Without sinks the bits of NaNs are those of the processor, so that this test can fail.
        let without = observed(&compiled, &plain, seed);
        for (index, expected) in expected.iter().enumerate() {
            for (found, how) in found.iter().zip(["compiled", "interpreted"]) {
                assert!(found[index] == *expected, "{how}: function {index} of the module with seed {seed}");
            }
            functions += 1;
            others += u32::from(without[index] != *expected);
        }
    }
    println!("{functions} functions, of which {others} give other bits without sinks");
    assert!(others > functions / 10, "{others} of {functions}");
}
