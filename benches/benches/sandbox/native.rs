//! The ensemble's own crate, compiled for this machine's architecture and run in its own process.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use wasmtime::error::Context as _;
use wasmtime::{Result, ensure};

use crate::workload::{Workload, ensemble};

/// The program that trains and prints the seconds it took.
pub(crate) struct Native {
    program: PathBuf,
}

impl Native {
    /// Compiles the program with the profile of the agents.
    pub(crate) fn build() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let target_dir = root.join("target/native");
        let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .current_dir(&root)
            .args(["build", "--quiet", "--profile", "agent", "--package", "jointly-agent-ensemble"])
            .args(["--example", "native", "--target-dir"])
            .arg(&target_dir)
            .env("CARGO_ENCODED_RUSTFLAGS", "-Ctarget-cpu=x86-64-v3")
            .status()
            .context("failed to start cargo")?;
        ensure!(status.success(), "failed to build the ensemble natively");
        Ok(Self { program: target_dir.join("agent/examples/native") })
    }

    /// Trains once and returns the seconds.
    pub(crate) fn train(&self, workload: &Workload) -> Result<f64> {
        let settings = workload.settings.iter().map(|(name, value)| format!("{name}={value}"));
        let output = Command::new(&self.program).arg(ensemble::EXAMPLES.to_string()).args(settings).output()?;
        ensure!(output.status.success(), "native training failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    }
}
