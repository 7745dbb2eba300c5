//! The oracle as the command knows it: a reserved name beside the agents, run by the host itself.

use anyhow::{Result, anyhow, bail};
use jointly_core::oracle::{Oracle, Posterior, Settings as Sampling, VERSION};
use jointly_core::{Evaluation, Instance, Problem, Real};
use jointly_host::{Failure, Kind, Phase, Trace};

use crate::agent_spec::Settings;
use crate::unit::SampleDiagnosis;

/// What a person calls it; no agent may have this name.
pub(crate) const NAME: &str = "oracle";
/// One line for a person.
pub(crate) const SUMMARY: &str =
    "the floor: samples the posterior of the environment, whose law it knows; no agent does better on average";

/// Settings that give chains more time to agree.
pub(crate) const MORE_WORK: &str = "oracle:rounds=5,warmup=240,thin=2";

/// How the digest of a reference begins: it has no bytes of its own, so that its implementation is named.
const HOST: &str = "host:oracle-";

/// What stands in the plan in place of a component's digest.
pub(crate) fn digest() -> String {
    format!("{HOST}{VERSION}")
}

/// Whether a digest of a plan is that of some oracle, of this command or another.
pub(crate) fn is_oracle(digest: &str) -> bool {
    digest.strip_prefix(HOST).is_some_and(|version| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit()))
}

/// Reads the settings of a spec or a plan, for an evaluation.
pub(crate) fn sampling(settings: &Settings, evaluation: &Evaluation) -> Result<Sampling> {
    let list = settings.to_list();
    let given = list.iter().map(|setting| (setting.name.as_str(), setting.value.as_str()));
    let sampling = Sampling::with(given).and_then(|sampling| sampling.for_draws(evaluation.draws));
    sampling.map_err(|refusal| anyhow!("{NAME} refuses its settings: {refusal}"))
}

/// Refuses problems whose environment has no law that the oracle could know.
pub(crate) fn refuse_unknown_laws(problems: &[Problem]) -> Result<()> {
    match problems.iter().find(|problem| Oracle::of(problem, Sampling::default()).is_none()) {
        None => Ok(()),
        Some(problem) => bail!(
            "{NAME} cannot take on {}: it samples the posterior of the environment, and the law of this one is not known; \
             leave {NAME} out, or give a suite of sampled environments",
            problem.name
        ),
    }
}

/// Samples the posterior and says in the trace how far to trust it.
pub(crate) fn posterior(
    sampling: &Sampling,
    problem: &Problem,
    instance: &Instance,
    seed: u64,
    trace: &Trace,
) -> Result<Posterior, Failure> {
    let oracle = Oracle::of(problem, sampling.clone()).ok_or_else(|| Failure {
        phase: Phase::Train,
        kind: Kind::Refused,
        message: "the law of the environment is not known".into(),
    })?;
    let posterior = oracle.sample(instance.train(), seed, &mut |fraction| trace.set_progress(fraction as f32));
    trace.add_line(&posterior.diagnosis().to_string());
    Ok(posterior)
}

/// What the journal keeps of the sampler's own diagnosis.
pub(crate) fn diagnosis(posterior: &Posterior) -> SampleDiagnosis {
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
    use super::{MORE_WORK, digest, is_oracle, sampling};
    use crate::agent_spec::AgentSpec;
    use jointly_core::suite;

    #[test]
    fn the_remedy_is_accepted() {
        let spec: AgentSpec = MORE_WORK.parse().unwrap();
        for name in ["quick", "testbed"] {
            assert!(sampling(&spec.settings, &suite(name).unwrap().evaluation).is_ok());
        }
    }

    #[test]
    fn its_digest_is_told_from_all_others() {
        assert!(is_oracle(&digest()) && is_oracle("host:oracle-27"));
        for other in ["sha256:oracle-1", "host:oracle-", "host:oracle-1/../..", "host:mlp-1"] {
            assert!(!is_oracle(other), "{other}");
        }
    }
}
