//! Numbers that are no vectors: each operation takes the result of the one before.

use crate::guest::{Class, Group};

/// Returns the classes of integers and floats.
pub(crate) fn all() -> Vec<Class> {
    let mut classes = integers("i32", "$i", "$j", &["extend8_s", "extend16_s"]);
    classes.extend(integers("i64", "$m", "$k", &["extend8_s", "extend16_s", "extend32_s"]));
    classes.extend(floats("f32", "$f", "$g"));
    classes.extend(floats("f64", "$d", "$e"));
    classes.extend(conversions());
    classes
}

fn integers(ty: &str, x: &str, y: &str, extensions: &[&str]) -> Vec<Class> {
    let class = |name: &str, operation: String| Class::chain(Group::Integers, format!("{ty}.{name}"), x, &operation);
    let unary = ["clz", "ctz", "popcnt"].iter().chain(extensions);
    let unary = unary.map(|op| class(op, format!("({ty}.{op} (local.get {x}))")));
    let binary = ["add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr"];
    let binary = binary.map(|op| class(op, format!("({ty}.{op} (local.get {x}) (local.get {y}))")));
    // The divisor is never zero.
    let divisions = ["div_s", "div_u", "rem_s", "rem_u"]
        .map(|op| class(op, format!("({ty}.{op} (local.get {y}) ({ty}.or (local.get {x}) ({ty}.const 1)))")));
    let large = ["div_s", "div_u", "rem_s", "rem_u"].map(|op| {
        let dividend = format!("({ty}.xor (local.get {x}) ({ty}.const -3))");
        class(&format!("{op} of large numbers"), format!("({ty}.{op} {dividend} (local.get {y}))"))
    });
    let widen = |flag: String| if ty == "i32" { flag } else { format!("(i64.extend_i32_u {flag})") };
    let compared = ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"]
        .map(|op| class(op, widen(format!("({ty}.{op} (local.get {x}) (local.get {y}))"))));
    let zero = class("eqz", widen(format!("({ty}.eqz (local.get {x}))")));
    let chosen = class("select", format!("(select (local.get {x}) (local.get {y}) (local.get $n))"));
    unary.chain(binary).chain(divisions).chain(large).chain(compared).chain([zero, chosen]).collect()
}

fn floats(ty: &str, x: &str, y: &str) -> Vec<Class> {
    let class = |name: &str, operation: String| Class::chain(Group::Floats, format!("{ty}.{name}"), x, &operation);
    let of = |op: &str| format!("({ty}.{op} (local.get {x}) (local.get {y}))");
    let root = format!("({ty}.sqrt (local.get {x}))");
    let from = |start: &str, class: Class| Class { enter: format!("(local.set {x} {start})"), ..class };
    let unary = ["abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"];
    let unary = unary.map(|op| class(op, format!("({ty}.{op} (local.get {x}))")));
    let plain = ["add", "sub", "mul", "div", "min", "max", "copysign"].map(|op| class(op, of(op)));
    let nan = format!("({ty}.const nan:0x1234)");
    let nans = ["add", "mul", "div", "min", "max"].map(|op| from(&nan, class(&format!("{op} of NaN"), of(op))));
    // Numbers below the smallest normal one, with which processors may fall back on microcode.
    let (tiny, smallest) = if ty == "f32" { ("0x1p-140", "0x1.8p-126") } else { ("0x1p-1060", "0x1.8p-1022") };
    let subnormal = format!("({ty}.mul ({ty}.const {tiny}) (local.get {y}))");
    let subnormals =
        ["add", "mul", "div", "min"].map(|op| from(&subnormal, class(&format!("{op} of subnormals"), of(op))));
    // From a subnormal number to a normal one and back.
    let up = class("sqrt and mul of subnormals", format!("({ty}.mul {root} (local.get {y}))"));
    let up = Class { enter: format!("(local.set {x} {subnormal}) (local.set {y} {subnormal})"), ..up };
    let third = format!("({ty}.mul ({ty}.mul (local.get {x}) ({ty}.const 0.3)) ({ty}.const 3.3333333))");
    let down = from(&format!("({ty}.const {smallest})"), class("mul down to subnormals and up", third));
    let back = format!("{ty}.convert_i32_s");
    let compared = ["eq", "ne", "lt", "gt", "le", "ge"]
        .map(|op| class(op, format!("({back} ({ty}.{op} (local.get {x}) (local.get {y})))")))
        .map(|class| Class { group: Group::ToIntegers, ..class });
    unary.into_iter().chain(plain).chain(nans).chain(subnormals).chain([up, down]).chain(compared).collect()
}

fn conversions() -> Vec<Class> {
    let class = |name: &str, local: &str, operation: &str| {
        let group = if name.starts_with('i') { Group::ToIntegers } else { Group::Floats };
        Class::chain(group, name, local, operation)
    };
    let mut classes = Vec::new();
    for (integer, i) in [("i32", "$i"), ("i64", "$m")] {
        for (float, f) in [("f32", "$f"), ("f64", "$d")] {
            for sign in ["s", "u"] {
                for how in ["trunc", "trunc_sat"] {
                    let there = format!("{integer}.{how}_{float}_{sign}");
                    let back = format!("{float}.convert_{integer}_{sign}");
                    let around = class(&format!("{there}, {back}"), f, &format!("({back} ({there} (local.get {f})))"));
                    classes.push(Class { enter: format!("(local.set {f} ({float}.const 1000))"), ..around });
                }
            }
            if (integer == "i32") == (float == "f32") {
                let next = format!("({integer}.add (local.get {i}) ({integer}.const 1))");
                let around = format!("({integer}.reinterpret_{float} ({float}.reinterpret_{integer} {next}))");
                classes.push(class(&format!("{integer}.reinterpret_{float} and back"), i, &around));
            }
        }
    }
    let large = "(f64.convert_i64_u (i64.trunc_sat_f64_u (f64.mul (local.get $d) (f64.const 1e300))))";
    let around = "(f64.promote_f32 (f32.demote_f64 (local.get $d)))";
    classes.push(class("i64.trunc_sat_f64_u of large numbers", "$d", large));
    classes.push(class("f32.demote_f64, f64.promote_f32", "$d", around));
    let tiny = class("f32.demote_f64, f64.promote_f32 of subnormals", "$d", around);
    classes.push(Class { enter: "(local.set $d (f64.const 0x1p-140))".to_owned(), ..tiny });
    let widened = "(i64.extend_i32_s (i32.wrap_i64 (i64.add (local.get $m) (i64.const 3))))";
    classes.push(Class::chain(Group::Integers, "i32.wrap_i64, i64.extend_i32_s", "$m", widened));
    classes
}
