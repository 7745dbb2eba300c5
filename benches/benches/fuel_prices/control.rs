//! Branches, calls, globals and tables.

use crate::guest::{Class, Group};

/// A number without a pattern, in `$i`.
const RANDOM: &str = "(local.set $i (i32.add (i32.mul (local.get $i) (i32.const 1664525)) (i32.const 1013904223)))";

/// Returns the classes of control flow and tables.
pub(crate) fn all() -> Vec<Class> {
    let mut classes = branches();
    classes.extend(calls());
    classes.extend(tables());
    classes
}

fn class(name: &str, body: impl Into<String>) -> Class {
    Class::new(Group::Control, name, body)
}

fn branches() -> Vec<Class> {
    let coin = "(i32.and (i32.shr_u (local.get $i) (i32.const 16)) (i32.const 1))";
    // Each arm leaves by the last label.
    let labels: String = (0..64).map(|label| format!("{label} ")).collect();
    let arm = |arm: u32| format!("(local.set $j (i32.add (local.get $j) (i32.const {arm}))) (br {})) ", 63 - arm);
    let arms: String = (0..64).map(arm).collect();
    let table = format!(
        "{RANDOM}{}(br_table {labels} (i32.and (i32.shr_u (local.get $i) (i32.const 16)) (i32.const 63)))){arms}",
        "(block ".repeat(65)
    );
    let mut classes = vec![
        Class { times: 1, ..class("br of an empty loop", "") },
        class(
            "br_if that cannot be foreseen",
            format!("{RANDOM}(block (br_if 0 {coin}) (local.set $j (i32.mul (local.get $j) (local.get $i))))"),
        ),
        class(
            "if that cannot be foreseen",
            format!("{RANDOM}(if {coin} (then (global.set $g (local.get $i))) (else (global.set $h (local.get $i))))"),
        ),
        Class { times: 1, ..class("br_table that cannot be foreseen", table) },
        class("global.get and global.set", "(global.set $g (i32.add (global.get $g) (i32.const 1)))"),
        class("ref.func", "(global.set $r (ref.func $nothing))"),
        class("ref.is_null", "(local.set $j (ref.is_null (global.get $r)))"),
    ];
    for values in [1, 4, 16, 64] {
        let ty = "i32 ".repeat(values);
        let body = format!("{} (loop $turn (param {ty}) (local.get $i) (br $turn))", "(local.get $j) ".repeat(values));
        classes.push(Class { times: 1, ..class(&format!("br that shifts {values} values"), body) });
    }
    for locals in [16, 256, 1000] {
        // Two orders that the same registers or places of the stack cannot have both.
        let name = |i: usize| format!("$l{}", i % locals);
        let declared: String = (0..locals).map(|i| format!("(local {} i32)", name(i))).collect();
        let begun: String =
            (0..locals).map(|i| format!("(local.set {} (i32.load (i32.const {})))", name(i), 4 * i)).collect();
        let turned: String = (0..locals).map(|i| format!("(local.get {})", name(i + 1))).collect();
        let set: String = (0..locals).rev().map(|i| format!("(local.set {})", name(i))).collect();
        let function = format!(
            "(func $turns (param $x i32) {declared} {begun}
               (loop $turn
                 (if (i32.eqz (local.get $x)) (then {turned} {set}))
                 (br $turn)))"
        );
        let body = "(call $turns (local.get $i))";
        classes.push(Class {
            declarations: function,
            times: 1,
            ..class(&format!("br beside {locals} locals that another branch exchanges"), body)
        });
    }
    for class in &mut classes {
        class.declarations += DECLARED;
    }
    classes
}

const DECLARED: &str =
    "(global $g (mut i32) (i32.const 0)) (global $h (mut i32) (i32.const 0)) (global $r (mut funcref) (ref.null func))
    (func $nothing) (elem declare func $nothing)";

