//! Suites of dataset shift: lists of problems and their evaluation options. A suite is data.

use jointly_core::coordinates::{Coordinates, Repetition};
use jointly_data::shift::shift_card;

use super::classes::ClassShift;
use super::dataset::ShiftDataset;
use super::drawn::DrawnDigits;
use super::level::ShiftLevel;
use super::options::ShiftOptions;
use super::problem::{ShiftProblem, ShiftSource};
use crate::shift::input::Input;
use crate::shift::level::Shift;

/// Number of repetitions, over which standard errors are computed.
const REPETITIONS: u32 = 5;
/// Numbers of functions sampled on MNIST and on the other datasets of Ovadia et al. (2019), appendix A. For texts the
/// paper samples 5, too few to estimate joint predictions.
const MNIST_DRAWS: u32 = 300;
const DRAWS: u32 = 128;
/// Orders of predictive distributions.
const TAUS: [u32; 3] = [1, 10, 100];
/// The share of classes that are filtered, and the probabilities of leaving out their examples; the Testbed specifies
/// neither.
const FILTERED_SHARE: f64 = 0.34;
const REJECT: [f64; 2] = [0.5, 0.9];
/// The side of the digits of the reduced suite, in pixels.
const QUICK_SIDE: usize = 14;

/// A named list of problems and their evaluation options.
#[derive(Clone, Debug)]
pub struct ShiftSuite {
    /// The name on the command line.
    pub name: String,
    /// A one-line summary for users.
    pub summary: String,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<ShiftProblem>,
    /// The evaluation options of each problem.
    pub options: ShiftOptions,
    /// Whether its datasets are alternatives, of which the first available one is used.
    pub alternatives: bool,
}

impl ShiftSuite {
    /// Returns text for users about the seconds per problem on one core, measured like [those of
    /// classification](crate::Suite::cost); it says so where nothing was measured.
    pub fn cost(&self) -> &'static str {
        match self.name.as_str() {
            "quick/shift" => {
                "on one core, seconds a problem: mlp, temperature-scaling, ll-svi and ll-dropout 0.4, dropout 0.9, bbb 1.7, \
                 ensemble 2.8"
            }
            "shift/mnist" => {
                "on one core, seconds a problem of t10k, rotated and moved alone: mlp 8, ll-svi and ll-dropout 13, dropout 57, \
                 ensemble 63; all levels take five times as many predictions, and a LeNet learns for 7 minutes"
            }
            "shift/synthetic" => "on one core, seconds a problem: mlp 11; the others in proportion as on shift/mnist",
            _ => {
                "on one core, seconds a problem: not measured; about those of shift/mnist by the number of examples, test inputs, \
                 levels and draws, so try one problem first"
            }
        }
    }
}

/// Returns all built-in suites of dataset shift.
pub fn shift_suites() -> Vec<ShiftSuite> {
    vec![
        suite(
            "quick/shift",
            "a glance at dataset shift in minutes: 400 digits of 14 pixels drawn by the host, rotated, moved and corrupted; 2 \
             repetitions",
            drawn("quick/shift", DrawnDigits::new(400, 100, 200).with_side(QUICK_SIDE), 2),
            50,
            quick_levels(),
        ),
        suite(
            "shift/synthetic",
            "digits drawn by the host, rotated, moved and corrupted with the constants of ImageNet-C, letters and scribbles as \
             OOD inputs: 4,000 to train and 1,000 to test on; 5 repetitions",
            drawn("shift/synthetic", DrawnDigits::new(4000, 500, 1000), REPETITIONS),
            100,
            grey_levels(),
        ),
        ShiftSuite {
            alternatives: true,
            ..suite(
                "shift/mnist",
                "MNIST rotated, moved and corrupted with the constants of ImageNet-C, notMNIST as OOD inputs: of 60,000 training \
             images (full) or of the 10,000 test images alone (t10k: 8,000 to train and 1,500 to test on); 5 repetitions",
                [known("shift/mnist", "full", "mnist"), known("shift/mnist", "t10k", "mnist-t10k")].concat(),
                MNIST_DRAWS,
                grey_levels(),
            )
        },
        suite(
            "shift/fashion-mnist",
            "Fashion-MNIST rotated, moved and corrupted with the constants of ImageNet-C, MNIST and notMNIST as OOD inputs: of \
             60,000 training images; 5 repetitions",
            known("shift/fashion-mnist", "", "fashion-mnist"),
            MNIST_DRAWS,
            grey_levels(),
        ),
        suite(
            "shift/cifar10",
            "CIFAR-10 under the paper's 16 corruptions with the constants of CIFAR-10-C, SVHN as OOD inputs; 5 repetitions",
            known("shift/cifar10", "", "cifar10"),
            DRAWS,
            paper_corruptions(),
        ),
        suite(
            USER_IMAGES,
            "a folder of your own images, corrupted: ImageNet-C's row on any images of any size; 5 repetitions",
            repeated(USER_IMAGES, "", &ShiftSource::Data(ShiftDataset::own("images")), REPETITIONS),
            DRAWS,
            usual(&Shift::corruptions().collect::<Vec<_>>()),
        ),
        suite(
            "shift/text",
            "20 newsgroups, those of odd number and the One Billion Word Benchmark as OOD inputs, words replaced at random; 5 \
             repetitions",
            known("shift/text", "", "20newsgroups"),
            DRAWS,
            usual(&[Shift::Reassign]),
        ),
        suite(
            "shift/clicks",
            "Criteo's first 200,000 clicks, categories replaced at random; 5 repetitions",
            known("shift/clicks", "", "criteo"),
            DRAWS,
            (1..20).map(|step| at(Shift::Reassign, f64::from(step * 5) / 100.0)).collect(),
        ),
        suite(
            "shift/tabular",
            "three tables under noise, stretched and moved columns; with a class held out as OOD inputs, and with classes \
             filtered from training; 5 repetitions each",
            tabular("shift/tabular"),
            MNIST_DRAWS,
            usual(&[Shift::GaussianFeatures, Shift::FeatureScale, Shift::FeatureOffset]),
        ),
    ]
}

