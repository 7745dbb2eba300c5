//! Checks that the oracle samples the posterior: `calibration T TEMPERATURE PROBLEMS [SETTING=VALUE]...`, `importance
//! PROBLEMS`, and `diagnosis PROBLEM [SETTING=VALUE]...` for a problem of a suite as a run with seed 0 samples it.
//!
//! Prints the tables of docs/oracle.md.

use std::env::args;
use std::process::ExitCode;
use std::time::Instant;

use jointly_classification::oracle::{Oracle, Settings};
use jointly_classification::{
    Environment, EnvironmentSpec, Initialization, Instance, Problem, Source, TestInputs, suites,
};
use jointly_core::estimate::joint_log_likelihood;
use jointly_core::{Coordinates, Inputs, Model, Summary, agent_seed, stream, summarize};

/// Posterior draws among which the truth is ranked.
const DRAWS: u64 = 63;
const BINS: usize = 8;
/// Number of inputs over which confidence is summed.
const TAU: u32 = 10;
/// Environments drawn from the prior for each importance sample.
const PRIOR_DRAWS: u64 = 100_000;

fn main() -> ExitCode {
    let words: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = match words[..] {
        ["calibration", train_size, temperature, problems, ref settings @ ..] => {
            match (train_size.parse(), temperature.parse(), problems.parse(), pairs(settings)) {
                (Ok(train_size), Ok(temperature), Ok(problems), Some(settings)) => {
                    calibration(train_size, temperature, problems, &settings);
                    Some(())
                }
                _ => None,
            }
        }
        ["importance", problems] => problems.parse().ok().map(importance),
        ["diagnosis", problem, ref settings @ ..] => {
            let problem = suites().into_iter().flat_map(|suite| suite.problems).find(|known| known.name == problem);
            problem.zip(pairs(settings)).map(|(problem, settings)| diagnosis(&problem, &settings))
        }
        _ => None,
    };
    if ran.is_some() {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "usage: oracle calibration T TEMPERATURE PROBLEMS [SETTING=VALUE]... | oracle importance PROBLEMS | oracle diagnosis \
         PROBLEM [SETTING=VALUE]..."
    );
    ExitCode::FAILURE
}

fn pairs<'a>(settings: &[&'a str]) -> Option<Vec<(&'a str, &'a str)>> {
    settings.iter().map(|setting| setting.split_once('=')).collect()
}

/// Prints the oracle's diagnosis of its own sample, and the time that sampling took.
fn diagnosis(problem: &Problem, settings: &[(&str, &str)]) {
    let settings = Settings::with(settings.iter().copied()).expect("settings in their ranges");
    let oracle = Oracle::of(problem, settings).expect("a sampled environment");
    let start = Instant::now();
    let posterior =
        oracle.sample(problem.instance(0.into()).train(), agent_seed(0.into(), problem.stream_name()), &mut |_| ());
    println!("{}: {}; {:.0} s", problem.name, posterior.diagnosis(), start.elapsed().as_secs_f64());
}

fn spec(temperature: f64) -> EnvironmentSpec {
    let initialization = Initialization::Testbed;
    EnvironmentSpec { input_dim: 2, num_classes: 2, temperature, hidden: vec![50, 50], initialization }
}

/// Returns problem `index` with the testbed's prior: its data and its environment.
fn world(train_size: u32, temperature: f64, index: u64) -> (Instance, Environment) {
    let source = Source::Synthetic { environment: spec(temperature), train_size, test_inputs: TestInputs::Independent };
    let problem = Problem {
        name: format!("world/t{train_size}/temp{temperature}/{index}"),
        source,
        coordinates: Coordinates::default(),
    };
    let instance = problem.instance(0.into());
    let environment = instance.environment().expect("a problem that is sampled has an environment").clone();
    (instance, environment)
}

fn sample(
    instance: &Instance,
    temperature: f64,
    settings: &[(&str, &str)],
) -> jointly_classification::oracle::Posterior {
    let settings = Settings::with(settings.iter().copied()).expect("settings in their ranges");
    Oracle::new(spec(temperature), settings).sample(instance.train(), 0, &mut |_| ())
}

/// Returns the probabilities of draws 0, 1, 2, ..., one list per draw.
fn probs(posterior: &mut impl Model<Error = std::convert::Infallible>, inputs: &Inputs, draws: u64) -> Vec<Vec<f32>> {
    let Ok(probs) = posterior.sample_probs(inputs, &(0..draws).collect::<Vec<_>>());
    probs.chunks(probs.len() / draws as usize).map(<[f32]>::to_vec).collect()
}