fn calls() -> Vec<Class> {
    let many: String = (0..64)
        .map(|i| format!("(func $f{i} (param i32) (result i32) (i32.add (local.get 0) (i32.const {i})))"))
        .collect();
    let names: String = (0..64).map(|i| format!("$f{i} ")).collect();
    let functions = format!(
        "(type $one (func (param i32) (result i32))) (func $empty) (func $loud (param i32) (result i32) (call $empty) (local.get 0)) {many}
         (func $eight (param i32 i32 i32 i32 i32 i32 i64 f32) (result i64) (i64.extend_i32_u (local.get 5)))
         (func $forever (return_call $forever))
         (func $forth (param i32) (return_call_indirect (type $unary) (local.get 0) (i32.const 64)))
         (type $unary (func (param i32)))
         (table $t 128 funcref) (elem (table $t) (i32.const 0) func {names} $forth)"
    );
    let random = "(i32.and (i32.shr_u (local.get $i) (i32.const 16)) (i32.const 63))";
    let mut classes = vec![
        class("call of an empty function", "(call $empty)"),
        class("call that calls", "(local.set $j (call $loud (local.get $j)))"),
        class(
            "call with eight arguments",
            "(local.set $m (call $eight (local.get $i) (local.get $i) (local.get $i) (local.get $i) (local.get $i) (local.get $i) (local.get $m) (local.get $f)))",
        ),
        class("call_indirect", "(local.set $j (call_indirect $t (type $one) (local.get $j) (i32.const 5)))"),
        class(
            "call_indirect that cannot be foreseen",
            format!("{RANDOM}(local.set $j (call_indirect $t (type $one) (local.get $j) {random}))"),
        ),
        Class { times: 1, ..class("return_call without end", "(call $forever)") },
        Class { times: 1, ..class("return_call_indirect without end", "(call $forth (local.get $i))") },
    ];
    for values in [4, 16] {
        let ty = "i32 ".repeat(values);
        let passed: String = (0..values).map(|i| format!("(local.get {i})")).collect();
        let through = format!("(func $through (param {ty}) (result {ty}) {passed})");
        let body = format!("{} (loop $turn (param {ty}) (call $through) (br $turn))", "(local.get $j) ".repeat(values));
        classes.push(Class {
            declarations: through,
            times: 1,
            ..class(&format!("call that passes {values} values through"), body)
        });
        let sink = format!("(func $sink (param {ty}))");
        let body = format!("(call $sink {})", "(local.get $j) ".repeat(values));
        classes.push(Class { declarations: sink, times: 4, ..class(&format!("call with {values} arguments"), body) });
    }
    let locals: String = (0..2000).map(|_| "i64 ").collect();
    let kept: String =
        (0..2000).map(|i| format!("(local.set {i} (i64.load offset={} (i32.const 0)))", 8 * i)).collect();
    let used: String =
        (0..2000).map(|i| format!("(i64.store offset={} (i32.const 0) (local.get {i}))", 8 * i)).collect();
    classes.push(Class {
        declarations: format!("(func $large (local {locals}) (block (br_if 0 (i32.const 1)) {kept} (call $empty) {used})) (func $framed (local {locals}) (block (br_if 0 (i32.load (i32.const 2088))) {kept} (call $empty) {used}))"),
        ..class("call of a function with a large frame", "(call $framed)")
    });
    for class in &mut classes {
        class.declarations += &functions;
    }
    classes
}

fn tables() -> Vec<Class> {
    let declared = "(func $nothing) (func $other)
        (table $t 128 funcref) (elem $some (table $t) (i32.const 0) func $nothing $other) (elem $passive func $nothing $other) (elem declare func $nothing)
        (table $large 900000 funcref) (global $r (mut funcref) (ref.null func)) (global $g (mut i32) (i32.const 0))";
    let enter = |length: u32| {
        format!("(i32.store (i32.const 3000) (i32.const {length})) (local.set $n (i32.load (i32.const 3000)))")
    };
    let class = |name: &str, length: u32, body: String| Class {
        declarations: declared.to_owned(),
        enter: enter(length),
        ..Class::new(Group::Tables, name, body)
    };
    let far = format!("{RANDOM}(local.set $j (i32.rem_u (local.get $i) (i32.const 900000)))");
    vec![
        class("table.get", 0, "(global.set $r (table.get $t (i32.const 1)))".to_owned()),
        class("table.set", 0, "(table.set $t (i32.const 1) (global.get $r))".to_owned()),
        class("table.set and table.get", 0, "(table.set $t (i32.const 1) (table.get $t (i32.const 0)))".to_owned()),
        class("table.get far apart, waiting", 0, format!("{far}(local.set $i (i32.add (local.get $i) (ref.is_null (table.get $large (local.get $j)))))")),
        class("table.set far apart", 0, format!("{far}(table.set $large (local.get $j) (global.get $r))")),
        class("table.size", 0, "(local.set $i (i32.add (local.get $i) (table.size $t)))".to_owned()),
        class("table.grow by nothing", 0, "(drop (table.grow $t (ref.null func) (i32.const 0)))".to_owned()),
        class("table.grow by too much", 0, "(drop (table.grow $t (ref.null func) (i32.const 2000000)))".to_owned()),
        class("table.fill of nothing", 0, "(table.fill $t (i32.const 0) (ref.null func) (local.get $n))".to_owned()),
        class("table.fill of 900,000", 900_000, "(table.fill $large (i32.const 0) (ref.null func) (local.get $n))".to_owned()),
        class("table.fill with a function", 900_000, "(table.fill $large (i32.const 0) (ref.func $nothing) (local.get $n))".to_owned()),
        class("table.copy of nothing", 0, "(table.copy $t $large (i32.const 0) (i32.const 0) (local.get $n))".to_owned()),
        class("table.copy of 1", 1, "(table.copy $t $large (i32.const 0) (i32.const 0) (local.get $n))".to_owned()),
        class("table.copy of 800,000", 800_000, "(table.copy $large $large (i32.const 0) (i32.const 7) (local.get $n))".to_owned()),
        class("table.init of nothing", 0, "(table.init $t $passive (i32.const 0) (i32.const 0) (local.get $n))".to_owned()),
        class("table.init of 2", 2, "(table.init $t $passive (i32.const 0) (i32.const 0) (local.get $n))".to_owned()),
        class("table.init and table.get", 2, "(table.init $t $passive (i32.const 0) (i32.const 0) (local.get $n)) (global.set $r (table.get $t (i32.const 1)))".to_owned()),
        class("elem.drop", 0, "(elem.drop $passive)".to_owned()),
    ]
}