/// The name of the suite of user-supplied images, which come from a folder: no data directory has them.
pub const USER_IMAGES: &str = "shift/images";

/// Returns the suite with this name, if it exists.
pub fn shift_suite(name: &str) -> Option<ShiftSuite> {
    shift_suites().into_iter().find(|suite| suite.name == name)
}

fn suite(name: &str, summary: &str, problems: Vec<ShiftProblem>, draws: u32, levels: Vec<ShiftLevel>) -> ShiftSuite {
    let options = ShiftOptions { draws, taus: TAUS.to_vec(), levels };
    ShiftSuite { name: name.to_owned(), summary: summary.to_owned(), problems, options, alternatives: false }
}

/// Returns the repetitions of a suite's group; a suite with a single group has an empty group name.
fn repeated(suite: &str, group: &str, source: &ShiftSource, repetitions: u32) -> Vec<ShiftProblem> {
    let series = if group.is_empty() { suite.to_owned() } else { format!("{suite}/{group}") };
    // Problems on one dataset are splits and variants of the same rows; digits are drawn anew each time.
    let cluster = match source {
        ShiftSource::Drawn(_) => "",
        ShiftSource::Data(dataset) => dataset.name(),
    };
    // Only the data tell how many classes a user's images have.
    let classes = match source {
        ShiftSource::Drawn(drawn) => Some(drawn.task()),
        ShiftSource::Data(dataset) => dataset.card().map(|_| dataset.task()),
    };
    let classes = classes.map(|task| task.num_classes);
    let problem = |repetition| ShiftProblem {
        name: format!("{series}/seed{repetition}"),
        source: source.clone(),
        repetition,
        coordinates: Coordinates {
            series: series.clone(),
            group: group.to_owned(),
            cluster: cluster.to_owned(),
            classes,
            repetition: Some(Repetition::Seed(repetition)),
            ..Coordinates::default()
        },
    };
    (0..repetitions).map(problem).collect()
}

fn drawn(suite: &str, digits: DrawnDigits, repetitions: u32) -> Vec<ShiftProblem> {
    repeated(suite, "", &ShiftSource::Drawn(digits), repetitions)
}

fn known(suite: &str, group: &str, dataset: &str) -> Vec<ShiftProblem> {
    repeated(suite, group, &ShiftSource::Data(self::dataset(dataset)), REPETITIONS)
}

fn dataset(name: &str) -> ShiftDataset {
    ShiftDataset::known(shift_card(name).expect("a dataset that suites know"))
}

/// Returns each table unmodified, with a class held out if it has more than two, and with filtered classes.
fn tabular(suite: &str) -> Vec<ShiftProblem> {
    let mut problems = Vec::new();
    for table in ["iris", "wine-quality", "german-credit"] {
        let mut add = |group: &str, classes| {
            let source = ShiftSource::Data(dataset(table).with_classes(classes));
            problems.extend(repeated(suite, group, &source, REPETITIONS));
        };
        add(table, ClassShift::None);
        if dataset(table).task().num_classes > 2 {
            add(&format!("{table}/held-out"), ClassShift::HeldOut);
        }
        for reject in REJECT {
            let classes = ClassShift::Filtered { share: FILTERED_SHARE, reject };
            add(&format!("{table}/filtered{reject}"), classes);
        }
    }
    problems
}

