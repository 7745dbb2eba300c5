//! User-supplied tables: read from text and archives, and damaged in every way.

use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::import::fixture::Fixture;

fn read(file: &str, bytes: impl Into<Vec<u8>>) -> Result<RegressionTable, TableFileError> {
    let table = || {
        let (format, name) = TableFormat::of(file)?;
        RegressionTable::user_supplied(name, format.parse(&bytes.into())?)
    };
    table().map_err(|defect: TableDefect| defect.of(Path::new(file)))
}

fn refusal(file: &str, bytes: impl Into<Vec<u8>>) -> String {
    read(file, bytes).unwrap_err().to_string()
}

/// Returns rows of two features and a target that is nearly linear in them, times a scale.
fn rows(count: usize, scale: f64) -> (Vec<f32>, Vec<f32>) {
    let inputs = |i: usize| [i as f32 * 0.25, (i * 7 % 11) as f32];
    let target = |i: usize| (scale * ((i as f64) * 0.5 - (i * 7 % 11) as f64 + (i * 5 % 3) as f64)) as f32;
    ((0..count).flat_map(inputs).collect(), (0..count).map(target).collect())
}

fn text(header: &str, count: usize, scale: f64) -> String {
    let (inputs, targets) = rows(count, scale);
    let mut text = header.to_owned();
    for (x, y) in inputs.chunks(2).zip(targets) {
        writeln!(text, "{},{},{y:e}", x[0], x[1]).unwrap();
    }
    text
}

#[test]
fn what_is_no_table_is_refused_by_line_and_column() {
    let good = text("a,b,y\n", 40, 1.0);
    let with = |line: &str| format!("{good}\n{line}\n");
    for (text, what) in [
        (with("1,2"), "line 43: it has 2 columns, expected 3"),
        (with("1,2,3,4"), "line 43: it has 4 columns, expected 3"),
        (
            with("1,NA,3"),
            "line 43, column 2 (b): it holds \"NA\", expected a finite number within float32: remove or impute",
        ),
        (with("1,,3"), "line 43, column 2 (b): it holds \"\""),
        (with("nan,2,3"), "line 43, column 1 (a): it holds \"nan\""),
        (with("1,2,-inf"), "line 43, column 3 (y): it holds \"-inf\""),
        (with("1,1e39,3"), "line 43, column 2 (b): it holds \"1e39\""),
        (
            with("1,2,2e32"),
            "the target of row 41 is 2e32, expected at most 1e32 either way: give targets in a larger unit",
        ),
        ("1,two,3\n".to_owned(), "line 1, column 2: it holds \"two\""),
        (
            "1,1e39,3\n".to_owned(),
            "line 1, column 2: it holds \"1e39\", expected a finite number within float32: remove or impute it",
        ),
        (
            "7\n8\n".to_owned(),
            "it has 1 column, expected at least a feature and the target, in the last column: separate columns by",
        ),
        (
            "\n1;2;3\n4;5;6\n".to_owned(),
            "line 2: it has semicolons and no comma, expected at least a feature and the target, in the last column: replace",
        ),
        ("a\tb\n4\t5\n".to_owned(), "line 1: it has tabs and no comma"),
        (with("7"), "line 43: it has 1 column, expected 3"),
        ("a,b\n1,2\n".to_owned(), "it has 1 row, expected 30"),
        ("1.5,7\n".repeat(40), "the target is 7 in all rows"),
        ("1.5,-2.5e-3\n".repeat(40), "the target is -0.0025 in all rows"),
        ("1.5,3e20\n".repeat(40), "the target is 3e20 in all rows"),
        (String::new(), "it has 0 columns"),
        ("\n \n".to_owned(), "it has 0 columns"),
        (format!(",{good}"), "column 1 has no name in the header"),
        (text("a,b,y\n", 29, 1.0), "it has 29 rows, expected 30 to 50000"),
        ("a,b,y\n".to_owned(), "it has 0 rows, expected 30"),
        (text("", 40, 0.0), "the target is 0 in all rows"),
        // A number too small for float32 becomes 0.
        (text("", 40, 0.0).replace("0e0", "1e-50"), "the target is 0 in all rows, in float32"),
        (format!("{}\n", "1,".repeat(MAX_TABLE_FEATURES + 9)), "it has at least 1025 features, expected at most 1024"),
        ("1,2\n".repeat(MAX_TABLE_ROWS + 1), "it has at least 50001 rows, expected at most 50000: save fewer of them"),
    ] {
        let message = refusal("mine.csv", text);
        assert!(message.starts_with("failed to read the table mine.csv: ") && message.contains(what), "{message}");
    }
    assert!(refusal("mine.csv", b"1,2\n\xff,3\n".to_vec()).contains("line 2: it is not UTF-8 text"));
    assert!(read("mine.csv", text("", MIN_TABLE_ROWS, 1.0)).is_ok());
}

