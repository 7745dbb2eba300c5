use jointly_core::Coordinates;
use jointly_core::dataset::Dataset;
use jointly_core::metric::{accuracy, nll};

use super::*;
use crate::shift::{DrawnDigits, ShiftSource};

/// An agent of `count` functions with random probabilities that depend on the input's numbers.
struct Members {
    count: u64,
    /// Whether canonical draws reveal which draws share a function.
    canonical: bool,
    classes: usize,
    largest_call: usize,
}

impl Members {
    fn new(count: u64, canonical: bool) -> Self {
        Self { count, canonical, classes: 10, largest_call: 0 }
    }

    fn row(&self, numbers: &[f32], draw: u64) -> Vec<f32> {
        let key: f64 = numbers.iter().enumerate().map(|(i, &x)| f64::from(x) * (1.0 + i as f64)).sum();
        let mut source = stream(draw % self.count, "test", &format!("{:x}", key.to_bits()), 0);
        let weights: Vec<f64> = (0..self.classes).map(|_| libm::exp(2.0 * source.normal())).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| (weight / sum) as f32).collect()
    }
}

impl Model for Members {
    type Error = std::convert::Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
        Ok(draws.iter().map(|draw| if self.canonical { draw % self.count } else { *draw }).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error> {
        let mut probs = Vec::new();
        for &draw in draws {
            for row in 0..inputs.rows() {
                probs.extend(self.row(inputs.numbers().row(row), draw));
            }
        }
        self.largest_call = self.largest_call.max(probs.len());
        Ok(probs)
    }
}

fn problem() -> ShiftProblem {
    let digits = DrawnDigits::new(20, 10, 57).with_side(12);
    ShiftProblem {
        name: "test/shift".into(),
        source: ShiftSource::Drawn(digits),
        repetition: 0,
        coordinates: Coordinates::default(),
    }
}

fn options() -> ShiftOptions {
    let levels = ["rotation/60", "gaussian-noise/3"].map(|level| level.parse().unwrap()).to_vec();
    ShiftOptions { draws: 12, taus: vec![1, 5, 20], levels }
}

fn scores(model: &mut Members, call_probs: usize) -> ShiftScores {
    let problem = problem();
    let mut reached = 0.0;
    let mut progress = |fraction: f64| {
        assert!(fraction >= reached && fraction <= 1.0, "{fraction} after {reached}");
        reached = fraction;
    };
    let scores =
        evaluate_within(call_probs, model, &problem, &problem.instance(3.into()), &options(), 3.into(), &mut progress)
            .unwrap();
    assert_eq!(reached, 1.0);
    scores
}

#[test]
fn every_condition_is_scored_in_its_turn() {
    let scores = scores(&mut Members::new(4, true), CALL_PROBS);
    let names: Vec<String> = scores.conditions.iter().map(|scores| scores.condition.to_string()).collect();
    assert_eq!(names, ["none", "rotation/60", "gaussian-noise/3", "outside/letters-and-scribbles"]);
    let text = serde_json::to_string(&scores).unwrap();
    assert_eq!(serde_json::from_str::<ShiftScores>(&text).unwrap(), scores);
    let outside = scores.outside().next().unwrap().1;
    assert!(outside.labelled.is_none() && outside.detection.is_some());
    assert!(outside.confident.iter().all(|[_, right]| *right == 0));
    assert_eq!((outside.confident[0][0], outside.entropies.iter().sum::<u32>()), (57, 57));
}

#[test]
fn neither_calls_nor_canonical_draws_change_a_bit() {
    let whole = scores(&mut Members::new(4, true), CALL_PROBS);
    let mut small = Members::new(4, true);
    assert_eq!(scores(&mut small, 900), whole);
    assert!(small.largest_call <= 900, "{}", small.largest_call);
    assert_eq!(scores(&mut Members::new(4, false), CALL_PROBS), whole);
    assert_eq!(scores(&mut Members::new(4, false), 1), whole);
}

/// Compares with plain loops over draws and rows.
#[test]
fn scores_are_those_of_brute_force() {
    let (problem, options) = (problem(), options());
    let (instance, mut model) = (problem.instance(3.into()), Members::new(5, true));
    let scores = scores(&mut model, CALL_PROBS);
    let order = pick::prefix(57, 57, &mut stream(3, "test-order", "test/shift", 0));
    for scored in scores.conditions.iter().filter(|scored| scored.labelled.is_some()) {
        let inputs = match &scored.condition {
            Condition::Shifted(level) => instance.shifted(level).unwrap(),
            _ => instance.test.inputs().clone(),
        };
        let data = Dataset::new(&problem.task(), inputs, instance.test.labels().to_vec()).unwrap();
        let data = data.select(&order);
        let draws = u64::from(options.draws);
        let functions: Vec<Vec<Vec<f32>>> = (0..draws)
            .map(|draw| (0..57).map(|row| model.row(data.inputs().numbers().row(row), draw)).collect())
            .collect();
        let mean = |count: usize| -> Vec<f64> {
            let entry = |row: usize, k: usize| functions[..count].iter().map(|f| f64::from(f[row][k])).sum::<f64>();
            (0..57)
                .flat_map(|row| (0..10).map(move |k| (row, k)))
                .map(|(row, k)| entry(row, k) / count as f64)
                .collect()
        };
        let (probs, labelled) = (mean(12), scored.labelled.as_ref().unwrap());
        assert_eq!(labelled.accuracy.mean, accuracy(&probs, data.labels(), 10));
        assert_eq!(labelled.nll, nll(&probs, data.labels(), 10).score);
        for (count, brier) in &labelled.brier_by_draws {
            let expected = jointly_core::metric::brier(&mean(*count as usize), data.labels(), 10).score.mean;
            assert!((brier.0 - expected).abs() < 1e-12, "{count}: {} and {expected}", brier.0);
        }
        assert_eq!(labelled.brier_by_draws.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [1, 2, 5, 10, 12]);
        // Only whole groups count: eleven of five, which are 55 of 57 inputs.
        let likelihood = |f: &Vec<Vec<f32>>, group: usize| -> f64 {
            (5 * group..5 * group + 5).map(|row| libm::log(f64::from(f[row][data.labels()[row] as usize]))).sum()
        };
        let loss = |group: usize| {
            let sum: f64 = functions.iter().map(|f| libm::exp(likelihood(f, group))).sum();
            -libm::log(sum / 12.0)
        };
        let expected = (0..11).map(loss).sum::<f64>() / 11.0;
        let joint: Vec<u32> = labelled.joint.iter().map(|(tau, _)| *tau).collect();
        assert_eq!(joint, [1, 5, 20]);
        assert!((labelled.joint[1].1.mean - expected).abs() < 1e-9, "{} and {expected}", labelled.joint[1].1.mean);
        assert!((labelled.joint[0].1.mean - labelled.nll.mean).abs() < 1e-9);
    }
}

/// Predicts all classes as equally likely.
struct Even;

impl Model for Even {
    type Error = std::convert::Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
        Ok(vec![0; draws.len()])
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error> {
        Ok(vec![0.1; inputs.rows() * draws.len() * 10])
    }
}

#[test]
fn ignorance_scores_as_on_paper() {
    let problem = problem();
    let scores =
        evaluate_shift(&mut Even, &problem, &problem.instance(0.into()), &options(), 0.into(), &mut |_| ()).unwrap();
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-6, "{x} and {y}");
    for (_, scored) in scores.shifted() {
        let labelled = scored.labelled.as_ref().unwrap();
        near(labelled.nll.mean, libm::log(10.0));
        near(labelled.brier.mean, 0.9);
        near(labelled.joint[1].1.mean, 5.0 * libm::log(10.0));
        near(scored.entropy.mean, libm::log(10.0));
        near(scored.confidence.mean, 0.1);
        near(labelled.ece.0, (labelled.accuracy.mean - 0.1).abs());
        assert_eq!(*scored.entropies.last().unwrap(), 57);
    }
    let detection = scores.outside().next().unwrap().1.detection.unwrap();
    assert_eq!((detection.confidence.auroc.0, detection.confidence.fpr95_out.0), (0.5, 1.0));
}

