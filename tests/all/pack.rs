//! `jointly pack`: one file that others can verify, and the errors about invalid files.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use jointly_core::digest;
use serde_json::Value;

use crate::command::{done, finish, is_one_line, jointly, refused, run};
use crate::npz::{TemporaryFile, problem};
use crate::run::{PROBLEM, RunDirectory};

/// The number of bytes of a pack before the compressed data.
const HEAD: usize = 98;
/// The number of bytes that gzip itself writes there.
const PLAIN_HEAD: usize = 10;

/// Packs a run beside its directory.
pub(crate) fn packed(directory: &RunDirectory) -> PathBuf {
    let path = directory.path.with_extension("jointly");
    done(["pack", directory.argument(), "--output", path.to_str().unwrap()]);
    path
}

/// Returns a path as an argument of the command.
fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the files in a pack, by name.
pub(crate) fn members(pack: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(pack).unwrap()));
    let member = |member: std::io::Result<tar::Entry<GzDecoder<fs::File>>>| {
        let mut member = member.unwrap();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        (member.path().unwrap().to_str().unwrap().to_owned(), bytes)
    };
    archive.entries().unwrap().map(member).collect()
}

/// Replaces the members of a pack, with a matching digest.
pub(crate) fn forge(pack: &Path, members: &[(String, Vec<u8>)]) {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    let compressed = archive.into_inner().unwrap().finish().unwrap();
    forge_body(pack, &compressed[PLAIN_HEAD..]);
}

/// Replaces the body of a pack, with a matching digest.
fn forge_body(pack: &Path, body: &[u8]) {
    let mut head = fs::read(pack).unwrap()[..HEAD].to_vec();
    let named = digest(body);
    head[HEAD - 1 - named.len()..HEAD - 1].copy_from_slice(named.as_bytes());
    fs::write(pack, [head.as_slice(), body].concat()).unwrap();
}

/// Returns a pack in whose texts every occurrence of `from` is replaced by `to`.
pub(crate) fn edited(directory: &RunDirectory, names: &[&str], from: &str, to: &str) -> PathBuf {
    let pack = packed(directory);
    let mut members = members(&pack);
    for (name, bytes) in &mut members {
        if names.contains(&name.as_str()) {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{from} is not in {text}");
            *bytes = text.replace(from, to).into_bytes();
        }
    }
    forge(&pack, &members);
    pack
}

#[test]
fn the_same_results_make_the_same_file_whoever_ran_them_and_where() {
    let run = || RunDirectory::of(&["uniform", "prior"], "quick/t10/temp0.1/*");
    let (one, other) = (run(), RunDirectory::new());
    let jobs = other.run(&["uniform", "prior"], "quick/t10/temp0.1/*", &["--jobs", "1"]);
    assert_eq!(jobs.code, Some(0), "{jobs:?}");
    let before = one.contents();
    let pack = packed(&one);
    assert_eq!(one.contents(), before);
    let bytes = fs::read(&pack).unwrap();
    assert_eq!(bytes, fs::read(packed(&other)).unwrap());
    // Packing again gives the same file.
    packed(&one);
    assert_eq!(bytes, fs::read(&pack).unwrap());
    let stdout = done(["pack", one.argument(), "--output", text(&pack)]);
    assert_eq!(stdout.trim_end(), format!("{}: {} bytes, {}", pack.display(), bytes.len(), digest(&bytes)));
    // A pack is an ordinary archive.
    let names: Vec<String> = members(&pack).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[..4], ["plan.json", "results.jsonl", "scores.json", "leaderboard.csv"]);
    assert!(names.len() == 6 && names[4..].iter().all(|name| name.starts_with("agents/sha256-")), "{names:?}");
}

#[test]
fn a_pack_holds_wherever_it_is() {
    let directory = RunDirectory::of(&["uniform", "mlp:steps=20"], PROBLEM);
    let pack = packed(&directory);
    fs::remove_dir_all(&directory.path).unwrap();
    let stdout = done(["verify", text(&pack)]);
    let expected = format!("{} verified: 2 units on 1 of 18 problems of quick, the same to the bit\n", pack.display());
    assert_eq!(stdout, expected);
    // An unpacked pack is a run's directory: it can be continued, reported and packed.
    fs::create_dir(&directory.path).unwrap();
    for (name, bytes) in members(&pack) {
        fs::create_dir_all(directory.file(&name).parent().unwrap()).unwrap();
        fs::write(directory.file(&name), bytes).unwrap();
    }
    done(["report", directory.argument()]);
    done(["verify", directory.argument()]);
    assert_eq!(directory.run(&["uniform", "mlp:steps=20"], PROBLEM, &[]).code, Some(0));
    packed(&directory);
}

