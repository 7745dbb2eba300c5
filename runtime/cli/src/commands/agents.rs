//! `jointly agents`: lists what is bundled.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_classification::oracle::Settings as Sampling;
use jointly_engine::{agent_source, cache};
use jointly_host::{Description, Execution, Interface, Limits, Parameter};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::quantity::counted;
use jointly_record::reference;
use jointly_record::settings::Settings;
use jointly_report::table::{self, wrap};
use serde::Serialize;

use crate::{exit, output};

/// Lists the bundled agents, or shows the settings and sweeps of those that are named
#[derive(Args)]
pub(crate) struct Agents {
    /// A bundled name, a path to a .wasm or .py, exec:COMMAND or socket:PATH; none means a line for each bundled agent
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The text below the list of agents.
const MORE: &str = "c: classification of numbers, and of images as the numbers that they are; t: of tokens too, which are texts and \
                    categories; r: regression. Classifiers take part in all suites of classification, dataset shift and \
                    decisions (in searches, agents of regression), but where inputs have tokens only those that take tokens. The oracle is no agent: the host computes it, \
                    to compare with. `jointly agents NAME` shows settings and sweeps.";

#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    description: Description,
    digest: String,
    /// The interfaces that it supports.
    interfaces: Vec<Interface>,
    /// Whether the entry is a reference, with which agents are compared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reference: bool,
}

impl Agents {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let runtime = cache::runtime(Execution::Compiled)?;
        let entry = |spec: &AgentSpec| {
            if spec.agent == reference::NAME {
                return Ok(oracle());
            }
            let agent = agent_source::load(&runtime, spec, Limits::default())?.agent;
            let interfaces = Interface::ALL.into_iter().filter(|interface| agent.supports(*interface)).collect();
            let (description, digest) = (agent.description().clone(), agent.digest().to_owned());
            Ok(Entry { description, digest, interfaces, reference: false })
        };
        let named = self.agents.iter().map(entry).collect::<Result<Vec<Entry>>>()?;
        let all = || -> Result<Vec<Entry>> {
            let bundled = agent_source::all_bundled();
            output::hint("reading the bundled agents; the first time they are compiled, which takes up to a minute");
            bundled.iter().map(entry).chain([Ok(oracle())]).collect()
        };
        let entries = if named.is_empty() { all()? } else { named };
        if self.json {
            output::print_json(&entries)?;
        } else if self.agents.is_empty() {
            output::print(&format!("{}\n{}", list(&entries), wrap(MORE, 0)))?;
        } else {
            let cards: Vec<String> = entries.iter().map(card).collect();
            output::print(&cards.join("\n"))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Lists each agent on one line, or more if its summary is long: its name, what it supports, and its summary.
fn list(entries: &[Entry]) -> String {
    let names = ["agent"].into_iter().chain(entries.iter().map(|entry| entry.description.name.as_str()));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let row = |name: &str, letters: &str, summary: &str| (format!("{name:<width$}  {letters:<5}"), summary.to_owned());
    let entry = |entry: &Entry| row(&entry.description.name, &letters(entry), &entry.description.summary);
    let rows: Vec<(String, String)> =
        [row("agent", "takes", "")].into_iter().chain(entries.iter().map(entry)).collect();
    table::described(0, &rows)
}

/// Returns the interfaces of an agent as letters.
fn letters(Entry { description, interfaces, .. }: &Entry) -> String {
    let letters = |interface: &Interface| match interface {
        Interface::Classification if description.tokens => "c t",
        Interface::Classification => "c",
        Interface::Regression => "r",
    };
    interfaces.iter().map(letters).collect::<Vec<_>>().join(" ")
}

/// Returns what an agent supports, in words.
fn supports(Entry { description, interfaces, .. }: &Entry) -> String {
    let words = |interface: &Interface| match interface {
        Interface::Classification if description.tokens => "classification of numbers, images and tokens",
        Interface::Classification => "classification of numbers and images",
        Interface::Regression => "regression",
    };
    let mut all: Vec<&str> = interfaces.iter().map(words).collect();
    if description.unlabelled {
        all.push("learns from inputs without labels too");
    }
    all.join("; ")
}

/// Returns the oracle's entry, as if it described itself.
fn oracle() -> Entry {
    let parameter = |info: jointly_classification::oracle::SettingInfo| Parameter {
        name: info.name.into(),
        default: info.default.to_string(),
        summary: info.summary.into(),
        kind: None,
    };
    let description = Description {
        name: reference::NAME.into(),
        version: jointly_classification::oracle::VERSION.to_string(),
        summary: reference::SUMMARY.into(),
        citation: String::new(),
        deterministic: false,
        tokens: false,
        unlabelled: false,
        parameters: Sampling::list().into_iter().map(parameter).collect(),
        sweeps: Vec::new(),
    };
    Entry { description, digest: reference::digest(), interfaces: vec![Interface::Classification], reference: true }
}

fn card(entry: &Entry) -> String {
    let Description { name, version, summary, citation, parameters, sweeps, .. } = &entry.description;
    let mut text = wrap(&format!("{name} {version}: {summary}"), 4) + "\n";
    text += &(wrap(&format!("    {}", supports(entry)), 4) + "\n");
    if !citation.is_empty() {
        text += &(wrap(&format!("    after {citation}"), 4) + "\n");
    }
    let only = |kind: Option<Interface>| kind.map(|kind| format!(" ({kind} alone)")).unwrap_or_default();
    let settings = parameters
        .iter()
        .map(|known| (format!("{}={}", known.name, known.default), known.summary.clone() + &only(known.kind)));
    text += &table::described(4, &settings.collect::<Vec<_>>());
    for sweep in sweeps {
        let _ = writeln!(
            text,
            "    sweep {}: {}{}",
            sweep.name,
            counted(sweep.variants.len(), "variant"),
            only(sweep.kind)
        );
        for variant in &sweep.variants {
            // In the form that `jointly run` accepts.
            let _ = writeln!(text, "        {}", Settings::default().with(variant).label(name));
        }
    }
    text
}