/// Tests simulation-based calibration: over problems, the rank of the truth among posterior draws is uniform (Talts et
/// al., "Validating Bayesian inference algorithms with simulation-based calibration", 2018).
fn calibration(train_size: u32, temperature: f64, problems: u64, given: &[(&str, &str)]) {
    let names = ["log-likelihood of the training labels", "probability at an input", "confidence at 10 inputs"];
    let mut ranks: [Vec<usize>; 3] = Default::default();
    let (mut worst, mut rounds, mut unconverged): (Vec<f64>, Vec<u32>, usize) = Default::default();
    // The first 63 draws come from every fourth state.
    let settings = [&[("chains", "4"), ("samples", "256")], given].concat();
    for index in 0..problems {
        let (instance, truth) = world(train_size, temperature, index);
        let mut posterior = sample(&instance, temperature, &settings);
        let diagnosis = posterior.diagnosis();
        worst.push(diagnosis.worst().r_hat);
        rounds.push(diagnosis.rounds);
        unconverged += usize::from(!diagnosis.converged());
        // The labels of these inputs are not used: given them, the truth would be a draw from another posterior.
        let inputs = instance.test(TAU, 0..1).inputs;
        let train = instance.train();
        let likelihood = |probs: &[f32]| joint_log_likelihood(probs, train.labels(), 2);
        let confidence = |probs: &[f32]| probs.iter().map(|p| (f64::from(*p) - 0.5).abs()).sum();
        let at_train = probs(&mut posterior, train.inputs(), DRAWS);
        let at_inputs = probs(&mut posterior, &inputs, DRAWS);
        let (true_train, true_inputs) =
            (truth.class_probs(train.inputs().numbers()), truth.class_probs(inputs.numbers()));
        let rank = |truth: f64, draws: &mut dyn Iterator<Item = f64>| {
            let (mut below, mut equal) = (0, 0);
            for draw in draws {
                below += usize::from(draw < truth);
                equal += usize::from(draw == truth);
            }
            // Ties, for example probabilities that round to 1, are broken at random.
            below + (stream(0, "ties", "calibration", index).uniform() * (equal + 1) as f64) as usize
        };
        ranks[0].push(rank(likelihood(&true_train), &mut at_train.iter().map(|probs| likelihood(probs))));
        ranks[1].push(rank(f64::from(true_inputs[0]), &mut at_inputs.iter().map(|probs| f64::from(probs[0]))));
        ranks[2].push(rank(confidence(&true_inputs), &mut at_inputs.iter().map(|probs| confidence(probs))));
    }
    worst.sort_by(f64::total_cmp);
    for (name, ranks) in names.iter().zip(&ranks) {
        let mut counts = [0; BINS];
        for rank in ranks {
            counts[rank * BINS / (DRAWS as usize + 1)] += 1;
        }
        let expected = problems as f64 / BINS as f64;
        let chi_square: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // A uniform rank over (DRAWS + 1) has mean 1/2 and standard deviation 1 / sqrt 12.
        let mean = ranks.iter().map(|&rank| (rank as f64 + 0.5) / (DRAWS + 1) as f64).sum::<f64>() / problems as f64;
        let z = (mean - 0.5) * (12.0 * problems as f64).sqrt();
        let counts = counts.map(|count| count.to_string()).join(" ");
        println!("| {train_size} | {temperature} | {problems} | {name} | {counts} | {chi_square:.1} | {z:+.1} |");
    }
    let rounds = (1..=rounds.iter().copied().max().unwrap_or(1)).map(|n| rounds.iter().filter(|&&r| r == n).count());
    println!(
        "R-hat: median {:.2}; problems by rounds: {:?}, of which {unconverged} have not converged",
        worst[worst.len() / 2],
        rounds.collect::<Vec<_>>()
    );
}

/// Compares probabilities and their products over two inputs, estimated by chains and by importance sampling from the
/// prior.
fn importance(problems: u64) {
    for train_size in [1, 3, 10] {
        for temperature in [0.01, 0.1, 0.5] {
            let mut differences: [Vec<f64>; 2] = Default::default();
            let mut effective = Vec::new();
            for index in 0..problems {
                let (instance, _) = world(train_size, temperature, index);
                let inputs = instance.test(2, 0..4).inputs;
                let quantities = |probs: &[f32]| -> Vec<[f64; 2]> {
                    let pair = |pair: &[f32]| [f64::from(pair[0]), f64::from(pair[0]) * f64::from(pair[2])];
                    probs.chunks(4).map(pair).collect()
                };
                let mut posterior = sample(&instance, temperature, &[]);
                let drawn = probs(&mut posterior, &inputs, 1000).into_iter().map(|p| (1.0, quantities(&p)));
                let chains = weighted(drawn).0;
                let weigh = |i| {
                    let name = format!("importance/{index}");
                    let environment = Environment::sample(&spec(temperature), &mut stream(0, "prior", &name, i));
                    let train = instance.train();
                    let at_train = environment.class_probs(train.inputs().numbers());
                    let weight = joint_log_likelihood(&at_train, train.labels(), 2).exp();
                    (weight, quantities(&environment.class_probs(inputs.numbers())))
                };
                let (importance, size) = weighted((0..PRIOR_DRAWS).map(weigh));
                effective.push(size);
                for (chains, importance) in chains.iter().zip(&importance) {
                    for q in 0..2 {
                        differences[q].push(chains[q] - importance[q]);
                    }
                }
            }
            effective.sort_by(f64::total_cmp);
            let [one, two] = differences.map(|differences| {
                let Summary { mean, .. } = summarize(&differences);
                let square = summarize(&differences.iter().map(|d| d * d).collect::<Vec<_>>());
                format!("{mean:+.4} | {:.4}", square.mean.sqrt())
            });
            println!("| {train_size} | {temperature} | {:.0} | {one} | {two} |", effective[0]);
        }
    }
}

/// Returns the weighted means and the effective number of draws, (sum w)^2 / sum w^2.
fn weighted(draws: impl Iterator<Item = (f64, Vec<[f64; 2]>)>) -> (Vec<[f64; 2]>, f64) {
    let (mut total, mut squares, mut sums) = (0.0, 0.0, Vec::new());
    for (weight, values) in draws {
        total += weight;
        squares += weight * weight;
        sums.resize(values.len(), [0.0; 2]);
        for (sum, value) in sums.iter_mut().zip(values) {
            for q in 0..2 {
                sum[q] += weight * value[q];
            }
        }
    }
    (sums.iter().map(|sum| sum.map(|x| x / total)).collect(), total * total / squares)
}
