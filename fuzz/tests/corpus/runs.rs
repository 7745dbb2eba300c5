//! Kept plans, journals, claims and packs: those of invented runs, written as the command writes them, and manipulated
//! variants.

use std::fs;

use jointly_core::correlations::{Dense, Moments};
use jointly_core::{Metric, digest};
use jointly_fuzz::RUNS;
use jointly_record::directory::{JOURNAL, LEADERBOARD, PLAN, RunDirectory, SCORES, SWEEP, to_json};
use jointly_record::invented::Got::{Failed, Scored};
use jointly_record::invented::decisions::decision_run;
use jointly_record::invented::regression::{
    compared_run, correlated, covering, covering_run, learning, learning_run, own_table,
};
use jointly_record::invented::shift::{shift_run, shifting};
use jointly_record::invented::{InventedRun, agent};
use jointly_record::kept::Kept;
use jointly_record::plan::{Plan, Terms};
use jointly_record::planned_images::PlannedImages;
use jointly_record::unit::{Outcome, UnitResult};
use jointly_regression::CorrelationBelief;
use jointly_score::entry::Entry;
use jointly_score::leaderboard::Leaderboard;
use jointly_score::scores::Scores;
use jointly_score::selection::{Selection, Tune};
use jointly_score::sweep_document::SweepDocument;
use serde_json::{Value, json};

use crate::archive::{deflated, inflated, member};
use crate::tries::Made;

/// The length of a pack's head in bytes.
const HEAD: usize = 98;

/// The files of a finished run.
struct Left {
    plan: Plan,
    results: Vec<UnitResult>,
    plan_text: Vec<u8>,
    journal: Vec<u8>,
    /// Plan and journal with their checksums, as a run leaves them.
    summed: [Vec<u8>; 2],
    claims: [Vec<u8>; 3],
    pack: Vec<u8>,
}

fn invented(name: &str) -> InventedRun {
    match name {
        "active" => learning_run(&[("mlp", learning(&[2.0, 1.5, 1.2])), ("prior", learning(&[2.0, 2.0, 1.9]))], 1),
        "classification" => {
            let problems = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];
            let agents: [(&str, &[_]); 3] = [
                ("mlp", &[Scored(1.0), Scored(2.0)]),
                ("mlp:l2=1", &[Scored(0.5), Scored(2.0)]),
                ("prior", &[Scored(3.0), Failed]),
            ];
            let mut run = InventedRun::new("quick", &problems, &agents);
            run.results[0].log = vec!["loss 0.5".to_owned(), "and 1 line more".to_owned()];
            run
        }
        "correlations" => {
            let agents = [("mlp", correlated(0.5)), ("prior", correlated(0.25))];
            compared_run("quick/correlations", &["boston"], 1, &agents).run
        }
        "coverage" => {
            let agents = [("mlp", covering(&[0.8, 0.95, 1.0])), ("prior", covering(&[0.5, 0.9, 0.9]))];
            covering_run("quick/coverage", 2, &agents)
        }
        "decisions" => decision_run(&[("mlp", 0.2), ("prior", 0.4)], 2),
        _ => shift_run(1, &["fog/1"], &[("mlp", shifting(0.8, 0.4)), ("prior", shifting(0.6, 0.2))]),
    }
}

/// Returns a belief about six points, each two of which have this correlation.
fn belief(correlation: f64) -> Vec<u8> {
    let covariance = Dense::from_fn(6, 6, |i, j| if i == j { 1.0 } else { correlation });
    let moments = Moments::new(vec![0.5; 6], covariance, vec![0.1; 6]).unwrap();
    CorrelationBelief::new(&moments, &[0.0, 1.0, 0.5, 0.25, 0.75, 0.0], 5).unwrap().bytes()
}

