//! Tests the scores of agents whose answer is known on paper, and that repetition, order and chunks do not change them.

use std::convert::Infallible;

use jointly_core::Coordinates;
use jointly_core::Partitioning;
use jointly_core::inputs::Inputs;
use jointly_core::metric::Metric;
use jointly_core::score::Score;
use jointly_core::stream::stream;

use super::*;
use crate::environment::{Environment, EnvironmentSpec, Initialization};
use crate::problem::Source;
use crate::test_inputs::TestInputs;

/// Rounding of single precision in log-likelihoods of ten labels.
const ROUNDING: f64 = 1e-5;

const PARTITIONS: [(bool, Partitioning); 5] = [
    (true, Partitioning::Planes),
    (false, Partitioning::Planes),
    (true, Partitioning::KMeans),
    (false, Partitioning::KMeans),
    (true, Partitioning::Jackknife),
];

/// An agent with `functions` functions of the input's first feature: draw d is function d modulo that number.
struct Sines {
    functions: u64,
    num_classes: usize,
    admits_repetition: bool,
    calls: Vec<(usize, usize)>,
}

impl Sines {
    fn new(functions: u64, num_classes: usize) -> Self {
        Self { functions, num_classes, admits_repetition: true, calls: Vec::new() }
    }
}

impl Model for Sines {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.iter().map(|d| if self.admits_repetition { d % self.functions } else { *d }).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        self.calls.push((inputs.rows(), draws.len()));
        let mut probs = Vec::new();
        for draw in draws {
            for row in 0..inputs.rows() {
                let function = (draw % self.functions) as f32;
                let weight = |k| (function + k as f32 + inputs.numbers().row(row)[0]).sin().abs() + 0.01;
                let total: f32 = (0..self.num_classes).map(weight).sum();
                probs.extend((0..self.num_classes).map(|k| weight(k) / total));
            }
        }
        Ok(probs)
    }
}

/// An agent that predicts with the environment itself.
struct Truth(Environment);

impl Model for Truth {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.to_vec())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        Ok(self.0.class_probs(inputs.numbers()).repeat(draws.len()))
    }
}

fn problem(num_classes: u32, temperature: f64) -> Problem {
    let environment = EnvironmentSpec {
        input_dim: 2,
        num_classes,
        temperature,
        hidden: vec![8, 8],
        initialization: Initialization::Testbed,
    };
    Problem {
        name: "test/problem".to_owned(),
        source: Source::Synthetic { environment, train_size: 5, test_inputs: TestInputs::Independent },
        coordinates: Coordinates::default(),
    }
}

fn evaluation(taus: &[u32]) -> Evaluation {
    Evaluation {
        taus: taus.to_vec(),
        samples: 9,
        draws: 23,
        precision: None,
        partition: Partitioning::Planes,
        planes: 3,
        clip: true,
        partition_above: 2,
    }
}

fn scores<M: Model<Error = Infallible>>(
    budget: &Budget,
    model: &mut M,
    problem: &Problem,
    evaluation: &Evaluation,
) -> ProblemScores {
    evaluate_within(budget, model, problem, &problem.instance(1.into()), evaluation, 1.into(), &mut |_| ()).unwrap()
}

#[test]
fn an_agent_that_is_the_environment_has_kl_0_to_the_last_bit() {
    for (num_classes, temperature) in [(2, 0.01), (2, 0.5), (3, 0.1)] {
        let problem = problem(num_classes, temperature);
        let environment = problem.instance(1.into()).environment().unwrap().clone();
        for planes in [0, 7] {
            for partition in [Partitioning::Planes, Partitioning::Jackknife] {
                let own = evaluation(&[1, 10, 100]);
                let evaluation = Evaluation { planes, clip: false, partition_above: 10, partition, ..own };
                let scores = scores(&Budget::default(), &mut Truth(environment.clone()), &problem, &evaluation);
                assert_eq!(scores.joint.iter().map(|(tau, _)| *tau).collect::<Vec<_>>(), [1, 10, 100]);
                for (tau, score) in scores.joint {
                    assert_eq!((score.mean, score.stderr), (0.0, 0.0), "tau {tau}");
                }
            }
        }
    }
}

