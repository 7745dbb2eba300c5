//! Finds the price list's worst case: the nanoseconds that a unit of fuel takes, over every class of operators, sizes of
//! memory, calls of the host and intrinsics.
//!
//! `cargo bench -p jointly-benches --bench fuel_prices` prints a line for each class, the slowest last; `-- NAME` measures
//! those whose group or name contains NAME. What a class repeats is chosen to take as long as it can for its fuel: each
//! operation waits for the one before.
#![expect(clippy::format_collect, reason = "short texts, each written once")]

mod arithmetic;
mod control;
mod guest;
mod host;
mod measure;
mod memory;
mod vectors;

use std::process::ExitCode;

use guest::{Class, Group};
use jointly_host::{Compiler, Execution, Runtime};

fn main() -> ExitCode {
    let asked = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let runtime = match Runtime::new(Execution::Compiled, Compiler::InProcess, None) {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let classes = [arithmetic::all(), vectors::all(), memory::all(), control::all(), host::all()].concat();
    let wanted = |class: &Class| asked.as_ref().is_none_or(|part| title(class).contains(part.as_str()));
    let mut measured: Vec<(f64, String, Group)> = Vec::new();
    for class in classes.iter().filter(|class| wanted(class)) {
        match measure::nanoseconds_a_unit(&runtime, class) {
            Ok(nanoseconds) => measured.push((nanoseconds, title(class), class.group)),
            Err(refused) => println!("{:>9}  {}: {refused}", "-", title(class)),
        }
    }
    measured.sort_by(|a, b| a.0.total_cmp(&b.0));
    println!("{:>9}  class", "ns/unit");
    for (nanoseconds, title, _) in &measured {
        println!("{nanoseconds:>9.3}  {title}");
    }
    let ordinary: Vec<f64> =
        measured.iter().filter(|(_, _, group)| group.is_ordinary()).map(|(ns, _, _)| *ns).collect();
    if let (Some(median), Some((worst, title, _))) = (ordinary.get(ordinary.len() / 2), measured.last()) {
        println!("worst {worst:.2} ns ({title}), median of the ordinary {median:.2} ns, ratio {:.2}", worst / median);
    }
    ExitCode::SUCCESS
}

fn title(class: &Class) -> String {
    format!("{:?}: {}", class.group, class.name)
}