#[test]
fn what_an_entry_is_made_of_goes_with_it() {
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    let out = file.sibling("run");
    let pack = file.sibling("run.jointly");
    done(["run", "uniform", "--problem", file.argument(), "--out", text(&out)]);
    done(["pack", text(&out), "--output", text(&pack)]);
    fs::remove_file(&file.path).unwrap();
    fs::remove_dir_all(&out).unwrap();
    done(["verify", text(&pack)]);

    let failed = RunDirectory::new();
    assert_eq!(failed.run(&[&crate::guests::argument("own-failure")], PROBLEM, &[]).code, Some(3));
    done(["verify", text(&packed(&failed))]);

    let sweep = RunDirectory::new();
    let of_mlp = ["sweep", "mlp:steps=5", "--only", "l2", "--suite", "quick", "--problems", PROBLEM];
    done(of_mlp.iter().chain(&["--out", sweep.argument()]));
    let pack = edited(&sweep, &["sweep.json"], "global", "by-eye");
    let finished = run(["verify", text(&pack)]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stdout.contains("verification failed: sweep.json does not say how it was tuned"), "{finished:?}");
}

#[test]
fn a_suite_of_each_kind_is_packed() {
    let correlations = "quick/correlations/d1/set[01]";
    for (suite, problems, agents) in [
        ("quick/correlations", correlations, crate::regression::AGENTS.as_slice()),
        ("quick/coverage", "quick/coverage/{line,gap}/sim[01]", &["linear"][..]),
        ("quick/shift", crate::shift::PROBLEM, &crate::shift::AGENTS[..2]),
    ] {
        let directory = RunDirectory::new();
        let finished = run(crate::regression::arguments(&directory, agents, suite, problems, &[]));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let stdout = done(["verify", text(&packed(&directory)), "--sample", "1", "--sample-seed", "7"]);
        assert!(stdout.contains("chosen by --sample-seed 7"), "{stdout}");
    }
}

#[test]
fn only_a_finished_run_is_packed() {
    let directory = RunDirectory::of(&["uniform", "prior"], PROBLEM);
    let pack = directory.path.with_extension("jointly");
    let refuse = |texts: &[&str]| {
        refused(["pack", directory.argument(), "--output", text(&pack)], texts);
        assert!(!pack.exists());
    };
    let journal = directory.read("results.jsonl");
    let first = journal.lines().next().unwrap();
    fs::write(directory.file("results.jsonl"), format!("{first}\n")).unwrap();
    refuse(&[directory.argument(), "1 of 2 units have no result yet", "give the same `jointly run` again"]);
    fs::write(directory.file("results.jsonl"), journal.replace("uniform", "superagent")).unwrap();
    refuse(&["a result for superagent on", "not a unit of the plan"]);
    fs::write(directory.file("results.jsonl"), journal.replacen("\"scored\":{\"scores\"", "\"failed\":{\"scores\"", 1))
        .unwrap();
    refuse(&["results.jsonl line 1 is not a result"]);
    fs::write(directory.file("results.jsonl"), journal.replacen("\"mean\":", "\"mean\":1", 1)).unwrap();
    refuse(&["verification failed: scores.json.agents["]);
    fs::write(directory.file("results.jsonl"), journal).unwrap();
    let kept = directory.kept_agent();
    let agent = fs::read(&kept).unwrap();
    fs::write(&kept, &agent[1..]).unwrap();
    refuse(&[text(&kept), "is damaged: checksum mismatch"]);
    fs::remove_file(&kept).unwrap();
    refuse(&["failed to read", text(&kept)]);
    fs::write(&kept, &agent).unwrap();
    fs::remove_file(directory.file("scores.json")).unwrap();
    refuse(&["scores.json", "when it is finished"]);
    refused(["pack", text(&kept)], &["is not a pack, or is damaged"]);
}

