//! `jointly data`: lists the datasets and where they are looked for, and fetches them.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_classification::Suite;
use jointly_classification::shift::{ShiftProblem, shift_suites};
use jointly_core::printable::ShowPath as _;
use jointly_data::shift::{locate_outsiders, locate_shift, shift_cards};
use jointly_data::uci::{MissingTable, UCI_ORIGIN, UciCard, UciFolder, locate_uci, uci_card, uci_cards};
use jointly_data::{Card, Found, Part, card, cards, locate};
use jointly_engine::real_data::sizes;
use jointly_record::guess;
use jointly_record::quantity::counted;
use jointly_regression::{RegressionSuite, regression_suites};
use jointly_report::table::wrap;
use serde_json::{Value, json};

use crate::data_arguments::DataArguments;
use crate::progress::Transfer;
use crate::{exit, output};

/// Lists the datasets of real data, regression and dataset shift: where each is looked for, which are there, and how to
/// get the others
///
/// Nothing is fetched without --fetch.
#[derive(Args)]
pub(crate) struct Data {
    #[command(flatten)]
    places: DataArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Fetch a dataset from its public address, and keep it if its sha256 is the published one
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    fetch: Option<String>,
    /// Where to put fetched files [default: the first data directory]
    #[arg(long, value_name = "DIR", requires = "fetch")]
    into: Option<PathBuf>,
    /// Fetch from a mirror in place of the public addresses: URL/mnist/train-images-idx3-ubyte.gz, and so on, as in a
    /// data directory
    #[arg(long, value_name = "URL", requires = "fetch")]
    from: Option<String>,
}

impl Data {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.places.directories().refuse_images("all datasets")?;
        let directories = self.places.directories().paths()?;
        if let Some(name) = &self.fetch {
            let into = self.into.or_else(|| directories.first().cloned());
            let Some(into) = into else { bail!("there is nowhere to put {name}: give --into DIR") };
            for download in downloads(name)?.downloads {
                let target =
                    jointly_fetch::fetch(download, self.from.as_deref(), &into, &mut Transfer::new(download.bytes))?;
                output::print(&target.shown().to_string())?;
            }
            return Ok(ExitCode::from(exit::DONE));
        }
        let suites = jointly_classification::suites();
        let entries = cards().iter().map(|card| Entry::of(card, &directories, &suites));
        let suites = regression_suites();
        let tables = uci_cards().iter().map(|card| TableEntry::of(card, &directories, &suites));
        let shifts: Vec<ShiftEntry> = ShiftEntry::all(&directories);
        if self.json {
            let datasets: Vec<Value> = entries.map(|entry| entry.to_json()).collect();
            let tables: Vec<Value> = tables.map(|table| table.to_json()).collect();
            output::print_json(&json!({
                "directories": directories,
                "datasets": datasets,
                "tables": tables,
                "shift": shifts.iter().map(ShiftEntry::to_json).collect::<Vec<_>>(),
            }))?;
        } else {
            let places: Vec<String> = directories.iter().map(|path| path.shown().to_string()).collect();
            let texts: Vec<String> = entries.map(|entry| entry.to_text()).collect();
            let tables: Vec<String> = tables.map(|table| table.to_text()).collect();
            let (places, texts, tables) = (places.join(", "), texts.join("\n"), tables.join("\n"));
            let heading = format!(
                "tables of regression, with their standard splits: get the folder UCI_Datasets of {UCI_ORIGIN} as it is, or \
                 put a table's data.txt, index_features.txt, index_target.txt and splits/ where it is looked for"
            );
            let shifts: Vec<String> = shifts.iter().map(ShiftEntry::to_text).collect();
            let shifts = format!(
                "for dataset shift alone (suites shift/*), beside the images and tables above\n\n{}",
                shifts.join("\n")
            );
            output::print(&wrap(&format!("looked for in {places}\n\n{texts}\n{heading}\n\n{tables}\n{shifts}"), 4))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Returns the dataset of that name, which must be one that can be fetched.
fn downloads(name: &str) -> Result<&'static Card> {
    let Some(card) = card(name) else {
        // The error about a table that is in no directory says how to get it.
        if let Some(Err(table)) = uci_card(name).map(|card| locate_uci(card, &[])) {
            bail!("{name} is a table of regression and is not fetched: {}", table.remedy());
        }
        let names = cards().iter().map(|card| card.name);
        bail!("there is no dataset {name}: {}", guess::remedy(name, names, "`jointly data` lists all"));
    };
    if card.downloads.is_empty() {
        let files: Vec<String> = card.parts.iter().map(|part| part.places[0].to_string()).collect();
        bail!(
            "{name} has no public address with a known digest and is not fetched: get {} and put it into a data \
             directory as {}",
            card.origin,
            files.join(", ")
        );
    }
    Ok(card)
}

/// A dataset, its files if they are there, and the suites that use it.
struct Entry {
    card: &'static Card,
    files: Option<Vec<Found>>,
    serves: Serves,
}

impl Entry {
    fn of(card: &'static Card, directories: &[PathBuf], suites: &[Suite]) -> Self {
        let serves = Serves::of(suites.iter().map(|suite| {
            let own = suite.problems.iter().filter_map(|problem| problem.real());
            (&suite.name, own.filter(|real| real.card().name == card.name).count())
        }));
        Self { card, files: locate(card, directories).ok(), serves }
    }

