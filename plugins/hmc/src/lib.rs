//! The agent `hmc`: samples of a network's weights by Hamiltonian Monte Carlo.

mod agreement;
mod chain;
mod posterior;
mod variances;

use agreement::r_hat;
use chain::Chain;
use jointly_nets::belief::{evaluate, sample_finite};
use jointly_nets::choice::Choice;
use jointly_nets::layout::numbers;
use jointly_nets::points::Points;
use jointly_nets::predict::outputs;
use jointly_nets::{Network, Progress, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Matrix, Positive, RegressionTask, Regressor, Setting, Targets,
    Widths, log, settings,
};
use posterior::{Posterior, Scales};
use variances::Variances;

/// The mean acceptance rate below which a chain is refused, because its states are no valid sample.
const LEAST_ACCEPTANCE: f64 = 0.1;
/// The number of training rows at which the chains' predictions are compared.
const PROBES: usize = 50;
/// The largest number of parameters of all kept networks: 128 MiB.
const ROOM: usize = 1 << 25;

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50",
        /// number of Markov chains, each with its own start
        chains: Count = "10",
        /// transitions of a chain before its states are kept
        warmup: Count = "2000",
        /// states kept of each chain
        samples: Count = "100",
        /// transitions from a kept state to the next
        thinning: Count = "10",
        /// leapfrog steps in a transition
        leapfrog: Count = "5",
        /// initial size of the leapfrog steps, which is then adapted
        step_size: Positive = "0.01",
        /// step size of Adam for the logarithms of the noise's and of the weights' standard deviation
        learning_rate: Positive = "0.01",
        /// transitions between two such steps
        learning_interval: Count = "5",
        /// learn the weights' prior standard deviation, else keep it
        learn_prior: bool = "yes",
        /// initial standard deviation of the weights' prior
        prior_scale: Positive = "1",
        /// initial standard deviation of the noise, in units of the targets' standard deviation
        noise: Positive = "0.135",
    }
}

/// States of Markov chains that sample the posterior of a network's weights; a draw is one of them.
///
/// # Formula
///
/// A layer of n inputs divides by sqrt(n + 1), and every weight and bias has the prior N(0, eta). During warm-up, eta
/// and the noise's variance ascend the joint likelihood of targets and weights (Monte Carlo
/// expectation-maximisation); afterwards they stay fixed, so that the kept states are a sample of one posterior. Step
/// sizes are adapted by dual averaging to an acceptance of 0.8 during warm-up.
///
/// The published runs have 10 chains and count epochs of 10 transitions each: 5999 epochs of warm-up, then 100
/// samples per chain, 100 epochs apart, which takes about fifty times as long. They learn both variances every 10
/// transitions until the end. On 300 rows of the Boston data the median R-hat of the predictions is 1.09 after the
/// default run, and 1.01 after a run with as many transitions as the published runs have epochs.
///
/// The log has a line per chain with its step size and acceptance, and one with the split R-hat of the predictions.
#[derive(Debug)]
pub struct Hmc {
    networks: Vec<Network>,
    choice: Choice,
    noise: f32,
}

impl Settings {
    /// Refuses settings whose networks would not fit in memory.
    fn check(&self, widths: &[usize]) -> Result<(), Failure> {
        let networks = self.chains.checked_mul(*self.samples);
        let numbers = numbers(widths).and_then(|size| networks.and_then(|networks| networks.checked_mul(size)));
        let transitions = self.samples.checked_mul(*self.thinning).and_then(|kept| kept.checked_add(*self.warmup));
        if numbers.is_none_or(|numbers| numbers > ROOM) || transitions.is_none() {
            return Err(Failure::InvalidSetting(format!(
                "chains={}, samples={} and hidden={:?} are too many to keep: lower one of them",
                *self.chains, *self.samples, &*self.hidden
            )));
        }
        Ok(())
    }
}

