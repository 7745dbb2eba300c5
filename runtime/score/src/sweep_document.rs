//! `sweep.json` as typed data: what is written, and what its JSON Schema is derived from.

use jointly_core::failure::{Kind, Phase};
use jointly_core::{Real, Seed, Summary};
use jointly_record::format::Format;
use jointly_record::plan::Plan;
use jointly_record::settings::Settings;
use schemars::JsonSchema;
use serde::Serialize;

use crate::scores::number;
use crate::selection::{Choice, Selection, Tune, Variant};

/// The choice of a sweep: the mean score of each variant of each agent, and the best. Numbers have 12 significant digits.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Sweep")]
pub struct SweepDocument<'a> {
    /// The number of the format.
    format: Format,
    /// The name of the suite.
    suite: &'a str,
    /// The master seed.
    seed: Seed,
    /// The version of the command that made the plan.
    version: &'a str,
    /// The name of the score that chooses; null where no agent has one.
    score: Option<&'a str>,
    /// Whether one variant is chosen for all problems or one for each setting.
    #[schemars(extend("enum" = Tune::ALL.map(Tune::name)))]
    tune: &'static str,
    /// The agents, in the plan's order.
    agents: Vec<AgentDocument<'a>>,
}

/// The variants of one agent and the choice among them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SweptAgent")]
struct AgentDocument<'a> {
    /// The name of the agent.
    agent: &'a str,
    /// The choice of each group of problems.
    choices: Vec<ChoiceDocument<'a>>,
    /// The mean score of the chosen variants on the problems that chose them; null where nothing is chosen.
    tuned: Option<MeanDocument>,
    /// The mean score of each repetition's problems under the choice of the other repetitions; null with one repetition.
    held_out: Option<MeanDocument>,
    /// The variants with a score on every problem, best first.
    variants: Vec<VariantDocument<'a>>,
    /// The labels of the other variants, in the plan's order.
    incomplete: Vec<&'a str>,
    /// The first failure of the other variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_failure: Option<FailureDocument<'a>>,
}

/// The variant that a group of problems chose.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Choice")]
struct ChoiceDocument<'a> {
    /// The name of the group: of its series, or `all problems`.
    setting: &'a str,
    /// The label of the chosen variant.
    best: &'a str,
    /// Its mean score over the group.
    mean: Real,
    /// The standard error of the mean.
    stderr: Real,
}

/// A variant and its mean score.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Variant")]
struct VariantDocument<'a> {
    /// Its label.
    label: &'a str,
    /// Its settings.
    settings: &'a Settings,
    /// The mean score over all problems.
    mean: Real,
    /// The standard error of the mean.
    stderr: Real,
    /// Its score less the best variant's, paired by problem.
    behind_best: MeanDocument,
}

/// A mean over problems.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Mean")]
struct MeanDocument {
    /// The mean.
    mean: Real,
    /// Its standard error.
    stderr: Real,
    /// The number of problems.
    problems: usize,
}

/// A failure of a variant on a problem.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VariantFailure")]
struct FailureDocument<'a> {
    /// The label of the variant.
    label: &'a str,
    /// The name of the problem.
    problem: &'a str,
    /// The phase of the unit in which it failed.
    phase: Phase,
    /// The kind of failure.
    kind: Kind,
    /// One line that explains the failure.
    message: &'a str,
}

impl<'a> SweepDocument<'a> {
    /// Makes the document of a run's selections by a score, the one that ranks where any agent has one.
    pub fn new(plan: &'a Plan, score: Option<&'a str>, tune: Tune, selections: &'a [Selection<'a>]) -> Self {
        Self {
            format: plan.format,
            suite: &plan.suite,
            seed: plan.seed,
            version: &plan.version,
            score,
            tune: tune.name(),
            agents: selections.iter().map(AgentDocument::of).collect(),
        }
    }
}

impl<'a> AgentDocument<'a> {
    fn of(selection: &'a Selection<'a>) -> Self {
        let first_failure = selection.first_failure().map(|(label, problem, failure)| FailureDocument {
            label,
            problem,
            phase: failure.phase,
            kind: failure.kind,
            message: &failure.message,
        });
        Self {
            agent: selection.agent,
            choices: selection.choices.iter().map(ChoiceDocument::of).collect(),
            tuned: selection.tuned.map(MeanDocument::of),
            held_out: selection.held_out.as_ref().map(|held_out| MeanDocument::of(held_out.summary)),
            variants: selection.variants.iter().map(VariantDocument::of).collect(),
            incomplete: selection.incomplete.iter().map(|agent| agent.planned.label.as_str()).collect(),
            first_failure,
        }
    }
}

impl<'a> ChoiceDocument<'a> {
    fn of(choice: &'a Choice<'a>) -> Self {
        let MeanDocument { mean, stderr, .. } = MeanDocument::of(choice.summary);
        Self { setting: &choice.setting, best: choice.label(), mean, stderr }
    }
}

impl<'a> VariantDocument<'a> {
    fn of(variant: &'a Variant<'a>) -> Self {
        let planned = variant.scores.planned;
        let MeanDocument { mean, stderr, .. } = MeanDocument::of(variant.summary);
        let behind_best = MeanDocument::of(variant.behind);
        Self { label: &planned.label, settings: &planned.settings, mean, stderr, behind_best }
    }
}

impl MeanDocument {
    fn of(summary: Summary) -> Self {
        Self { mean: number(summary.mean), stderr: number(summary.stderr), problems: summary.problems }
    }
}
