//! The corpus of every fuzz target, and a bounded number of cases made of it: the same cases at every run.

use std::collections::HashMap;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use jointly_fuzz::{Ending, Start, answers, loader, patches, puppet, starts};
use jointly_host::Kind;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Cases that are made of the corpus besides its own, unless the variable `JOINTLY_FUZZ_CASES` asks for another number.
const MADE: usize = 2_000;
/// Changes from what is kept to a case.
const CHANGES: usize = 4;
/// Numbers at which lengths, offsets and tags go wrong, and the bits of numbers that are no probability.
const WORDS: [u32; 14] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    u32::MAX,
    f32::NAN.to_bits(),
    f32::INFINITY.to_bits(),
    (-1.0_f32).to_bits(),
    f32::MAX.to_bits(),
];

/// Where a target's corpus is.
fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// The files of a target's corpus, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<_> = std::fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5, "{} files", files.len());
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// One change to a case: what files suffer, and what a person who means harm would do.
fn change(case: &mut Vec<u8>, corpus: &[Vec<u8>], source: &mut ChaCha8Rng) {
    let place = source.random_range(0..=case.len());
    match source.random_range(0..6) {
        0 => case.truncate(place),
        1 => {
            let other = &corpus[source.random_range(0..corpus.len())];
            let from = source.random_range(0..=other.len());
            case.truncate(place);
            case.extend_from_slice(&other[from..]);
        }
        2 => {
            let word = WORDS[source.random_range(0..WORDS.len())].to_le_bytes();
            case.splice(place..(place + word.len()).min(case.len()), word);
        }
        3 => case.insert(place, source.next_u32() as u8),
        _ => {
            if let Some(byte) = case.get_mut(place) {
                *byte ^= 1 << source.random_range(0..8);
            }
        }
    }
}

/// Tries what is kept and what is made of it. A case that the target panics at is written to a file.
fn tries(name: &str, target: fn(&[u8]) -> Ending, expected: &[Ending]) {
    let corpus = corpus(name);
    let mut source = ChaCha8Rng::seed_from_u64(0);
    let asked = std::env::var("JOINTLY_FUZZ_CASES").ok().map(|text| text.parse().expect("a number of cases"));
    let made = asked.unwrap_or(MADE);
    let cases = (0..made).map(|number| {
        let mut case = corpus[number % corpus.len()].clone();
        (0..=source.random_range(0..CHANGES)).for_each(|_| change(&mut case, &corpus, &mut source));
        case
    });
    let mut endings: HashMap<Ending, usize> = HashMap::new();
    for case in corpus.iter().cloned().chain(cases) {
        let Ok(ending) = catch_unwind(|| target(&case)) else {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.case"));
            std::fs::write(&file, &case).unwrap();
            panic!("the host broke a promise; the case is kept in {}", file.display());
        };
        *endings.entry(ending).or_default() += 1;
    }
    println!("{name}: {} cases kept, {made} made of them: {endings:?}", corpus.len());
    for ending in expected {
        assert!(endings.contains_key(ending), "no case ends with {ending:?}: the target has gone blind");
    }
}

#[test]
fn what_a_component_may_be() {
    tries("loader", loader, &[Ending::Answered, Ending::NotLoaded]);
}

#[test]
fn what_an_agent_with_other_bytes_may_be() {
    let failed = [Kind::Trapped, Kind::InvalidOutput].map(Ending::Failed);
    tries("patches", patches, &[&[Ending::Answered, Ending::NotLoaded], &failed[..]].concat());
}

#[test]
fn what_an_agent_may_answer() {
    let failed = [Kind::Trapped, Kind::OutOfFuel, Kind::OutOfMemory, Kind::InvalidOutput, Kind::AgentFailure];
    let others = [Ending::Answered, Ending::NotLoaded, Ending::Inconsistent];
    tries("answers", answers, &[&others, &failed.map(Ending::Failed)[..]].concat());
}

/// The encoder would follow them by recursion, as deep as there are packages.
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
    let runtime = jointly_host::Runtime::new(jointly_host::Execution::Compiled, None).unwrap();
    let error = runtime.load(&module, jointly_host::Limits::default()).err().unwrap().to_string();
    assert!(error.contains("it names too many packages"), "{error}");
}

/// Loads a file of the loader's corpus; its error as text where it is refused.
fn load(name: &str) -> Result<(), String> {
    let runtime = jointly_host::Runtime::new(jointly_host::Execution::Compiled, None).unwrap();
    let bytes = std::fs::read(folder("loader").join(name)).unwrap();
    runtime.load(&bytes, jointly_host::Limits::default()).map(|_| ()).map_err(|error| error.to_string())
}

/// A case that ends otherwise than it was kept for finds nothing. The tests of the command hold the other cases to what is
/// wrong with them.
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

/// The puppet whose description has a text in place of one of its own, by the place of that one.
fn describing(place: u32, text: &str) -> Vec<u8> {
    /// Where the script holds the text, after the deeds.
    const TEXT: u32 = 64;
    let words = [place, TEXT, place + 4, text.len() as u32].map(u32::to_le_bytes).concat();
    let mut script = [&[2], words.as_slice()].concat();
    script.resize(TEXT as usize, 0);
    puppet(&[&script, text.as_bytes()].concat())
}

/// Cases that the puppet and the places of its bytes make, by target and name.
fn made_of_the_puppet() -> Vec<(&'static str, &'static str, Vec<u8>)> {
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
    vec![
        // The default value of a parameter, and the agent's summary.
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
    ]
}

/// A corpus of another puppet would only find that it is refused. With the variable `JOINTLY_FUZZ_WRITE` set, the cases are
/// written first.
#[test]
fn cases_of_the_puppet_are_of_todays() {
    for (target, name, bytes) in made_of_the_puppet() {
        let file = folder(target).join(name);
        if std::env::var_os("JOINTLY_FUZZ_WRITE").is_some() {
            std::fs::write(&file, &bytes).unwrap();
        }
        let kept = std::fs::read(&file).unwrap_or_default();
        assert!(kept == bytes, "{} is of another puppet: test with JOINTLY_FUZZ_WRITE=1 once", file.display());
    }
}