#[test]
fn a_worse_agent_has_a_positive_kl() {
    let scores = scores(&Budget::default(), &mut Sines::new(23, 2), &problem(2, 0.01), &evaluation(&[1, 10]));
    assert!(scores.joint.iter().all(|(_, score)| score.mean > 0.0 && score.stderr > 0.0));
}

/// An agent of five functions whose draws are independent: each is a function chosen by a stream of its own.
struct Members(Sines);

impl Model for Members {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.to_vec())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        let member = |draw: &u64| (stream(5, "member", "", *draw).uniform() * self.0.functions as f64) as u64;
        let members: Vec<u64> = draws.iter().map(member).collect();
        self.0.sample_probs(inputs, &members)
    }
}

#[test]
fn the_jackknife_of_few_draws_agrees_with_monte_carlo_of_many() {
    let problem = problem(2, 0.1);
    let by = |draws, partition, partition_above, model: &mut dyn FnMut(&Evaluation) -> ProblemScores| {
        let own = evaluation(&[1, 10, 100]);
        model(&Evaluation { samples: 40, draws, partition, partition_above, ..own }).joint
    };
    let mut sampled = |own: &Evaluation| scores(&Budget::default(), &mut Members(Sines::new(5, 2)), &problem, own);
    let few = by(400, Partitioning::Jackknife, 2, &mut sampled);
    // Draws that take the five functions in turn have each of them equally often: no sampling error is left.
    let mut exact = |own: &Evaluation| scores(&Budget::default(), &mut Sines::new(5, 2), &problem, own);
    let many = by(5000, Partitioning::Planes, 1000, &mut exact);
    let planes = by(5000, Partitioning::Planes, 2, &mut exact);
    for ((tau, few), (_, many)) in few.iter().zip(&many) {
        assert!(few.effective_draws > 30.0, "tau {tau}: {few:?}");
        assert!((few.mean - many.mean).abs() < 4.0 * few.draw_error, "tau {tau}: {few:?} {many:?}");
    }
    // Three planes do not tell the five functions apart.
    let far = (planes[2].1.mean - many[2].1.mean).abs();
    assert!(far > 4.0 * few[2].1.draw_error, "{far} {:?}", few[2].1);
}

#[test]
fn draws_are_doubled_until_a_precision_is_reached() {
    let problem = problem(2, 0.1);
    let instance = problem.instance(1.into());
    let own = Evaluation { samples: 40, partition: Partitioning::Jackknife, ..evaluation(&[1, 10]) };
    let evaluated = |evaluation: &Evaluation| {
        let mut done = 0.0;
        let mut report = |fraction: f64| {
            assert!(fraction >= done && fraction <= 1.0, "{done} {fraction}");
            done = fraction;
        };
        evaluate(&mut Members(Sines::new(5, 2)), &problem, &instance, evaluation, 1.into(), &mut report).unwrap()
    };
    let until =
        |precision, draws: u32| evaluated(&Evaluation { draws, precision: Some(Real(precision)), ..own.clone() });
    let fixed = |draws| evaluated(&Evaluation { draws, ..own.clone() });
    // The error over draws falls as the root of their number.
    let errors = |scores: &ProblemScores| scores.joint.iter().map(|(_, own)| own.draw_error).fold(0.0, f64::max);
    let (first, second) = (errors(&fixed(256)), errors(&fixed(512)));
    assert!(second < first, "{first} {second}");
    for (precision, draws) in [(first, 256), (0.5 * (first + second), 512)] {
        let reached = until(precision, 8192);
        assert_eq!(reached, ProblemScores { draws: Some(draws), ..fixed(draws) }, "{precision}");
    }
    // The budget ends it, and need not be a power of two.
    assert_eq!(until(1e-9, 700).draws, Some(700));
    let few = until(10.0, 700);
    assert_eq!(few, ProblemScores { draws: Some(350), ..fixed(350) });
    assert_eq!(until(10.0, 100).draws, Some(100));
}

