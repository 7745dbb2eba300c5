//! The contents of `docs/results`: small, and complete enough for `make results-pages`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace;

/// The most bytes of all published results together. Journals are most of them: without its journal no run can be verified.
const MOST_BYTES: u64 = 20_000_000;

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn results_are_small_and_every_run_has_its_scores() {
    let files = files(&workspace().join("docs/results"));
    let bytes: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(bytes < MOST_BYTES, "docs/results has {bytes} bytes: compress with gzip -9, or leave large journals out");
    let runs: Vec<&Path> =
        files.iter().filter(|file| file.ends_with("plan.json.gz")).map(|plan| plan.parent().unwrap()).collect();
    assert!(runs.len() > 15, "{} runs", runs.len());
    for run in runs {
        assert!(run.join("scores.json.gz").is_file(), "{} has no scores.json.gz", run.display());
        let twice = run.join("results.jsonl.gz").is_file() && run.join("report.html.gz").is_file();
        assert!(!twice, "{}: its page is made from its journal, and kept beside it", run.display());
    }
    for name in ["plan.json", "scores.json", "results.jsonl", "report.html"] {
        let found = files.iter().find(|file| file.ends_with(name));
        assert_eq!(found, None, "compress it: gzip -9 -n");
    }
}

/// Returns the names by which links refer to the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    let anchor = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    page.lines().filter(|line| line.starts_with('#')).map(anchor).collect()
}

#[test]
fn links_of_the_results_lead_somewhere() {
    let folder = workspace().join("docs/results");
    let pages = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    let mut links = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
        for link in targets.filter(|link| !link.starts_with("https://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { folder.join(file) };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            if !heading.is_empty() {
                let known = anchors(&fs::read_to_string(&target).unwrap());
                assert!(known.iter().any(|anchor| anchor == heading), "{}: {link} has no such heading", page.display());
            }
            links += 1;
        }
    }
    assert!(links > 8, "{links} links");
}
