//! The options that select a share of the units, and the variables of array jobs.

use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use jointly_record::shard::{MOST, Shard};

/// The variable that gives `--shard auto` the number of shards, instead of `--shards`.
const SHARDS: &str = "JOINTLY_SHARDS";
const SLURM_TASK: &str = "SLURM_ARRAY_TASK_ID";
const KUBERNETES_INDEX: &str = "JOB_COMPLETION_INDEX";

/// Which share of the units to run.
#[derive(Args)]
pub(crate) struct ShardArguments {
    /// Run only the I-th of N shards of the units, counted from 1, into a directory of its own; `jointly merge` joins
    /// them. auto takes I and N from an array job: Slurm's (sbatch --array=1-N), or Kubernetes's indexed jobs with
    /// --shards
    #[arg(long, value_name = "I/N|auto")]
    shard: Option<Asked>,
    /// The number of shards that --shard auto divides the units into; array tasks are then numbered from 1 to N
    /// [default: $JOINTLY_SHARDS, else the number of tasks of Slurm's array]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    shards: Option<u32>,
}

/// A shard as requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Given(Shard),
    Auto,
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let (shard, of) = text.split_once('/').ok_or("expected I/N, such as 1/4, or auto")?;
        let number = |text: &str| text.parse().map_err(|_| "expected I/N, such as 1/4, or auto".to_owned());
        Shard::new(number(shard)?, number(of)?).map(Self::Given)
    }
}

impl ShardArguments {
    /// Returns the requested shard, if any.
    pub(crate) fn shard(&self) -> Result<Option<Shard>> {
        match self.shard {
            None if self.shards.is_some() => {
                bail!("--shards says how many shares --shard auto divides the units into: give --shard auto too")
            }
            None => Ok(None),
            Some(Asked::Auto) => of_array(self.shards, |name| std::env::var(name).ok()).map(Some),
            Some(Asked::Given(shard)) => match self.shards {
                None => Ok(Some(shard)),
                Some(_) => bail!("--shards is for --shard auto: leave it out, for {shard} says how many there are"),
            },
        }
    }

    pub(crate) fn is_given(&self) -> bool {
        self.shard.is_some() || self.shards.is_some()
    }
}

/// Returns the shard of this task of an array job, from its variables.
fn of_array(shards: Option<u32>, variable: impl Fn(&str) -> Option<String>) -> Result<Shard> {
    let number = |name: &str| -> Result<Option<u32>> {
        let Some(text) = variable(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| anyhow::anyhow!("{name} is {text:?}, expected a whole number"))
    };
    let shards = match shards {
        Some(shards) => Some(shards),
        None => number(SHARDS)?,
    };
    ensure!(
        shards.is_none_or(|shards| (1..=MOST).contains(&shards)),
        "{SHARDS} says how many shards there are, 1 to {MOST}"
    );
    if let Some(task) = number(SLURM_TASK)? {
        let Some(shards) = shards else {
            let array = ["MIN", "MAX", "STEP", "COUNT"].map(|what| number(&format!("SLURM_ARRAY_TASK_{what}")));
            return of_slurm(task, array.into_iter().collect::<Result<Vec<_>>>()?.as_slice());
        };
        return Shard::new(task, shards)
            .map_err(|error| anyhow::anyhow!("{SLURM_TASK} is {task}: {error}; give sbatch --array=1-{shards}"));
    }
    if let Some(index) = number(KUBERNETES_INDEX)? {
        let Some(shards) = shards else {
            bail!("{KUBERNETES_INDEX} does not say how many there are: give --shards N, or set {SHARDS}")
        };
        return Shard::new(index.saturating_add(1), shards).map_err(|error| {
            anyhow::anyhow!(
                "{KUBERNETES_INDEX} is {index}, counted from 0: {error}; give the job's completions as --shards"
            )
        });
    }
    bail!(
        "--shard auto is for the tasks of an array job, and neither {SLURM_TASK} nor {KUBERNETES_INDEX} is set: give \
         --shard I/N, or start it by sbatch --array=1-N"
    )
}