#[test]
fn quotes_hold_commas_line_ends_and_quotes() {
    let table = |header: &str| read("mine.csv", text(header, 40, 1.0));
    let plain = table("").unwrap();
    for header in ["\"a \"\"raw\"\"\",\"b, of a\",y\r\n", "\"a\nb\", \"c\" ,y\n", "\u{feff}a,b,y\n\n"] {
        assert_eq!(table(header).unwrap().digest(), plain.digest(), "{header:?}");
    }
    // Errors name the line on which a row begins, however many lines the header spans, and unquoted column names.
    let message = table("\"a\nb\",\"say \"\"c\"\"\",y\n1,x,2\n").unwrap_err().to_string();
    assert!(message.contains("line 3, column 2 (say \"c\"): it holds \"x\""), "{message}");
    let quoted = text("", 40, 1.0).replace(',', "\", \"").replace('\n', "\"\n\"");
    assert_eq!(read("mine.csv", format!("\"{quoted}\"")).unwrap().digest(), plain.digest());
}

/// A row that was mistaken for a header would be missing from the table unnoticed.
#[test]
fn a_first_line_is_a_header_or_a_row_and_never_passed_over() {
    let headed = |header: &str| read("mine.csv", text(&format!("{header}\n"), 40, 1.0));
    for header in
        ["NA,NA,NA", "?,?,?", "-,NA,.", "a,-,y", "null,None,N/A", "\"?\", \"NA\" ,-", ",,", ",NA,", "a,b,a", "na,na,na"]
    {
        let message = headed(header).unwrap_err().to_string();
        assert!(
            message.contains("line 1, column 1: it holds \"") && message.contains("give every column a name"),
            "{message}"
        );
    }
    let message = headed("nan,nan,inf").unwrap_err().to_string();
    assert!(
        message.ends_with(
            "line 1, column 1: it holds \"nan\", expected a finite number within float32: remove or impute it"
        ),
        "{message}"
    );
    for (header, column, found) in
        [("a,b,2020", 1, "a"), ("a,inf,c", 1, "a"), ("2020,b,c", 2, "b"), ("nan,b,c", 1, "nan")]
    {
        let message = headed(header).unwrap_err().to_string();
        let said = format!(
            "line 1, column {column}: it holds \"{found}\", expected a finite number within float32: remove or impute it; or"
        );
        assert!(message.contains(&said) && message.contains("none a number or a mark of a missing value"), "{message}");
    }
    for header in ["a,b,y", "ri,na,mg", "RI,Na,Mg", "nothing,no,2020s"] {
        assert_eq!(headed(header).unwrap().data().rows(), 40, "{header}");
    }
}

#[test]
fn archives_that_are_no_table_are_refused_by_their_arrays() {
    let archive = |x: &[u64], y: &[u64], value: f64| {
        let count = |shape: &[u64]| shape.iter().product::<u64>() as usize;
        let mut targets: Vec<f64> = (0..count(y)).map(|i| i as f64).collect();
        targets[0] = value;
        Fixture::new().array("x", x, (0..count(x)).map(|i| i as f32).collect()).array("y", y, targets)
    };
    assert!(read("mine.npz", archive(&[40, 3], &[40], 0.0).bytes()).is_ok());
    let blank = Fixture::new().array("x", &[40, 2], vec![0.5_f32; 80]).array("y", &[40], rows(40, 1.0).1);
    let integers = Fixture::new().array("x", &[1, 1], vec![1_i64]).array("y", &[1], vec![1_i64]);
    for (archive, what) in [
        (archive(&[40], &[40], 0.0), "x has shape [40], expected (n, d)"),
        (archive(&[40, 0], &[40], 0.0), "x has shape [40, 0], expected (n, d) with d at least 1"),
        (archive(&[40, 3], &[39], 0.0), "y has shape [39], expected (n,) = (40,), as x has"),
        (archive(&[40, 3], &[40, 1], 0.0), "y has shape [40, 1]"),
        (archive(&[40, 3], &[40], f64::NAN), "y[0] is NaN, expected a finite number"),
        (archive(&[40, 3], &[40], -1e39), "y[0] is -1e39, expected a number within float32"),
        (archive(&[40, 3], &[40], -1e33), "the target of row 1 is -1e33, expected at most 1e32"),
        (
            archive(&[40, 3], &[40], 0.0).array("z", &[1], vec![1_f32]),
            "there is an array \"z\", which means nothing here",
        ),
        (
            blank,
            "all 40 rows have the same features, in float32: there is nothing to predict from; save at least one column",
        ),
        (integers, "x is int64, expected float32 or float64"),
        (Fixture::new().array("x", &[1, 1], vec![1_f32]), "there is no array \"y\", only x"),
    ] {
        let message = refusal("mine.npz", archive.bytes());
        assert!(message.contains(what), "{message}");
    }
    assert!(refusal("mine.npz", text("", 40, 1.0)).contains("not an .npz archive"));
}

#[test]
fn splits_are_drawn_by_the_seed() {
    let table = read("mine.csv", text("", 56, 1.0)).unwrap();
    let first = table.split(0.into(), 3);
    assert_eq!((first.train.rows(), first.test.rows()), (50, 6));
    assert_eq!(first, table.split(0.into(), 3));
    assert_ne!(first, table.split(1.into(), 3));
    assert_ne!(first, table.split(0.into(), 4));
    // The first feature counts the rows.
    let mut all: Vec<f32> =
        [&first.train, &first.test].iter().flat_map(|it| it.inputs().values().to_vec()).step_by(2).collect();
    all.sort_by(f32::total_cmp);
    assert_eq!(all, (0..56).map(|i| i as f32 * 0.25).collect::<Vec<_>>());
}