#[test]
fn asking_for_each_function_once_gives_the_same_bits() {
    for (functions, (clip, partition)) in
        [1, 4].into_iter().flat_map(|functions| PARTITIONS.map(|how| (functions, how)))
    {
        let evaluation = Evaluation { partition, clip, ..evaluation(&[1, 2, 5]) };
        let mut once = Sines::new(functions, 3);
        let mut always = Sines { admits_repetition: false, ..Sines::new(functions, 3) };
        let problem = problem(3, 0.5);
        let expected = scores(&Budget::default(), &mut always, &problem, &evaluation);
        assert_eq!(scores(&Budget::default(), &mut once, &problem, &evaluation), expected);
        let most = |agent: &Sines| agent.calls.iter().map(|&(_, draws)| draws).max();
        // An audit asks for four draws.
        assert_eq!((most(&once), most(&always)), (Some(4), Some(23)));
    }
}

#[test]
fn a_single_function_is_asked_for_in_the_calls_of_its_plan() {
    let calls = |planes| {
        let mut agent = Sines::new(1, 3);
        let evaluation = Evaluation { planes, ..evaluation(&[1, 10]) };
        scores(&Budget { bytes: 9000, ..Budget::default() }, &mut agent, &problem(3, 0.5), &evaluation);
        agent.calls
    };
    // No plane is drawn for it, and yet the calls are those of agents for which planes are.
    assert!(calls(7).len() > calls(0).len());
}