/// Writes the directory and the pack of an invented run and reads their files.
fn left(name: &str) -> Left {
    let InventedRun { plan, mut results } = invented(name);
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut journal) = RunDirectory::for_plan(folder.path(), &plan).unwrap();
    for (place, result) in results.iter_mut().enumerate() {
        if let Outcome::Regression { scores, .. } = &mut result.outcome
            && let Some(correlations) = &mut scores.correlations
        {
            let bytes = belief(0.25 * place as f64);
            correlations.belief = digest(&bytes);
            directory.keep(Kept::Belief, &correlations.belief, &bytes).unwrap();
        }
        journal.append(result).unwrap();
    }
    for planned in &plan.agents {
        directory.keep(Kept::Agent, &planned.digest, planned.agent.as_bytes()).unwrap();
    }
    let scores = Scores::with_beliefs(&plan, &results, &directory).unwrap();
    let leaderboard = Leaderboard::new(&scores);
    let by = leaderboard.compared_by().map(|name| name.to_string());
    let by = by.as_deref();
    let selections = Selection::all(&scores, by.unwrap_or_default(), Tune::Global);
    let sweep = to_json(&SweepDocument::new(&plan, by, Tune::Global, &selections)).unwrap();
    directory.write(SCORES, &to_json(&scores).unwrap()).unwrap();
    directory.write(LEADERBOARD, &leaderboard.to_csv()).unwrap();
    directory.write(SWEEP, &sweep).unwrap();
    let entry = Entry::open(folder.path()).unwrap();
    assert_eq!(entry.defect().unwrap(), None);
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    // Without checksums: a case that is edited or searched for would end at them.
    let lines = |result: &UnitResult| serde_json::to_string(result).unwrap() + "\n";
    Left {
        plan_text: to_json(&plan).unwrap().into_bytes(),
        journal: results.iter().map(lines).collect::<String>().into_bytes(),
        summed: [PLAN, JOURNAL].map(read),
        claims: [SCORES, LEADERBOARD, SWEEP].map(read),
        pack: entry.to_pack().unwrap(),
        plan: plan.clone(),
        results,
    }
}

/// Replaces the first occurrence of a text, which must exist.
fn edited(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1).into_bytes()
}

/// Returns all cases.
pub(crate) fn made() -> Vec<Made> {
    let all: Vec<(&str, Left)> = RUNS.iter().map(|run| (*run, left(run))).collect();
    let of = |name: &str| &all.iter().find(|(run, _)| *run == name).unwrap().1;
    let honest = all.iter().flat_map(|(run, left)| {
        let files =
            [("plan", left.plan_text.clone()), ("journal", left.journal.clone()), ("pack", inflated(&left.pack))];
        files.map(|(target, bytes)| (target, (*run).to_owned(), bytes))
    });
    let [plan, journal] = &of("classification").summed;
    let summed = [
        ("plan", "summed", plan.clone()),
        ("plan", "summed-wrong", edited(plan, "\"draws\": 250", "\"draws\": 251")),
        ("journal", "summed", journal.clone()),
        ("journal", "summed-wrong", edited(journal, "\"mean\":", "\"mean\":1")),
        ("journal", "summed-torn", journal[..journal.len() - 1].to_vec()),
        ("journal", "summed-end", [&journal[..journal.len() - 1], b"J"].concat()),
    ];
    let summed = summed.map(|(target, name, bytes)| (target, name.to_owned(), bytes));
    let named = |target: &'static str, cases: Vec<(&str, Vec<u8>)>| {
        cases.into_iter().map(|(name, bytes)| (target, name.to_owned(), bytes)).collect::<Vec<_>>()
    };
    let made = [
        named("plan", plans(of("classification"), of("coverage"), of("shift"))),
        named("journal", journals(&all)),
        named("scores", claims(of("classification"))),
        named("pack", packs(of("classification"), of("correlations"))),
    ];
    honest.collect::<Vec<_>>().into_iter().chain(summed).chain(made.concat()).collect()
}