fn at(shift: Shift, severity: f64) -> ShiftLevel {
    shift.at(severity).expect("a severity that the shift has")
}

/// Returns shifts at their usual severities.
fn usual(shifts: &[Shift]) -> Vec<ShiftLevel> {
    shifts.iter().flat_map(|&shift| shift.severities().iter().map(move |&severity| at(shift, severity))).collect()
}

/// Returns all levels that change grey images.
fn grey_levels() -> Vec<ShiftLevel> {
    let shifts: Vec<Shift> = Shift::ALL.into_iter().filter(|shift| shift.changes_grey()).collect();
    debug_assert!(shifts.iter().all(|shift| shift.input() == Input::Image));
    usual(&shifts)
}

/// Returns the 16 corruptions of Ovadia et al. (2019), by their published code: all except snow, motion blur and jpeg.
fn paper_corruptions() -> Vec<ShiftLevel> {
    let left_out = [Shift::Snow, Shift::MotionBlur, Shift::Jpeg];
    usual(&Shift::corruptions().filter(|shift| !left_out.contains(shift)).collect::<Vec<_>>())
}

fn quick_levels() -> Vec<ShiftLevel> {
    let some = |shift, severities: &[f64]| severities.iter().map(|&severity| at(shift, severity)).collect::<Vec<_>>();
    [
        some(Shift::Rotation, &[30.0, 60.0, 90.0]),
        some(Shift::Translation, &[2.0, 4.0]),
        some(Shift::GaussianNoise, &[1.0, 3.0, 5.0]),
        some(Shift::ImpulseNoise, &[3.0]),
        some(Shift::Contrast, &[3.0]),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn suites_pass_their_own_checks() {
        for suite in shift_suites() {
            assert_eq!(suite.options.check(), Ok(()), "{}", suite.name);
            let names: HashSet<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
            assert_eq!(names.len(), suite.problems.len());
            for problem in &suite.problems {
                assert!(problem.name.starts_with(&format!("{}/", suite.name)), "{}", problem.name);
                // Every problem takes its suite's shifts, except that the kind of user-supplied images is not known
                // yet.
                let own = suite.name == USER_IMAGES;
                assert!(
                    own || suite.options.levels.iter().all(|level| problem.takes(level.shift())),
                    "{}",
                    problem.name
                );
            }
        }
        assert!(shift_suite("nonesuch").is_none());
    }

    #[test]
    fn they_hold_what_they_say() {
        let count = |name: &str| {
            let suite = shift_suite(name).unwrap();
            (suite.problems.len(), suite.options.levels.len(), suite.options.draws)
        };
        assert_eq!(count("shift/mnist"), (10, 12 + 7 + 90, 300));
        assert_eq!(count("shift/fashion-mnist"), (5, 109, 300));
        assert_eq!(count("shift/cifar10"), (5, 80, 128));
        assert_eq!(count("shift/text"), (5, 6, 128));
        assert_eq!(count("shift/clicks"), (5, 19, 128));
        // Three tables unmodified and twice filtered, two of them with a class held out.
        assert_eq!(count("shift/tabular"), (5 * (3 + 3 * 2 + 2), 15, 300));
        assert_eq!(count("shift/synthetic"), (5, 12 + 7 + 90, 100));
        assert_eq!(count("quick/shift"), (2, 10, 50));
        let problem = |suite: &str, name: &str| {
            shift_suite(suite).unwrap().problems.into_iter().find(|problem| problem.name == name).unwrap()
        };
        assert_eq!(problem("shift/mnist", "shift/mnist/t10k/seed4").repetition, 4);
        assert_eq!(problem("shift/mnist", "shift/mnist/full/seed0").dataset().unwrap().name(), "mnist");
        assert_eq!(problem("shift/tabular", "shift/tabular/iris/held-out/seed0").task().num_classes, 2);
        assert_eq!(problem("quick/shift", "quick/shift/seed1").task().input_dim, 14 * 14);
        assert_eq!(problem("quick/shift", "quick/shift/seed1").coordinates.cluster, "");
        let held_out = problem("shift/tabular", "shift/tabular/iris/held-out/seed0").coordinates;
        assert_eq!((held_out.cluster.as_str(), held_out.group.as_str()), ("iris", "iris/held-out"));
        assert_eq!(held_out.series, "shift/tabular/iris/held-out");
        let clicks = shift_suite("shift/clicks").unwrap().options.levels;
        assert_eq!([clicks[0].to_string(), clicks[18].to_string()], ["reassign/0.05", "reassign/0.95"]);
    }
}
