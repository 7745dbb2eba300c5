//! Tries a corpus, and a bounded number of cases derived from it, the same in every run.

use std::collections::HashMap;
use std::fs;
use std::iter;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use jointly_fuzz::{Ending, folder};
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// The number of derived cases, unless the variable `JOINTLY_FUZZ_CASES` sets another.
const MADE: usize = 2_000;
/// The number of changes from a kept case to a derived one.
const CHANGES: usize = 4;
/// The longest time that a case may take, on a machine that is also busy otherwise.
const LONGEST: Duration = Duration::from_mins(1);
/// The most KiB that a case may add to the peak memory of the process.
const MOST_MEMORY: u64 = 256 << 10;
/// Numbers that often break lengths, offsets and tags, and the bits of numbers that are no probability.
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

/// A generated case: its target, name and bytes.
pub(crate) type Made = (&'static str, String, Vec<u8>);

/// Returns the files of a target's corpus, ordered by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<_> = fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5, "{} files", files.len());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Makes one change to a case, as by damage or malicious editing.
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

/// Returns the peak memory of the process so far, in KiB, or 0 if the system does not tell.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Tries the kept cases and those derived from them. A case for which the target panics is written to a file.
pub(crate) fn tries(name: &str, target: fn(&[u8]) -> Ending, expected: &[Ending]) {
    tries_at_once(1, name, target, expected);
}

/// Does the same on several threads, for a target whose cases take little memory and much time.
pub(crate) fn tries_at_once(threads: usize, name: &str, target: fn(&[u8]) -> Ending, expected: &[Ending]) {
    let corpus = corpus(name);
    let mut source = ChaCha8Rng::seed_from_u64(0);
    let asked = std::env::var("JOINTLY_FUZZ_CASES").ok().map(|text| text.parse().expect("a number of cases"));
    let made = asked.unwrap_or(MADE);
    let cases = (0..made).map(|number| {
        let mut case = corpus[number % corpus.len()].clone();
        (0..=source.random_range(0..CHANGES)).for_each(|_| change(&mut case, &corpus, &mut source));
        case
    });
    let cases = Mutex::new(corpus.iter().cloned().chain(cases));
    let endings: Mutex<HashMap<Ending, usize>> = Mutex::default();
    let try_one = |case: Vec<u8>| {
        let (start, held) = (Instant::now(), peak());
        let ended = catch_unwind(|| {
            let ending = target(&case);
            assert!(start.elapsed() < LONGEST, "it took {:?}", start.elapsed());
            // The system counts memory by thread and adds it up only now and then, so a peak may fall by a few pages.
            let taken = peak().saturating_sub(held);
            assert!(taken < MOST_MEMORY, "it took {taken} KiB");
            ending
        });
        let Ok(ending) = ended else {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.case"));
            fs::write(&file, &case).unwrap();
            panic!("the host broke a promise; the case is kept in {}", file.display());
        };
        *endings.lock().unwrap().entry(ending).or_default() += 1;
    };
    let next = || cases.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| iter::from_fn(next).for_each(try_one));
        }
    });
    let endings = endings.into_inner().unwrap();
    println!("{name}: {} cases kept, {made} made of them: {endings:?}", corpus.len());
    for ending in expected {
        assert!(endings.contains_key(ending), "no case ends with {ending:?}: the target has gone blind");
    }
}