fn plans<'a>(classification: &Left, coverage: &Left, shift: &Left) -> Vec<(&'a str, Vec<u8>)> {
    let text = &classification.plan_text;
    let planned = |plan: &Plan, change: &dyn Fn(&mut Plan)| {
        let mut plan = plan.clone();
        change(&mut plan);
        to_json(&plan).unwrap().into_bytes()
    };
    let own = &classification.plan;
    let version = format!("\"version\": \"{}\"", own.version);
    let memory = format!("\"memory\": {}", own.limits.memory);
    let long = format!("\"l2\": \"{}\"", "1".repeat(2_001));
    vec![
        ("nothing", Vec::new()),
        ("array", b"[]".to_vec()),
        ("cut", text[..text.len() / 2].to_vec()),
        ("deep", [b"{\"agents\": ", "[".repeat(9_000).as_bytes()].concat()),
        ("not-utf8", [b"\xff\xfe", text.as_slice()].concat()),
        ("twice", [text.as_slice(), text].concat()),
        ("agents-none", planned(own, &|plan| plan.agents.clear())),
        ("digest-short", edited(text, "sha256:", "sha256:/../")),
        ("draws-none", edited(text, "\"draws\": 250", "\"draws\": 0")),
        ("engine-turned", edited(text, "\"engine\": \"", "\"engine\": \"\\u202e")),
        ("images", planned(&shift.plan, &|plan| plan.images = Some(PlannedImages { side: u32::MAX, grey: true }))),
        ("label-other", edited(text, "\"label\": \"mlp\"", "\"label\": \"epinet\"")),
        ("level-beyond", edited(&shift.plan_text, "\"fog/1\"", "\"rotation/1e308\"")),
        ("level-controls", edited(&shift.plan_text, "\"fog/1\"", "\"\\u001b[31m/nan\"")),
        ("memory-all", edited(text, &memory, &format!("\"memory\": {}", u64::MAX))),
        ("metric-unknown", edited(text, "\"kl\"", "\"\\u001b[31m\"")),
        ("name-controls", edited(text, "\"agent\": \"mlp\"", "\"agent\": \"\\u001b[2J\"")),
        ("planes-many", edited(text, "\"planes\": 5", "\"planes\": 4294967295")),
        (
            "predictor",
            planned(&coverage.plan, &|plan| {
                if let Terms::Regression(terms) = &mut plan.terms {
                    terms.predictor = Some(jointly_record::plan::PlannedAgent { label: "knn".into(), ..agent("knn") });
                }
            }),
        ),
        ("problem-digest", planned(own, &|plan| plan.problems[0].digest = Some(digest(b"")))),
        ("problem-twice", planned(own, &|plan| plan.problems[1] = plan.problems[0].clone())),
        ("problems-of-nll", planned(own, &|plan| plan.problems.iter_mut().for_each(|it| it.metric = Metric::Nll))),
        ("seed-beyond", edited(text, "\"seed\": 0", "\"seed\": 18446744073709551616")),
        ("seed-huge", edited(text, "\"seed\": 0", "\"seed\": 1e999")),
        ("seed-negative", edited(text, "\"seed\": 0", "\"seed\": -1")),
        ("seed-twice", edited(text, "\"seed\": 0", "\"seed\": 0, \"seed\": 1")),
        ("setting-long", edited(text, "\"l2\": \"1\"", &long)),
        ("share-not-a-number", edited(&coverage.plan_text, "\"train_share\": ", "\"train_share\": \"nan\", \"old\": ")),
        ("suite-elsewhere", edited(text, "\"suite\": \"quick\"", "\"suite\": \"../../quick\"")),
        ("suite-imported", edited(text, "\"suite\": \"quick\"", "\"suite\": \"imported\"")),
        ("tables", planned(&coverage.plan, &|plan| plan.tables = own_table())),
        (
            "table-elsewhere",
            edited(&planned(&coverage.plan, &|plan| plan.tables = own_table()), "mine.csv", "../mine.csv"),
        ),
        ("terms-of-two-kinds", edited(text, "\"evaluation\":", "\"shift\": {}, \"evaluation\":")),
        ("version-controls", edited(text, &version, "\"version\": \"\\u001b[31m\"")),
        ("version-old", edited(text, &version, "\"version\": \"0.0.1\"")),
    ]
}

/// Returns a journal with a value of its first line replaced; `place` is a JSON pointer.
fn with(left: &Left, place: &str, value: Value) -> Vec<u8> {
    let (first, rest) = left.journal.split_at(left.journal.iter().position(|byte| *byte == b'\n').unwrap());
    let mut line: Value = serde_json::from_slice(first).unwrap();
    *line.pointer_mut(place).unwrap_or_else(|| panic!("a line of a journal has {place}")) = value;
    [line.to_string().as_bytes(), rest].concat()
}

