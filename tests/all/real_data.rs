//! Real data: `jointly data`, and runs on datasets made up for tests.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{Finished, finish, fits_a_terminal, is_one_line, joined, jointly, skipped};
use crate::guests::argument;
use crate::run::json;

const SUITE: [&str; 5] = ["run", "uniform", "mlp:steps=200", "--suite", "quick/real"];

/// A temporary data directory, with a place for a run beside it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::create_dir(folder.data()).unwrap();
        folder
    }

    /// Returns a folder with a made-up iris dataset.
    fn with_iris() -> Self {
        let folder = Self::new();
        folder.write("iris/iris.data", &iris(0.0));
        folder
    }

    fn data(&self) -> String {
        self.0.path().join("data").to_str().expect("a path in UTF-8").to_owned()
    }

    fn out(&self) -> String {
        self.0.path().join("run").to_str().expect("a path in UTF-8").to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        let path = Path::new(&self.data()).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs agents on the suite's problems that match, with the data directory given.
    fn run(&self, problems: &str, options: &[&str]) -> Finished {
        let fixed = ["--problems", problems, "--data", &self.data(), "--out", &self.out()];
        finish(alone().args(SUITE).args(fixed).args(options))
    }

    fn verify(&self) -> Finished {
        finish(alone().args(["verify", &self.out(), "--data", &self.data()]))
    }
}

/// Returns the command in an environment without this machine's own data.
fn alone() -> Command {
    let mut command = jointly();
    command.env_remove("JOINTLY_DATA").env("XDG_DATA_HOME", "/nonexistent");
    command
}

/// Returns a table of 150 rows like that of iris, with one feature shifted.
fn iris(shift: f64) -> String {
    let names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"];
    let row = |i: usize| {
        let class = i / 50;
        let petal = class as f64 * 2.0 + (i % 7) as f64 / 10.0 + shift;
        format!("{}.{},3.{},{petal:.1},0.{},{}\n", 4 + class, i % 10, i % 9, i % 8, names[class])
    };
    (0..150).map(row).collect::<Vec<_>>().concat()
}

fn refused(finished: &Finished, texts: &[&str]) {
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
    is_one_line(finished.stderr.lines().last().unwrap_or_default(), texts);
}

