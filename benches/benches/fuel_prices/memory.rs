//! Loads and stores over memories of several sizes: one after another, far apart, each waiting for the one before, and
//! across the borders of lines and pages; and operators on many bytes.

use crate::guest::{Class, Group, PAGE};

/// The sizes of memory, in KiB.
const SIZES: [u32; 7] = [64, 1 << 10, 4 << 10, 32 << 10, 128 << 10, 512 << 10, 1 << 20];

/// Returns the classes of memory.
pub(crate) fn all() -> Vec<Class> {
    let mut classes: Vec<Class> = SIZES.iter().flat_map(|kib| sized(*kib)).collect();
    classes.extend(near());
    classes.extend(bulk());
    classes
}

/// Writes the steps of a walk through all places that are `stride` bytes apart, in an order without a pattern, into memory.
fn walk(bytes: u64, stride: u64, offset: u64) -> String {
    let places = bytes / stride;
    let last = places - 1;
    format!(
        "(loop $each
          (local.set $n (i32.and (i32.add (i32.mul (local.get $i) (i32.const 1664525)) (i32.const 1013904223)) (i32.const {last})))
          (i32.store offset={offset} (i32.mul (local.get $i) (i32.const {stride})) (i32.add (i32.const {offset}) (i32.mul (local.get $n) (i32.const {stride}))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $each (i32.lt_u (local.get $i) (i32.const {places}))))"
    )
}

/// Writes to each page of the processor, so that the machine holds it.
fn touch(bytes: u64) -> String {
    format!(
        "(loop $each
          (i32.store8 (local.get $i) (i32.const 0))
          (local.set $i (i32.add (local.get $i) (i32.const 4096)))
          (br_if $each (i32.lt_u (local.get $i) (i32.const {bytes}))))"
    )
}