fn journals<'a>(all: &[(&str, Left)]) -> Vec<(&'a str, Vec<u8>)> {
    let of = |name: &str| &all.iter().find(|(run, _)| *run == name).unwrap().1;
    let (active, classification, correlations) = (of("active"), of("classification"), of("correlations"));
    let (coverage, shift, decisions) = (of("coverage"), of("shift"), of("decisions"));
    let text = &classification.journal;
    let lines = |results: &[UnitResult]| -> Vec<u8> {
        results.iter().map(|result| serde_json::to_string(result).unwrap() + "\n").collect::<String>().into_bytes()
    };
    let mut other = classification.results.clone();
    other[0].outcome = shift.results[0].outcome.clone();
    let backwards: Vec<UnitResult> = classification.results.iter().rev().cloned().collect();
    let score = json!({ "mean": "nan", "stderr": "-inf", "draw_error": 1e308, "effective_draws": -0.0 });
    let level = "/regression/scores/coverage/levels/0";
    vec![
        ("nothing", Vec::new()),
        ("backwards", lines(&backwards)),
        ("begun", lines(&classification.results[..2])),
        ("deep", [b"{\"scored\": ", "[".repeat(9_000).as_bytes(), b"\n"].concat()),
        ("garbage", [b"garbage\n", text.as_slice()].concat()),
        ("of-two-lines-in-one", edited(text, "\n", " ")),
        ("other-kind", lines(&other)),
        ("returns", edited(text, "\n", "\r\n\n")),
        ("stranger", edited(text, "\"mlp\"", "\"\\u001b[31mmlp\"")),
        ("torn", text[..text.len() - 20].to_vec()),
        ("twice", [text.as_slice(), text].concat()),
        ("condition-controls", with(shift, "/shift/scores/conditions/0/condition", json!("\u{1b}[2J"))),
        ("conditions-none", with(shift, "/shift/scores/conditions", json!([]))),
        ("conditions-unshifted-none", edited(&shift.journal, "\"none\"", "\"outside/\\u001b[31m\"")),
        ("confident-none", with(shift, "/shift/scores/conditions/0/confident", json!([]))),
        ("confident-more-right", with(shift, "/shift/scores/conditions/0/confident/0", json!([0, u32::MAX]))),
        ("course-none", with(decisions, "/decisions/scores/course", json!([]))),
        ("course-steps-all", with(decisions, "/decisions/scores/course/10/steps", json!(u32::MAX))),
        ("course-steps-none", with(decisions, "/decisions/scores/course/0/steps", json!(0))),
        ("course-twice", with(decisions, "/decisions/scores/course/1/steps", json!(1))),
        ("draws-none", with(shift, "/shift/scores/conditions/0/labelled/brier_by_draws", json!([]))),
        ("failure-controls", edited(text, "it gave up", "it\\u001b[31m\\u202egave\\nup")),
        ("flags-few", with(coverage, &format!("{level}/observed"), json!("1"))),
        ("fuel-all", with(classification, "/scored/fuel", json!(u64::MAX))),
        ("fuel-huge", edited(text, "\"fuel\":1", "\"fuel\":1e30")),
        ("level-huge", with(coverage, &format!("{level}/level"), json!(1e308))),
        ("levels-none", with(coverage, "/regression/scores/coverage/levels", json!([]))),
        ("log-controls", with(classification, "/log/0", json!("\u{1b}[2J\u{202e}\n"))),
        ("numbers-not-finite", with(coverage, &format!("{level}/covered"), json!("7fc00000ff8000007f800000"))),
        ("numbers-uneven", with(coverage, &format!("{level}/covered"), json!("3dcccccd3"))),
        ("points-none", {
            let none = with(coverage, &format!("{level}/covered"), json!(""));
            edited(
                &edited(&none, "\"observed\":\"", "\"observed\":\"\",\"o\":\""),
                "\"held\":\"",
                "\"held\":\"\",\"h\":\"",
            )
        }),
        ("regret-huge", with(decisions, "/decisions/scores/course/10/regret", json!(1.7e308))),
        ("regret-negative", with(decisions, "/decisions/scores/course/0/regret", json!(-1.0))),
        ("regret-not-finite", with(decisions, "/decisions/scores/uniform", json!("nan"))),
        ("rounds-none", with(active, "/regression/scores/rounds", json!([]))),
        ("belief-elsewhere", with(correlations, "/regression/scores/correlations/belief", json!("../../etc/passwd"))),
        ("scores-not-finite", with(classification, "/scored/scores/joint/0/1", score)),
        ("seconds-negative", with(classification, "/seconds", json!(-1e308))),
        ("taus-none", with(classification, "/scored/scores/joint", json!([]))),
        ("taus-twice", edited(text, "[[1,", "[[100,")),
    ]
}