#[test]
fn a_run_on_real_data_is_scored_and_verified() {
    let folder = Folder::with_iris();
    let finished = folder.run("quick/real/iris/*/seed0", &["--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let scores = json(&finished.stdout);
    let uniform = &scores["agents"][0];
    assert_eq!(uniform["problems"].as_array().unwrap().len(), 4);
    // Each of three classes has probability 1/3, whatever the data, stored as f32.
    let nll = uniform["scores"]["nll_tau1"]["mean"].as_f64().unwrap();
    assert!((nll - 3.0_f64.ln()).abs() < 1e-6, "{nll}");
    assert!(uniform["scores"]["kl_tau1"].is_null());
    // Classes that are far apart in one feature are learnt better from all examples than from one.
    let loss = |size: &str| {
        let name = format!("quick/real/iris/{size}/seed0");
        let problems = scores["agents"][1]["problems"].as_array().unwrap();
        problems.iter().find(|entry| entry["problem"] == name.as_str()).unwrap()["nll_tau1"]["mean"].as_f64().unwrap()
    };
    assert!(loss("tfull") < nll && loss("tfull") < loss("t1"), "{scores}");
    let verified = folder.verify();
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("verified: 8 units on 4 of 30 problems of quick/real"), "{}", verified.stdout);
}

/// An agent that uses inputs without labels is given those of the training examples that the problem leaves out.
#[test]
fn examples_that_are_left_out_are_handed_on_without_labels() {
    let folder = Folder::with_iris();
    let guest = argument("tells-inputs");
    let fixed = ["run", &guest, "--suite", "quick/real", "--problems", "*/iris/{t10,tfull}/seed0"];
    let finished = finish(alone().args(fixed).args(["--data", &folder.data(), "--out", &folder.out()]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let journal = fs::read_to_string(Path::new(&folder.out()).join("results.jsonl")).unwrap();
    let given = |size: &str| {
        let unit = journal.lines().map(json).find(|unit| unit["problem"].as_str().unwrap().contains(size)).unwrap();
        unit["log"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().starts_with("unlabelled: ["))
    };
    assert!(given("/t10/") && !given("/tfull/"), "{journal}");
}

#[test]
fn the_same_contents_under_another_name_are_the_same_data() {
    let folder = Folder::with_iris();
    assert_eq!(folder.run("*/iris/t10/*", &[]).code, Some(0));
    fs::remove_dir_all(folder.data()).unwrap();
    // The table has another path, another separator, and a header.
    let table = iris(0.0).replace(',', ";").replace("Iris-", "");
    folder.write("tabular/iris.csv", &format!("a;b;c;d;class\n{table}"));
    let verified = folder.verify();
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn other_data_are_refused_by_verify_and_make_another_plan() {
    let folder = Folder::with_iris();
    assert_eq!(folder.run("*/iris/t10/*", &[]).code, Some(0));
    folder.write("iris/iris.data", &iris(0.5));
    refused(&folder.verify(), &["the data of iris are not those of the run", "sha256:", "--data"]);
    refused(&folder.run("*/iris/t10/*", &[]), &["holds another plan", "other bytes"]);
}

#[test]
fn what_is_missing_is_named_with_the_remedy_before_anything_runs() {
    let folder = Folder::with_iris();
    let finished = folder.run("*", &[]);
    let pattern = "--problems 'quick/real/iris/*'";
    let texts =
        ["no data of wine-quality (no wine-quality/winequality-white.csv), german-credit", "mnist-t10k", pattern];
    refused(&finished, &[&texts[..], &[&folder.data(), "jointly data --fetch wine-quality"]].concat());
    assert!(!Path::new(&folder.out()).exists());
    assert_eq!(folder.run("quick/real/iris/*", &[]).code, Some(0), "the pattern leaves out what is missing");
}

#[test]
fn several_datasets_are_chosen_by_alternatives() {
    let folder = Folder::with_iris();
    let ones = "1 ".repeat(23);
    let german: Vec<String> = (0..1000).map(|i| format!("{} {ones} {}", i % 13, 1 + i % 2)).collect();
    folder.write("german-credit/german.data-numeric", &german.join("\n"));
    let finished = folder.run("*/{iris,german-credit}/t1/seed0", &["--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let problems = json(&finished.stdout)["agents"][0]["problems"].as_array().unwrap().len();
    assert_eq!(problems, 2);
}

#[test]
fn a_damaged_file_is_named_with_its_line() {
    let folder = Folder::new();
    folder.write("iris/iris.data", &iris(0.0).replacen("Iris-virginica", "Iris-sibirica", 1));
    let texts =
        ["failed to read iris from", "iris.data: line 101: the class is", "Iris-sibirica", "get the file again"];
    refused(&folder.run("*/iris/*", &[]), &texts);
    folder.write("iris/iris.data", &iris(0.0)[..100]);
    refused(&folder.run("*/iris/*", &[]), &["failed to read iris from"]);
    refused(&finish(alone().args(SUITE).args(["--data", "/nonexistent"])), &["there is no such directory"]);
}

#[test]
fn directories_come_from_the_environment_where_none_is_given() {
    let folder = Folder::with_iris();
    let list = |variable: &str, value: &str| {
        let finished = finish(alone().env(variable, value).args(["data", "--json"]));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        json(&finished.stdout)
    };
    let here = |list: &Value| list["datasets"][0]["here"].as_bool().unwrap();
    let both = std::env::join_paths(["/nonexistent", &folder.data()]).unwrap();
    let environment = list("JOINTLY_DATA", both.to_str().unwrap());
    assert_eq!(environment["directories"].as_array().unwrap().len(), 2);
    assert!(here(&environment));
    let home = folder.0.path().to_str().unwrap();
    fs::rename(folder.data(), folder.0.path().join("jointly")).unwrap();
    assert!(here(&list("XDG_DATA_HOME", home)));
}

#[test]
fn the_list_says_what_is_there_and_what_is_not() {
    let folder = Folder::with_iris();
    let list = |options: &[&str]| {
        let finished = finish(alone().args(["data", "--data", &folder.data()]).args(options));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stdout
    };
    let datasets = json(&list(&["--json"]))["datasets"].as_array().unwrap().clone();
    assert_eq!(datasets.len(), 12);
    assert_eq!(datasets.iter().filter(|dataset| dataset["in_paper"] == true).count(), 10);
    assert_eq!(datasets.iter().filter(|dataset| dataset["here"] == true).count(), 1);
    assert_eq!(datasets[0]["problems"], serde_json::json!({"quick/real": 8, "testbed/real": 20}));
    assert_eq!(datasets[0]["bytes"], iris(0.0).len());
    let text = list(&[]);
    fits_a_terminal(&text);
    let text = joined(&text);
    let file = format!("here: {}", Path::new(&folder.data()).join("iris/iris.data").display());
    for expected in
        [file.as_str(), "serves 8 problems of quick/real and 20 problems of testbed/real", "--fetch cifar10"]
    {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
    assert!(text.contains("cifar10/cifar-10-binary.tar.gz (in it cifar-10-batches-bin/test_batch.bin)"), "{text}");
}

#[test]
fn the_list_has_the_tables_of_regression() {
    let folder = Folder::new();
    folder.write("uci/yacht/data.txt", "1 2\n");
    let list = |options: &[&str]| {
        let finished = finish(alone().args(["data", "--data", &folder.data()]).args(options));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stdout
    };
    let listed = json(&list(&["--json"]));
    let tables = listed["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 9);
    let table = |name: &str| tables.iter().find(|table| table["name"] == name).unwrap();
    let own = Path::new(&folder.data()).join("uci/yacht");
    assert_eq!((&table("yacht")["here"], table("yacht")["folder"].as_str()), (&true.into(), own.to_str()));
    assert_eq!((&table("boston")["here"], &table("boston")["folder"]), (&false.into(), &Value::Null));
    let known = (table("boston")["rows"].as_u64(), table("boston")["input_dim"].as_u64());
    assert_eq!(known, (Some(506), Some(13)));
    assert_eq!(table("protein")["problems"], serde_json::json!({"coverage/tables": 100, "coverage/uci": 5}));
    let text = list(&[]);
    fits_a_terminal(&text);
    let text = joined(&text);
    for expected in [
        "tables of regression, with their standard splits: get the folder UCI_Datasets of https://",
        "boston: house prices in suburbs of Boston 506 rows x 13 features",
        "not there: uci/bostonHousing or UCI_Datasets/bostonHousing/data serves 100 problems of coverage/boston, 20",
        "serves 100 problems of coverage/tables and 5 problems of coverage/uci",
        &format!("6 features, 20 splits here: {}", own.display()),
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}

/// Starts a mirror that answers one request with these bytes; returns its address and a thread that ends with the
/// request.
fn mirror(body: Vec<u8>) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let request = lines.next().unwrap().unwrap();
        while !lines.next().unwrap().unwrap().is_empty() {}
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len()).unwrap();
        stream.write_all(&body).unwrap();
        request
    });
    (address, server)
}

#[test]
fn what_is_fetched_must_be_what_was_published() {
    let folder = Folder::new();
    let (address, server) = mirror(iris(0.0).into_bytes());
    let into = ["--into", &folder.data(), "--from", &address];
    let finished = finish(alone().args(["data", "--fetch", "iris"]).args(into));
    assert_eq!(server.join().unwrap(), "GET /iris/iris.data HTTP/1.1");
    let published = "sha256:6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0";
    refused(&finished, &["is not what was published", "digest sha256:", published, "nothing is kept"]);
    assert_eq!(fs::read_dir(Path::new(&folder.data()).join("iris")).unwrap().count(), 0);
}

/// Returns the published bytes of iris, if they are on this machine.
fn published_iris() -> Option<Vec<u8>> {
    let directories = std::env::var_os("JOINTLY_DATA")?;
    let mut files = std::env::split_paths(&directories)
        .flat_map(|directory| ["iris/iris.data", "tabular/iris.csv"].map(|name| directory.join(name)));
    files.find_map(|file| fs::read(file).ok())
}

#[test]
fn published_bytes_are_fetched_and_then_there() {
    let Some(mut bytes) = published_iris() else {
        return skipped("published_bytes_are_fetched_and_then_there", "it needs iris/iris.data in $JOINTLY_DATA");
    };
    // The published file ends in an empty line, which a copy may have lost.
    if !bytes.ends_with(b"\n\n") {
        bytes.extend(b"\n\n");
    }
    let folder = Folder::new();
    let (address, server) = mirror(bytes);
    let fetch = ["data", "--fetch", "iris", "--data", &folder.data(), "--from", &address];
    let finished = finish(alone().args(fetch));
    server.join().unwrap();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stdout.trim_end().ends_with("iris/iris.data"), "{}", finished.stdout);
    assert_eq!(folder.run("*/iris/t1/*", &[]).code, Some(0));
}

#[test]
fn what_cannot_be_fetched_is_named_with_the_remedy() {
    let finished = finish(alone().args(["data", "--fetch", "notmnist-t10k", "--into", "/nonexistent"]));
    refused(&finished, &["is not fetched: get the t10k files of notMNIST", "notmnist/t10k-images-idx3-ubyte.gz"]);
    refused(
        &finish(alone().args(["data", "--fetch", "irises"])),
        &["there is no dataset irises: did you mean `iris`?"],
    );
    let texts =
        ["boston is a table of regression and is not fetched: put its data.txt", "uci/bostonHousing", "https://"];
    refused(&finish(alone().args(["data", "--fetch", "boston", "--into", "/nonexistent"])), &texts);
}