/// Returns the shard of a task of a Slurm array, from the array's first task (1 if Slurm does not state it), last task,
/// step and number of tasks. Refuses arrays with gaps such as `--array=1,5`: their shards are ambiguous.
fn of_slurm(task: u32, array: &[Option<u32>]) -> Result<Shard> {
    let &[first, last, step, Some(tasks)] = array else {
        bail!("{SLURM_TASK} is set without SLURM_ARRAY_TASK_COUNT: give --shards N, or set {SHARDS}")
    };
    let (first, step) = (first.unwrap_or(1), step.unwrap_or(1).max(1));
    let place = task.checked_sub(first).filter(|after| after % step == 0).map(|after| after / step);
    let gapless = last.is_none_or(|last| last.checked_sub(first).is_some_and(|after| after / step + 1 == tasks));
    let shard = place.filter(|_| gapless).and_then(|place| Shard::new(place + 1, tasks).ok());
    shard.with_context(|| {
        format!(
            "the array's tasks are not one after another, so that task {task} of {tasks} may be any shard: give --shards N \
             and number the tasks from 1 to N"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Asked, Shard, of_array};

    #[test]
    fn shards_count_from_one() {
        assert_eq!("1/1".parse(), Ok(Asked::Given(Shard { shard: 1, of: 1 })));
        assert_eq!("4/4".parse(), Ok(Asked::Given(Shard { shard: 4, of: 4 })));
        assert_eq!("auto".parse(), Ok(Asked::Auto));
        for text in ["0/4", "5/4", "0/0", "1/0", "1/100001"] {
            assert!(text.parse::<Asked>().unwrap_err().contains("shard"), "{text}");
        }
        for text in ["", "1", "/", "1/", "a/4", "-1/4", "1/4/4", "1 / 4", "4294967296/1"] {
            assert!(text.parse::<Asked>().unwrap_err().contains("such as 1/4"), "{text}");
        }
    }

    /// Returns the shard for these variables, or the error.
    fn auto(shards: Option<u32>, variables: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
        let shard = of_array(shards, variable);
        shard.map(|shard| shard.to_string()).map_err(|error| error.to_string())
    }

    fn slurm(id: &str, first: &str, last: &str, step: &str, count: &str) -> Result<String, String> {
        let names = ["ID", "MIN", "MAX", "STEP", "COUNT"].map(|what| format!("SLURM_ARRAY_TASK_{what}"));
        let values = [id, first, last, step, count];
        let variables: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(values).collect();
        auto(None, &variables)
    }

    #[test]
    fn tasks_of_slurm_know_their_shards() {
        assert_eq!(slurm("1", "1", "4", "1", "4").as_deref(), Ok("1/4"));
        assert_eq!(slurm("3", "0", "3", "1", "4").as_deref(), Ok("4/4"));
        assert_eq!(slurm("4", "0", "7", "2", "4").as_deref(), Ok("3/4"));
        assert_eq!(slurm("2", "1", "", "", "2").as_deref(), Ok("2/2"));
        assert_eq!(slurm("2", "", "", "", "4").as_deref(), Ok("2/4"));
        let gaps = "not one after another";
        for array in [("1", "1", "5", "1", "2"), ("9", "1", "4", "1", "4"), ("0", "1", "4", "1", "4")] {
            let (id, first, last, step, count) = array;
            assert!(slurm(id, first, last, step, count).unwrap_err().contains(gaps), "{array:?}");
        }
        assert!(slurm("x", "1", "4", "1", "4").unwrap_err().contains("SLURM_ARRAY_TASK_ID is \"x\""));
        assert!(auto(None, &[("SLURM_ARRAY_TASK_ID", "1")]).unwrap_err().contains("give --shards N"));
    }

    #[test]
    fn a_task_that_is_submitted_again_alone_stays_the_shard_that_it_was() {
        let alone = [("SLURM_ARRAY_TASK_ID", "3"), ("SLURM_ARRAY_TASK_COUNT", "1"), ("SLURM_ARRAY_TASK_MIN", "3")];
        assert_eq!(auto(Some(8), &alone).as_deref(), Ok("3/8"));
        let error = auto(Some(2), &alone).unwrap_err();
        assert!(error.contains("there is no shard 3") && error.contains("--array=1-2"), "{error}");
    }

    #[test]
    fn indexed_jobs_need_their_number() {
        let index = ("JOB_COMPLETION_INDEX", "3");
        assert_eq!(auto(Some(4), &[index]).as_deref(), Ok("4/4"));
        assert_eq!(auto(None, &[index, ("JOINTLY_SHARDS", "5")]).as_deref(), Ok("4/5"));
        assert!(auto(None, &[index]).unwrap_err().contains("--shards N"));
        assert!(auto(Some(3), &[index]).unwrap_err().contains("there is no shard 4"));
        assert!(auto(None, &[index, ("JOINTLY_SHARDS", "0")]).unwrap_err().contains("1 to 100000"));
        assert!(auto(Some(4), &[]).unwrap_err().contains("--shard auto is for the tasks of an array job"));
    }
}
