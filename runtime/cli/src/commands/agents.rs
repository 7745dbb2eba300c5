//! `jointly agents`: what is bundled.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_core::oracle::Settings;
use jointly_host::{Description, Limits, Parameter, Runtime};
use serde::Serialize;

use crate::agent_spec::AgentSpec;
use crate::{agent_source, cache, exit, oracle, output, table};

/// Lists the bundled agents; of those that are named, their settings and sweeps
#[derive(Args)]
pub(crate) struct Agents {
    /// A bundled name or a path to a .wasm; none means a line for each bundled agent
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What stands below the names of all agents.
const MORE: &str = "\nThe oracle is no agent: the host computes it, to compare with. `jointly agents NAME` shows settings and \
                    sweeps.\n";

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
        let entry = |spec: &AgentSpec| {
            if spec.agent == oracle::NAME {
                return Ok(oracle());
            }
            let agent = agent_source::load(&runtime, spec, Limits::default())?.agent;
            Ok(Entry { description: agent.description().clone(), digest: agent.digest().to_owned(), reference: false })
        };
        let named = self.agents.iter().map(entry).collect::<Result<Vec<Entry>>>()?;
        let all = || -> Result<Vec<Entry>> {
            let bundled = agent_source::all_bundled();
            bundled.iter().map(entry).chain([Ok(oracle())]).collect()
        };
        let entries = if named.is_empty() { all()? } else { named };
        if self.json {
            output::print_json(&entries)?;
        } else if self.agents.is_empty() {
            let row = |entry: &Entry| vec![entry.description.name.clone(), entry.description.summary.clone()];
            let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
            output::print(&(table::render(2, &rows) + MORE))?;
        } else {
            let cards: Vec<String> = entries.iter().map(|entry| card(&entry.description)).collect();
            output::print(&cards.join("\n"))?;
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
