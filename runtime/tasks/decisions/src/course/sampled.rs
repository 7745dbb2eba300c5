//! Asks an agent for each of its functions at all actions.

use jointly_classification::EvaluateError;
use jointly_classification::evaluate::Audit;
use jointly_core::classifier::Model;
use jointly_core::functions::Functions;
use jointly_core::inputs::Inputs;
use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

/// The most probabilities that one call returns, unless one function has more: 32 MiB.
const MOST_PROBS: usize = 1 << 23;

/// The draws that an agent is asked for, and how its answers are audited.
pub(super) struct Question {
    /// The numbers of the draws.
    pub(super) numbers: Vec<u64>,
    /// The number of classes.
    pub(super) classes: usize,
    /// The stream by which the audit chooses.
    pub(super) audit: Stream,
    /// The place that messages name.
    pub(super) place: String,
}

/// Calls `take` with each of the agent's functions once: the indices of the draws that name it, and its probabilities at all
/// actions. Then asks again for a few of them.
pub(super) fn each_function<M: Model>(
    model: &mut M,
    actions: &Matrix,
    Question { numbers, classes, audit, place }: Question,
    mut take: impl FnMut(&[usize], &[f32]),
) -> Result<(), EvaluateError<M::Error>> {
    let functions = Functions::among(numbers, |draws| model.canonical_draws(draws))?;
    let mut named: Vec<Vec<usize>> = vec![Vec::new(); functions.draws.len()];
    functions.places.iter().enumerate().for_each(|(index, &place)| named[place].push(index));

    let inputs = Inputs::from(actions.clone());
    let width = actions.rows() * classes;
    let mut audit = Audit::of(audit, place, classes, &functions, actions.rows());
    let mut done = 0;
    for draws in functions.draws.chunks((MOST_PROBS / width).max(1)) {
        let probs = model.sample_probs(&inputs, draws)?;
        assert_eq!(probs.len(), width * draws.len(), "probabilities of every function at every action");
        audit.keep(&probs, done, draws.len());
        probs.chunks_exact(width).zip(&named[done..]).for_each(|(function, named)| take(named, function));
        done += draws.len();
    }
    audit.run(model.tolerance(), &mut |rows, draws| model.sample_probs(&inputs.select(rows), draws))
}
