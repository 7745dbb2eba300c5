//! Suites of dataset shift: which problems, by what they are shifted, and how agents are evaluated. A suite is data.

use super::drawn::DrawnDigits;
use super::level::ShiftLevel;
use super::list::Shift;
use super::options::ShiftOptions;
use super::problem::{ShiftProblem, ShiftSource};

/// Functions sampled from an agent on digits (appendix A.1 of the paper).
const DRAWS: u32 = 300;
/// Repetitions of each problem.
const REPETITIONS: u32 = 5;

/// A named list of problems and the way they are run.
#[derive(Clone, Debug)]
pub struct ShiftSuite {
    /// The name that the command takes.
    pub name: String,
    /// One line for a person.
    pub summary: String,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<ShiftProblem>,
    /// How each problem is run.
    pub options: ShiftOptions,
}

/// All suites of dataset shift that come with the runtime.
pub fn shift_suites() -> Vec<ShiftSuite> {
    vec![synthetic(), quick()]
}

/// The suite of that name, if there is one.
pub fn shift_suite(name: &str) -> Option<ShiftSuite> {
    shift_suites().into_iter().find(|suite| suite.name == name)
}

fn synthetic() -> ShiftSuite {
    let name = "shift/synthetic";
    ShiftSuite {
        name: name.to_owned(),
        summary: "digits that the host draws, rotated, translated and corrupted; letters and scribbles are out of distribution"
            .to_owned(),
        problems: drawn(name, DrawnDigits::new(4000, 500, 1000), REPETITIONS),
        options: ShiftOptions { draws: DRAWS, taus: vec![1, 10, 100], levels: digit_levels() },
    }
}

fn quick() -> ShiftSuite {
    let name = "quick/shift";
    let level = |text: &str| text.parse::<ShiftLevel>().expect("a level of the quick suite is one");
    let levels = [
        "rotation/30",
        "rotation/60",
        "rotation/90",
        "translation/2",
        "translation/4",
        "gaussian-noise/3",
        "gaussian-blur/1",
        "contrast/3",
    ];
    ShiftSuite {
        name: name.to_owned(),
        summary: "a glance at shift in minutes: digits of 14 pixels that the host draws, eight shifts, 2 repetitions"
            .to_owned(),
        problems: drawn(name, DrawnDigits::new(500, 100, 300).with_side(14), 2),
        options: ShiftOptions { draws: 50, taus: vec![1, 10], levels: levels.map(level).to_vec() },
    }
}

/// Repetitions of problems on drawn digits.
fn drawn(name: &str, digits: DrawnDigits, repetitions: u32) -> Vec<ShiftProblem> {
    let problem = |repetition| ShiftProblem {
        name: format!("{name}/seed{repetition}"),
        source: ShiftSource::Drawn(digits),
        repetition,
    };
    (0..repetitions).map(problem).collect()
}

/// Rotations by 15 to 180 degrees, translations by 2 to 14 pixels (appendix B of the paper), and all corruptions of grey
/// images at each severity.
fn digit_levels() -> Vec<ShiftLevel> {
    let at = |shift: Shift| shift.severities().iter().map(move |&s| shift.at(s).expect("a usual severity is one"));
    let digits = |shift: &Shift| shift.input() == super::Input::Image && shift.changes_grey();
    Shift::ALL.into_iter().filter(digits).flat_map(at).filter(|level| level.severity() != 0.0).collect()
}
