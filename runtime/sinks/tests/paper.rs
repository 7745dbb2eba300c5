//! Small functions for which the values that are made canonical follow on paper.

use jointly_sinks::with_sinks;

/// Four canonical NaNs, as the instructions that make a value canonical hold them.
const NANS: [u8; 16] = [0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x7f];

/// Returns how many values of a module's functions are made canonical.
fn canonical(functions: &str) -> usize {
    let module = wat::parse_str(format!("(module (memory 1) {functions})")).unwrap();
    let with_sinks = with_sinks(&module).unwrap();
    let count = with_sinks.windows(NANS.len()).filter(|window| *window == NANS).count();
    assert_eq!(count == 0, with_sinks == module);
    count
}

#[test]
fn a_sum_is_made_canonical_behind_its_loop_and_not_within() {
    let function = "(func (param $count i32) (local $sum v128)
        (loop $next
          (local.set $sum (f32x4.relaxed_madd (v128.load (local.get $count)) (v128.load (i32.const 0)) (local.get $sum)))
          (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))
        (v128.store (i32.const 0) (local.get $sum)))";
    assert_eq!(canonical(function), 1);
}

#[test]
fn a_sum_that_begins_with_what_was_loaded_is_made_canonical_where_its_loop_is_left() {
    // Where nothing is added, what was loaded has to keep the bits of its NaNs.
    let function = "(func (param $count i32) (local $sum v128)
        (local.set $sum (v128.load (i32.const 16)))
        (block $none
          (br_if $none (i32.eqz (local.get $count)))
          (loop $next
            (local.set $sum (f32x4.add (v128.load (local.get $count)) (local.get $sum)))
            (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))
        (v128.store (i32.const 0) (local.get $sum)))";
    assert_eq!(canonical(function), 1);
}

#[test]
fn what_is_moved_or_compared_keeps_its_bits() {
    assert_eq!(canonical("(func (v128.store (i32.const 0) (f32x4.neg (v128.load (i32.const 16)))))"), 0);
    assert_eq!(canonical("(func (param f32) (result i32) (f32.lt (f32.sqrt (local.get 0)) (f32.const 1)))"), 0);
    assert_eq!(canonical("(func (param f32) (result f32) (f32.copysign (local.get 0) (f32.const -1)))"), 0);
}

#[test]
fn each_use_of_bits_makes_a_value_canonical() {
    let root = "(f32.sqrt (local.get 0))";
    for function in [
        format!("(func (param f32) (result f32) {root})"),
        format!("(func (param f32) (result i32) (i32.reinterpret_f32 {root}))"),
        format!("(func (param f32) (f32.store (i32.const 0) {root}))"),
        format!("(func (param f32) (result f32) (f32.neg {root}))"),
        format!("(global $g (mut f32) (f32.const 0)) (func (param f32) (global.set $g {root}))"),
        format!("(func $f (param f32) (call $f {root}))"),
        format!("(func (param f32) (result v128) (i32x4.add (f32x4.splat {root}) (v128.const i64x2 0 0)))"),
    ] {
        assert_eq!(canonical(&function), 1, "{function}");
    }
}

#[test]
fn what_is_not_known_is_not_understood() {
    let module = wat::parse_str(
        "(module (func (param $f (ref null func)) (block $null (drop (br_on_null $null (local.get $f))))))",
    )
    .unwrap();
    let why = |file: &[u8]| with_sinks(file).map_err(|unknown| unknown.0).unwrap_err();
    assert_eq!(why(&module), "it has an operator of another proposal");
    let plain = wat::parse_str("(module (func))").unwrap();
    assert_eq!(why(&plain[..plain.len() - 1]), "it is not valid");
    assert_eq!(why(b"\0asm"), "it is not valid");
    let nested = "(component (component (core module (func (param f32) (result f32) (f32.sqrt (local.get 0))))))";
    assert_eq!(why(&wat::parse_str(nested).unwrap()), "it has modules in components within it");
}