#[expect(clippy::too_many_lines, reason = "it is a list")]
fn sized(kib: u32) -> Vec<Class> {
    let bytes = u64::from(kib) << 10;
    let mask = bytes - 1;
    let group = if kib <= 64 { Group::SmallMemory } else { Group::LargeMemory };
    let size = if kib < 1024 { format!("{kib} KiB") } else { format!("{} MiB", kib >> 10) };
    let pages = kib.div_ceil(PAGE >> 10).max(1);
    // A memory of the greatest size has no page beyond its end.
    let whole = pages == 16_384;
    let spare = if whole { pages } else { pages + 1 };
    let class = |name: &str, prepare: String, body: &str| {
        let body = body.replace("{mask}", &mask.to_string());
        Class { pages: spare, prepare, ..Class::new(group, format!("{name}, {size}"), body) }
    };
    let start = |offset: u64| format!("(local.set $p (i32.const {offset})) (local.set $q (i64.const {offset}))");
    let chase = |name: &str, stride: u64, offset: u64, body: &str| Class {
        enter: start(offset),
        ..class(name, walk(bytes, stride, offset), body)
    };
    let step = "(local.set $p (i32.load (local.get $p)))";
    let far = "(local.set $i (i32.add (i32.mul (local.get $i) (i32.const 1664525)) (i32.const 1013904223)))";
    let at = "(i32.and (local.get $i) (i32.const {mask}))";
    let at8 = format!("(i32.and (local.get $i) (i32.const {}))", mask & !15);
    let mut classes = vec![
        chase("i32.load after i32.load", 64, 0, step),
        chase("i64.load32_u after i64.load32_u", 64, 0, "(local.set $q (i64.load32_u (i32.wrap_i64 (local.get $q))))"),
        chase("f32.load, i32.reinterpret_f32", 64, 0, "(local.set $p (i32.reinterpret_f32 (f32.load (local.get $p))))"),
        chase(
            "v128.load, i32x4.extract_lane",
            64,
            0,
            "(local.set $p (i32x4.extract_lane 0 (v128.load (local.get $p))))",
        ),
        chase(
            "v128.load32_zero, i64x2.extract_lane",
            64,
            0,
            "(local.set $p (i32.wrap_i64 (i64x2.extract_lane 0 (v128.load32_zero (local.get $p)))))",
        ),
        class(
            "i32.load far apart",
            touch(bytes),
            &format!("{far}(local.set $j (i32.xor (local.get $j) (i32.load8_u {at})))"),
        ),
        class(
            "i32.load far apart, waiting for the one before",
            touch(bytes),
            &format!("{far}(local.set $i (i32.add (local.get $i) (i32.load8_u {at})))"),
        ),
        class(
            "f32.load far apart, waiting by f32.lt",
            touch(bytes),
            &format!("{far}(local.set $i (i32.add (local.get $i) (f32.lt (f32.const 0) (f32.load {at8}))))"),
        ),
        class(
            "f64.load far apart, branching on f64.lt",
            touch(bytes),
            &format!("{far}(if (f64.lt (f64.load {at8}) (f64.const 0)) (then (local.set $i (i32.const 5))))"),
        ),
        class(
            "f32.load far apart",
            touch(bytes),
            &format!("{far}(local.set $f (f32.add (local.get $f) (f32.load {at8})))"),
        ),
        class(
            "v128.load far apart",
            touch(bytes),
            &format!("{far}(local.set $v (v128.xor (local.get $v) (v128.load {at8})))"),
        ),
        class("i32.store far apart", touch(bytes), &format!("{far}(i32.store8 {at} (local.get $j))")),
        class("v128.store far apart", touch(bytes), &format!("{far}(v128.store {at8} (local.get $v))")),
        class(
            "v128.load one after another",
            touch(bytes),
            &format!(
                "(local.set $v (v128.xor (local.get $v) (v128.load {at8}))) (local.set $i (i32.add (local.get $i) (i32.const 16)))"
            ),
        ),
        class(
            "v128.store one after another",
            touch(bytes),
            &format!("(v128.store {at8} (local.get $v)) (local.set $i (i32.add (local.get $i) (i32.const 16)))"),
        ),
        class(
            "v128.load, one in each line",
            touch(bytes),
            &format!(
                "(local.set $v (v128.xor (local.get $v) (v128.load {at8}))) (local.set $i (i32.add (local.get $i) (i32.const 64)))"
            ),
        ),
        class(
            "v128.load, one in each page",
            touch(bytes),
            &format!(
                "(local.set $v (v128.xor (local.get $v) (v128.load {at8}))) (local.set $i (i32.add (local.get $i) (i32.const 4160)))"
            ),
        ),
        class(
            "v128.store, one in each page",
            touch(bytes),
            &format!("(v128.store {at8} (local.get $v)) (local.set $i (i32.add (local.get $i) (i32.const 4160)))"),
        ),
        class(
            "memory.copy of a byte, waiting",
            touch(bytes),
            &format!(
                "{far}(memory.copy (i32.const 0) {at} (local.get $n)) (local.set $i (i32.add (local.get $i) (i32.load8_u (i32.const 0))))"
            ),
        ),
        class(
            "memory.copy of 128 bytes far apart",
            touch(bytes),
            &format!(
                "{far}(memory.copy (i32.const 0) (i32.and (local.get $i) (i32.const {})) (i32.const 128))",
                mask & !127
            ),
        ),
        class(
            "memory.fill of a byte far apart",
            touch(bytes),
            &format!("{far}(memory.fill {at} (i32.const 0) (local.get $n))"),
        ),
    ];
    for class in &mut classes {
        if class.name.starts_with("memory.") {
            class.enter = String::from(
                "(local.set $n (i32.const 1)) (local.set $n (i32.load8_u (i32.add (i32.const 2096) (i32.const 0)))) (if (i32.eqz (local.get $n)) (then (local.set $n (i32.const 1))))",
            );
        }
    }
    if !whole {
        classes.push(chase("i32.load after i32.load across lines", 64, 62, step));
        classes.push(chase("i32.load after i32.load across pages", 4096, 4094, step));
        if kib >= 512 {
            classes.push(Class {
                declarations: format!("(memory $second i64 {pages})"),
                pages: 2,
                enter: start(0),
                ..class(
                    "i32.load of memory by 64 bits, waiting",
                    touch(bytes)
                        .replace("(i32.store8 (local.get $i)", "(i32.store8 $second (i64.extend_i32_u (local.get $i))"),
                    &format!(
                        "{far}(local.set $i (i32.add (local.get $i) (i32.load8_u $second (i64.extend_i32_u {at}))))"
                    ),
                )
            });
        }
    }
    classes
}

