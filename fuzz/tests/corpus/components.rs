//! Kept components and patches: those that the puppet makes, and the expected endings of the others.

use jointly_fuzz::{Start, folder, puppet, starts};

use crate::tries::Made;

/// The encoder would follow the packages by recursion, as deep as their number.
#[test]
fn a_chain_of_packages_has_an_end() {
    use std::fmt::Write as _;
    let mut text = "package jointly:chain; world chain { import a199:b/i; }\n".to_owned();
    for package in 0..200_u32 {
        let needed = package.checked_sub(1).map(|needed| format!("use a{needed}:b/i.{{t}};"));
        let own = needed.unwrap_or_else(|| "record t { x: u8 }".into());
        writeln!(text, "package a{package}:b {{ interface i {{ {own} f: func() -> t; }} }}").unwrap();
    }
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("chain.wit", &text).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    let mut module = wat::parse_str("(module)").unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, wit_component::StringEncoding::UTF8).unwrap();
    let runtime =
        jointly_host::Runtime::new(jointly_host::Execution::Compiled, jointly_host::Compiler::InProcess, None).unwrap();
    let error = runtime.load(&module, jointly_host::Limits::default()).err().unwrap().to_string();
    assert!(error.contains("it names too many packages"), "{error}");
}

/// Loads a file of the loader's corpus; returns the error as text if it is refused.
fn load(name: &str) -> Result<(), String> {
    let runtime =
        jointly_host::Runtime::new(jointly_host::Execution::Compiled, jointly_host::Compiler::InProcess, None).unwrap();
    let bytes = std::fs::read(folder("loader").join(name)).unwrap();
    runtime.load(&bytes, jointly_host::Limits::default()).map(|_| ()).map_err(|error| error.to_string())
}

/// A kept case that ends differently than expected tests nothing. The tests of the command check the errors of the
/// other cases.
#[test]
fn kept_components_end_as_they_are_kept_for() {
    load("puppet-component").unwrap();
    let refused = [
        ("agent-of-0.2.0", "speaks jointly:agent@0.2.0 and this host speaks jointly:agent@0.3.0; rebuild it"),
        ("hollow", "not accepted by the engine"),
        ("puppet-loops", "does not describe itself: load: out-of-fuel"),
        ("stamped", "a core module without a component type"),
    ];
    let errors = refused.map(|(name, reason)| (name, reason, load(name).expect_err(name)));
    let others: Vec<_> = errors.iter().filter(|(_, reason, error)| !error.contains(reason)).collect();
    assert!(others.is_empty(), "{others:#?}");
}

/// Returns the puppet with a text of its description, given by its place, replaced by another.
fn describing(place: u32, text: &str) -> Vec<u8> {
    /// The offset of the text in the script, after the actions.
    const TEXT: u32 = 64;
    let words = [place, TEXT, place + 4, text.len() as u32].map(u32::to_le_bytes).concat();
    let mut script = [&[2], words.as_slice()].concat();
    script.resize(TEXT as usize, 0);
    puppet(&[&script, text.as_bytes()].concat())
}

/// Returns the cases that are made from the puppet and the places of its bytes, by target and name.
pub(crate) fn made() -> Vec<Made> {
    let honest = puppet(&[]);
    let place = |text: &[u8]| honest.windows(text.len()).position(|bytes| bytes == text).expect("a text of the puppet");
    let script = honest.iter().zip(puppet(&[1])).position(|(byte, other)| *byte != other).expect("a script");
    let (name, version) = (place(b"puppetsize1"), place(b"jointly:agent/info@") + b"jointly:agent/".len());
    let setting = name + b"puppet".len();
    let patches = |patches: &[(usize, u8)]| {
        let bytes = patches.iter().flat_map(|&(place, byte)| {
            let [low, high] = u16::try_from(place).expect("a puppet of 64 KiB").to_le_bytes();
            [low, high, byte]
        });
        std::iter::once(0).chain(bytes).collect::<Vec<u8>>()
    };
    let made = vec![
        // Replaces the default value of a parameter, and the agent's summary.
        ("loader", "describes-at-length", describing(60, &"a".repeat(300))),
        ("loader", "describes-by-controls", describing(16, "\u{1b}[31mRED\u{1b}[0m \u{202e}and turned")),
        ("loader", "leaves-by-a-tail-call", starts(Start::TailCall)),
        ("loader", "mistyped-wasi-in-some-units", starts(Start::MistypedWasi)),
        ("loader", "puppet-component", honest.clone()),
        ("loader", "puppet-loops", puppet(&[0xfd])),
        ("patches", "interface-name", patches(&[(version, b'x')])),
        ("patches", "name-control", patches(&[(name, 0x1b)])),
        ("patches", "name-not-utf8", patches(&[(name, 0xff)])),
        ("patches", "name-plain", patches(&[(name, b'm')])),
        ("patches", "script-elsewhere", patches(&[(script, 0xff), (script + 4, 0xff)])),
        ("patches", "script-exits", patches(&[(script, 0xf6), (script + 1, 7)])),
        ("patches", "script-loops", patches(&[(script, 0xfd)])),
        ("patches", "script-stops", patches(&[(script, 0xfe)])),
        ("patches", "setting-control", patches(&[(setting, 0x1b)])),
    ];
    made.into_iter().map(|(target, name, bytes)| (target, name.to_owned(), bytes)).collect()
}