#[test]
fn chunks_do_not_change_a_bit() {
    for (clip, partition) in PARTITIONS {
        let evaluation = Evaluation { partition, clip, ..evaluation(&[2, 5]) };
        let problem = problem(3, 0.5);
        let whole = scores(&Budget::default(), &mut Sines::new(23, 3), &problem, &evaluation);
        let tiny = [
            Budget { probs: 1, rows: 1, bytes: 1 },
            Budget { probs: 100, ..Budget::default() },
            Budget { probs: 1000, ..Budget::default() },
            Budget { rows: 12, ..Budget::default() },
            Budget { bytes: 9000, ..Budget::default() },
        ];
        for budget in tiny {
            let mut agent = Sines::new(23, 3);
            assert_eq!(scores(&budget, &mut agent, &problem, &evaluation), whole, "{budget:?}");
            let most = agent.calls.iter().map(|(rows, draws)| rows * draws * 3).max().unwrap();
            // One function at one tau-sample, and the draws and rows of an audit, are never divided.
            assert!(most <= budget.probs.max(5 * 3).max(4 * 4 * 3), "{budget:?} {most}");
            assert!(agent.calls.len() > 2 + 2 * 2, "{budget:?}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let problem = problem(3, 0.5);
    for (clip, partition) in PARTITIONS {
        // More tau-samples than a thread creates at a time.
        let evaluation = Evaluation { partition, clip, samples: 150, ..evaluation(&[1, 2, 5]) };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scores(&Budget::default(), &mut Sines::new(23, 3), &problem, &evaluation))
        };
        let alone = on(1);
        for threads in [2, 5] {
            assert_eq!(on(threads), alone, "{threads} threads");
        }
    }
}

#[test]
fn the_calls_are_bounded_at_the_papers_sizes() {
    let rule = Rule { tau: 100, num_classes: 2, ..Rule::of(&Evaluation::testbed()) };
    let chunks = Budget::default().chunks(&rule, 2, 1000);
    assert_eq!((chunks.samples, chunks.draws), (41, 1000));
    let wide = Rule { tau: 1000, num_classes: 1000, ..Rule::of(&Evaluation::testbed()) };
    let chunks = Budget::default().chunks(&wide, 2, 1000);
    assert_eq!((chunks.samples, chunks.draws), (1, 8));
}

#[test]
fn tau_samples_do_not_depend_on_the_range_asked_for() {
    let instance = problem(2, 0.1).instance(3.into());
    let whole = instance.test(4, 0..6);
    let part = instance.test(4, 2..5);
    assert_eq!(part.inputs.numbers().values(), &whole.inputs.numbers().values()[2 * 4 * 2..5 * 4 * 2]);
    assert_eq!(part.labels, whole.labels[8..20]);
    assert_eq!(part.log_likelihoods.unwrap(), whole.log_likelihoods.unwrap()[2..5]);
}

#[test]
fn the_data_of_a_problem_never_move() {
    let suite = crate::suite("testbed").unwrap();
    let problem = suite.problems.iter().find(|problem| problem.name == "testbed/t30/temp0.1/seed0").unwrap();
    let instance = problem.instance(0.into());
    assert_eq!(instance.train().inputs().numbers().row(0), [0.505_562_54, 2.744_013_5]);
    assert_eq!(instance.test(100, 3..4).log_likelihoods, Some(vec![-60.535_949_337_044_215]));
}

#[test]
fn each_seed_has_its_own_data() {
    let problem = problem(2, 0.1);
    let (a, b) = (problem.instance(0.into()), problem.instance(1.into()));
    assert_ne!(a.train().inputs(), b.train().inputs());
    assert_ne!(a.test(1, 0..5).inputs, b.test(1, 0..5).inputs);
    assert_eq!(a.train(), problem.instance(0.into()).train());
}

#[test]
fn marginals_are_scored_at_the_first_tau() {
    let problem = problem(2, 0.1);
    let evaluation = evaluation(&[2, 5]);
    let scores = scores(&Budget::default(), &mut Sines::new(3, 2), &problem, &evaluation);
    let test = problem.instance(1.into()).test(2, 0..9);
    let Ok(probs) = Sines::new(3, 2).sample_probs(&test.inputs, &(0..23).collect::<Vec<_>>());
    let mut mean = vec![0.0; test.labels.len() * 2];
    for function in probs.chunks_exact(mean.len()) {
        for (sum, &p) in mean.iter_mut().zip(function) {
            *sum += f64::from(p) / 23.0;
        }
    }
    assert_eq!(scores.accuracy.mean, jointly_core::metric::accuracy(&mean, &test.labels, 2));
    let samples = mean.chunks_exact(2 * 2).zip(test.labels.chunks_exact(2));
    let accuracies: Vec<_> = samples.map(|(mean, labels)| jointly_core::metric::accuracy(mean, labels, 2)).collect();
    assert_eq!(scores.accuracy.stderr, Score::of(&accuracies).stderr);
    let ece = jointly_core::metric::expected_calibration_error(&mean, &test.labels, 2);
    assert!((scores.ece.0 - ece).abs() < ROUNDING);
}

#[test]
fn progress_rises_to_one() {
    let problem = problem(2, 0.1);
    let mut seen = vec![0.0];
    let budget = Budget { probs: 100, ..Budget::default() };
    evaluate_within(
        &budget,
        &mut Sines::new(23, 2),
        &problem,
        &problem.instance(0.into()),
        &evaluation(&[1, 5]),
        0.into(),
        &mut |fraction| seen.push(fraction),
    )
    .unwrap();
    assert!(seen.is_sorted() && seen.len() > 10, "{seen:?}");
    assert_eq!(seen.last(), Some(&1.0));
}

/// The agents of section 2.2 of the paper, on a coin. `Chance` assigns heads the probability 2/3; `Biased` has heads
/// always, or, in a third of its draws, never.
enum Coin {
    Chance,
    Biased,
}

impl Model for Coin {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.to_vec())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        let function = |draw: &u64| match self {
            Self::Chance => [1.0 / 3.0, 2.0 / 3.0],
            Self::Biased if draw.is_multiple_of(3) => [1.0, 0.0],
            Self::Biased => [0.0, 1.0],
        };
        Ok(draws.iter().flat_map(|draw| function(draw).repeat(inputs.rows())).collect())
    }
}

/// A problem in which the coin always shows tails.
fn tails(tau: u64) -> Problem {
    tails_named("tails", tau)
}

