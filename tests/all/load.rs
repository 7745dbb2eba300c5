//! A thousand variants in one run: its memory, and the state it leaves when it is killed.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::command::jointly;
use crate::run::{PROBLEM, RunDirectory};

const VARIANTS: usize = 1_000;
/// The unit after which every thread has its stack, and every buffer its final size.
const WARM: usize = 100;
/// The last unit at which memory is measured; the process must not have ended.
const LATE: usize = 800;
/// The growth, in kB, due to results and the allocator's fluctuation; stores that were not freed would take 60 kB a
/// unit.
#[cfg(target_os = "linux")]
const GROWTH_KB: u64 = 16 << 10;

fn variants() -> Vec<String> {
    (1..=VARIANTS).map(|k| format!("knn:k={k}")).collect()
}

/// Starts or continues the run, and calls `then` with the process as soon as `units` units are done.
fn run_until<T>(directory: &RunDirectory, units: usize, then: impl FnOnce(&mut Child) -> T) -> T {
    let variants = variants();
    let variants: Vec<&str> = variants.iter().map(String::as_str).collect();
    let mut command = jointly();
    command
        .args(directory.arguments(&variants, PROBLEM, &["--jobs", "2"]))
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map(Result::unwrap);
    // "[units done/all units] agent ...", printed for some of the units.
    let done = |line: String| line.strip_prefix('[')?.split_once('/')?.0.parse::<usize>().ok();
    let reached = lines.by_ref().filter_map(done).any(|done| done >= units);
    assert!(reached, "it ended before {units} units were done");
    let result = then(&mut process);
    lines.for_each(drop);
    process.wait().unwrap();
    result
}

/// Returns the resident memory of the process, in kB.
#[cfg(target_os = "linux")]
fn resident(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of that name");
    line.trim().strip_suffix(" kB").expect("in kB").parse().unwrap()
}

#[test]
fn killed_at_three_random_points_a_thousand_variants_score_the_same() {
    let whole = RunDirectory::new();
    run_until(&whole, VARIANTS, |_| ());
    let directory = RunDirectory::new();
    // One kill in each of the first three quarters.
    let random = |quarter: usize| (quarter * VARIANTS + RandomState::new().hash_one(quarter) as usize % VARIANTS) / 4;
    for units in [0, 1, 2].map(random) {
        println!("killed when {units} units were done");
        run_until(&directory, units, |process| process.kill().unwrap());
    }
    run_until(&directory, VARIANTS, |_| ());
    assert_eq!(directory.units().len(), VARIANTS);
    assert!(directory.read("scores.json") == whole.read("scores.json"));
    assert!(directory.read("leaderboard.csv") == whole.read("leaderboard.csv"));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_units() {
    let [early, late] = [WARM, LATE].map(|units| {
        let directory = RunDirectory::new();
        run_until(&directory, units, |process| {
            let held = resident(process);
            process.kill().unwrap();
            held
        })
    });
    println!("{early} kB after {WARM} units, {late} kB after {LATE}");
    assert!(late < early + GROWTH_KB, "{early} kB after {WARM} units, {late} kB after {LATE}");
}
