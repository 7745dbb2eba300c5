//! `jointly suites`: lists what can be run.

mod card;
mod kinds;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_record::suites::unknown;
use jointly_report::table::wrap;
use serde_json::Value;

use crate::{exit, output};
use card::Card;
use kinds::KindCards;

/// Lists the suites, what each measures and what it costs, or the problems of those that are named
#[derive(Args)]
pub(crate) struct Suites {
    /// A suite, such as quick/real; none means all of them
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    /// Print JSON, with every problem's name
    #[arg(long)]
    json: bool,
}

impl Suites {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let kinds = kinds::all();
        let cards = self.cards(&kinds)?;
        if self.json {
            output::print_json(&cards.iter().map(|card| card.json()).collect::<Vec<Value>>())?;
        } else {
            let texts =
                if self.suites.is_empty() { overview(&kinds) } else { cards.iter().map(|card| card.whole()).collect() };
            output::print(&wrap(&texts.join("\n"), 4))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }

    /// Returns the cards of the suites that are named, kind by kind, or of all if none is named.
    fn cards<'k>(&self, kinds: &'k [KindCards]) -> Result<Vec<&'k Card>> {
        let all = || kinds.iter().flat_map(|kind| &kind.cards);
        if self.suites.is_empty() {
            return Ok(all().collect());
        }
        if let Some(name) = self.suites.iter().find(|name| all().all(|card| card.name != **name)) {
            bail!(unknown(name));
        }
        let named = |kind: &'k KindCards| {
            let of_kind = move |name: &String| kind.cards.iter().find(|card| card.name == *name);
            self.suites.iter().filter_map(of_kind)
        };
        Ok(kinds.iter().flat_map(named).collect())
    }
}

/// Returns a text for each suite, and those about problems that are in no suite.
fn overview(kinds: &[KindCards]) -> Vec<String> {
    let of_kind = |kind: &KindCards| kind.cards.iter().map(Card::short).chain(kind.more.clone()).collect::<Vec<_>>();
    kinds.iter().flat_map(of_kind).chain([kinds::user_tables()]).collect()
}