#[test]
fn another_file_is_not_written_over() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let thesis = directory.path.with_file_name("thesis.tex");
    fs::write(&thesis, "years of work").unwrap();
    refused(
        ["pack", directory.argument(), "--output", text(&thesis)],
        &["thesis.tex already exists with other contents"],
    );
    assert_eq!(fs::read_to_string(&thesis).unwrap(), "years of work");
    refused(["pack", directory.argument(), "--output", directory.argument()], &["is a directory", "--output FILE"]);
    // By default the pack is named after the directory and placed in the current folder.
    let here = directory.path.with_file_name("here");
    fs::create_dir(&here).unwrap();
    let finished = finish(jointly().current_dir(&here).args(["pack", directory.argument()]));
    assert!(finished.code == Some(0) && finished.stdout.starts_with("run.jointly: "), "{finished:?}");
    refused(["report", text(&here.join("run.jointly"))], &["is a file", "`jointly leaderboard` take packs"]);
}

#[test]
fn a_pack_that_is_cut_or_has_a_bit_flipped_is_refused_in_one_line() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let pack = packed(&directory);
    let whole = fs::read(&pack).unwrap();
    let refuse = |bytes: &[u8], what: &str| {
        fs::write(&pack, bytes).unwrap();
        for command in ["verify", "leaderboard"] {
            let finished = run([command, text(&pack)]);
            assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{what}: {finished:?}");
            is_one_line(&finished.stderr, &[text(&pack), "damaged"]);
            assert!(!finished.stderr.contains("panicked") && !finished.stderr.contains("internal error"), "{what}");
        }
    };
    // Multiples of a prime spread over the file, and every byte of its head's end and its own end.
    let spread = (0..40).map(|i| i * 1_000_003 % whole.len());
    for at in spread.chain(HEAD - 4..HEAD + 4).chain(whole.len() - 9..whole.len()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        refuse(&bytes, &format!("byte {at} of {}", whole.len()));
    }
    for end in [0, 1, 9, PLAIN_HEAD, HEAD - 1, HEAD, HEAD + 1, whole.len() / 2, whole.len() - 8, whole.len() - 1] {
        refuse(&whole[..end], &format!("{end} bytes"));
    }
    refuse(&[whole.as_slice(), b"\n"].concat(), "a byte more");
    refuse(b"PK\x03\x04 another archive", "is not a pack");
}

