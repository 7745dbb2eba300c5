//! Calls of the host, with small and large arguments, and the intrinsics of components.

use wit_component::StringEncoding;

use crate::guest::{Class, Group};

/// The address at which the host writes answers.
const ANSWER: &str = "(i32.const 32768)";

/// Functions without arguments that answer with a number.
const NUMBERS: [(&str, &str, &str); 6] = [
    ("wasi:clocks/monotonic-clock@0.2.0", "now", "i64"),
    ("wasi:clocks/monotonic-clock@0.2.0", "resolution", "i64"),
    ("wasi:random/random@0.2.0", "get-random-u64", "i64"),
    ("wasi:random/insecure@0.2.0", "get-insecure-random-u64", "i64"),
    ("wasi:cli/environment@0.2.0", "get-arguments", ""),
    ("wasi:cli/environment@0.2.0", "initial-cwd", ""),
];

/// Functions that write an answer.
const ANSWERS: [(&str, &str); 5] = [
    ("wasi:cli/environment@0.2.0", "get-environment"),
    ("wasi:cli/terminal-stdin@0.2.0", "get-terminal-stdin"),
    ("wasi:clocks/wall-clock@0.2.0", "now"),
    ("wasi:filesystem/preopens@0.2.0", "get-directories"),
    ("wasi:random/insecure-seed@0.2.0", "insecure-seed"),
];

/// Functions that make a handle, with what drops it.
const HANDLES: [(&str, &str, &str, &str, &str); 6] = [
    ("wasi:cli/stdin@0.2.0", "get-stdin", "", "wasi:io/streams@0.2.0", "[resource-drop]input-stream"),
    ("wasi:cli/stdout@0.2.0", "get-stdout", "", "wasi:io/streams@0.2.0", "[resource-drop]output-stream"),
    ("wasi:clocks/monotonic-clock@0.2.0", "subscribe-duration", "i64", "wasi:io/poll@0.2.0", "[resource-drop]pollable"),
    ("wasi:clocks/monotonic-clock@0.2.0", "subscribe-instant", "i64", "wasi:io/poll@0.2.0", "[resource-drop]pollable"),
    ("wasi:http/types@0.2.0", "[constructor]fields", "", "wasi:http/types@0.2.0", "[resource-drop]fields"),
    (
        "wasi:sockets/instance-network@0.2.0",
        "instance-network",
        "",
        "wasi:sockets/network@0.2.0",
        "[resource-drop]network",
    ),
];

/// Returns the classes of the host's functions and of intrinsics.
pub(crate) fn all() -> Vec<Class> {
    let mut classes = intrinsics();
    classes.extend(own());
    classes.extend(plain());
    classes.extend(handles());
    classes.extend(streams());
    classes.extend(texts());
    classes
}

