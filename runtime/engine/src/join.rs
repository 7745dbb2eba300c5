//! Joins directories of one plan (shards, or runs that ended early) into one finished run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use jointly_core::printable::ShowPath as _;
use jointly_host::{ENGINE, INTERFACE};
use jointly_record::attachments;
use jointly_record::difference::difference;
use jointly_record::directory::{PLAN, RunDirectory};
use jointly_record::journal::Journal;
use jointly_record::kept::Kept;
use jointly_record::lines::{self, Line};
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use jointly_record::shard::Shard;
use jointly_record::shell::quoted;
use jointly_record::unit::{Unit, UnitResult};

use crate::schedule;

/// The number of units and shards that a message lists by name.
const NAMED: usize = 3;

/// A run in which every unit has a result.
pub struct Joined {
    /// The directory of the run.
    pub directory: RunDirectory,
    /// The plan.
    pub plan: Plan,
    /// The journal with the results of all units, in the plan's order.
    pub journal: Journal,
}

/// A directory with some or all of the plan's results.
struct Part {
    path: PathBuf,
    directory: RunDirectory,
    plan: Plan,
    shard: Option<Shard>,
}

impl Part {
    fn open(path: &Path) -> Result<Self> {
        let directory = RunDirectory::existing(path)?;
        let plan = directory.plan()?;
        let own = [("interface", &*plan.interface, INTERFACE), ("engine", &*plan.engine, ENGINE)];
        if let Some((what, theirs, own)) = own.iter().find(|(_, theirs, own)| theirs != own) {
            bail!("{} was made by {what} {theirs} and this is {own}; use the same command for all", path.shown());
        }
        let shard = Shard::held(&directory)?;
        Ok(Self { path: path.to_owned(), directory, plan, shard })
    }
}

/// Joins the directories with the results that the first one may already hold. Checks that everything fits together
/// before it writes anything.
///
/// # Errors
/// When the directories have different plans, disagree, or lack units.
pub fn join(out: &Path, paths: &[PathBuf]) -> Result<Joined> {
    ensure!(!out.is_file(), "{} is a file, and the joined run needs a directory: name another one first", out.shown());
    let mut parts = Vec::new();
    if out.join(PLAN).exists() {
        let part = Part::open(out)?;
        if let Some(shard) = part.shard {
            bail!(
                "{} holds shard {shard}, and the joined run needs a directory of its own: name another one first",
                out.shown()
            );
        }
        parts.push(part);
    }
    for path in paths {
        parts.push(Part::open(path)?);
    }
    let Some((first, rest)) = parts.split_first() else { bail!("give at least one directory to join") };
    for part in rest {
        if let Some(difference) = part.plan.difference(&first.plan) {
            bail!(
                "{} holds another plan than {}: it has {difference}; join directories of one plan",
                part.path.shown(),
                first.path.shown()
            );
        }
    }
    let United { units, beliefs } = united(&parts, out)?;
    let plan = first.plan.clone();

    let kept = attachments::kept(&plan, beliefs.iter().map(String::as_str))?;
    // Together they may exceed the memory: they are checked now, and read again when they are written.
    kept.iter().try_for_each(|(kind, digest)| content(&parts, *kind, digest).map(drop))?;
    let (directory, mut journal) = RunDirectory::for_plan(out, &plan)?;
    for (kind, digest) in kept {
        directory.keep(kind, &digest, &content(&parts, kind, &digest)?)?;
    }
    let there = journal.lines().of_plan(&plan);
    let missing = |place: usize| there.get(unit_at(&plan, place)).is_none();
    let lines: Vec<(usize, Line)> =
        (0..units.len()).filter(|place| missing(*place)).filter_map(|place| units[place]).collect();
    for lines in lines::parts(&lines, |(_, line)| *line) {
        read(&parts, lines)?.iter().try_for_each(|result| journal.append(result))?;
    }
    Ok(Joined { directory, plan, journal })
}

/// Returns the unit at a place in the plan's order: problem by problem.
fn unit_at(plan: &Plan, place: usize) -> Unit {
    Unit { agent: place % plan.agents.len(), problem: place / plan.agents.len() }
}

/// Reads results by the numbers of their parts and their places there, in this order.
fn read(parts: &[Part], lines: &[(usize, Line)]) -> Result<Vec<UnitResult>> {
    let mut of_parts: BTreeMap<usize, Vec<Line>> = BTreeMap::new();
    for (part, line) in lines {
        of_parts.entry(*part).or_default().push(*line);
    }
    let mut results = BTreeMap::new();
    for (part, lines) in of_parts {
        results.insert(part, parts[part].directory.read_results(&lines)?.into_iter());
    }
    Ok(lines.iter().filter_map(|(part, _)| results.get_mut(part)?.next()).collect())
}

/// Returns the bytes with a digest, from the first directory that has them complete.
fn content(parts: &[Part], kind: Kept, digest: &str) -> Result<Vec<u8>> {
    let mut having = parts.iter().filter(|part| part.directory.kept(kind, digest).exists());
    let Some(first) = having.next() else {
        bail!("no directory has {}, which the plan or a result names; copy whole directories", kind.path(digest))
    };
    let found = first.directory.whole(kind, digest);
    found.or_else(|damaged| having.find_map(|part| part.directory.whole(kind, digest).ok()).ok_or(damaged))
}

/// The results of all units of a plan.
struct United {
    /// In the plan's order, the number of the part that has the result, and its place there.
    units: Vec<Option<(usize, Line)>>,
    /// The digests of predictions that results name.
    beliefs: BTreeSet<String>,
}

