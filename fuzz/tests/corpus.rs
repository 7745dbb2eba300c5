//! The corpus of every fuzz target, and a bounded number of cases made of it: the same cases at every run.

use std::collections::HashMap;
use std::panic::catch_unwind;
use std::path::Path;

use jointly_fuzz::{Ending, answers, loader, patches, puppet};
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

/// The files of a target's corpus, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
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

/// A corpus of another interface would only find that it is refused.
#[test]
fn the_corpus_has_agents_of_this_interface() {
    let runtime = jointly_host::Runtime::new(jointly_host::Execution::Compiled, None).unwrap();
    let loads = |bytes: &&Vec<u8>| runtime.load(bytes, jointly_host::Limits::default()).is_ok();
    let kept = corpus("loader");
    assert!(
        kept.iter().filter(loads).count() > 1,
        "write what puppet() and a build of templates/c give to corpus/loader"
    );
    assert!(runtime.load(&puppet(&[]), jointly_host::Limits::default()).is_ok());
}