/// Asserts that the verification of an entry fails, in one line that contains the texts.
fn fails(pack: &Path, texts: &[&str]) {
    let finished = run(["verify", text(pack)]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    let said = finished.stdout + &finished.stderr;
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    for text in texts {
        assert!(said.contains(text), "{text} is not in {said}");
    }
    let finished = run(["leaderboard", text(pack)]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
    is_one_line(&finished.stderr, &[text(pack)]);
}

#[test]
fn edited_texts_do_not_hold_under_any_digest() {
    let directory = RunDirectory::of(&["uniform", "prior"], PROBLEM);
    let edit = |names: &[&str], from: &str, to: &str, texts: &[&str]| {
        let pack = edited(&directory, names, from, to);
        fails(&pack, texts);
        fs::remove_file(pack).unwrap();
    };
    edit(
        &["scores.json"],
        "\"mean\": 0.",
        "\"mean\": 0.0",
        &["verification failed: scores.json.agents[", " comes out as "],
    );
    edit(&["scores.json"], "{", "[", &["scores.json is not JSON"]);
    edit(&["leaderboard.csv"], "1,", "7,", &["leaderboard.csv does not follow from scores.json"]);
    edit(&["results.jsonl"], "\"fuel\":", "\"fuel\":1", &["verification failed: scores.json.agents["]);
    edit(
        &["results.jsonl"],
        ",\"agent\"",
        ",\"seconds\":1.0,\"agent\"",
        &["is not the pack that `jointly pack` makes of its contents; have it packed again"],
    );
    let newer = ["plan.json of ", "has format 2; this jointly reads format 1: upgrade jointly"];
    edit(&["plan.json"], "\"format\": 1", "\"format\": 2", &newer);
    edit(
        &["plan.json"],
        "\"seed\": 0,",
        "\"seed\": 0, \"note\": 1,",
        &["is not the pack that `jointly pack` makes of its contents"],
    );
    edit(&["plan.json"], "\"agents\": [", "\"agents\": {", &["failed to read", "as a plan"]);
}

/// A plan need not have its problems' coordinates, because earlier versions did not write them.
#[test]
fn an_entry_whose_problems_have_no_coordinates_is_verified() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let mut plan: Value = serde_json::from_str(&directory.read("plan.json")).unwrap();
    let problem = plan["problems"][0].as_object_mut().unwrap();
    assert!(problem.remove("coordinates").is_some());
    fs::write(directory.file("plan.json"), plan.to_string()).unwrap();
    let pack = packed(&directory);
    assert!(done(["verify", text(&pack)]).contains("the same to the bit"));
    fs::remove_file(pack).unwrap();
    assert!(done(["verify", directory.argument()]).contains("the same to the bit"));
}

/// The version that made an entry is only information: running it again must give the same results, whichever version
/// ran it.
#[test]
fn an_entry_of_another_version_is_read_and_one_of_another_format_is_not() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let texts = ["plan.json", "scores.json"];
    let own = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let pack = edited(&directory, &texts, &own, "\"version\": \"0.9.0\"");
    assert!(done(["verify", text(&pack)]).contains("the same to the bit"));
    done(["leaderboard", text(&pack), directory.argument()]);
    fs::remove_file(pack).unwrap();

    let own = format!("{{\n  \"format\": 1,\n  \"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let pack = edited(&directory, &["plan.json"], &own, "{\n  \"version\": \"0.1.0\"");
    for command in ["verify", "leaderboard"] {
        let said = "plan.json of ";
        let remedy = "was written by jointly 0.1.0, which alone reads it; install that version, or run the suite again";
        refused([command, text(&pack)], &[said, text(&pack), remedy]);
    }
}

#[test]
fn a_plan_that_is_not_this_commands_is_not_run() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    for (from, to, said) in [
        ("wasmtime 48", "wasmtime 47", "its plan is not the one that this command makes (engine wasmtime 48"),
        (", prices 3", "", "(prices of fuel 3, not 1)"),
        ("jointly:agent@0.3.0", "jointly:agent@0.1.0", "(interface jointly:agent@0.3.0, not jointly:agent@0.1.0)"),
    ] {
        let pack = edited(&directory, &["plan.json"], from, to);
        let finished = run(["verify", text(&pack)]);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(2), ""), "{finished:?}");
        let start = format!("{}: verification failed: ", pack.display());
        assert!(finished.stdout.starts_with(&start) && finished.stdout.contains(said), "{finished:?}");
        fs::remove_file(pack).unwrap();
    }
}

/// A pack's author chose its names and limits, which must not affect the verifier.
#[test]
fn a_pack_neither_writes_to_the_terminal_as_it_likes_nor_sets_the_verifiers_limits() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let texts = ["plan.json", "results.jsonl", "scores.json"];
    for odd in ["\\u001b[31m", "\\u202e", "\\n"] {
        let pack = edited(&directory, &texts, "\"uniform\"", &format!("\"{odd}uniform\""));
        for command in ["verify", "leaderboard"] {
            let said = refused([command, text(&pack)], &["not a plan that this command made", "is not printable"]);
            assert!(!said.contains(['\x1b', '\u{202e}']), "{said:?}");
        }
        fs::remove_file(pack).unwrap();
    }
    let own = format!("\"memory\": {}", 1_u64 << 30);
    let pack = edited(&directory, &["plan.json"], &own, &format!("\"memory\": {}", 1_u64 << 62));
    refused(["verify", text(&pack)], &["not a plan that this command made", "1 to 4096 MiB"]);
    fs::remove_file(pack).unwrap();
    let pack = edited(&directory, &["plan.json"], "\"fuel\": 2000000000000", "\"fuel\": 2000000000001");
    refused(["verify", text(&pack)], &["more than 2000000000000; give --fuel 2000000000001"]);
    done(["verify", text(&pack), "--fuel", "2000000000001"]);
}

