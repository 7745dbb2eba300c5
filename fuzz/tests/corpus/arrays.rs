//! Kept .npz files: a problem, a table and predictions, and invalid variants of them.

use crate::archive::{Entry, stored};
use crate::tries::Made;

/// An array: its name, NumPy's type and shape, and its values.
type Array<'a> = (&'a str, &'a str, &'a str, Vec<u8>);

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn integers(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Writes an .npy file of format version `version` whose header claims to be `claimed` bytes long.
fn npy(version: u8, header: &str, claimed: usize, values: &[u8]) -> Vec<u8> {
    let length = (claimed as u32).to_le_bytes();
    let length = if version == 1 { &length[..2] } else { &length };
    [b"\x93NUMPY", [version, 0].as_slice(), length, header.as_bytes(), values].concat()
}

fn header(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

fn plain((_, descr, shape, values): &Array) -> Vec<u8> {
    let header = header(&format!("'{descr}'"), "False", shape);
    npy(1, &header, header.len(), values)
}

fn archive(arrays: &[Array]) -> Vec<u8> {
    let names: Vec<String> = arrays.iter().map(|(name, ..)| format!("{name}.npy")).collect();
    let entries = arrays.iter().zip(&names).map(|(array, name)| {
        let bytes = plain(array);
        Entry { name, claimed: bytes.len() as u32, bytes }
    });
    stored(&entries.collect::<Vec<_>>())
}

fn problem() -> Vec<Array<'static>> {
    vec![
        ("x_train", "<f4", "(3, 2)", floats(&[0.0, 0.1, 1.0, 1.1, 2.0, 2.1])),
        ("y_train", "<i8", "(3,)", integers(&[0, 1, 0])),
        ("x_test", "<f4", "(2, 2, 2)", floats(&[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5])),
        ("y_test", "<i8", "(2, 2)", integers(&[0, 1, 1, 2])),
    ]
}

fn predictions() -> Vec<Array<'static>> {
    let probs = floats(&[0.5, 0.5, 0.25, 0.75, 1.0, 0.0, 0.5, 0.5, 0.125, 0.875, 0.0, 1.0]);
    let known = [-0.5_f64, -1.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    vec![
        ("probs", "<f4", "(3, 2, 1, 2)", probs),
        ("labels", "<i8", "(2, 1)", integers(&[0, 1])),
        ("log_likelihood", "<f8", "(2,)", known),
    ]
}

fn table() -> Vec<Array<'static>> {
    let rows: Vec<f32> = (0..30_u8).map(f32::from).collect();
    vec![("x", "<f4", "(30, 1)", floats(&rows)), ("y", "<f4", "(30,)", floats(&rows))]
}

/// Writes a problem with one array added, or replaced if the problem has an array of that name.
fn with(array: Array<'static>) -> Vec<u8> {
    let mut arrays = problem();
    arrays.retain(|(name, ..)| *name != array.0);
    arrays.push(array);
    archive(&arrays)
}

/// Writes a problem whose first array is the file `bytes`, which the archive claims to be `claimed` bytes long.
fn first(bytes: Vec<u8>, claimed: Option<u32>) -> Vec<u8> {
    let rest = problem();
    let rest: Vec<(String, Vec<u8>)> =
        rest.iter().skip(1).map(|array| (format!("{}.npy", array.0), plain(array))).collect();
    let claimed = claimed.unwrap_or(bytes.len() as u32);
    let mut entries = vec![Entry { name: "x_train.npy", bytes, claimed }];
    entries.extend(rest.iter().map(|(name, bytes)| Entry { name, bytes: bytes.clone(), claimed: bytes.len() as u32 }));
    stored(&entries)
}

/// Writes a problem whose first array has a header of this type, order and shape.
fn headed(descr: &str, order: &str, shape: &str) -> Vec<u8> {
    let header = header(descr, order, shape);
    first(npy(1, &header, header.len(), &problem()[0].3), None)
}