/// An agent whose answer depends on the number of rows, which is not scored.
struct Crowded;

impl Model for Crowded {
    type Error = std::convert::Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
        Ok(draws.to_vec())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error> {
        let p = if inputs.rows() > 10 { 0.1 } else { 0.2 };
        let row: Vec<f32> = (0..10).map(|k| if k == 0 { p } else { (1.0 - p) / 9.0 }).collect();
        Ok(row.repeat(inputs.rows() * draws.len()))
    }
}

#[test]
fn an_agent_that_looks_around_is_not_scored() {
    let problem = problem();
    let scores = evaluate_shift(&mut Crowded, &problem, &problem.instance(0.into()), &options(), 0.into(), &mut |_| ());
    assert!(matches!(scores, Err(EvaluateError::Inconsistent(_))), "{scores:?}");
}

/// An agent that is consistent except on many inputs at once that are brighter than digits are, which it doubts.
struct Adapting {
    brightness: f32,
}

impl Model for Adapting {
    type Error = std::convert::Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
        Ok(draws.to_vec())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error> {
        let p = if inputs.rows() > 10 && mean(inputs) > self.brightness + 0.05 { 0.1 } else { 0.91 };
        let row: Vec<f32> = (0..10).map(|k| if k == 0 { p } else { (1.0 - p) / 9.0 }).collect();
        Ok(row.repeat(inputs.rows() * draws.len()))
    }
}

