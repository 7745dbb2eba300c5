//! The page of an entry: its plan, its agents, its pack, and how to check it.

use jointly_record::plan::PlannedAgent;
use jointly_record::quantity::counted;

use super::board::{Board, BoardEntry};
use super::frame::{Frame, link, section};
use super::names;
use crate::drawing::Markup;
use crate::figure::{cells, table_of};
use crate::provenance::{self, Bundled, run_command};

/// The number of units that a first check runs again.
const SAMPLE: usize = 20;

/// Makes the page of an entry of a leaderboard.
pub(super) fn page(board: &Board, entry: &BoardEntry, bundled: Bundled) -> String {
    let plan = &entry.file.entry.plan;
    let mut body = Markup::new();
    let mut facts = provenance::facts(plan);
    facts.push(cells(["digest of the pack", &entry.file.digest]));
    body.push(&table_of(&facts, 2));
    body.element("p", &[], board.about_seed());
    section(&mut body, "agents", "Agents", &agents(board, entry));
    section(&mut body, "check", "How to check it", &check(entry));
    section(&mut body, "again", "How to run it again", &again(entry, bundled));
    Frame { title: entry.name, up: "../", sorts: false }.around(&body)
}

fn agents(board: &Board, entry: &BoardEntry) -> Markup {
    let mut markup = Markup::new();
    markup.open("ul", &[]);
    for label in entry.agents {
        let Some(agent) = board.leaderboard.agents().find(|agent| agent.planned.label == *label) else { continue };
        markup.open("li", &[]);
        link(&mut markup, &format!("../{}", names::agent(agent.planned)), label);
        let by = board.entrants.get(label).map_or_else(String::new, |entrant| format!(", by {entrant}"));
        markup.text(&format!(" ({}{by})", board.tier(agent)));
        markup.close("li");
    }
    markup.close("ul");
    markup
}

/// Says how anybody can find out whether the results are true.
fn check(entry: &BoardEntry) -> Markup {
    let plan = &entry.file.entry.plan;
    let mut markup = Markup::new();
    markup.open("p", &[]);
    let pack = entry.file.pack.rsplit('/').next().unwrap_or_default();
    markup.text("Download ");
    link(&mut markup, &format!("../{}", entry.file.pack), pack);
    let units = plan.agents.len() * plan.problems.len();
    let again = if units > SAMPLE {
        format!("second runs {SAMPLE} of its {units} units again, chosen at random, and the third all of them")
    } else {
        format!("second runs its {} again", counted(units, "unit"))
    };
    markup.text(&format!(
        " ({} bytes). The first command prints its digest. The {again}; each must give the same bits.",
        entry.file.bytes
    ));
    markup.close("p");
    let fuel = plan.limits.fuel;
    let options: String = (fuel > plan.kind().fuel)
        .then(|| format!(" --fuel {fuel}"))
        .into_iter()
        .chain(provenance::images_of(plan).map(|option| format!(" {option}")))
        .collect();
    let sample = (units > SAMPLE).then(|| format!("jointly verify {pack} --sample {SAMPLE}{options}"));
    let commands: Vec<String> = [format!("sha256sum {pack}")]
        .into_iter()
        .chain(sample)
        .chain([format!("jointly verify {pack}{options}")])
        .collect();
    markup.element("pre", &[], &commands.join("\n"));
    let reported: Vec<&str> = plan.native_agents().map(|agent| agent.label.as_str()).collect();
    if !reported.is_empty() {
        let text = format!("Reported, so that nobody can replay what they did: {}.", reported.join(", "));
        markup.element("p", &[], &text);
    }
    markup
}

fn again(entry: &BoardEntry, bundled: Bundled) -> Markup {
    let plan = &entry.file.entry.plan;
    let (folder, pack) = (names::slug(entry.name), entry.file.pack.rsplit('/').next().unwrap_or_default());
    let kept = |agent: &PlannedAgent| agent.is_component() && !bundled(agent);
    let mut lines = Vec::new();
    if plan.agents.iter().chain(plan.predictor()).any(kept) {
        lines.push(format!("mkdir -p {folder} && tar -xzf {pack} -C {folder}"));
    }
    lines.push(run_command(plan, &folder, bundled));
    let mut markup = Markup::new();
    markup.element("pre", &[], &lines.join("\n"));
    markup
}
