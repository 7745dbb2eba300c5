//! An agent that answers honestly, except for bytes of its answers that a script replaces.

use std::sync::OnceLock;

use jointly_host::Setting;
use wit_component::StringEncoding;
use wit_parser::Resolve;

use crate::merge::merged;

/// The length of a script; shorter ones are padded with zeros, which replace nothing.
pub const SCRIPT_BYTES: usize = 1024;

/// The bytes that `puppet.wat` has in the script's place, which occur nowhere else in it.
const PLACE: [u8; SCRIPT_BYTES] = [0xa5; SCRIPT_BYTES];

/// The puppet's world. It exports both interfaces, so that one module does for all, and imports a part of each family
/// of WASI, including a function of sockets with a type that is not WASI's.
const WORLD: &str = "
    package jointly:puppet;
    world puppet {
        import jointly:agent/host@0.3.0;
        import wasi:io/poll@0.2.0;
        import wasi:clocks/monotonic-clock@0.2.0;
        import wasi:random/random@0.2.0;
        import wasi:sockets/tcp-create-socket@0.2.0;
        import wasi:http/types@0.2.0;
        import wasi:cli/exit@0.2.0;
        export jointly:agent/info@0.3.0;
        export jointly:agent/classification@0.3.0;
        export jointly:agent/regression@0.3.0;
    }
    package wasi:io@0.2.0 {
        interface poll {
            resource pollable { ready: func() -> bool; }
            poll: func(in: list<borrow<pollable>>) -> list<u32>;
        }
    }
    package wasi:clocks@0.2.0 {
        interface monotonic-clock {
            use wasi:io/poll@0.2.0.{pollable};
            now: func() -> u64;
            subscribe-duration: func(when: u64) -> pollable;
        }
    }
    package wasi:random@0.2.0 {
        interface random {
            get-random-bytes: func(len: u64) -> list<u8>;
            get-random-u64: func() -> u64;
        }
    }
    package wasi:sockets@0.2.0 {
        interface tcp-create-socket { create-tcp-socket: func(); }
    }
    package wasi:http@0.2.0 {
        interface types {
            variant header-error { invalid-syntax, forbidden, immutable }
            resource fields {
                constructor();
                append: func(name: string, value: list<u8>) -> result<_, header-error>;
            }
        }
    }
    package wasi:cli@0.2.0 {
        interface exit { exit: func(status: result); }
    }";

/// Returns the component that describes itself as a script says; bytes beyond [`SCRIPT_BYTES`] are left out.
///
/// # Panics
/// When the interface in `wit/` is no longer the one that `puppet.wat` was written for.
pub fn puppet(script: &[u8]) -> Vec<u8> {
    static PUPPET: OnceLock<(Vec<u8>, usize)> = OnceLock::new();
    let (component, place) = PUPPET.get_or_init(|| {
        let component = component(&module());
        let place = component.windows(SCRIPT_BYTES).position(|bytes| bytes == PLACE).expect("a place for the script");
        (component, place)
    });
    let mut component = component.clone();
    let place = &mut component[*place..][..SCRIPT_BYTES];
    place.fill(0);
    place.iter_mut().zip(script).for_each(|(byte, told)| *byte = *told);
    component
}

/// Returns the setting that gives a script to an agent that describes itself honestly.
pub(crate) fn told(script: &[u8]) -> Setting {
    let letter = |nibble: u8| char::from(b'a' + nibble);
    let value = script.iter().take(SCRIPT_BYTES).flat_map(|byte| [letter(byte >> 4), letter(byte & 15)]).collect();
    Setting { name: "script".to_owned(), value }
}

/// The action of an agent's start function. It acts in the units whose random number is odd, which is about half of
/// them.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// It calls a function of WASI that it imports with a type that is not WASI's.
    MistypedWasi,
    /// It exits by a tail call, which leaves no frame of its own, with an invalid status.
    TailCall,
}