    fn to_text(&self) -> String {
        let card = self.card;
        let mut text = format!("{}: {}\n", card.name, card.summary);
        let _ = writeln!(
            text,
            "    {}, {} classes, {} features, {} examples to train on, {} to test on{}",
            card.kind,
            card.num_classes,
            card.input_dim,
            card.train_size,
            card.test_size,
            if card.in_paper { "" } else { "; not of the paper" }
        );
        if let Some(files) = &self.files {
            for (path, bytes) in sizes(files) {
                let _ = writeln!(text, "    here: {} ({bytes} bytes)", path.shown());
            }
        } else {
            let _ = writeln!(text, "    not there: {}", card.format.summary());
            for part in card.parts {
                let places: Vec<String> = part.places.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "        {}: {}", part.holds, places.join(" or "));
            }
            let _ = writeln!(text, "    get {}", card.origin);
            if !card.downloads.is_empty() {
                let bytes: u64 = card.downloads.iter().map(|download| download.bytes).sum();
                let _ = writeln!(text, "    or: jointly data --fetch {} ({bytes} bytes)", card.name);
            }
        }
        let _ = writeln!(text, "    serves {}", self.serves.to_text());
        text
    }

    fn to_json(&self) -> Value {
        let card = self.card;
        let place = |at: usize| self.files.as_ref().map(|files| files[at].path.to_string_lossy().into_owned());
        let parts: Vec<Value> = card
            .parts
            .iter()
            .enumerate()
            .map(|(at, part)| {
                let places = part.places.iter().map(|place| json!({ "path": place.path, "member": place.member }));
                json!({ "holds": part.holds, "looked_for": places.collect::<Vec<_>>(), "file": place(at) })
            })
            .collect();
        let downloads = card.downloads.iter().map(|download| {
            json!({ "path": download.path, "url": download.url, "bytes": download.bytes, "digest": download.digest })
        });
        json!({
            "name": card.name,
            "summary": card.summary,
            "kind": card.kind.to_string(),
            "format": card.format.summary(),
            "num_classes": card.num_classes,
            "input_dim": card.input_dim,
            "train_size": card.train_size,
            "test_size": card.test_size,
            "in_paper": card.in_paper,
            "here": self.files.is_some(),
            "bytes": self.files.as_ref().map(|files| sizes(files).values().sum::<u64>()),
            "parts": parts,
            "downloads": downloads.collect::<Vec<_>>(),
            "origin": card.origin,
            "problems": self.serves.to_json(),
        })
    }
}

/// A table of regression, its folder if it is there, and the suites that use it.
struct TableEntry {
    card: &'static UciCard,
    folder: Result<UciFolder, MissingTable>,
    serves: Serves,
}

impl TableEntry {
    fn of(card: &'static UciCard, directories: &[PathBuf], suites: &[RegressionSuite]) -> Self {
        let serves = Serves::of(suites.iter().map(|suite| {
            let own = suite.problems.iter().filter(|problem| problem.table() == Some(card.name));
            (&suite.name, own.count())
        }));
        Self { card, folder: locate_uci(card, directories), serves }
    }

    fn to_text(&self) -> String {
        let UciCard { name, summary, rows, input_dim, splits, .. } = self.card;
        let mut text = format!("{name}: {summary}\n    {rows} rows x {input_dim} features, {splits} splits\n");
        let _ = match &self.folder {
            Ok(folder) => writeln!(text, "    here: {}", folder.data.shown()),
            Err(_) => writeln!(text, "    not there: {}", self.card.places().join(" or ")),
        };
        let _ = writeln!(text, "    serves {}", self.serves.to_text());
        text
    }