/// Returns all cases, except compressed ones: their archives contain the time at which they were made.
pub(crate) fn made() -> Vec<Made> {
    let own = header("'<f4'", "False", "(3, 2)");
    let values = problem()[0].3.clone();
    let whole = archive(&problem());
    let nested = |open: &str, close: &str, depth: usize| {
        headed(&format!("{}'<f4'{}", open.repeat(depth), close.repeat(depth)), "False", "(3, 2)")
    };
    let cases = [
        ("problem", whole.clone()),
        ("problem-full", {
            let mut arrays = problem();
            arrays.push(("unlabelled_inputs", "<f4", "(1, 2)", floats(&[7.0, 8.0])));
            arrays.push(("temperature", "<f4", "()", floats(&[0.5])));
            arrays.push(("num_classes", "<i8", "()", integers(&[7])));
            arrays.push(("hidden_layers", "<i8", "()", integers(&[2])));
            archive(&arrays)
        }),
        ("table", archive(&table())),
        ("predictions", archive(&predictions())),
        ("nothing", Vec::new()),
        ("text", b"x_train, y_train\n".to_vec()),
        ("cut", whole[..whole.len() / 2].to_vec()),
        ("without-listing", whole[..whole.len() - 30].to_vec()),
        ("array-unknown", with(("y_tset\u{1b}[2J", "<i8", "(2, 2)", integers(&[0; 4])))),
        ("brackets-of-lists", nested("[", "]", 60)),
        ("brackets-of-sets", nested("{", "}", 60)),
        ("brackets-of-tuples", headed(&"(".repeat(9_000), "False", "(3, 2)")),
        ("columns-none", with(("x_train", "<f4", "(3, 0)", Vec::new()))),
        ("columns-without-rows", with(("x_train", "<f4", "(0, 1152921504606846976)", Vec::new()))),
        ("entry-claims-gibibytes", first(plain(&("", "<f4", "(536870912, 2)", values.clone())), Some(u32::MAX))),
        ("fortran", headed("'<f4'", "True", "(3, 2)")),
        ("header-claims-gibibytes", first(npy(2, &own, u32::MAX as usize, &values), None)),
        ("header-claims-less", first(npy(1, &own, 1, &values), None)),
        ("header-claims-more", first(npy(1, &own, 9_000, &values), None)),
        ("header-of-version-9", first(npy(9, &own, own.len(), &values), None)),
        ("header-twice", headed("'<f4', 'descr': '<f8'", "False", "(3, 2)")),
        ("labels-wild", with(("y_test", "<i8", "(2, 2)", integers(&[i64::MIN, i64::MAX, -1, 1 << 32])))),
        ("not-finite", with(("x_train", "<f4", "(3, 2)", floats(&[f32::NAN; 6])))),
        ("objects", headed("'|O'", "False", "(3, 2)")),
        ("rows-2-60", headed("'<f4'", "False", "(1152921504606846976, 2)")),
        ("rows-2-60-twice", headed("'<f4'", "False", "(1152921504606846976, 1152921504606846976)")),
        ("rows-beyond-numbers", headed("'<f4'", "False", "(99999999999999999999999999, 2)")),
        ("rows-negative", headed("'<f4'", "False", "(-3, 2)")),
        ("rows-none", with(("x_train", "<f4", "(0, 2)", Vec::new()))),
        ("structure", headed("[('a', '<f4'), ('b', '<f4', (2, 3))]", "False", "(3, 2)")),
        ("type-big-endian", headed("'>f4'", "False", "(3, 2)")),
        ("type-text-huge", headed("'<U4611686018427387904'", "False", "(3, 2)")),
        ("draws-none", {
            let mut arrays = predictions();
            arrays[0] = ("probs", "<f4", "(0, 2, 1, 2)", Vec::new());
            archive(&arrays)
        }),
        ("probabilities-wild", {
            let mut arrays = predictions();
            arrays[0].3 = floats(&[-1.0, 2.0, f32::NAN, f32::INFINITY, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
            archive(&arrays)
        }),
        ("samples-long", {
            let mut arrays = predictions();
            arrays[0] = ("probs", "<f4", "(1, 1, 12, 2)", floats(&[0.5; 24]));
            arrays[1] = ("labels", "<i8", "(1, 12)", integers(&[1; 12]));
            arrays.truncate(2);
            archive(&arrays)
        }),
        ("targets-constant", {
            let mut arrays = table();
            arrays[1].3 = floats(&[1.0; 30]);
            archive(&arrays)
        }),
    ];
    cases.into_iter().map(|(name, bytes)| ("npz", name.to_owned(), bytes)).collect()
}