/// Returns the honest component with a start function.
///
/// # Panics
/// As [`puppet`].
pub fn starts(start: Start) -> Vec<u8> {
    let coin = r#"(import "wasi:random/random@0.2.0" "get-random-u64" (func $coin (result i64)))"#;
    let socket = r#"(import "wasi:sockets/tcp-create-socket@0.2.0" "create-tcp-socket" (func $socket))"#;
    let (imports, deed) = match start {
        Start::MistypedWasi => (format!("{coin}{socket}"), "(call $socket)"),
        Start::TailCall => (coin.to_owned(), "(return_call $exit (i32.const 7))"),
    };
    let odd = "(i32.wrap_i64 (i64.and (call $coin) (i64.const 1)))";
    component(&with_start(&imports, &format!("(func $start (if {odd} (then {deed}))) (start $start)")))
}

/// Returns the honest component that does something `rounds` times where it trains, in the text format. There are the
/// locals `$i`, an integer, and `$f`, a float, the function `$give_up` that drops a model, and what `declared` says.
///
/// # Panics
/// As [`puppet`], and when the text is no instruction.
pub fn repeats(declared: &str, body: &str, rounds: u32) -> Vec<u8> {
    let drops =
        r#"(import "[export]jointly:agent/classification@0.3.0" "[resource-drop]model" (func $give_up (param i32)))"#;
    let round = "(local.set $left (i32.sub (local.get $left) (i32.const 1))) (br_if $again (local.get $left))";
    let function = format!(
        "(func $repeat (local $left i32) (local $i i32) (local $f f32) (local.set $left (i32.const {rounds}))
           (loop $again {body} {round}))"
    );
    component(&with(drops, "(call $repeat)", &format!("{declared} {function}")))
}

/// Returns the honest component that calls every function of another module where it trains, and logs 16 letters that
/// depend on the bits of all that they return.
///
/// # Panics
/// As [`puppet`], and when the module has imports, exports or a start function.
pub(crate) fn computes(module: &[u8]) -> Vec<u8> {
    let note = "(func $note (param $bits i64) (local $at i32)
       (loop $again
         (i32.store8 offset=4200 (local.get $at)
           (i32.add (i32.const 97) (i32.and (i32.wrap_i64 (local.get $bits)) (i32.const 15))))
         (local.set $bits (i64.shr_u (local.get $bits) (i64.const 4)))
         (local.set $at (i32.add (local.get $at) (i32.const 1)))
         (br_if $again (i32.lt_u (local.get $at) (i32.const 16))))
       (call $log (i32.const 4200) (i32.const 16)))";
    let probe = "(func $probe (result i64) (i64.const 0))";
    let honest = text("", "(call $note (call $probe))", &format!("{note} {probe}"));
    component(&described(merged(&honest, module)))
}

fn component(module: &[u8]) -> Vec<u8> {
    let encoder = wit_component::ComponentEncoder::default().module(module);
    encoder.and_then(|encoder| encoder.validate(true).encode()).expect("puppet.wat exports the interface")
}

/// Returns the puppet as a core module with its component type, as compilers emit it; the host makes the component. Its
/// script consists of bytes that mean no action.
///
/// # Panics
/// As [`puppet`].
pub fn module() -> Vec<u8> {
    with_start("", "")
}

/// Returns the module with further imports and a start function, both in the text format.
fn with_start(imports: &str, start: &str) -> Vec<u8> {
    with(imports, "", start)
}

/// Returns the module with further imports, instructions before it has trained, and further fields, in the text format.
fn with(imports: &str, training: &str, fields: &str) -> Vec<u8> {
    described(text(imports, training, fields))
}

/// Returns that module before it has its component type.
fn text(imports: &str, training: &str, fields: &str) -> Vec<u8> {
    let script = "\\a5".repeat(SCRIPT_BYTES);
    let text = include_str!("puppet.wat").replace("{script}", &script);
    let text = text.replace("{imports}", imports).replace("{training}", training).replace("{start}", fields);
    wat::parse_str(text).expect("puppet.wat is a module")
}

/// Returns a module with the component type of an agent.
fn described(mut module: Vec<u8>) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).expect("the interface is well formed");
    let package = resolve.push_str("puppet.wit", WORLD).expect("the world is well formed");
    let world = resolve.select_world(&[package], None).expect("there is one world");
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
        .expect("a module takes a section more");
    module
}
