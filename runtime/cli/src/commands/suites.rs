//! `jointly suites`: what can be run.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_core::Suite;
use serde_json::json;

use crate::{exit, output};

/// Lists the suites: what each measures, its problems and what it costs
#[derive(Args)]
pub(crate) struct Suites {
    /// Print JSON, with every problem's name
    #[arg(long)]
    json: bool,
}

impl Suites {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let suites = jointly_core::suites();
        if self.json {
            let suites: Vec<_> = suites
                .iter()
                .map(|suite| {
                    let problems: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
                    json!({
                        "name": suite.name,
                        "summary": suite.summary,
                        "cost": cost(suite),
                        "evaluation": suite.evaluation,
                        "problems": problems,
                    })
                })
                .collect();
            output::print_json(&suites)?;
        } else {
            let cards: Vec<String> = suites.iter().map(card).collect();
            output::print(&cards.join("\n"))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

fn card(suite: &Suite) -> String {
    let evaluation = &suite.evaluation;
    let taus: Vec<String> = evaluation.taus.iter().map(u32::to_string).collect();
    let mut text = format!("{}: {}\n", suite.name, suite.summary);
    let _ = writeln!(
        text,
        "    {} problems, tau {}; {} tau-samples, {} draws, {} planes{}",
        suite.problems.len(),
        taus.join(" and "),
        evaluation.samples,
        evaluation.draws,
        evaluation.planes,
        if evaluation.clip { ", probits clipped" } else { "" },
    );
    if let Some(problem) = suite.problems.first() {
        let _ = writeln!(text, "    a problem is named like {}", problem.name);
    }
    let _ = writeln!(text, "    {}", cost(suite));
    text
}

/// Measured with the bundled agents at their defaults, on one core.
fn cost(suite: &Suite) -> String {
    let problems = suite.problems.len() as f64;
    format!("on one core about {:.0} minutes for mlp at its defaults", (problems / 60.0).max(1.0))
}