/// Finds the results of all units. Refuses results that differ, and units without a result.
fn united(parts: &[Part], out: &Path) -> Result<United> {
    let plan = &parts[0].plan;
    let agents = plan.agents.len();
    let mut units: Vec<Option<(usize, Line)>> = vec![None; agents * plan.problems.len()];
    let mut beliefs = BTreeSet::new();
    for (number, part) in parts.iter().enumerate() {
        let mut of_other_kind = None;
        let lines = part.directory.find_results(|result| {
            beliefs.extend(result.outcome.belief().map(str::to_owned));
            if of_other_kind.is_none() && !plan.takes(&result.outcome) {
                of_other_kind = Some((result.agent, result.problem));
            }
        })?;
        let other = |(agent, problem): (&str, &str)| {
            anyhow!(
                "{} has a result for {agent} on {problem}, which is not a unit of the plan; delete the line, and run its shard \
                 again",
                part.directory.journal().shown(),
            )
        };
        if let Some((agent, problem)) = &of_other_kind {
            return Err(other((agent, problem)));
        }
        let mut twice = Vec::new();
        for unit in lines.units(plan) {
            let (unit, line) = unit.map_err(other)?;
            match &mut units[unit.problem * agents + unit.agent] {
                Some(first) => twice.push((*first, (number, line))),
                place => *place = Some((number, line)),
            }
        }
        // Both results of a unit have nearly the same size.
        for twice in lines::parts(&twice, |(_, (_, line))| *line) {
            let (first, second): (Vec<_>, Vec<_>) = twice.iter().copied().unzip();
            let results = read(parts, &first)?.into_iter().zip(read(parts, &second)?);
            for ((other, _), (first, second)) in first.into_iter().zip(results) {
                refuse_other((&parts[other], &first), (part, &second))?;
            }
        }
    }
    let missing = (0..units.len()).filter(|place| units[*place].is_none());
    let missing: Vec<Unit> = missing.map(|place| unit_at(plan, place)).collect();
    if !missing.is_empty() {
        bail!("{}", what_is_missing(parts, &missing, out));
    }
    Ok(United { units, beliefs })
}

/// Refuses a unit whose results in two directories differ in more than their time.
fn refuse_other((one, first): (&Part, &UnitResult), (other, second): (&Part, &UnitResult)) -> Result<()> {
    let untimed = |result: &UnitResult| UnitResult { seconds: None, ..result.clone() };
    let (first, second) = (untimed(first), untimed(second));
    if serde_json::to_vec(&first)? == serde_json::to_vec(&second)? {
        return Ok(());
    }
    let (held, again) = (serde_json::to_value(&first)?, serde_json::to_value(&second)?);
    bail!(
        "{} and {} have different results of {} on {}: {}; one of them is damaged or was not made by this command: delete both \
         lines, and run the unit again",
        one.directory.journal().shown(),
        other.directory.journal().shown(),
        first.agent,
        first.problem,
        difference(&held, &again, "its result")
    )
}

/// Names units that have no result, and the command that runs them.
fn what_is_missing(parts: &[Part], missing: &[Unit], out: &Path) -> String {
    let Part { plan, path, .. } = &parts[0];
    let name = |unit: &Unit| format!("{} on {}", plan.agents[unit.agent].label, plan.problems[unit.problem].problem);
    let total = plan.agents.len() * plan.problems.len();
    let units = format!(
        "{} of {} {} no result ({})",
        missing.len(),
        counted(total, "unit"),
        if missing.len() == 1 { "has" } else { "have" },
        named(missing.iter().map(name).collect())
    );
    let shown = |path: &Path| quoted(&path.shown().to_string());
    let like = format!("jointly run --like {}", shown(path));
    let Some(of) = parts.iter().find_map(|part| part.shard).map(|shard| shard.of) else {
        let others: String = parts[1..].iter().flat_map(|part| [" --reuse ".to_owned(), shown(&part.path)]).collect();
        return format!("{units}: run `{like} --out {}{others}`, which does without a merge", shown(path));
    };
    let shares = schedule::shares(plan, of);
    let shards: BTreeSet<u32> =
        missing.iter().map(|unit| shares[unit.problem * plan.agents.len() + unit.agent] + 1).collect();
    let names = named(shards.iter().map(|shard| Shard { shard: *shard, of }.to_string()).collect());
    // Shards that have a directory continue in it.
    let place = |shard: Shard| match parts.iter().find(|part| part.shard == Some(shard)) {
        Some(part) => (part.path.clone(), true),
        None => (place_of(shard, parts, out), false),
    };
    let (mut commands, mut new) = (Vec::new(), Vec::new());
    for shard in shards.iter().take(NAMED).map(|shard| Shard { shard: *shard, of }) {
        let (place, known) = place(shard);
        commands.push(format!("`{like} --shard {shard} --out {}`", shown(&place)));
        new.extend((!known).then(|| shown(&place)));
    }
    let more = shards.len().saturating_sub(NAMED);
    let rest = if more == 0 { String::new() } else { format!(", {more} more likewise,") };
    let beside = if new.is_empty() { String::new() } else { format!(", with {} beside the others", new.join(" ")) };
    format!(
        "{units}, of {} {names}: run {}{rest} and merge again{beside}",
        if shards.len() == 1 { "shard" } else { "shards" },
        commands.join(", "),
    )
}

/// Returns the directory for a shard that has none yet: next to the other shards of an array, if there are any.
fn place_of(shard: Shard, parts: &[Part], out: &Path) -> PathBuf {
    let of_array = |part: &&Part| part.shard.is_some_and(|own| part.path.file_name() == Some(own.folder().as_ref()));
    match parts.iter().find(of_array) {
        Some(part) => part.path.with_file_name(shard.folder()),
        None => shard.beside(out),
    }
}

/// Returns the first [`NAMED`] names and the number of the remaining ones.
fn named(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let names = all.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 { names } else { format!("{names} and {more} more") }
}