fn mean(inputs: &Inputs) -> f32 {
    let values = inputs.numbers().values();
    values.iter().sum::<f32>() / values.len() as f32
}

#[test]
fn an_agent_that_looks_around_under_shift_alone_is_not_scored() {
    let problem = problem();
    let instance = problem.instance(0.into());
    let mut model = Adapting { brightness: mean(instance.test.inputs()) };
    let scores = evaluate_shift(&mut model, &problem, &instance, &options(), 0.into(), &mut |_| ());
    let Err(EvaluateError::Inconsistent(what)) = scores else { panic!("{scores:?}") };
    assert!(what.ends_with("under gaussian-noise/3"), "{what}");
}

#[test]
fn a_result_that_leaves_something_out_is_impossible() {
    let (whole, problem) = (scores(&mut Members::new(3, true), CALL_PROBS), problem());
    let impossible = |change: &dyn Fn(&mut ShiftScores)| {
        let mut scores = whole.clone();
        change(&mut scores);
        scores.impossible(&options(), Some(&problem))
    };
    let begins = |defect: Option<String>, begin: &str| {
        let defect = defect.unwrap_or_default();
        assert!(defect.starts_with(begin), "{defect:?}");
    };
    assert_eq!(impossible(&|_| ()), None);
    begins(impossible(&|scores| drop(scores.conditions.remove(2))), "no scores at gaussian-noise/3, ");
    begins(impossible(&|scores| scores.conditions.swap(1, 2)), "no scores at rotation/60, ");
    begins(impossible(&|scores| scores.conditions.push(scores.conditions[1].clone())), "scores at rotation/60 beside ");
    // Grey images have no saturation, though the options name it.
    let grey = ShiftOptions { levels: [options().levels, vec!["saturate/3".parse().unwrap()]].concat(), ..options() };
    let mut coloured = whole.clone();
    assert_eq!(coloured.impossible(&grey, Some(&problem)), None);
    let mut more = coloured.conditions[2].clone();
    more.condition = Condition::Shifted("saturate/3".parse().unwrap());
    coloured.conditions.insert(3, more);
    begins(coloured.impossible(&grey, Some(&problem)), "scores at saturate/3 beside ");
    begins(impossible(&|scores| drop(scores.conditions.remove(0))), "no scores without shift ");
    begins(
        impossible(&|scores| scores.conditions[2].labelled = None),
        "no scores of labels in condition gaussian-noise/3",
    );
    begins(
        impossible(&|scores| scores.conditions[2].rows = 56),
        "scores of 56 inputs and tau [1, 5, 20] in condition gaussian-noise/3, ",
    );
    let fewer = |scores: &mut ShiftScores| {
        scores.conditions[1].labelled.as_mut().unwrap().joint.remove(1);
    };
    begins(impossible(&fewer), "scores of 57 inputs and tau [1, 20] in condition rotation/60, ");
    begins(
        impossible(&|scores| drop(scores.conditions.remove(3))),
        "scores of the out-of-distribution inputs [], and ",
    );
    let twice = |scores: &mut ShiftScores| scores.conditions.push(scores.conditions[3].clone());
    begins(impossible(&twice), "scores of the out-of-distribution inputs [\"letters-and-scribbles\", \"letters");
    // Of a user's own images, the sets are not known.
    let mut own = whole.clone();
    assert_eq!(own.impossible(&options(), None), None);
    twice(&mut own);
    begins(own.impossible(&options(), None), "scores of the out-of-distribution inputs ");
    begins(
        impossible(&|scores| scores.conditions[3].detection = None),
        "no scores of detection in condition outside/letters-and-scribbles",
    );
}
