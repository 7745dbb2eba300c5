//! Invented runs of dataset shift for tests.

use jointly_classification::shift::{
    Condition, ConditionScores, Cost, DatasetShift, Detection, DetectionScores, ENTROPY_BINS, LabelledScores,
    ShiftLevel, ShiftOptions, ShiftScores, THRESHOLDS, shift_suite,
};
use jointly_core::failure::{Failure, Kind, Phase};
use jointly_core::metric::MarginalValues;
use jointly_core::{JointScore, Metric, Real, Score};

use super::{InventedRun, agent, coordinates, plan, planned_problem};
use crate::format::Format;
use crate::plan::{Plan, Terms};
use crate::unit::{Outcome, UnitResult};

/// The number of test inputs of an invented problem, and of its out-of-distribution inputs.
const ROWS: u32 = 100;

/// The quality of an agent without shift, and its loss at the strongest shift, both between 0 and 1.
#[derive(Clone, Copy)]
pub struct Shifting {
    pub quality: f64,
    pub loss: f64,
    /// The additional loss in joint predictions, per unit of shift.
    pub joint_loss: f64,
}

/// Returns an agent that loses no more in joint predictions than in others.
pub fn shifting(quality: f64, loss: f64) -> Shifting {
    Shifting { quality, loss, joint_loss: 0.0 }
}

/// Makes repetitions of the quick suite under some levels of shift, with any agents. The first repetition is better
/// than the next by a hundredth.
pub fn shift_run(repetitions: usize, levels: &[&str], agents: &[(&str, Shifting)]) -> InventedRun {
    let mut options = shift_suite("quick/shift").unwrap().options;
    options.levels = levels.iter().map(|level| level.parse().unwrap()).collect();
    options.taus = vec![1, 10];
    let planned = agents.iter().map(|(spec, _)| agent(spec)).collect();
    let mut plan = plan("quick/shift", Terms::Shift(options), planned);
    let problem = |number| planned_problem(&format!("quick/shift/seed{number}"), Metric::Nll);
    plan.problems = (0..repetitions).map(problem).collect();
    coordinates::place(&mut plan);
    let mut results = Vec::new();
    for (place, (agent, (_, shifting))) in plan.agents.iter().zip(agents).enumerate() {
        for (number, problem) in plan.problems.iter().enumerate() {
            let scores = scores(&plan, *shifting, (place as u64 + 1, 0.01 * number as f64));
            results.push(UnitResult {
                format: Format,
                agent: agent.label.clone(),
                problem: problem.problem.clone(),
                seconds: Some(1.0),
                outcome: Outcome::Shift { scores: scores.into(), fuel: Some(place as u64 + 1) },
                log: Vec::new(),
            });
        }
    }
    InventedRun { plan, results }
}

/// Returns a copy of the run in which an agent's last result is a failure.
pub fn with_failure(mut run: InventedRun, agent: &str) -> InventedRun {
    let result = run.results.iter_mut().rfind(|result| result.agent == agent).unwrap();
    let message = "it gave up".to_owned();
    result.outcome = Outcome::Failed(Failure { phase: Phase::Train, kind: Kind::AgentFailure, message });
    run
}

fn scores(plan: &Plan, shifting: Shifting, (cost, luck): (u64, f64)) -> ShiftScores {
    let ShiftOptions { levels, taus, .. } = plan.options::<DatasetShift>().unwrap();
    let most = |level: &ShiftLevel| {
        let own = levels.iter().filter(|other| other.shift() == level.shift()).map(ShiftLevel::severity);
        own.fold(0.0, f64::max)
    };
    let scored = |at: Condition, shift: f64| condition(at, taus, shifting, (shift, luck));
    let mut conditions = vec![scored(Condition::Unshifted, 0.0)];
    conditions.extend(levels.iter().map(|level| scored(Condition::Shifted(*level), level.severity() / most(level))));
    let outside = scored(Condition::Outside("letters-and-scribbles".to_owned()), 1.0);
    let told = Detection {
        auroc: Real(0.9 - luck),
        aupr_out: Real(0.8),
        aupr_in: Real(0.7),
        fpr95_out: Real(0.3),
        fpr95_in: Real(0.4),
    };
    let detection = Some(DetectionScores { confidence: told, entropy: told });
    // No out-of-distribution input is classified right.
    let confident = outside.confident.iter().map(|[count, _]| [*count, 0]).collect();
    conditions.push(ConditionScores { confident, labelled: None, detection, ..outside });
    ShiftScores { conditions, cost: Some(Cost { training: 100 * cost, prediction: 1000 * cost, bytes: 1 << 20 }) }
}

/// Returns the scores in a condition at a fraction `shift` of the strongest shift.
fn condition(condition: Condition, taus: &[u32], shifting: Shifting, (shift, luck): (f64, f64)) -> ConditionScores {
    let Shifting { quality, loss, joint_loss } = shifting;
    let accuracy = quality - loss * shift - luck;
    let score = |mean| Score { mean, stderr: 0.01 };
    let joint = |tau: u32| {
        let mean = f64::from(tau) * (1.0 - accuracy) + if tau > 1 { joint_loss * shift } else { 0.0 };
        (tau, JointScore { mean, stderr: 0.1, draw_error: 0.0, effective_draws: 10.0 })
    };
    let confident = |threshold: usize| {
        let count = (f64::from(ROWS) * (1.0 - threshold as f64 / THRESHOLDS as f64)) as u32;
        [count, (f64::from(count) * accuracy) as u32]
    };
    let entropy = |bin: usize| if bin == 0 { ROWS } else { 0 };
    ConditionScores {
        condition,
        rows: ROWS,
        confidence: score(accuracy),
        entropy: score(1.0 - accuracy),
        confident: (0..=THRESHOLDS).map(confident).collect(),
        entropies: (0..ENTROPY_BINS).map(entropy).collect(),
        labelled: Some(LabelledScores {
            accuracy: score(accuracy),
            auc: None,
            nll: score(1.0 - accuracy),
            brier: score(1.0 - accuracy),
            uncertainty: Real(0.9),
            resolution: Real(accuracy),
            reliability: Real(0.1),
            remainder: Real(0.0),
            ece: Real(shift / 10.0),
            ece_quantile: Real(shift / 10.0),
            ece_top5: None,
            marginal: MarginalValues::default(),
            calibration: Vec::new(),
            joint: taus.iter().copied().map(joint).collect(),
            brier_by_draws: [1, 2, 5, 10].map(|draws| (draws, Real(1.0 - accuracy + 0.1 / f64::from(draws)))).to_vec(),
        }),
        detection: None,
    }
}
