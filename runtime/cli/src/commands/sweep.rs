//! `jointly sweep`: runs an agent's own lists of variants and chooses the best.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_core::Summary;
use jointly_core::printable::ShowPath as _;
use jointly_engine::{agent_source, cache, variants};
use jointly_host::Execution;
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::{self, SWEEP};
use jointly_record::quantity::{self, counted};
use jointly_report::table::{self, wrap};
use jointly_score::leaderboard::Leaderboard;
use jointly_score::scores::Scores;
use jointly_score::selection::{Choice, Selection, Tune};
use jointly_score::sweep_document::SweepDocument;

use crate::request::{CarriedOut, Done, Request};
use crate::tune_argument::TuneArgument;
use crate::{exit, output};

/// Runs every variant of the agents' own sweeps and chooses the best, by kl_aggregate where the suite has it
///
/// The result is a run: `jointly report`, `verify` and a later `run --reuse` take its directory.
#[derive(Args)]
#[command(mut_arg("like", |it| it.hide(true)))]
pub(crate) struct Sweep {
    /// A bundled name, a path to a .wasm or .py, exec:COMMAND or socket:PATH; a setting that is given, as in ensemble:size=10, is kept in all variants
    #[arg(value_name = "AGENT", required = true)]
    agents: Vec<AgentSpec>,
    /// Only these of the agents' sweeps, as `jointly agents` lists them; may be repeated
    #[arg(long = "only", value_name = "SWEEP")]
    only: Vec<String>,
    /// Every combination of the sweeps' variants, rather than one sweep at a time
    #[arg(long)]
    joint: bool,
    /// Choose one variant for all problems, or one for each setting (problems that are repetitions of one another)
    #[arg(long, value_enum, default_value_t)]
    tune: TuneArgument,
    /// Print sweep.json rather than the tables
    #[arg(long)]
    json: bool,
    /// Run nothing, as `jointly run --plan-only`: --like then hands the variants to `slurm`, `plan` or a cluster. When
    /// all results are there, the same command without this option chooses
    #[arg(long)]
    plan_only: bool,
    // The headings of its options would stand over those that follow.
    #[command(flatten)]
    request: Request,
}

impl Sweep {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.request.refuse_like("a sweep makes its own variants; give it to `jointly run`")?;
        let variants = self.variants()?;
        if self.plan_only {
            self.request.refuse_shard("nothing is run with --plan-only; leave one of them out")?;
            self.request.refuse_timeout("nothing is run with --plan-only; leave one of them out")?;
            return self.request.plan(&variants)?.show(self.json);
        }
        if self.json {
            self.request
                .refuse_shard("--json prints what a sweep chooses, and a shard has no scores; leave one out")?;
        }
        // The journal's lock is held until the choice is written.
        let Done { directory, plan, journal: _locked, .. } = match self.request.carry_out(&variants)? {
            CarriedOut::Whole(done) => *done,
            CarriedOut::Share(done) => return done.show(),
        };
        let results = directory.results()?;
        let scores = Scores::with_beliefs(&plan, &results, &directory)?;
        let leaderboard = Leaderboard::new(&scores);
        // If every variant failed everywhere, there is no score, and only the failures are shown.
        let by = leaderboard.compared_by().map(|name| name.to_string());
        let by = by.as_deref();
        let selections = Selection::all(&scores, by.unwrap_or_default(), self.tune.into());
        let json = directory::to_json(&SweepDocument::new(&plan, by, self.tune.into(), &selections))?;
        directory.write(SWEEP, &json)?;
        if self.json {
            output::print(&json)?;
        } else {
            let problems = counted(plan.problems.len(), "problem");
            let mut text = format!("{}, {problems}, seed {}{}", plan.suite, plan.seed, plan.overrides());
            if let Some(by) = by {
                let errors = scores.units().clause();
                let _ = write!(
                    text,
                    "; lower {by} is better\n{errors}; behind is the difference to the best, paired by problem"
                );
            }
            let mut text = wrap(&text, 2) + "\n";
            for selection in &selections {
                text += &tables(selection, by.unwrap_or_default(), self.tune.into());
            }
            let _ = write!(text, "\nthe run and {SWEEP} are in {}", directory.path().shown());
            output::print(&text)?;
        }
        Ok(ExitCode::from(if scores.failed() { exit::SOME_FAILED } else { exit::DONE }))
    }

    /// Loads the variants and problems, and runs nothing.
    pub(crate) fn load(&self) -> Result<()> {
        self.request.workload(&self.variants()?).map(drop)
    }

    fn variants(&self) -> Result<Vec<AgentSpec>> {
        let runtime = cache::runtime(Execution::Compiled)?;
        let interface = self.request.interface();
        let load = |spec: &AgentSpec| {
            agent_source::load_for(&runtime, spec, self.request.limits(), interface)
                .map(|loaded| loaded.agent.description().clone())
        };
        let descriptions = self.agents.iter().map(load).collect::<Result<Vec<_>>>()?;
        variants::refuse_unknown(&descriptions, interface, &self.only)?;
        let mut all = Vec::new();
        for (spec, description) in self.agents.iter().zip(&descriptions) {
            let of_agent = if self.joint {
                variants::joint(spec, description, interface, &self.only)?
            } else {
                variants::of(spec, description, interface, &self.only)
            };
            for variant in of_agent {
                if !all.contains(&variant) {
                    all.push(variant);
                }
            }
        }
        Ok(all)
    }
}