/// Loads and stores in the first cache, operator by operator.
fn near() -> Vec<Class> {
    let class = |name: &str, body: String| Class::new(Group::SmallMemory, name, body);
    let mut classes = Vec::new();
    for op in ["i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u", "i32.load"] {
        let address = "(i32.and (local.get $p) (i32.const 0xff0))";
        classes.push(class(op, format!("(local.set $p ({op} {address}))")));
    }
    for op in ["i64.load8_s", "i64.load16_u", "i64.load32_s", "i64.load"] {
        let address = "(i32.and (i32.wrap_i64 (local.get $q)) (i32.const 0xff0))";
        classes.push(class(op, format!("(local.set $q ({op} {address}))")));
    }
    let vectors = [
        "v128.load",
        "v128.load8x8_s",
        "v128.load16x4_u",
        "v128.load32x2_s",
        "v128.load8_splat",
        "v128.load16_splat",
        "v128.load32_splat",
        "v128.load64_splat",
        "v128.load32_zero",
        "v128.load64_zero",
    ];
    for op in vectors {
        let address = "(i32.and (i32x4.extract_lane 0 (local.get $v)) (i32.const 0xff0))";
        classes.push(class(op, format!("(local.set $v ({op} {address}))")));
    }
    for (op, lane) in [("load8_lane", 15), ("load32_lane", 3), ("load64_lane", 1)] {
        let address = "(i32.and (i32x4.extract_lane 0 (local.get $v)) (i32.const 0xff0))";
        classes.push(class(op, format!("(local.set $v (v128.{op} {lane} {address} (local.get $v)))")));
    }
    for (op, value) in [
        ("i32.store8", "$i"),
        ("i32.store16", "$i"),
        ("i32.store", "$i"),
        ("i64.store32", "$m"),
        ("i64.store", "$m"),
        ("f32.store", "$f"),
        ("f64.store", "$d"),
        ("v128.store", "$v"),
        ("v128.store8_lane 3", "$v"),
        ("v128.store64_lane 1", "$v"),
    ] {
        let (op, lane) = op.split_once(' ').unwrap_or((op, ""));
        classes.push(class(op, format!("({op} offset=8192 {lane} (i32.const 0) (local.get {value}))")));
    }
    classes.push(class(
        "i64.store and i64.load",
        "(i64.store (i32.const 8192) (local.get $m)) (local.set $m (i64.load (i32.const 8192)))".to_owned(),
    ));
    classes.push(class(
        "i32.store and i64.load, which cannot be forwarded",
        "(i32.store (i32.const 8196) (i32.wrap_i64 (local.get $m))) (local.set $m (i64.load (i32.const 8192)))"
            .to_owned(),
    ));
    classes.push(class(
        "v128.store across lines and v128.load",
        "(v128.store offset=8184 (i32.const 0) (local.get $v)) (local.set $v (v128.load offset=8188 (i32.const 0)))"
            .to_owned(),
    ));
    classes.push(class("memory.size", "(local.set $i (i32.add (local.get $i) (memory.size)))".to_owned()));
    classes
}

fn bulk() -> Vec<Class> {
    let class = |name: &str, length: u32, body: &str| Class {
        pages: 64,
        declarations: "(data $some \"some bytes\")".to_owned(),
        // Read from memory, so that the compiler does not know it.
        enter: format!("(i32.store (i32.const 3000) (i32.const {length})) (local.set $n (i32.load (i32.const 3000)))"),
        ..Class::new(Group::Bulk, name, body)
    };
    let fill = "(memory.fill (i32.const 65536) (i32.const 7) (local.get $n))";
    let copy = "(memory.copy (i32.const 65536) (i32.const 2097152) (local.get $n))";
    let onto = "(memory.copy (i32.const 65536) (i32.const 65537) (local.get $n))";
    let init = "(memory.init $some (i32.const 65536) (i32.const 0) (local.get $n))";
    vec![
        class("memory.fill of nothing", 0, fill),
        class("memory.fill of 1 byte", 1, fill),
        class("memory.fill of 64 bytes", 64, fill),
        class("memory.fill of 1 MiB", 1 << 20, fill),
        class("memory.copy of nothing", 0, copy),
        class("memory.copy of 1 byte", 1, copy),
        class("memory.copy of 64 bytes", 64, copy),
        class("memory.copy of 1 MiB", 1 << 20, copy),
        class("memory.copy of 1 MiB onto itself", 1 << 20, onto),
        class(
            "memory.copy of 0 bytes, as is known",
            0,
            "(memory.copy (i32.const 65536) (i32.const 65537) (i32.const 0))",
        ),
        class(
            "memory.copy of 128 bytes, as is known",
            0,
            "(memory.copy (i32.const 65536) (i32.const 65537) (i32.const 128))",
        ),
        class("memory.init of nothing", 0, init),
        class("memory.init of 4 bytes", 4, init),
        class("data.drop", 0, "(data.drop $some)"),
        class("memory.grow by nothing", 0, "(drop (memory.grow (i32.const 0)))"),
        class("memory.grow beyond its limit", 0, "(drop (memory.grow (i32.const 65535)))"),
        class("memory.grow by too much", 30_000, "(drop (memory.grow (local.get $n)))"),
    ]
}