/// A pack's author can write any digest, but bytes beside the files are found nevertheless.
#[test]
fn no_byte_hides_in_a_pack() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let pack = packed(&directory);
    let whole = fs::read(&pack).unwrap();
    let compressed = |archive: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(archive).unwrap();
        encoder.finish().unwrap()[PLAIN_HEAD..].to_vec()
    };
    let mut archive = Vec::new();
    GzDecoder::new(&whole[..]).read_to_end(&mut archive).unwrap();
    // A time in the header of the first file.
    let mut timed = archive.clone();
    let mut header = tar::Header::new_ustar();
    header.as_mut_bytes().copy_from_slice(&archive[..512]);
    header.set_mtime(7);
    header.set_cksum();
    timed[..512].copy_from_slice(header.as_bytes());
    for body in [
        [&whole[HEAD..], b"after gzip"].concat(),
        compressed(&[&archive[..], b"after the archive"].concat()),
        compressed(&timed),
    ] {
        forge_body(&pack, &body);
        for command in ["verify", "leaderboard"] {
            refused([command, text(&pack)], &["run.jointly is not the pack that `jointly pack` makes of its contents"]);
        }
    }
}

#[test]
fn errors_of_a_pack_name_it_and_what_can_be_done() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    for (file, from, to, said) in [
        ("results.jsonl", "{\"format\"", "{{\"format\"", "line 1 is not a result"),
        ("plan.json", "\"agents\": [", "\"agents\": {", "as a plan"),
    ] {
        let pack = edited(&directory, &[file], from, to);
        let named = format!("{file} of {}", pack.display());
        let said = refused(["verify", text(&pack)], &[&named, said, "have it packed again"]);
        assert!(!said.contains("delete the line") && !said.contains("--out"), "{said}");
        fs::remove_file(pack).unwrap();
    }
    let absent = directory.path.with_file_name("nobody.jointly");
    for command in ["verify", "leaderboard", "pack", "report"] {
        refused([command, text(&absent)], &["there is no file or directory", text(&absent)]);
    }
}

#[test]
fn a_component_of_another_version_is_refused() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let pack = packed(&directory);
    let old = wat::parse_str(r#"(module (@custom "jointly-agent" "jointly:agent@0.1.0"))"#).unwrap();
    let (own, other) = (directory.scores()["agents"][0]["digest"].as_str().unwrap().to_owned(), digest(&old));
    let member = |(name, bytes): (String, Vec<u8>)| {
        if name.starts_with("agents/") {
            return (format!("agents/{}.wasm", other.replace(':', "-")), old.clone());
        }
        (name, String::from_utf8(bytes).unwrap().replace(&own, &other).into_bytes())
    };
    forge(&pack, &members(&pack).into_iter().map(member).collect::<Vec<_>>());
    refused(["verify", text(&pack)], &["failed to load", "speaks jointly:agent@0.1.0", "rebuild it"]);
}

#[test]
fn a_pack_has_the_files_of_its_plan_and_no_others() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let change = |change: fn(&mut Vec<(String, Vec<u8>)>), said: &str| {
        let pack = packed(&directory);
        let mut members = members(&pack);
        change(&mut members);
        forge(&pack, &members);
        for command in ["verify", "leaderboard"] {
            refused([command, text(&pack)], &["run.jointly ", said]);
        }
        fs::remove_file(pack).unwrap();
    };
    change(|members| members.truncate(4), "has no agents/sha256-");
    change(|members| drop(members.remove(0)), "there is no plan.json");
    change(|members| drop(members.remove(1)), "1 of 1 unit has no result yet");
    change(|members| members.swap(1, 2), "is not the pack that `jointly pack` makes of its contents");
    change(|members| members.push(members[0].clone()), "holds plan.json twice");
    change(|members| members.push(("x/plan.json".to_owned(), Vec::new())), "which is not a file of a pack");
    change(|members| members[4].1.push(0), "checksum mismatch of its agents/sha256-");
    let idle = |members: &mut Vec<(String, Vec<u8>)>| {
        members.push((format!("beliefs/{}.bin", digest(b"").replace(':', "-")), Vec::new()));
    };
    change(idle, "is not the pack that `jointly pack` makes of its contents");
}

/// Garbage that no compressor made, with a valid digest, is refused whatever it decodes to.
#[test]
fn a_body_that_is_no_archive_is_refused() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let pack = packed(&directory);
    let whole = fs::read(&pack).unwrap();
    let bodies: [Vec<u8>; 4] =
        [Vec::new(), vec![0xa5; 300], whole[HEAD..whole.len() / 2].to_vec(), whole[HEAD..whole.len() - 8].to_vec()];
    for body in bodies {
        forge_body(&pack, &body);
        refused(["verify", text(&pack)], &["run.jointly is not a pack that `jointly pack` made", "get another copy"]);
    }
}
