//! Tables in NumPy's .npz: `x` (n, d) and `y` (n,), float32 or float64.

use std::io::{Cursor, Read};

use jointly_core::matrix::Matrix;
use jointly_core::regression::dataset::Targets;

use super::TableDefect;
use super::check::{most_rows, width};
use crate::import::{Archive, Array, Element, ImportDefect, MAX_IMPORT_BYTES, place};

pub(super) fn parse(bytes: &[u8]) -> Result<Targets, TableDefect> {
    let mut archive = Archive::open(Cursor::new(bytes))?;
    archive.limit(&["x", "y"], MAX_IMPORT_BYTES)?;
    archive.holds_only(&["x", "y"])?;
    let array = archive.get("x")?;
    let [rows, features] = array.dimensions("(n, d)")?;
    if features == 0 {
        return Err(array.misshapen("(n, d) with d at least 1").into());
    }
    width(usize::try_from(features).unwrap_or(usize::MAX).saturating_add(1))?;
    most_rows(usize::try_from(rows).unwrap_or(usize::MAX))?;
    let inputs = numbers("x", array)?;
    let array = archive.get("y")?;
    if array.shape() != [rows] {
        return Err(array.misshapen(format!("(n,) = ({rows},), as x has")).into());
    }
    let inputs = Matrix::from_rows(features as usize, inputs);
    Ok(Targets::new(inputs, numbers("y", array)?).expect("a finite target for each row of finite features"))
}

fn numbers(key: &str, array: Array<impl Read>) -> Result<Vec<f32>, ImportDefect> {
    let shape = array.shape().to_vec();
    let values: Vec<f64> = if array.holds(f32::KIND) {
        array.read::<f32>()?.into_iter().map(f64::from).collect()
    } else if array.holds(f64::KIND) {
        array.read::<f64>()?
    } else {
        return Err(array.mistyped("float32 or float64", "float32"));
    };
    match values.iter().position(|&value| !(value as f32).is_finite()) {
        None => Ok(values.into_iter().map(|value| value as f32).collect()),
        Some(i) if values[i].is_finite() => Err(ImportDefect::Range {
            key: format!("{key}{:?}", place(&shape, i)),
            found: format!("{:e}", values[i]),
            expected: "a number within float32".to_owned(),
            remedy: "save it in a larger unit",
        }),
        Some(i) => Err(ImportDefect::NotFinite { key: key.to_owned(), index: place(&shape, i), value: values[i] }),
    }
}
