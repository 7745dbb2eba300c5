//! Predictions of a trained agent on the plane: their mean, and functions sampled from the agent.

use jointly_classification::Problem;
use jointly_core::{Inputs, Matrix, Model, Seed, agent_seed};
use jointly_engine::contestant::{Contestant, absent};
use jointly_engine::{oracle, training};
use jointly_host::{Failure, Limits, Setting, Trace};
use jointly_report::picture::{Belief, MEAN_DRAWS, Plane};

/// The number of rows of the plane in one call of an agent.
const ROWS: usize = 1200;

/// Trains an agent as a run does, and samples its predictions.
pub(crate) fn believe(
    contestant: &Contestant,
    settings: Vec<Setting>,
    (problem, seed): (&Problem, Seed),
    functions: usize,
    limits: Limits,
) -> Result<Belief, Failure> {
    let instance = problem.instance(seed);
    let inputs = Plane::STANDARD.inputs();
    match contestant {
        Contestant::Agent(agent) => {
            let mut model = training::train(agent, settings, limits, Trace::default(), (problem, &instance), seed)?;
            sample(&mut model, &inputs, functions)
        }
        Contestant::Predictions(_) | Contestant::Absent => Err(absent()),
        Contestant::Oracle(sampling) => {
            let own_seed = agent_seed(seed, problem.stream_name());
            let mut posterior = oracle::posterior(sampling, problem, &instance, own_seed, &Trace::default())?;
            let Ok(belief) = sample(&mut posterior, &inputs, functions);
            Ok(belief)
        }
    }
}

fn sample<M: Model>(model: &mut M, inputs: &Matrix, functions: usize) -> Result<Belief, M::Error> {
    let draws: Vec<u64> = (0..MEAN_DRAWS).collect();
    let canonical = model.canonical_draws(&draws)?;
    let mut distinct: Vec<u64> = Vec::new();
    for draw in &canonical {
        if !distinct.contains(draw) {
            distinct.push(*draw);
        }
    }
    let mut sampled: Vec<Vec<f32>> = vec![Vec::with_capacity(inputs.rows()); distinct.len()];
    for rows in inputs.values().chunks(ROWS * inputs.cols()) {
        let chunk = Matrix::new(rows.len() / inputs.cols(), inputs.cols(), rows.to_vec()).expect("whole rows");
        let chunk = Inputs::from(chunk);
        let probs = model.sample_probs(&chunk, &distinct)?;
        let classes = probs.len() / (distinct.len() * chunk.rows());
        for (function, probs) in sampled.iter_mut().zip(probs.chunks_exact(chunk.rows() * classes)) {
            function.extend(probs.chunks_exact(classes).map(|row| row[1]));
        }
    }
    let weights: Vec<f64> =
        distinct.iter().map(|draw| canonical.iter().filter(|other| *other == draw).count() as f64).collect();
    let mean = |cell: usize| {
        let total: f64 =
            sampled.iter().zip(&weights).map(|(function, weight)| f64::from(function[cell]) * weight).sum();
        (total / canonical.len() as f64) as f32
    };
    let mean = (0..inputs.rows()).map(mean).collect();
    sampled.truncate(functions);
    Ok(Belief { mean, functions: sampled })
}

#[cfg(test)]
mod tests {
    use super::{MEAN_DRAWS, sample};
    use jointly_core::{Inputs, Matrix, Model};

    /// A model whose even draws predict 1/4 everywhere, and odd draws 3/4.
    struct TwoFunctions;

    impl Model for TwoFunctions {
        type Error = std::convert::Infallible;

        fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
            Ok(draws.iter().map(|draw| draw % 2).collect())
        }

        fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error> {
            let row = |draw: &u64| if draw.is_multiple_of(2) { [0.75, 0.25] } else { [0.25, 0.75] };
            Ok(draws.iter().flat_map(|draw| vec![row(draw); inputs.rows()].concat()).collect())
        }
    }

    #[test]
    fn functions_that_are_the_same_are_drawn_once() {
        let inputs = Matrix::new(3, 2, vec![0.0; 6]).unwrap();
        let Ok(belief) = sample(&mut TwoFunctions, &inputs, 4);
        assert_eq!(belief.functions, [vec![0.25; 3], vec![0.75; 3]]);
        assert_eq!(belief.mean, [0.5; 3]);
        assert_eq!(MEAN_DRAWS % 2, 0);
    }
}