/// Returns the variants from best to worst, the choice, and how reliable it is.
fn tables(selection: &Selection, by: &str, tune: Tune) -> String {
    let error = |summary: Summary| quantity::with_error(summary.mean, summary.stderr);
    let mut text = "\n".to_owned();
    if let Some(tuned) = selection.tuned {
        let mut rows = vec![["#", selection.agent, by, "behind"].map(String::from).to_vec()];
        for (place, variant) in selection.variants.iter().enumerate() {
            let behind = if place == 0 { "-".into() } else { error(variant.behind) };
            let label = variant.scores.planned.label.clone();
            rows.push(vec![(place + 1).to_string(), label, error(variant.summary), behind]);
        }
        text += &table::render(2, &rows);
        if tune == Tune::PerSetting {
            let mut rows = vec![["setting", "best", by].map(String::from).to_vec()];
            let choice =
                |choice: &Choice| vec![choice.setting.clone(), choice.label().to_owned(), error(choice.summary)];
            rows.extend(selection.choices.iter().map(choice));
            let _ = write!(text, "\n{}", table::render(2, &rows));
        }
        let what = match (tune, selection.choices.first()) {
            (Tune::Global, Some(choice)) => choice.label().to_owned(),
            _ => format!("{}, tuned in each setting,", selection.agent),
        };
        let best = format!("best: {what} {}, on the problems that chose it", error(tuned));
        let best = match &selection.held_out {
            Some(held_out) => format!("{best};\nchosen by the other repetitions alone: {}", error(held_out.summary)),
            None => format!("{best},\nwhich is optimistic: with one repetition there are no others to choose by"),
        };
        let _ = writeln!(text, "\n{}", wrap(&best, 2));
    } else {
        let _ = writeln!(text, "{}: no variant has a score on every problem", selection.agent);
    }
    if !selection.incomplete.is_empty() {
        let labels: Vec<&str> = selection.incomplete.iter().map(|agent| agent.planned.label.as_str()).collect();
        text += &wrap(&format!("not compared, because a score is missing on some problem: {}", labels.join("; ")), 2);
        text.push('\n');
    }
    if let Some((label, problem, failure)) = selection.first_failure() {
        text += &wrap(&format!("first failure, {label} on {problem}: {failure}"), 2);
        text.push('\n');
    }
    text
}
