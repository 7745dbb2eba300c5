//! The agent `nuts`: samples of a network's weights by the No-U-Turn sampler.

mod chain_log;
mod posterior;
mod tree;

use chain_log::ChainLog;
use jointly_nets::examples::check;
use jointly_nets::step_size::StepSize;
use jointly_nets::{Finite, Network, Rows, Stream, sweeps};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, Positive, Setting, Task, Widths, log, progress, settings,
};
use posterior::Posterior;
use tree::{Sampler, State, Target as _};

/// The initial step size of the adaptation.
const FIRST_STEP: f32 = 0.01;
/// The fraction of the warm-up in which the likelihood is tempered.
const TEMPERED: f64 = 0.5;

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// number of Markov chains, each with its own start
        chains: Count = "4",
        /// transitions of a chain before its states are kept
        warmup: Count = "200",
        /// states kept of each chain
        samples: Count = "100",
        /// logarithm to base 2 of the maximum number of leapfrog steps in a transition
        depth: Count = "7",
        /// factor of the prior's standard deviations; 1 is the environment's distribution
        prior_scale: Positive = "1",
    }
}

/// States of Markov chains that sample the posterior of a network's weights.
///
/// Each chain writes a line to the log: its adapted step size, its mean acceptance, and how many of its transitions
/// diverged or were ended by the depth limit. If many were, the states are not a reliable sample of the posterior.
#[derive(Debug)]
pub struct Nuts {
    belief: Finite<Network>,
}

