//! Audits an agent: asks again for some of the answers that it is scored on, together with other rows and draws.
//!
//! A draw names a function only if its value at an input depends on nothing else. An agent that looks at the rest of
//! the call could fit its answers to one another, so it is not scored.

use jointly_core::functions::Functions;
use jointly_core::matrix::Matrix;
use jointly_core::pick;
use jointly_core::regression::answer::{Bounds, Gaussian, Intervals};
use jointly_core::regression::regressor::Belief;
use jointly_core::stream::stream;

use super::draws::Draws;
use super::options::PredictionOptions;
use crate::fit::FitError;

/// Number of draws that are asked for again; fixed, so that the fuel for an audit depends on the sizes alone.
const DRAWS: usize = 4;
/// Number of rows that are asked for again.
const ROWS: usize = 4;
/// Tolerance for a row's moments and interval ends, relative to the larger of the row's own size and the median row's,
/// because linear algebra on other rows rounds differently. The median is used so that one enormous row does not excuse
/// the others.
const ROUNDING: f64 = 1e-4;

/// The draws, by their places among all, and the rows to ask for again; both may repeat.
pub(super) struct Audit {
    draws: Vec<usize>,
    rows: Vec<usize>,
}

impl Audit {
    /// Chooses among all draws, not only canonical ones, and among all rows.
    pub(super) fn of(functions: &Functions, inputs: &Matrix, options: &PredictionOptions) -> Self {
        let mut source = stream(options.seed, "regression-audit", &options.problem, inputs.rows() as u64);
        let mut below = |n: usize| (source.uniform() * n as f64) as usize;
        let draws = (0..DRAWS).map(|_| below(functions.places.len())).collect();
        let rows = if inputs.rows() == 0 { Vec::new() } else { (0..ROWS).map(|_| below(inputs.rows())).collect() };
        Self { draws, rows }
    }

