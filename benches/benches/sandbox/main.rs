//! Measures the cost of the sandbox: agents at work as components, guarantee by guarantee, and the training of the ensemble
//! natively.
//!
//! `cargo bench -p jointly-benches --bench sandbox` prints the tables. The machine's speed drifts, so the variants take
//! turns and the ratios are medians over the turns, with quartiles in brackets.

mod component;
mod native;
mod workload;

use std::env;

use wasmtime::Result;

use component::{Component, Guarantees, Nans};
use native::Native;
use workload::{Workload, ensemble};

/// The turns of each variant, unless the variable `ROUNDS` says another number.
const ROUNDS: usize = 25;

const ALL: Guarantees = Guarantees { fuel: true, nans: Nans::AtSinks, deterministic: true };

const VARIANTS: [(&str, Guarantees); 6] = [
    ("all guarantees", ALL),
    ("canonical NaNs after each operation", Guarantees { nans: Nans::Everywhere, ..ALL }),
    ("without canonical NaNs", Guarantees { nans: Nans::Nowhere, ..ALL }),
    ("without fuel", Guarantees { fuel: false, ..ALL }),
    ("without deterministic relaxed SIMD", Guarantees { deterministic: false, ..ALL }),
    ("none of them", Guarantees { fuel: false, nans: Nans::Nowhere, deterministic: false }),
];

fn main() -> Result<()> {
    let rounds = env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let workloads = Workload::all();
    of_ensemble(&workloads[0], rounds)?;
    println!(
        "\n{:<46} {:>8} {:>23} {:>23}",
        "as a part of the speed without canonical NaNs", "s", "all", "each operation"
    );
    for workload in &workloads {
        of_nans(workload, rounds)?;
    }
    Ok(())
}

/// Prints the training of the ensemble under each guarantee, beside native training.
fn of_ensemble(workload: &Workload, rounds: usize) -> Result<()> {
    let native = Native::build()?;
    let components = compiled(workload, &VARIANTS.map(|(_, guarantees)| guarantees))?;
    let mut native_seconds = Vec::new();
    let mut seconds = VARIANTS.map(|_| Vec::new());
    for _ in 0..rounds {
        native_seconds.push(native.train(workload)?);
        for (component, seconds) in components.iter().zip(&mut seconds) {
            seconds.push(component.measure(workload)?);
        }
    }
    println!("{:<46} {:>8} {:>8} {:>23}", "training the ensemble", "steps/s", "GFLOP/s", "ratio to native");
    let row = |name: &str, seconds: &[f64]| {
        let typical = quartiles(seconds.to_vec())[1];
        let (steps, gflops) = (ensemble::steps() / typical, ensemble::operations() / typical / 1e9);
        println!("{name:<46} {steps:>8.0} {gflops:>8.1} {:>23}", ratio(&native_seconds, seconds));
    };
    row("native, x86-64-v3", &native_seconds);
    for ((name, _), seconds) in VARIANTS.iter().zip(&seconds) {
        row(&format!("sandbox, {name}"), seconds);
    }
    Ok(())
}

/// Prints what canonical NaNs cost an agent.
fn of_nans(workload: &Workload, rounds: usize) -> Result<()> {
    let variants = [Nans::Nowhere, Nans::AtSinks, Nans::Everywhere].map(|nans| Guarantees { nans, ..ALL });
    let components = compiled(workload, &variants)?;
    let mut seconds = variants.map(|_| Vec::new());
    for _ in 0..rounds {
        for (component, seconds) in components.iter().zip(&mut seconds) {
            seconds.push(component.measure(workload)?);
        }
    }
    let [nowhere, at_sinks, everywhere] = seconds;
    println!(
        "{:<46} {:>8.3} {:>23} {:>23}",
        workload.name,
        quartiles(at_sinks.clone())[1],
        ratio(&nowhere, &at_sinks),
        ratio(&nowhere, &everywhere)
    );
    Ok(())
}

fn compiled(workload: &Workload, variants: &[Guarantees]) -> Result<Vec<Component>> {
    variants.iter().map(|guarantees| Component::new(workload.agent, *guarantees)).collect()
}

/// Formats the ratio of the seconds of the same turns: its median and quartiles.
fn ratio(base: &[f64], seconds: &[f64]) -> String {
    let [low, median, high] = quartiles(base.iter().zip(seconds).map(|(base, own)| base / own).collect());
    format!("{median:.3} [{low:.3}, {high:.3}]")
}

fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}