impl Classifier for Nuts {
    fn describe() -> Description {
        let summary = "samples of the network's weights from their posterior, by the No-U-Turn sampler";
        Description {
            citation:
                "Hoffman and Gelman, The No-U-Turn sampler: adaptively setting path lengths in Hamiltonian Monte \
                       Carlo, JMLR 2014"
                    .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("prior-scale", &["0.5", "0.7", "1", "1.4", "2"]),
                sweeps::one("samples", &["25", "50", "100", "200"]),
                sweeps::one("depth", &["4", "5", "6", "7", "8"]),
            ],
            ..Description::new("nuts", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        check(task, data)?;
        let settings = Settings::parse(settings)?;
        let depth = *settings.depth;
        if depth > 20 {
            return Err(Failure::InvalidSetting(format!(
                "depth={depth}: expected at most 20, which is a million steps"
            )));
        }
        let (warmup, samples) = (*settings.warmup, *settings.samples);
        let transitions = warmup.checked_add(samples).ok_or_else(|| {
            Failure::InvalidSetting(format!("warmup={warmup} and samples={samples} are too many: lower one of them"))
        })?;
        let mut posterior = Posterior::new(task, data, &settings.hidden, *settings.prior_scale);
        let mut states = Vec::new();
        let chains = *settings.chains;
        for chain in 0..chains {
            let (kept, line) = run(&mut posterior, &settings, transitions, chain, seed);
            log(&line);
            if kept.is_empty() {
                return Err(Failure::Diverged(format!("chain {chain} has no state of finite energy")));
            }
            states.extend(kept);
        }
        Ok(Self { belief: Finite::new(seed, states) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.belief.probs(&Rows::of(inputs), draw, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.belief.canonical_draw(draw)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.belief.sample_probs(&Rows::of(inputs), draws, out)
    }
}

/// Runs one chain of `transitions` transitions; returns the kept states and its log line.
///
/// The chain starts at a draw from the prior. In the first half of the warm-up the likelihood's power grows from 0 to
/// 1, slowly enough for the step size to adapt.
fn run(
    posterior: &mut Posterior,
    settings: &Settings,
    transitions: usize,
    chain: usize,
    seed: u64,
) -> (Vec<Network>, String) {
    let mut rng = Stream::Chain.rng(seed, chain as u64);
    let (warmup, depth) = (*settings.warmup, *settings.depth as u32);
    let mut position = vec![0.0; posterior.len()];
    posterior.momentum(&mut rng, &mut position);
    posterior.beta = 0.0;
    let mut state = State::new(posterior, position);
    let mut step_size = StepSize::new(FIRST_STEP);
    let (mut kept, mut told) = (Vec::new(), ChainLog::default());
    for transition in 0..transitions {
        let warming = transition < warmup;
        let beta = if warming { tempered(transition, warmup) } else { 1.0 };
        if beta != posterior.beta {
            posterior.beta = beta;
            state = State::new(posterior, state.position);
        }
        let step = if warming { step_size.current() } else { step_size.settled() };
        let (next, report) = Sampler::new(posterior, step, depth).step(&state, &mut rng);
        state = next;
        if warming {
            step_size.learn(report.acceptance);
        } else {
            told.add(&report);
            if state.energy.is_finite() {
                kept.push(posterior.network(&state.position).clone());
            }
        }
        progress((chain as f32 + (transition + 1) as f32 / transitions as f32) / *settings.chains as f32);
    }
    (kept, told.line(chain, step_size.settled(), depth))
}

/// Returns the power of the likelihood at a transition of the warm-up. It grows with the cube, since the first
/// hundredths already bring in most of the information of the data.
fn tempered(transition: usize, warmup: usize) -> f64 {
    let share = (transition + 1) as f64 / (TEMPERED * warmup as f64);
    share.powi(3).min(1.0)
}

jointly_sdk::export!(classifier: Nuts);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_invalid, settings};

    use super::*;

    fn train(labels: &[u32], inputs: &[f32], settings: &[(&str, &str)]) -> Nuts {
        let task = Task { temperature: Some(0.1), ..Task::new(1, 2) };
        let inputs = Matrix::new(labels.len(), 1, inputs.to_vec()).unwrap();
        let data = Dataset { inputs, labels: labels.to_vec() };
        Nuts::train(&task, &data, None, &self::settings(settings), 0).unwrap()
    }

    const SMALL: [(&str, &str); 3] = [("hidden", "5"), ("warmup", "100"), ("chains", "2")];

    #[test]
    fn labels_are_learnt_where_there_are_some_and_doubted_where_there_are_none() {
        let inputs = [-1.1, -1.0, -0.9, 0.9, 1.0, 1.1];
        let nuts = train(&[0, 0, 0, 1, 1, 1], &inputs, &SMALL);
        let probes = Matrix::new(3, 1, vec![-1.0, 1.0, 0.0]).unwrap();
        let mut mean = [0.0; 6];
        for draw in 0..400 {
            let mut probs = [0.0; 6];
            nuts.probs(&probes, draw, &mut probs).unwrap();
            mean.iter_mut().zip(probs).for_each(|(mean, p)| *mean += p / 400.0);
        }
        assert!(mean[0] > 0.9 && mean[3] > 0.9, "{mean:?}");
        assert!(mean[4] > 0.1 && mean[4] < 0.9, "{mean:?}");
    }

    #[test]
    fn draws_name_states_and_the_seed_decides() {
        let one = train(&[0, 1], &[-1.0, 1.0], &SMALL);
        let same = train(&[0, 1], &[-1.0, 1.0], &SMALL);
        assert_eq!(one.belief.functions().len(), 200);
        let probes = Matrix::new(2, 1, vec![0.3, 5.0]).unwrap();
        let (mut together, mut again) = ([0.0; 12], [0.0; 12]);
        one.sample_probs(&probes, &[5, 0, 5], &mut together).unwrap();
        same.sample_probs(&probes, &[5, 0, 5], &mut again).unwrap();
        assert_eq!(together, again);
        assert_eq!(together[..4], together[8..]);
        let canonical = one.canonical_draw(5);
        let mut alone = [0.0; 4];
        one.probs(&probes, canonical, &mut alone).unwrap();
        assert_eq!(together[..4], alone);
    }

    #[test]
    fn a_chain_tells_how_it_went() {
        let task = Task { temperature: Some(0.1), ..Task::new(1, 2) };
        let data = Dataset { inputs: Matrix::new(2, 1, vec![-1.0, 1.0]).unwrap(), labels: vec![0, 1] };
        let line = |depth: &str| {
            let few = [("warmup", "30"), ("samples", "20"), ("depth", depth)];
            let settings = Settings::parse(&settings(&few)).unwrap();
            let mut posterior = Posterior::new(&task, &data, &[5], 1.0);
            run(&mut posterior, &settings, 50, 3, 0).1
        };
        let short = line("1");
        assert!(short.starts_with("chain 3: step ") && short.contains("of 20 transitions"), "{short}");
        // A single step does not turn back.
        assert!(short.ends_with("100.0 % reached the depth 1"), "{short}");
        assert!(line("15").ends_with(" 0.0 % reached the depth 15"), "{}", line("15"));
    }

    #[test]
    fn data_and_settings_that_do_not_fit_are_refused() {
        let task = Task::new(2, 2);
        let data = |cols: usize, labels: &[u32]| Dataset {
            inputs: Matrix::new(2, cols, vec![0.5; 2 * cols]).unwrap(),
            labels: labels.to_vec(),
        };
        for data in [data(3, &[0, 1]), data(2, &[0]), data(2, &[0, 2])] {
            assert!(matches!(Nuts::train(&task, &data, None, &[], 0), Err(Failure::Internal(_))), "{data:?}");
        }
        let endless = settings(&[("warmup", &usize::MAX.to_string()), ("samples", "1")]);
        for (settings, what) in [(endless, "an endless warm-up"), (settings(&[("depth", "21")]), "depth=21")] {
            assert_invalid(Nuts::train(&task, &data(2, &[0, 1]), None, &settings, 0), what);
        }
    }
}
