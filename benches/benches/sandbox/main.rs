//! Measures the cost of the sandbox: training the ensemble natively and as a component, guarantee by guarantee.
//!
//! `cargo bench -p jointly-benches --bench sandbox` prints one table. The machine's speed drifts, so the variants take
//! turns and the ratios are medians over the turns.

mod component;
mod native;
mod workload;

use wasmtime::Result;

use component::{Component, Guarantees};
use native::Native;
use workload::Workload;

const ROUNDS: usize = 25;

fn main() -> Result<()> {
    let workload = Workload::new();
    let native = Native::build()?;
    let all = Guarantees { fuel: true, canonical_nans: true, deterministic: true };
    let variants = [
        ("all guarantees", all),
        ("without fuel", Guarantees { fuel: false, ..all }),
        ("without canonical NaNs", Guarantees { canonical_nans: false, ..all }),
        ("without deterministic relaxed SIMD", Guarantees { deterministic: false, ..all }),
        ("none of them", Guarantees { fuel: false, canonical_nans: false, deterministic: false }),
    ];
    let components = variants.map(|(_, guarantees)| Component::new(guarantees));

    let mut native_seconds = Vec::new();
    let mut seconds = variants.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        native_seconds.push(native.train(&workload)?);
        for (component, seconds) in components.iter().zip(&mut seconds) {
            seconds.push(component.as_ref().map_err(|error| wasmtime::format_err!("{error:#}"))?.train(&workload)?);
        }
    }

    println!("{:<36} {:>9} {:>9} {:>7}", "training the ensemble", "steps/s", "GFLOP/s", "ratio");
    let row = |name: &str, seconds: &[f64]| {
        let ratios = seconds.iter().zip(&native_seconds).map(|(seconds, native)| native / seconds).collect();
        let typical = median(seconds.to_vec());
        let steps = workload::steps() / typical;
        let gflops = workload::operations() / typical / 1e9;
        println!("{name:<36} {steps:>9.0} {gflops:>9.1} {:>7.3}", median(ratios));
    };
    row("native, x86-64-v3", &native_seconds);
    for ((name, _), seconds) in variants.iter().zip(&seconds) {
        row(&format!("sandbox, {name}"), seconds);
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