fn class(name: &str, imports: &[(&str, &str, &str)], body: impl Into<String>) -> Class {
    let imports: Vec<String> = imports
        .iter()
        .enumerate()
        .map(|(i, (module, function, ty))| format!(r#"(import "{module}" "{function}" (func $h{i} {ty}))"#))
        .collect();
    Class { imports: imports.concat(), pages: 64, ..Class::new(Group::Host, name, body) }
}

fn intrinsics() -> Vec<Class> {
    let class = |name: &str, body: &str| Class::new(Group::Intrinsics, name, body);
    let held = |class: Class| Class { enter: "(local.set $j (call $new (i32.const 1)))".to_owned(), ..class };
    vec![
        class("resource.new and resource.drop", "(call $drop (call $new (local.get $i)))"),
        held(class("resource.rep", "(local.set $i (call $rep (local.get $j)))")),
        class("resource.new, resource.rep and resource.drop", "(local.set $j (call $new (local.get $i))) (local.set $i (call $rep (local.get $j))) (call $drop (local.get $j))"),
        Class {
            declarations: "(table $t 4 funcref) (elem (table $t) (i32.const 0) func $new $drop) (type $made (func (param i32) (result i32))) (type $dropped (func (param i32)))".to_owned(),
            ..class("resource.new and resource.drop by a table", "(call_indirect $t (type $dropped) (call_indirect $t (type $made) (local.get $i) (i32.const 0)) (i32.const 1))")
        },
        Class {
            enter: "(local.set $n (i32.const 20000)) (loop $each (drop (call $new (local.get $n))) (local.set $n (i32.sub (local.get $n) (i32.const 1))) (br_if $each (local.get $n)))".to_owned(),
            ..class("resource.new and resource.drop beside 20,000 handles", "(call $drop (call $new (local.get $i)))")
        },
    ]
}

fn own() -> Vec<Class> {
    let host = "jointly:agent/host@0.3.0";
    let log = |name: &str, length: u32| {
        class(name, &[(host, "log", "(param i32 i32)")], format!("(call $h0 (i32.const 65536) (i32.const {length}))"))
    };
    let spaces = |class: Class| Class {
        prepare: "(memory.fill (i32.const 65536) (i32.const 32) (i32.const 1048576))".to_owned(),
        ..class
    };
    let lines = |class: Class| Class {
        prepare: "(memory.fill (i32.const 65536) (i32.const 10) (i32.const 1048576))".to_owned(),
        ..class
    };
    // Two bytes of UTF-8 and of UTF-16 that are the same number: U+0101 and U+C4C4.
    let wide = |class: Class, byte: u32| Class {
        prepare: format!("(memory.fill (i32.const 65536) (i32.const {byte}) (i32.const 1048576))"),
        ..class
    };
    let encoded = |class: Class, encoding: StringEncoding| Class { encoding, ..class };
    vec![
        class("progress", &[(host, "progress", "(param f32)")], "(call $h0 (local.get $f))"),
        log("log of nothing", 0),
        spaces(log("log of 100 bytes", 100)),
        spaces(log("log of 1 MiB", 1 << 20)),
        lines(log("log of 1 MiB of line ends", 1 << 20)),
        encoded(wide(log("log of 512 Ki letters in UTF-16", 1 << 19), 1), StringEncoding::UTF16),
        encoded(wide(log("log of 100 letters in UTF-16", 100), 1), StringEncoding::UTF16),
        encoded(wide(log("log of 512 Ki letters of three bytes in UTF-16", 1 << 19), 0xc4), StringEncoding::UTF16),
        encoded(spaces(log("log of 1 MiB in Latin-1", 1 << 20)), StringEncoding::CompactUTF16),
    ]
}

fn plain() -> Vec<Class> {
    let numbers = NUMBERS.iter().map(|(module, function, result)| match *result {
        "" => class(function, &[(module, function, "(param i32)")], format!("(call $h0 {ANSWER})")),
        ty => class(function, &[(module, function, &format!("(result {ty})"))], "(drop (call $h0))"),
    });
    let answers = ANSWERS.iter().map(|(module, function)| {
        class(&format!("{function} of {module}"), &[(module, function, "(param i32)")], format!("(call $h0 {ANSWER})"))
    });
    let bytes = [0, 100, 65_536].map(|count| {
        let random = ("wasi:random/random@0.2.0", "get-random-bytes", "(param i64 i32)");
        class(&format!("get-random-bytes of {count}"), &[random], format!("(call $h0 (i64.const {count}) {ANSWER})"))
    });
    let socket = ("wasi:sockets/tcp-create-socket@0.2.0", "create-tcp-socket", "(param i32 i32)");
    let socket = class("create-tcp-socket", &[socket], format!("(call $h0 (i32.const 0) {ANSWER})"));
    numbers.chain(answers).chain(bytes).chain([socket]).collect()
}

fn handles() -> Vec<Class> {
    let mut classes: Vec<Class> = HANDLES
        .iter()
        .map(|(module, function, argument, of, dropped)| {
            let (ty, given) = if argument.is_empty() {
                ("(result i32)".to_owned(), "")
            } else {
                (format!("(param {argument}) (result i32)"), "(i64.const 5)")
            };
            class(
                &format!("{function} and its drop"),
                &[(module, function, &ty), (of, dropped, "(param i32)")],
                format!("(call $h1 (call $h0 {given}))"),
            )
        })
        .collect();
    let subscribe = ("wasi:clocks/monotonic-clock@0.2.0", "subscribe-duration", "(param i64) (result i32)");
    let poll = ("wasi:io/poll@0.2.0", "poll", "(param i32 i32 i32)");
    for count in [1, 100, 50_000] {
        let listed = format!(
            "(local.set $j (call $h0 (i64.const 5)))
             (loop $each (i32.store offset=1048576 (i32.shl (local.get $p) (i32.const 2)) (local.get $j))
               (local.set $p (i32.add (local.get $p) (i32.const 1))) (br_if $each (i32.lt_u (local.get $p) (i32.const {count}))))"
        );
        let body = format!("(call $h1 (i32.const 1048576) (i32.const {count}) {ANSWER})");
        classes.push(Class { enter: listed, ..class(&format!("poll of {count}"), &[subscribe, poll], body) });
    }
    for (name, ty, body) in [
        ("ready", "(param i32) (result i32)", "(drop (call $h1 (local.get $j)))"),
        ("block", "(param i32)", "(call $h1 (local.get $j))"),
    ] {
        let method = format!("[method]pollable.{name}");
        let made = "(local.set $j (call $h0 (i64.const 5)))".to_owned();
        classes.push(Class { enter: made, ..class(name, &[subscribe, ("wasi:io/poll@0.2.0", &method, ty)], body) });
    }
    classes
}

fn streams() -> Vec<Class> {
    let streams = "wasi:io/streams@0.2.0";
    let stdout = ("wasi:cli/stdout@0.2.0", "get-stdout", "(result i32)");
    let stdin = ("wasi:cli/stdin@0.2.0", "get-stdin", "(result i32)");
    let enter = "(local.set $j (call $h0))".to_owned();
    let of = |name: &str, stream: (&str, &str, &str), function: &str, ty: &str, given: &str| Class {
        enter: enter.clone(),
        ..class(name, &[stream, (streams, function, ty)], format!("(call $h1 (local.get $j) {given} {ANSWER})"))
    };
    let write = "[method]output-stream.write";
    let filled = |class: Class, byte: u32| Class {
        prepare: format!("(memory.fill (i32.const 65536) (i32.const {byte}) (i32.const 1048576))"),
        ..class
    };
    vec![
        of("check-write", stdout, "[method]output-stream.check-write", "(param i32 i32)", ""),
        of("flush", stdout, "[method]output-stream.flush", "(param i32 i32)", ""),
        of("write of nothing", stdout, write, "(param i32 i32 i32 i32)", "(i32.const 65536) (i32.const 0)"),
        filled(of("write of 1 byte", stdout, write, "(param i32 i32 i32 i32)", "(i32.const 65536) (i32.const 1)"), 65),
        filled(
            of("write of 1 MiB", stdout, write, "(param i32 i32 i32 i32)", "(i32.const 65536) (i32.const 1048576)"),
            65,
        ),
        filled(
            of(
                "write of 1 Ki line ends",
                stdout,
                write,
                "(param i32 i32 i32 i32)",
                "(i32.const 65536) (i32.const 1024)",
            ),
            10,
        ),
        filled(
            of(
                "write of 1 MiB that is no text",
                stdout,
                write,
                "(param i32 i32 i32 i32)",
                "(i32.const 65536) (i32.const 1048576)",
            ),
            0xff,
        ),
        of(
            "write-zeroes of 4,096",
            stdout,
            "[method]output-stream.write-zeroes",
            "(param i32 i64 i32)",
            "(i64.const 4096)",
        ),
        of("read", stdin, "[method]input-stream.read", "(param i32 i64 i32)", "(i64.const 4096)"),
    ]
}

fn texts() -> Vec<Class> {
    let http = "wasi:http/types@0.2.0";
    let new = (http, "[constructor]fields", "(result i32)");
    let enter = "(local.set $j (call $h0))".to_owned();
    let filled = "(memory.fill (i32.const 65536) (i32.const 65) (i32.const 1048576))".to_owned();
    let append = (http, "[method]fields.append", "(param i32 i32 i32 i32 i32 i32)");
    let of = |name: &str, text: u32, bytes: u32| Class {
        enter: enter.clone(),
        prepare: filled.clone(),
        ..class(
            name,
            &[new, append],
            format!(
                "(call $h1 (local.get $j) (i32.const 65536) (i32.const {text}) (i32.const 65536) (i32.const {bytes}) {ANSWER})"
            ),
        )
    };
    let set = (http, "[method]fields.set", "(param i32 i32 i32 i32 i32 i32)");
    let empties = "(memory.fill (i32.const 65536) (i32.const 0) (i32.const 1048576))".to_owned();
    let many = |name: &str, lists: u32| Class {
        enter: enter.clone(),
        prepare: empties.clone(),
        ..class(
            name,
            &[new, set],
            format!(
                "(call $h1 (local.get $j) (i32.const 65536) (i32.const 0) (i32.const 65536) (i32.const {lists}) {ANSWER})"
            ),
        )
    };
    let entries = (http, "[static]fields.from-list", "(param i32 i32 i32)");
    let network = ("wasi:sockets/instance-network@0.2.0", "instance-network", "(result i32)");
    let resolve = ("wasi:sockets/ip-name-lookup@0.2.0", "resolve-addresses", "(param i32 i32 i32 i32)");
    vec![
        of("fields.append of nothing", 0, 0),
        of("fields.append of a text of 1 MiB", 1 << 20, 0),
        of("fields.append of 20,000 bytes", 0, 20_000),
        of("fields.append of 1,000 bytes", 0, 1_000),
        many("fields.set of 10,000 lists of nothing", 10_000),
        many("fields.set of 100 lists of nothing", 100),
        Class {
            prepare: empties.clone(),
            ..class(
                "fields.from-list of 5,000 entries",
                &[entries],
                format!("(call $h0 (i32.const 65536) (i32.const 5000) {ANSWER})"),
            )
        },
        Class {
            enter: enter.clone(),
            ..class(
                "fields.get",
                &[new, (http, "[method]fields.get", "(param i32 i32 i32 i32)")],
                format!("(call $h1 (local.get $j) (i32.const 65536) (i32.const 3) {ANSWER})"),
            )
        },
        Class {
            enter: enter.clone(),
            prepare: filled.clone(),
            ..class(
                "resolve-addresses of 100 letters",
                &[network, resolve],
                format!("(call $h1 (local.get $j) (i32.const 65536) (i32.const 100) {ANSWER})"),
            )
        },
    ]
}