    /// Asks for all of them in one call, then for the first draw at the first row alone.
    pub(super) fn run<B: Belief>(
        &self,
        belief: &mut B,
        inputs: &Matrix,
        functions: &Functions,
        draws: &Draws,
    ) -> Result<(), FitError<B::Error>> {
        let tolerance = belief.tolerance();
        for (rows, places, how) in [
            (&self.rows[..], &self.draws[..], "again"),
            (&self.rows[..self.rows.len().min(1)], &self.draws[..1], "alone"),
        ] {
            let numbers: Vec<u64> = places.iter().map(|&place| functions.numbers[place]).collect();
            let samples = belief.sample_functions(&inputs.select(rows), &numbers).map_err(FitError::Agent)?;
            assert_eq!(samples.means().len(), rows.len() * numbers.len(), "a value of every draw at every row");
            for (m, (&draw, &place)) in numbers.iter().zip(places).enumerate() {
                for (t, &row) in rows.iter().enumerate() {
                    let at = m * rows.len() + t;
                    let found = (samples.means()[at], samples.noise_stds()[at]);
                    let expected = draws.answer(functions.places[place], row);
                    let near = close(found.0, expected.0, tolerance) && close(found.1, expected.1, tolerance);
                    if !near {
                        return Err(FitError::Inconsistent(format!(
                            "draw {draw} at row {row} gives a mean of {} and noise of {} among others, and {} and {} when \
                             asked {how}",
                            expected.0, expected.1, found.0, found.1
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Asks for the moments of a few rows again, without the other rows: an agent that is more certain the more rows it
/// sees could fit its covariance to the call.
pub(super) fn moments<B: Belief>(
    belief: &mut B,
    inputs: &Matrix,
    all: &Gaussian,
    options: &PredictionOptions,
) -> Result<(), FitError<B::Error>> {
    let rows = inputs.rows();
    let mut source = stream(options.seed, "regression-audit-moments", &options.problem, rows as u64);
    let few = pick::prefix(rows, ROWS.min(rows), &mut source);
    let again = belief.gaussian(&inputs.select(&few)).map_err(FitError::Agent)?;
    let differs = |what: String, among: f64, alone: f64| {
        let few = few.len();
        FitError::Inconsistent(format!("{what} is {among:?} among {rows} rows and {alone:?} among {few} of them"))
    };
    let Some(again) = again else {
        let few = few.len();
        return Err(FitError::Inconsistent(format!("there are moments of {rows} rows and none of {few} of them")));
    };
    let variance = |row: usize| all.variance(row) + all.noise_variance()[row];
    let spread = Sizes::of((0..rows).map(variance).collect());
    let reach = Sizes::of((0..rows).map(|row| all.mean()[row].abs() + variance(row).sqrt()).collect());
    for (i, &row) in few.iter().enumerate() {
        let (among, alone) = (all.mean()[row], again.mean()[i]);
        if (among - alone).abs() > ROUNDING * reach.at(row) {
            return Err(differs(format!("the mean of row {row}"), among, alone));
        }
        let (among, alone) = (all.noise_variance()[row], again.noise_variance()[i]);
        if (among - alone).abs() > ROUNDING * spread.at(row) {
            return Err(differs(format!("the noise's variance at row {row}"), among, alone));
        }
        for (j, &col) in few.iter().enumerate().take(i + 1) {
            let (among, alone) = (all.covariance()[row * rows + col], again.covariance()[i * few.len() + j]);
            if (among - alone).abs() > ROUNDING * spread.at(row).sqrt() * spread.at(col).sqrt() {
                let what = if i == j {
                    format!("the variance of row {row}")
                } else {
                    format!("the covariance of rows {row} and {col}")
                };
                return Err(differs(what, among, alone));
            }
        }
    }
    Ok(())
}

/// The size of each row's numbers, and the median size.
struct Sizes {
    rows: Vec<f64>,
    median: f64,
}

impl Sizes {
    fn of(rows: Vec<f64>) -> Self {
        let mut sorted: Vec<f64> = rows.iter().copied().filter(|size| size.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        Self { rows, median }
    }

    fn at(&self, row: usize) -> f64 {
        self.rows[row].max(self.median)
    }
}

/// Intervals, and the largest distance of each row's finite ends from 0.
struct Reaching<'a> {
    bounds: &'a Bounds,
    reach: Sizes,
}

impl<'a> Reaching<'a> {
    fn of(bounds: &'a Bounds) -> Self {
        let finite = |end: f64| if end.is_finite() { end.abs() } else { 0.0 };
        let ends = bounds.lower().iter().zip(bounds.upper());
        let reach = Sizes::of(ends.map(|(&lower, &upper)| finite(lower).max(finite(upper))).collect());
        Self { bounds, reach }
    }
}

/// Asks for the intervals of a few rows again, in another order and without the other rows, then for those of the first
/// of these rows alone: a method that knows its test rows could widen its intervals where it sees few of them.
pub(super) fn intervals<B: Belief>(
    belief: &mut B,
    inputs: &Matrix,
    all: &Intervals,
    level: f64,
    options: &PredictionOptions,
) -> Result<(), FitError<B::Error>> {
    let rows = inputs.rows();
    let mut source = stream(options.seed, "regression-audit-intervals", &options.problem, rows as u64);
    let few = pick::prefix(rows, ROWS.min(rows), &mut source);
    let (confidence, prediction) = (all.confidence.as_ref().map(Reaching::of), Reaching::of(&all.prediction));
    for few in [&few[..], &few[..few.len().min(1)]] {
        let again = belief.intervals(&inputs.select(few), level).map_err(FitError::Agent)?;
        let differs = |what: String, among: &str, alone: &str| {
            let few = few.len();
            FitError::Inconsistent(format!(
                "{what} of level {level} is {among} among {rows} rows and {alone} among {few} of them"
            ))
        };
        let Some(again) = again else { return Err(differs("an interval".into(), "there", "missing")) };
        let kinds = [
            ("confidence", confidence.as_ref(), again.confidence.as_ref()),
            ("prediction", Some(&prediction), Some(&again.prediction)),
        ];
        for (kind, all, again) in kinds {
            let (Some(Reaching { bounds: all, reach }), Some(again)) = (all, again) else {
                if all.is_some() == again.is_some() {
                    continue;
                }
                let said = |there: bool| if there { "there" } else { "missing" };
                return Err(differs(format!("the {kind} interval"), said(all.is_some()), said(again.is_some())));
            };
            for (i, &row) in few.iter().enumerate() {
                for (end, all, again) in [("lower", all.lower(), again.lower()), ("upper", all.upper(), again.upper())]
                {
                    let (among, alone) = (all[row], again[i]);
                    let same = among == alone || (among - alone).abs() <= ROUNDING * reach.at(row);
                    if !same {
                        let what = format!("the {end} end of row {row}'s {kind} interval");
                        return Err(differs(what, &format!("{among:?}"), &format!("{alone:?}")));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns whether two values have the same bits, or differ by at most the tolerance, relative to a value above 1.
fn close(a: f32, b: f32, tolerance: f32) -> bool {
    // Without a tolerance, 0 and -0 differ.
    let near = tolerance > 0.0 && (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0);
    a.to_bits() == b.to_bits() || near
}