impl Regressor for Hmc {
    fn describe() -> Description {
        let summary = "samples of a network's weights from their posterior, by Hamiltonian Monte Carlo";
        Description {
            citation: "Neal, MCMC using Hamiltonian dynamics, 2011; as in Wang, Sun and Grosse, Beyond marginal \
                       uncertainty, AISTATS 2021"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["0.001", "0.003", "0.01"]),
                sweeps::one("hidden", &["50", "400"]),
                sweeps::one("thinning", &["1", "10", "100"]),
            ],
            ..Description::new("hmc", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let data = &Points::new(task, data)?;
        let settings = Settings::parse(settings)?;
        let widths = [&[task.input_dim], &*settings.hidden, &[1]].concat();
        settings.check(&widths)?;
        let mut posterior = Posterior::new(&widths, data);
        let run = run(&mut posterior, task, &settings, seed)?;
        if let Some(line) = agreement(&run.kept, data) {
            log(&line);
        }
        let networks = run.kept.into_iter().flatten().collect::<Vec<_>>();
        let choice = Choice::new(seed, networks.len());
        Ok(Self { networks, choice, noise: libm::exp(run.scales.log_noise) as f32 })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        sample_finite(&self.choice, draws, inputs.rows(), |function| {
            let means = evaluate(&self.networks[function], inputs)?;
            let noise = vec![self.noise; means.len()];
            Ok((means, noise))
        })
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }
}

/// The result of the chains.
struct Run {
    /// The networks that each chain kept.
    kept: Vec<Vec<Network>>,
    scales: Scales,
}

/// Runs all chains in lockstep, because they learn the variances together.
fn run(posterior: &mut Posterior, task: &RegressionTask, settings: &Settings, seed: u64) -> Result<Run, Failure> {
    let noise = task.noise_std.unwrap_or(*settings.noise);
    let start =
        Scales { log_noise: libm::log(f64::from(noise)), log_weight: libm::log(f64::from(*settings.prior_scale)) };
    let mut variances = Variances::new(start, task.noise_std.is_none(), *settings.learning_rate);
    let chain = |n: u64| Chain::new(posterior, start, *settings.step_size, Stream::Chain.rng(seed, n));
    let mut chains: Vec<Chain> = (0..*settings.chains as u64).map(chain).collect();
    let (warmup, leapfrog) = (*settings.warmup, *settings.leapfrog);
    let after = *settings.samples * *settings.thinning;
    let mut progress = Progress::new(warmup + after);
    for transition in 1..=warmup {
        for chain in &mut chains {
            let step = chain.step_size.current();
            let acceptance = chain.transition(posterior, variances.scales(), step, leapfrog);
            chain.step_size.learn(acceptance);
        }
        if posterior.examples() > 0 && transition % *settings.learning_interval == 0 {
            variances.learn(posterior, &chains, settings.learn_prior);
        }
        progress.step();
    }
    let scales = variances.scales();
    let mut kept = vec![Vec::new(); chains.len()];
    let mut acceptance = vec![0.0; chains.len()];
    for transition in 1..=after {
        for ((chain, kept), sum) in chains.iter_mut().zip(&mut kept).zip(&mut acceptance) {
            let step = chain.step_size.settled();
            *sum += chain.transition(posterior, scales, step, leapfrog) / after as f64;
            if transition % *settings.thinning == 0 {
                kept.push(posterior.network(&chain.place.position).clone());
            }
        }
        progress.step();
    }
    let (noise, weight) = (libm::exp(scales.log_noise), libm::exp(scales.log_weight));
    log(&format!("noise {noise:.4}, prior scale of the weights {weight:.4}"));
    for (n, (chain, acceptance)) in chains.iter().zip(&acceptance).enumerate() {
        log(&format!("chain {n}: step {:.3e}, mean acceptance {acceptance:.2}", chain.step_size.settled()));
    }
    check_chains(chains.iter().map(|chain| chain.place.squares).zip(acceptance), warmup)?;
    Ok(Run { kept, scales })
}

/// Refuses the run if a chain has a sum of squared errors that is not finite or accepted too few of its moves; a mean
/// over chains would hide it. The iterator yields the sum and the acceptance of each chain.
fn check_chains(chains: impl Iterator<Item = (f64, f64)>, warmup: usize) -> Result<(), Failure> {
    for (n, (squares, acceptance)) in chains.enumerate() {
        if acceptance < LEAST_ACCEPTANCE || !squares.is_finite() {
            return Err(Failure::Diverged(format!(
                "chain {n} accepts {acceptance:.3} of its moves, whose steps did not settle in {warmup} transitions of \
                 warm-up"
            )));
        }
    }
    Ok(())
}

