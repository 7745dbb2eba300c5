//! Headers of arrays that take hours to parse: every reader of .npz refuses them before it parses them.

use std::fs;
use std::path::Path;

use jointly_core::digest;

use crate::command::{done, refused};
use crate::npz::{Archive, problem};
use crate::pack::{forge, members, packed};
use crate::run::{PROBLEM, RunDirectory};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the bytes of an .npy file with this header.
fn npy(header: &str) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes()].concat()
}

#[test]
fn an_array_with_a_header_of_nested_brackets_is_refused_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let deep =
        npy(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {}{}}}\n", "(".repeat(30), ")".repeat(30)));
    // Many elements within lists; within four more, this header took 12 seconds.
    let wide = npy(&format!("{{'descr': [[[{}]]]}}\n", "1,".repeat(4_900)));
    let out = text(folder.path()).to_owned() + "/out";
    for (name, header) in [("deep", &deep), ("wide", &wide)] {
        let file = |key: &str| {
            let path = folder.path().join(format!("{name}-{key}.npz"));
            fs::write(&path, Archive::new().raw(&format!("{key}.npy"), header).bytes()).unwrap();
            text(&path).to_owned()
        };
        let (problem, table, predictions) = (file("x_train"), file("x"), file("probs"));
        refused(["run", "uniform", "--problem", &problem, "--out", &out], &["x_train is damaged"]);
        let suite = "quick/coverage";
        refused(["run", "gp", "--suite", suite, "--table", &table, "--out", &out], &["x is damaged"]);
        refused(["score", &predictions], &["probs is damaged"]);
    }
    let header = |key: &str| Archive::new().raw(&format!("{key}.npy"), &deep).bytes();
    // A folder of predictions: an agent's invalid output.
    let predictions = folder.path().join("mine").join(format!("{PROBLEM}.npz"));
    fs::create_dir_all(predictions.parent().unwrap()).unwrap();
    fs::write(&predictions, header("probs")).unwrap();
    let directory = RunDirectory::new();
    let agent = format!("predictions:{}", text(&folder.path().join("mine")));
    let finished = directory.run(&[&agent], PROBLEM, &[]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(directory.read("results.jsonl").contains("probs is damaged"), "{finished:?}");
    // A pack whose problem has such a header, under a digest that is right.
    let mine = folder.path().join("mine.npz");
    fs::write(&mine, problem().bytes()).unwrap();
    let directory = RunDirectory::new();
    done(["run", "uniform", "--problem", text(&mine), "--out", directory.argument()]);
    let pack = packed(&directory);
    let mut files = members(&pack);
    let forged = header("x_train");
    let hex = |bytes: &[u8]| digest(bytes).split_off("sha256:".len());
    let (own, other) = (hex(&fs::read(&mine).unwrap()), hex(&forged));
    for (name, bytes) in &mut files {
        if name.starts_with("problems/") {
            (*name, *bytes) = (name.replace(&own, &other), forged.clone());
        } else if name == "plan.json" {
            *bytes = String::from_utf8(bytes.clone()).unwrap().replace(&own, &other).into_bytes();
        }
    }
    forge(&pack, &files);
    done(["leaderboard", text(&pack)]);
    refused(["verify", text(&pack)], &["x_train is damaged"]);
}