fn tails_named(name: &str, tau: u64) -> Problem {
    tails_of(2, name, tau)
}

/// A problem in which class 0 of `classes` always occurs.
fn tails_of(classes: i64, name: &str, tau: u64) -> Problem {
    let fixture = jointly_data::import::fixture::Fixture::new()
        .array("x_train", &[0, 1], Vec::<f32>::new())
        .array("y_train", &[0], Vec::<i64>::new())
        .array("x_test", &[4, tau, 1], vec![0.0_f32; 4 * tau as usize])
        .array("y_test", &[4, tau], vec![0_i64; 4 * tau as usize])
        .array("num_classes", &[], vec![classes]);
    let imported = jointly_data::import::ImportedProblem::from_bytes(fixture.bytes(), std::path::Path::new(name));
    Problem::imported(name.to_owned(), imported.unwrap())
}

#[test]
fn the_coin_of_section_2_2_tells_chance_from_bias_only_jointly() {
    let third = (1.0_f64 / 3.0).ln();
    for tau in [1, 2, 10, 100] {
        for clip in [true, false] {
            let evaluation = Evaluation { draws: 999, planes: 7, clip, partition_above: 10, ..evaluation(&[]) };
            let problem = tails(tau);
            assert_eq!(problem.metric(), Metric::Nll);
            let chance = scores(&Budget::default(), &mut Coin::Chance, &problem, &evaluation);
            let biased = scores(&Budget::default(), &mut Coin::Biased, &problem, &evaluation);
            let nll = |scores: &ProblemScores| scores.joint[0].1.mean;
            assert_eq!(chance.joint[0].0, tau as u32);
            assert!((nll(&chance) + tau as f64 * third).abs() < ROUNDING * tau as f64, "tau {tau}");
            // Clipped functions are not quite certain: their probability is Phi(5) for each toss.
            assert!((nll(&biased) + third).abs() < ROUNDING * tau as f64, "tau {tau}: {}", nll(&biased));
            assert!((chance.ece.0 - biased.ece.0).abs() < ROUNDING);
            assert_eq!(chance.accuracy, biased.accuracy);
            // A third of the draws carries all of the likelihood: their weight is 3 and that of the others 0.
            let (chance, biased) = (chance.joint[0].1, biased.joint[0].1);
            assert_eq!((chance.draw_error, chance.effective_draws), (0.0, 999.0));
            assert!(
                (biased.draw_error - (2.0_f64 / 998.0).sqrt()).abs() < ROUNDING * tau as f64,
                "tau {tau}: {biased:?}"
            );
            assert!((biased.effective_draws / 333.0 - 1.0).abs() < ROUNDING * tau as f64, "tau {tau}: {biased:?}");
        }
    }
}

#[test]
fn a_likelihood_of_zero_is_infinite_and_not_hidden() {
    let evaluation = Evaluation { clip: false, ..evaluation(&[]) };
    for tau in [1, 20] {
        for functions in [1, 2] {
            for admits_repetition in [true, false] {
                let mut wrong = Wrong { functions, admits_repetition };
                let score = scores(&Budget::default(), &mut wrong, &tails_of(3, "three", tau), &evaluation).joint[0].1;
                assert_eq!(score.mean, f64::INFINITY);
                assert!(score.stderr.is_nan() && score.draw_error.is_nan());
                // With one function, more draws would not change the score; with two, none has a likelihood above 0.
                assert_eq!(score.effective_draws.to_bits(), if functions == 1 { 23.0_f64 } else { f64::NAN }.to_bits());
                assert_eq!(score.needs_more_draws(23, Partitioning::Planes), functions == 2);
            }
        }
    }
}

/// An agent with one or two functions that give label 0 of three the probability 0: draw d is function d modulo their
/// number.
struct Wrong {
    functions: u64,
    admits_repetition: bool,
}

impl Model for Wrong {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.iter().map(|d| if self.admits_repetition { d % self.functions } else { *d }).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        let function = |draw: &u64| if draw.is_multiple_of(self.functions) { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        Ok(draws.iter().flat_map(|draw| function(draw).repeat(inputs.rows())).collect())
    }
}

