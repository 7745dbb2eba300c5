//! Operations that take a machine long cost an agent much fuel, the same in both engines.

use jointly_core::{Classifier as _, Dataset, Matrix, Task};
use jointly_fuzz::repeats;
use jointly_host::{Compiler, Execution, Limits, LoadError, Runtime, Trace};

/// The rounds of a loop. Fewer than a thousandth of its fuel is for anything else.
const ROUNDS: u32 = 10_000;

/// Returns the fuel of a round of a loop, in one of the engines.
fn fuel(execution: Execution, declared: &str, body: &str) -> u64 {
    let runtime = Runtime::new(execution, Compiler::InProcess, None).unwrap();
    let limits = Limits { fuel: 1_000_000_000, ..Limits::default() };
    let used = |rounds: u32| {
        let agent = runtime.load(&repeats(declared, body, rounds), limits).unwrap();
        let task = Task::new(1, 2);
        let nothing = Dataset::new(&task, Matrix::from_rows(1, Vec::new()), Vec::new()).unwrap();
        let mut classifier = agent.classifier(Vec::new(), limits, Trace::default());
        classifier.train(&task, &nothing, None, None, 0).unwrap().fuel_used()
    };
    (used(ROUNDS + 1) - used(1)) / u64::from(ROUNDS)
}

/// Asserts that a round costs at least so much, compiled and interpreted.
fn costs(least: u64, declared: &str, body: &str) {
    let compiled = fuel(Execution::Compiled, declared, body);
    assert!(compiled >= least, "{body}: {compiled}");
    assert_eq!(fuel(Execution::Interpreted, declared, body), compiled, "{body}");
}

#[test]
fn handles_that_are_made_and_dropped_cost_calls() {
    costs(5, "", "(call $give_up (call $new_classifier (local.get $i)))");
    let table = "(table $calls 2 funcref) (elem (table $calls) (i32.const 0) func $new_classifier $give_up)
                 (type $made (func (param i32) (result i32))) (type $gone (func (param i32)))";
    let body = "(call_indirect $calls (type $gone) (call_indirect $calls (type $made) (local.get $i) (i32.const 0)) (i32.const 1))";
    costs(5, table, body);
}

/// From memory to an address there is no cheap way.
#[test]
fn loads_that_wait_for_one_another_cost_misses() {
    costs(60, "", "(local.set $i (i32.load (i32.and (local.get $i) (i32.const 4095))))");
    costs(60, "", "(local.set $i (i32.wrap_i64 (i64.load (i32.and (local.get $i) (i32.const 4095)))))");
    costs(60, "", "(local.set $i (i32.reinterpret_f32 (f32.load (i32.and (local.get $i) (i32.const 4095)))))");
    costs(60, "", "(local.set $i (f32.lt (f32.load (i32.and (local.get $i) (i32.const 4095))) (f32.const 0)))");
    costs(60, "", "(local.set $i (i32x4.extract_lane 0 (v128.load (i32.and (local.get $i) (i32.const 4095)))))");
    costs(60, "", "(local.set $i (v128.any_true (v128.load (i32.and (local.get $i) (i32.const 4095)))))");
}

#[test]
fn operators_that_call_the_engine_cost_a_call() {
    costs(8, "", "(memory.fill (i32.const 0) (i32.const 0) (local.get $i))");
    costs(8, "(func $nothing) (elem declare func $nothing)", "(drop (ref.func $nothing))");
    costs(8, "(elem $none func)", "(elem.drop $none)");
    costs(10, "", "(drop (memory.grow (i32.const 0)))");
}

/// A branch could carry them all for the price of one.
#[test]
fn types_with_many_values_are_refused() {
    let runtime = Runtime::new(Execution::Compiled, Compiler::InProcess, None).unwrap();
    let limits = Limits { fuel: 1_000_000_000, ..Limits::default() };
    let load = |parameters: usize, results: usize| {
        let (given, taken) = ("i32 ".repeat(parameters), "i32 ".repeat(results));
        let declared = format!("(type $wide (func (param {given}) (result {taken})))");
        runtime.load(&repeats(&declared, "", 1), limits)
    };
    assert!(load(64, 16).is_ok());
    for (parameters, results) in [(65, 0), (0, 17), (1000, 1000)] {
        let refused = load(parameters, results).err().unwrap();
        assert!(matches!(refused, LoadError::Wide { .. }), "{refused}");
        assert!(refused.to_string().starts_with(&format!("has a type of {parameters} parameters")), "{refused}");
    }
}
