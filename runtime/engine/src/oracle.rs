//! The oracle as the command runs it: a reserved name among the agents, carried out by the host itself.

use anyhow::{Result, anyhow, bail};
use jointly_classification::oracle::{Oracle, Posterior, Settings as Sampling};
use jointly_classification::{Instance, Problem};
use jointly_core::{Dataset, Real};
use jointly_host::{Failure, Kind, Phase, Trace};
use jointly_record::guess;
use jointly_record::plan::Plan;
use jointly_record::reference::NAME;
use jointly_record::settings::Settings;
use jointly_record::unit::SampleDiagnosis;

/// Parses the oracle's settings of a spec or a plan, for an evaluation with so many draws.
///
/// # Errors
/// When the oracle refuses them.
pub fn sampling(settings: &Settings, draws: u32) -> Result<Sampling> {
    let known = || Sampling::list().into_iter().map(|info| info.name);
    if let Some(unknown) = settings.names().find(|name| known().all(|known| known != *name)) {
        let list = format!("`jointly agents {NAME}` describes its settings");
        bail!("{NAME} has no setting {unknown}: {}", guess::remedy(unknown, known(), &list));
    }
    let list = settings.to_list();
    let given = list.iter().map(|setting| (setting.name.as_str(), setting.value.as_str()));
    let sampling = Sampling::with(given).and_then(|sampling| sampling.for_draws(draws));
    sampling.map_err(|refusal| anyhow!("{NAME} refuses its settings: {refusal}"))
}

/// The most work of an oracle that a stranger's plan may ask for, in times that of its usual settings.
const MOST_WORK: f64 = 100.0;

/// Returns how many times the work of the usual settings a plan asks of an oracle, and the most that is accepted, if it is
/// more. No fuel limits the oracle, because the host runs it.
///
/// # Errors
/// When the oracle refuses its settings.
pub fn beyond_usual(plan: &Plan) -> Result<Option<(f64, f64)>> {
    let usual = Sampling::default().most_gradients();
    for agent in plan.agents.iter().filter(|agent| agent.is_reference()) {
        let each = sampling(&agent.settings, plan.draws())?.most_gradients() / usual;
        let times = each * plan.terms.options().trainings();
        if times > MOST_WORK {
            return Ok(Some((times, MOST_WORK)));
        }
    }
    Ok(None)
}

/// Refuses problems whose environment has no known distribution.
///
/// # Errors
/// When the environment of a problem has no known distribution.
pub fn refuse_unknown_laws(problems: &[Problem]) -> Result<()> {
    match problems.iter().find(|problem| Oracle::of(problem, Sampling::default()).is_none()) {
        None => Ok(()),
        Some(problem) => bail!(
            "{NAME} cannot run on {}: it samples the posterior of the environment, and the distribution of this one is not \
             known; leave {NAME} out, or give a suite of sampled environments",
            problem.name
        ),
    }
}

/// Samples the posterior and records in the trace how far to trust it.
///
/// # Errors
/// When the environment of the problem has no known distribution.
pub fn posterior(
    sampling: &Sampling,
    problem: &Problem,
    instance: &Instance,
    seed: u64,
    trace: &Trace,
) -> Result<Posterior, Failure> {
    let oracle = Oracle::of(problem, sampling.clone()).ok_or_else(|| Failure {
        phase: Phase::Train,
        kind: Kind::Refused,
        message: "the distribution of the environment is not known".into(),
    })?;
    Ok(sample(&oracle, instance.train(), seed, trace))
}

/// Samples the posterior of an environment given examples, and records in the trace how far to trust it.
pub(crate) fn sample(oracle: &Oracle, train: &Dataset, seed: u64, trace: &Trace) -> Posterior {
    let posterior = oracle.sample(train, seed, &mut |fraction| trace.set_progress(fraction as f32));
    trace.add_line(&posterior.diagnosis().to_string());
    posterior
}

/// Returns the part of the sampler's diagnosis that the journal keeps.
pub fn diagnosis(posterior: &Posterior) -> SampleDiagnosis {
    let diagnosis = posterior.diagnosis();
    let worst = diagnosis.worst();
    SampleDiagnosis {
        r_hat: Real(worst.r_hat),
        effective_draws: Real(worst.effective),
        acceptance: Real(diagnosis.acceptance),
        rounds: diagnosis.rounds,
        converged: diagnosis.converged(),
    }
}

#[cfg(test)]
mod tests {
    use super::{beyond_usual, sampling};
    use crate::plans;
    use jointly_classification::suite;
    use jointly_decisions::decision_suite;
    use jointly_host::Limits;
    use jointly_record::agent_spec::AgentSpec;
    use jointly_record::plan::PlannedAgent;
    use jointly_record::reference::{self, MORE_WORK, NAME};

    /// A plan from elsewhere may not ask the host for a posterior before each of many actions.
    #[test]
    fn work_counts_every_training() {
        let oracle = PlannedAgent {
            agent: NAME.into(),
            label: String::new(),
            digest: reference::digest(),
            reported: None,
            settings: jointly_record::settings::Settings::default(),
        };
        let mut suite = decision_suite("decisions/bandit").unwrap();
        let mut beyond = |steps, growth| {
            (suite.options.steps, suite.options.growth) = (steps, growth);
            let plan = plans::of_decisions(&suite, 0.into(), Limits::default(), vec![oracle.clone()]);
            beyond_usual(&plan).unwrap()
        };
        assert_eq!(beyond(10_000, 0.25), None);
        let (times, most) = beyond(100_000, 0.0).unwrap();
        assert!(times > 1e6 && most < 1e3, "{times} {most}");
    }

    #[test]
    fn the_remedy_is_accepted() {
        let spec: AgentSpec = MORE_WORK.parse().unwrap();
        for name in ["quick", "testbed"] {
            assert!(sampling(&spec.settings, suite(name).unwrap().evaluation.draws).is_ok());
        }
    }
}