#[test]
fn the_environment_beats_any_other_belief_on_average() {
    let problem = problem(2, 0.5);
    let evaluation = Evaluation { samples: 400, ..evaluation(&[1]) };
    let mut other = Environment::sample(
        &EnvironmentSpec {
            input_dim: 2,
            num_classes: 2,
            temperature: 0.5,
            hidden: vec![8, 8],
            initialization: Initialization::Testbed,
        },
        &mut stream(9, "test", "other", 0),
    );
    for i in 0..5 {
        let score = scores(&Budget::default(), &mut Truth(other), &problem, &evaluation).joint[0].1;
        assert!(score.mean > 0.0, "{i}: {score:?}");
        let spec = match &problem.source {
            Source::Synthetic { environment, .. } => environment,
            Source::Imported(_) | Source::Real(_) => unreachable!("the problem is synthetic"),
        };
        other = Environment::sample(spec, &mut stream(9, "test", "other", i + 1));
    }
}

#[test]
fn the_name_of_a_file_does_not_change_its_scores() {
    let evaluation = Evaluation { clip: false, ..evaluation(&[]) };
    let under = |name| {
        let problem = tails_named(name, 12);
        assert!(problem.stream_name().starts_with("sha256:"));
        scores(&Budget::default(), &mut Sines::new(23, 2), &problem, &evaluation)
    };
    assert_eq!(under("one"), under("another"));
    assert_eq!(problem(2, 0.1).stream_name(), "test/problem");
}

#[test]
#[should_panic(expected = "test/problem: draws is 0, expected 1 to 262144")]
fn an_evaluation_that_fails_its_check_is_not_begun() {
    let evaluation = Evaluation { draws: 0, ..evaluation(&[1]) };
    scores(&Budget::default(), &mut Sines::new(1, 2), &problem(2, 0.1), &evaluation);
}

#[test]
fn a_tau_sample_that_memory_cannot_hold_does_not_fit() {
    let problem = problem(2, 0.1);
    let wide = Evaluation { draws: 1 << 18, planes: 20, ..evaluation(&[1, 100]) };
    assert!(problem.bytes(&evaluation(&[1, 100])) < 1 << 16);
    assert_eq!(problem.fits(&evaluation(&[1, 100])), Ok(()));
    // Each of 2^18 functions holds a probability of 4 bytes for each label and a few words, in growing lists.
    let functions = (2 * (4 * 1000 + 72)) << 18;
    let evaluation = Evaluation { taus: vec![1000], ..wide };
    assert!((functions..functions + (1 << 20)).contains(&problem.bytes(&evaluation)));
    let error = problem.fits(&evaluation).unwrap_err().to_string();
    let start = "one tau-sample with tau 1000, 2 classes, 20 planes and 262144 draws takes ";
    assert!(error.starts_with(start) && error.ends_with("expected at most 536870912: lower one of them"), "{error}");
    // Clusters need the probits of every draw, two for each label.
    let clusters =
        Evaluation { partition: Partitioning::KMeans, draws: 1000, planes: 7, taus: vec![100], ..evaluation };
    let points = 1000 * 2 * 4 * 200;
    assert!((points..3 * points).contains(&problem.bytes(&clusters)), "{}", problem.bytes(&clusters));
    assert!(problem.fits(&Evaluation { draws: 1 << 18, ..clusters.clone() }).is_err());
    // No intermediate result overflows.
    let absurd = Evaluation { taus: vec![u32::MAX], planes: u32::MAX, draws: u32::MAX, ..clusters };
    assert!(problem.bytes(&absurd) > 1 << 40);
}

#[test]
fn a_sampled_problem_needs_a_tau() {
    let error = problem(2, 0.1).fits(&evaluation(&[])).unwrap_err();
    assert_eq!(error.to_string(), "taus is empty, expected at least one tau for a problem that is sampled");
    assert_eq!(tails(2).fits(&evaluation(&[])), Ok(()));
}