    fn to_json(&self) -> Value {
        let UciCard { name, summary, rows, input_dim, splits, .. } = self.card;
        json!({
            "name": name,
            "summary": summary,
            "rows": rows,
            "input_dim": input_dim,
            "splits": splits,
            "here": self.folder.is_ok(),
            "folder": self.folder.as_ref().ok().map(|folder| folder.data.to_string_lossy().into_owned()),
            "looked_for": self.card.places(),
            "remedy": self.folder.as_ref().err().map(MissingTable::remedy),
            "problems": self.serves.to_json(),
        })
    }
}

/// A dataset used only under dataset shift, or a set of out-of-distribution inputs: its files, and the suites that use
/// it.
struct ShiftEntry {
    name: &'static str,
    summary: &'static str,
    parts: Vec<&'static Part>,
    origin: &'static str,
    /// The paths at which it was found.
    here: Option<Vec<PathBuf>>,
    /// For out-of-distribution inputs, the datasets for which they are out of distribution.
    outside: Vec<&'static str>,
    serves: Serves,
}

impl ShiftEntry {
    fn all(directories: &[PathBuf]) -> Vec<Self> {
        let suites = shift_suites();
        let serves = |names: &[&str]| {
            let own = |problem: &ShiftProblem| problem.dataset().is_some_and(|data| names.contains(&data.name()));
            Serves::of(suites.iter().map(|suite| (&suite.name, suite.problems.iter().filter(|it| own(it)).count())))
        };
        let paths = |files: &[Found]| files.iter().map(|found| found.path.clone()).collect();
        let mut entries: Vec<Self> = Vec::new();
        for card in shift_cards().iter().filter(|card| card.known().is_none()) {
            entries.push(Self {
                name: card.name,
                summary: card.summary,
                parts: card.parts().iter().collect(),
                origin: card.origin(),
                here: locate_shift(card, directories).ok().map(|files| paths(&files.parts)),
                outside: Vec::new(),
                serves: serves(&[card.name]),
            });
        }
        for card in shift_cards() {
            for outsiders in card.outsiders {
                if let Some(known) = entries.iter_mut().find(|entry| entry.name == outsiders.name) {
                    known.outside.push(card.name);
                    known.serves = serves(&known.outside);
                    continue;
                }
                let found = locate_outsiders(outsiders, directories);
                entries.push(Self {
                    name: outsiders.name,
                    summary: outsiders.summary,
                    parts: vec![&outsiders.part],
                    origin: outsiders.origin,
                    here: found.map(|found| paths(&[found])),
                    outside: vec![card.name],
                    serves: serves(&[card.name]),
                });
            }
        }
        entries
    }

    fn to_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.name, self.summary);
        if !self.outside.is_empty() {
            let _ = writeln!(text, "    outside of every class of {}", self.outside.join(", "));
        }
        if let Some(files) = &self.here {
            for path in files {
                let _ = writeln!(text, "    here: {}", path.shown());
            }
        } else {
            let _ = writeln!(text, "    not there");
            for part in &self.parts {
                let places: Vec<String> = part.places.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "        {}: {}", part.holds, places.join(" or "));
            }
            let _ = writeln!(text, "    get {}", self.origin);
        }
        let _ = writeln!(text, "    serves {}", self.serves.to_text());
        text
    }

    fn to_json(&self) -> Value {
        let part = |part: &&Part| {
            let places = part.places.iter().map(|place| json!({ "path": place.path, "member": place.member }));
            json!({ "holds": part.holds, "looked_for": places.collect::<Vec<_>>() })
        };
        json!({
            "name": self.name,
            "summary": self.summary,
            "here": self.here.is_some(),
            "files": self.here.iter().flatten().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>(),
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
            "origin": self.origin,
            "outside": self.outside,
            "problems": self.serves.to_json(),
        })
    }
}

/// Suites, and how many of their problems are made of some data.
struct Serves(Vec<(String, usize)>);

impl Serves {
    /// Keeps the suites that have such problems.
    fn of<'a>(counts: impl Iterator<Item = (&'a String, usize)>) -> Self {
        Self(counts.filter(|(_, problems)| *problems > 0).map(|(suite, problems)| (suite.clone(), problems)).collect())
    }

    /// Formats the counts as `8 problems of quick/real and 20 problems of testbed/real`.
    fn to_text(&self) -> String {
        let text = |(suite, problems): &(String, usize)| format!("{} of {suite}", counted(*problems, "problem"));
        let texts: Vec<String> = self.0.iter().map(text).collect();
        match texts.split_last() {
            None => "no suite's problem".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
        }
    }

    fn to_json(&self) -> Value {
        self.0.iter().map(|(suite, problems)| (suite.clone(), json!(problems))).collect()
    }
}