#[test]
fn a_function_of_too_many_facts_is_exact_at_every_local() {
    // The sum would be made canonical behind the loop; here it is wherever it is set.
    let locals = "f32 ".repeat(2_000);
    let blocks = "(block (br_if 0 (i32.const 0)))".repeat(9_000);
    let function = format!(
        "(func (local $sum f32) (local {locals}) {blocks}
           (loop (local.set $sum (f32.add (local.get $sum) (f32.const 1))) (br_if 0 (i32.const 0)))
           (f32.store (i32.const 0) (local.get $sum)))"
    );
    let (few, many) = (function.replace(&blocks, ""), function);
    let same_at_end = |function: &str| {
        let module = wat::parse_str(format!("(module (memory 1) {function})")).unwrap();
        let (new, old) = (with_sinks(&module).unwrap(), module);
        old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count()
    };
    // What is inserted last stands before the store in one, and within the loop in the other.
    assert!(same_at_end(&few) < same_at_end(&many), "{} {}", same_at_end(&few), same_at_end(&many));
}

#[test]
fn a_value_of_two_kinds_is_made_exact_before_it_is_kept_and_used() {
    let with = |kept: &str| {
        canonical(&format!(
            "(func (param $c i32) (local $x f32) (local $s f32)
               (loop (local.set $s (f32.add (local.get $s) (f32.load (i32.const 8))))
                 (br_if 0 (local.tee $c (i32.sub (local.get $c) (i32.const 1)))))
               {kept})"
        ))
    };
    let chosen = "(select (f32.sqrt (local.get $s)) (f32.load (i32.const 0)) (local.get $c))";
    let tee = with(&format!("(f32.store (i32.const 0) (local.tee $x {chosen}))"));
    let get = with(&format!("(local.set $x {chosen}) (f32.store (i32.const 0) (local.get $x))"));
    assert_eq!((tee, get), (1, 1));
}

#[test]
fn what_takes_many_walks_is_understood_in_little_time() {
    let moves =
        (1..200).map(|local| format!("(local.set {local} (local.get {}))", local + 1)).collect::<Vec<_>>().concat();
    let locals = "f32 ".repeat(201);
    assert_eq!(
        canonical(&format!(
            "(func (local {locals}) (loop {moves} (local.set 200 (f32.load (i32.const 0))) (br_if 0 (i32.const 0))))"
        )),
        0
    );
    let start = std::time::Instant::now();
    let blocks = "(block (br 0))".repeat(39_000);
    canonical(&format!(
        "(func (param $c i32) (local f32) (loop (f32.store (i32.const 0) (local.get 1)) {blocks} (br_if 0 (local.get $c))))"
    ));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn what_would_grow_beyond_the_engines_limits_is_left_alone() {
    let root = "(f32.store (i32.const 0) (f32.sqrt (local.get 0)))";
    let refused = |function: &str, why: &str| {
        let module = wat::parse_str(format!("(module (memory 1) {function})")).unwrap();
        assert_eq!(with_sinks(&module).map_err(|unknown| unknown.0).unwrap_err(), why);
    };
    // Both are within the engine's limits before instructions and a local are inserted.
    refused(&format!("(func (param f32) {})", root.repeat(250_000)), "it is not valid");
    refused(&format!("(func (param f32) (local {}) {root})", "i32 ".repeat(49_999)), "it is not valid");
    // Each of many branches would make each of many locals canonical.
    let all = |text: &dyn Fn(usize) -> String| (1..400).map(text).collect::<Vec<_>>().concat();
    let branches = "(br_if 0 (local.get 0))".repeat(1_500);
    let function = format!(
        "(func (param i32) (local {}) {} (block {branches} {}) {})",
        "f32 ".repeat(400),
        all(&|local| format!("(local.set {local} (f32.sqrt (local.get {local})))")),
        all(&|local| format!("(local.set {local} (f32.load (i32.const 0)))")),
        all(&|local| format!("(f32.store (i32.const 0) (local.get {local}))")),
    );
    refused(&function, "a function becomes too large");
}
