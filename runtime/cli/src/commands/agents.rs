//! `jointly agents`: what is bundled.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_core::oracle::Settings;
use jointly_host::{Description, Limits, Parameter, Runtime};
use serde::Serialize;

use crate::{agent_source, cache, exit, oracle, output};

/// Lists the bundled agents, their settings and sweeps
#[derive(Args)]
pub(crate) struct Agents {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What stands above what is no component.
const REFERENCES: &str = "Computed by the host itself, to compare with; run it by name:\n\n";

#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    description: Description,
    digest: String,
    /// Whether it is no component but what agents are compared with.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reference: bool,
}

impl Agents {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let runtime = Runtime::new(cache::directory().as_deref())?;
        let entry = |spec| {
            let agent = agent_source::load(&runtime, &spec, Limits::default())?.agent;
            Ok(Entry { description: agent.description().clone(), digest: agent.digest().to_owned(), reference: false })
        };
        let mut entries: Vec<Entry> = agent_source::all_bundled().into_iter().map(entry).collect::<Result<_>>()?;
        entries.push(oracle());
        if self.json {
            output::print_json(&entries)?;
        } else {
            let heading = |entry: &Entry| if entry.reference { REFERENCES } else { "" };
            let cards = entries.iter().map(|entry| format!("{}{}", heading(entry), card(&entry.description)));
            output::print(&cards.collect::<Vec<String>>().join("\n"))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

/// The oracle as if it described itself.
fn oracle() -> Entry {
    let parameter = |info: jointly_core::oracle::SettingInfo| Parameter {
        name: info.name.into(),
        default: info.default.to_string(),
        summary: info.summary.into(),
    };
    let description = Description {
        name: oracle::NAME.into(),
        version: jointly_core::oracle::VERSION.to_string(),
        summary: oracle::SUMMARY.into(),
        citation: String::new(),
        deterministic: false,
        parameters: Settings::list().into_iter().map(parameter).collect(),
        sweeps: Vec::new(),
    };
    Entry { description, digest: oracle::digest(), reference: true }
}

fn card(description: &Description) -> String {
    let mut text = format!("{} {}: {}\n", description.name, description.version, description.summary);
    if !description.citation.is_empty() {
        let _ = writeln!(text, "    after {}", description.citation);
    }
    let settings = description.parameters.iter().map(|known| format!("{}={}", known.name, known.default));
    let settings: Vec<String> = settings.collect();
    let width = settings.iter().map(String::len).max().unwrap_or(0);
    for (setting, parameter) in settings.iter().zip(&description.parameters) {
        let _ = writeln!(text, "    {setting:<width$}  {}", parameter.summary);
    }
    for sweep in &description.sweeps {
        let _ = writeln!(text, "    sweep {}: {} variants", sweep.name, sweep.variants.len());
    }
    text
}