/// Returns false claims; the first byte of each says which file it replaces.
fn claims<'a>(left: &Left) -> Vec<(&'a str, Vec<u8>)> {
    let [scores, leaderboard, sweep] = &left.claims;
    let claim = |place: u8, bytes: &[u8]| [&[place], bytes].concat();
    vec![
        ("scores", claim(b'0', scores)),
        ("scores-array", claim(b'0', b"[[]]")),
        ("scores-better", claim(b'0', &edited(scores, "\"mean\": 1", "\"mean\": 0"))),
        ("scores-cut", claim(b'0', &scores[..scores.len() / 2])),
        ("scores-deep", claim(b'0', "[".repeat(9_000).as_bytes())),
        ("scores-field-twice", claim(b'0', &edited(scores, "\"seed\": 0", "\"seed\": 0,\n  \"seed\": 0"))),
        ("scores-not-utf8", claim(b'0', b"\xff")),
        ("scores-written-otherwise", claim(b'0', &[scores.as_slice(), b" "].concat())),
        ("leaderboard", claim(b'1', leaderboard)),
        ("leaderboard-better", claim(b'1', &edited(leaderboard, "\n2,", "\n1,"))),
        ("leaderboard-nothing", claim(b'1', b"")),
        ("sweep", claim(b'2', sweep)),
        ("sweep-other-choice", claim(b'2', &edited(sweep, "mlp", "prior"))),
        ("sweep-per-setting", claim(b'2', &edited(sweep, "\"global\"", "\"per-setting\""))),
        ("sweep-tuned-by-nothing", claim(b'2', b"{\"tune\": null}")),
        ("shard", claim(b'3', b"{\"shard\": 1, \"of\": 2}")),
        ("shard-none-of-none", claim(b'3', b"{\"shard\": 0, \"of\": 0}")),
        ("shard-of-too-many", claim(b'3', b"{\"shard\": 1, \"of\": 4294967295}")),
        ("shard-beyond", claim(b'3', b"{\"shard\": 4294967296, \"of\": 2}")),
        ("shard-text", claim(b'3', b"1/2")),
    ]
}

/// Returns archives and complete packs.
fn packs<'a>(left: &Left, correlations: &Left) -> Vec<(&'a str, Vec<u8>)> {
    const FILE: u8 = b'0';
    let (whole, archive) = (&left.pack, inflated(&left.pack));
    let plan = |bytes: &[u8]| member(PLAN, FILE, bytes.len() as u64, bytes);
    let raw = |archive: &[u8]| [&whole[..HEAD], &deflated(archive)].concat();
    let mut other = whole.clone();
    other[HEAD - 2] ^= 1;
    let belief = inflated(&correlations.pack);
    let at = belief.windows(8).position(|bytes| bytes == b"jointly1").unwrap();
    let believing = |place: usize, bytes: &[u8]| {
        let mut archive = belief.clone();
        archive[at + place..at + place + bytes.len()].copy_from_slice(bytes);
        archive
    };
    let absolute = format!("/{PLAN}");
    let link = format!("agents/sha256-{}.wasm", "0".repeat(64));
    vec![
        ("nothing", Vec::new()),
        ("blocks-of-zeros", vec![0; 1024]),
        ("whole", whole.clone()),
        ("whole-after-all", [whole.as_slice(), b"after gzip"].concat()),
        ("whole-bomb", raw(&plan(&vec![b' '; 4 << 20]))),
        ("whole-cut", whole[..whole.len() / 2].to_vec()),
        ("whole-head", whole[..HEAD].to_vec()),
        ("whole-of-another-digest", other),
        ("whole-written-otherwise", raw(&[archive.as_slice(), &[0; 512]].concat())),
        ("belief-not-finite", believing(16, &f64::NAN.to_le_bytes())),
        ("belief-of-other-targets", believing(16 + 3 * 48, &2.5_f64.to_le_bytes())),
        ("belief-of-too-many", believing(8, &u32::MAX.to_le_bytes())),
        ("belief-perfect", believing(16 + 4 * 48, &1_f32.to_le_bytes())),
        ("belief-without-variance", believing(16 + 48, &[0; 8])),
        ("file-elsewhere", member(&absolute, FILE, 0, &[])),
        ("file-long", member(PLAN, FILE, 0o77_777_777_777, b"{}")),
        ("file-twice", [plan(b"{}"), plan(b"{}")].concat()),
        ("file-unknown", [archive.as_slice(), &member("thesis\u{1b}.tex", FILE, 0, &[])].concat()),
        ("folder", member("agents/", b'5', 0, &[])),
        ("link", member(&link, b'2', 0, &[])),
        ("long-name", member("././@LongLink", b'L', 2, b"x")),
        ("plan-alone", plan(&left.plan_text)),
        ("scores-better", edited(&archive, "\"mean\": 1", "\"mean\": 0")),
        ("seed-other", edited(&archive, "\"seed\": 0", "\"seed\": 1")),
        ("sparse", member(PLAN, b'S', 0, &[])),
    ]
}