/// Describes for the log how well the chains' predictions agree at some of the examples.
fn agreement(kept: &[Vec<Network>], data: &Points) -> Option<String> {
    let (rows, dim) = (data.len(), data.dim());
    let step = rows.div_ceil(PROBES).max(1);
    let probes: Vec<f32> = (0..rows).step_by(step).flat_map(|row| data.row(row)).copied().collect();
    let probed = probes.len().checked_div(dim)?;
    let predictions: Vec<Vec<Vec<f32>>> =
        kept.iter().map(|chain| chain.iter().map(|network| outputs(network, &probes)).collect()).collect();
    let at = |probe: usize| -> Vec<Vec<f64>> {
        predictions.iter().map(|chain| chain.iter().map(|values| f64::from(values[probe])).collect()).collect()
    };
    let mut found: Vec<f64> = (0..probed).filter_map(|probe| r_hat(&at(probe))).collect();
    found.sort_by(f64::total_cmp);
    let (median, most) = (found.get(found.len() / 2)?, found.last()?);
    Some(format!("R-hat of the predictions at {} examples: median {median:.3}, most {most:.3}", found.len()))
}

jointly_sdk::export!(regressor: Hmc);

#[cfg(test)]
mod tests {
    use jointly_nets::cholesky::Cholesky;
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, no_targets, settings, wave};

    use super::*;

    /// Tolerance of a mean in units of the posterior's standard deviation, and relative tolerance of a variance, from
    /// 2000 states.
    const TOLERANCE: f64 = 0.12;

    fn task(input_dim: usize, noise_std: Option<f32>) -> RegressionTask {
        RegressionTask { input_dim, noise_std }
    }

    const SMALL: [(&str, &str); 4] = [("hidden", "8"), ("chains", "2"), ("warmup", "300"), ("samples", "30")];

    #[test]
    fn a_linear_models_posterior_is_the_exact_one() {
        // Without hidden layers f(x) = (w.x + b) / 2 for three features, and the posterior is normal.
        let (data, noise) = (wave(12, 3, 2), 0.5);
        let few = [("hidden", "none"), ("chains", "4"), ("warmup", "1000"), ("samples", "500"), ("learn-prior", "no")];
        let model = Hmc::train(&task(3, Some(noise)), &data, None, &settings(&few), 0).unwrap();
        assert!((model.noise - noise).abs() < 1e-6);

        let features = |row: &[f32]| [row[0], row[1], row[2], 1.0].map(|value| f64::from(value) / 2.0);
        let mut precision = vec![0.0; 16];
        let mut right = [0.0; 4];
        let weight = f64::from(noise).powi(-2);
        for (t, target) in data.targets.iter().enumerate() {
            let row = features(data.inputs.row(t));
            for i in 0..4 {
                right[i] += weight * row[i] * f64::from(*target);
                (0..4).for_each(|j| precision[4 * i + j] += weight * row[i] * row[j]);
            }
        }
        (0..4).for_each(|i| precision[5 * i] += 1.0);
        // Solving with the transposed factor for each unit vector gives columns whose products are the covariance.
        let factor = Cholesky::new(precision, 4).unwrap();
        let columns: Vec<[f64; 4]> = (0..4)
            .map(|i| {
                let mut column = [0.0; 4];
                column[i] = 1.0;
                factor.solve_transposed(&mut column);
                column
            })
            .collect();
        let covariance = |i: usize, j: usize| columns.iter().map(|column| column[i] * column[j]).sum::<f64>();
        let exact: Vec<f64> = (0..4).map(|i| (0..4).map(|j| covariance(i, j) * right[j]).sum()).collect();

        let probes = Matrix::new(2, 3, vec![0.3, -1.0, 0.5, -2.0, 1.0, 1.0]).unwrap();
        let values: Vec<Vec<f32>> = model.networks.iter().map(|network| outputs(network, probes.values())).collect();
        for probe in 0..2 {
            let row = features(probes.row(probe));
            let mean: f64 = (0..4).map(|i| row[i] * exact[i]).sum();
            let variance: f64 = (0..16).map(|at| row[at / 4] * row[at % 4] * covariance(at / 4, at % 4)).sum();
            let count = values.len() as f64;
            let found = values.iter().map(|value| f64::from(value[probe])).sum::<f64>() / count;
            let spread = values.iter().map(|value| (f64::from(value[probe]) - found).powi(2)).sum::<f64>() / count;
            assert!((found - mean).abs() < TOLERANCE * variance.sqrt(), "{found} and {mean}");
            assert!((spread / variance - 1.0).abs() < TOLERANCE, "{spread} and {variance}");
        }
    }

    #[test]
    fn a_function_and_its_noise_are_learnt() {
        let data = wave(60, 2, 2);
        let few = [("hidden", "20"), ("chains", "2"), ("warmup", "1500"), ("samples", "50")];
        let model = Hmc::train(&task(2, None), &data, None, &settings(&few), 0).unwrap();
        let draws: Vec<u64> = (0..300).collect();
        let found = model.sample_functions(&data.inputs, &draws).unwrap();
        let mean = |row: usize| found.means.iter().skip(row).step_by(60).sum::<f32>() / 300.0;
        let errors: f32 = (0..60).map(|row| (mean(row) - data.targets[row]).powi(2)).sum();
        assert!((errors / 60.0).sqrt() < 0.25, "{errors}");
        assert!((0.05..0.3).contains(&model.noise), "{}", model.noise);
    }

    #[test]
    fn a_draw_is_a_state_whatever_else_is_asked() {
        let model = Hmc::train(&task(2, None), &wave(9, 2, 2), None, &settings(&SMALL), 5).unwrap();
        let again = Hmc::train(&task(2, None), &wave(9, 2, 2), None, &settings(&SMALL), 5).unwrap();
        assert_eq!(model.networks.len(), 60);
        let inputs = wave(70, 2, 2).inputs;
        let all = model.sample_functions(&inputs, &[4, 9, 4]).unwrap();
        assert_eq!(all, again.sample_functions(&inputs, &[4, 9, 4]).unwrap());
        assert_eq!(all.means[..70], all.means[140..]);
        assert_functions_stand_alone(&model, &inputs, &[4, 9, 4]);
        assert!(model.sample_functions(&Matrix::new(1, 3, vec![0.0; 3]).unwrap(), &[0]).is_err());
    }

    #[test]
    fn little_data_and_odd_data_have_an_answer() {
        let constant = Targets { targets: vec![0.0; 5], ..wave(5, 2, 2) };
        let twice = Targets { inputs: Matrix::new(2, 2, vec![1.0; 4]).unwrap(), targets: vec![-1.0, 1.0] };
        let none = no_targets(0);
        for data in [none, wave(1, 2, 2), constant, twice] {
            let model = Hmc::train(&task(2, None), &data, None, &settings(&SMALL), 0).unwrap();
            let found = model.sample_functions(&wave(3, 2, 2).inputs, &[0, 1, 2]).unwrap();
            assert!(found.means.iter().all(|value| value.is_finite()), "{found:?}");
            assert!(found.noise_stds.iter().all(|noise| *noise > 0.0 && noise.is_finite()), "{found:?}");
            let nothing = Matrix::new(0, 2, vec![]).unwrap();
            assert!(model.sample_functions(&nothing, &[0]).unwrap().means.is_empty());
        }
    }

    #[test]
    fn chains_that_do_not_move_are_a_failure() {
        let far = [("hidden", "5"), ("warmup", "1"), ("step-size", "1e6"), ("samples", "5"), ("noise", "1e-3")];
        let found = Hmc::train(&task(2, None), &wave(20, 2, 2), None, &settings(&far), 0);
        assert!(matches!(found, Err(Failure::Diverged(_))), "{found:?}");
    }

    #[test]
    fn one_chain_that_is_stuck_is_a_failure_and_named() {
        assert!(check_chains([(1.0, 0.8), (2.0, 0.3)].into_iter(), 9).is_ok());
        for (bad, name) in
            [([(1.0, 0.9), (1.0, 0.9), (1.0, 0.05)], "chain 2"), ([(1.0, 0.9), (f64::NAN, 0.9), (1.0, 0.9)], "chain 1")]
        {
            let failure = check_chains(bad.into_iter(), 9).unwrap_err();
            assert!(matches!(&failure, Failure::Diverged(reason) if reason.starts_with(name)), "{failure}");
        }
    }

    #[test]
    fn a_prior_that_is_told_stays_while_the_noise_is_learnt() {
        let few =
            [("hidden", "none"), ("chains", "2"), ("samples", "5"), ("learn-prior", "no"), ("prior-scale", "1000")];
        let (data, task, settings) = (wave(20, 2, 2), task(2, None), Settings::parse(&settings(&few)).unwrap());
        let mut posterior = Posterior::new(&[2, 1], &Points::new(&task, &data).unwrap());
        let scales = run(&mut posterior, &task, &settings, 0).unwrap().scales;
        assert_eq!(scales.log_weight, libm::log(1000.0));
        assert_ne!(scales.log_noise, libm::log(f64::from(*settings.noise)));
    }

    #[test]
    fn vast_numbers_are_refused() {
        for (name, value) in [("samples", "100000000"), ("hidden", "100000000"), ("thinning", "18446744073709551615")] {
            let found = Hmc::train(&task(2, None), &wave(2, 2, 2), None, &settings(&[(name, value)]), 0);
            assert_invalid(found, name);
        }
    }
}
