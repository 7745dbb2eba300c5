//! The batch script that runs a plan as an array of Slurm and merges its shards.

use std::fmt::Write as _;

use crate::shell::quoted;

/// What a script is made of. Words are as a shell takes them.
pub(crate) struct Script {
    /// What jobs are called.
    pub(crate) name: String,
    /// What it runs, for a person.
    pub(crate) about: String,
    pub(crate) tasks: u32,
    pub(crate) cpus: usize,
    /// Options of sbatch, each a word.
    pub(crate) options: Vec<String>,
    /// Where it was asked for, which relative paths start from.
    pub(crate) folder: String,
    pub(crate) jointly: String,
    pub(crate) out: String,
    /// Agents, suite and options of `jointly run`, quoted already.
    pub(crate) words: Vec<String>,
}

impl Script {
    /// The script: `sh` submits it and its merge, and Slurm runs it as each task of the array.
    pub(crate) fn text(&self) -> String {
        let Self { name, about, tasks, cpus, .. } = self;
        let mut text = format!("#!/bin/sh\n#SBATCH --job-name={name}\n#SBATCH --array=1-{tasks}\n");
        let fixed = ["--ntasks=1", "--requeue", "--open-mode=append"].map(String::from);
        for option in fixed.iter().chain([&format!("--cpus-per-task={cpus}")]).chain(&self.options) {
            let _ = writeln!(text, "#SBATCH {option}");
        }
        let (folder, jointly, out) = (quoted(&self.folder), quoted(&self.jointly), quoted(&self.out));
        let words = self.words.join(" ");
        let options: String = self.options.iter().flat_map(|option| [" ".to_owned(), quoted(option)]).collect();
        let shards = quoted(&format!("{}.shards/", self.out));
        // An agent that failed somewhere is a result, told by exit code 3, and no failure of the job.
        let merge =
            quoted(&format!("cd {folder} && {{ {jointly} merge {out} {shards}*-of-{tasks} || test $? -eq 3; }}"));
        let _ = write!(
            text,
            "#
# {about}
#
# Save it where all nodes see it, and start it by `sh FILE`: that submits the array,
# and a merge that waits until all of its tasks have succeeded. A task that is
# requeued goes on in its own directory. Where one failed, `sh FILE` again runs only
# what is missing; `sbatch --array=2 FILE` is for one task alone.
set -eu

if [ -n \"${{SLURM_ARRAY_TASK_ID:-}}\" ]; then
  cd {folder}
  code=0
  {jointly} run --shard auto --shards {tasks} \\
    --out {shards}\"$SLURM_ARRAY_TASK_ID\"-of-{tasks} \\
    {words} || code=$?
  # An agent that failed somewhere is a result, and no failure of the task.
  [ \"$code\" -ne 3 ] || code=0
  exit \"$code\"
fi

array=$(sbatch --parsable \"$0\")
merge=$(sbatch --parsable --job-name={name}-merge --dependency=\"afterok:${{array%%;*}}\" \\
  --kill-on-invalid-dep=yes{options} \\
  --wrap={merge})
echo \"submitted the array ${{array%%;*}} and the merge ${{merge%%;*}}, whose output will be in slurm-${{merge%%;*}}.out\"
"
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Script;

    #[test]
    fn whatever_a_folder_is_called_is_one_word() {
        let script = Script {
            name: "jointly-quick-1".into(),
            about: "2 units".into(),
            tasks: 4,
            cpus: 2,
            options: vec!["--comment=a b".into()],
            folder: "/home/it's mine".into(),
            jointly: "/opt/jointly".into(),
            out: "my runs/a".into(),
            words: vec!["mlp".into(), "--problems".into(), "'quick/t10/*'".into()],
        };
        let text = script.text();
        for line in [
            "#SBATCH --array=1-4",
            "#SBATCH --cpus-per-task=2",
            "#SBATCH --comment=a b",
            "  cd '/home/it'\\''s mine'",
            "  /opt/jointly run --shard auto --shards 4 \\",
            "    --out 'my runs/a.shards/'\"$SLURM_ARRAY_TASK_ID\"-of-4 \\",
            "    mlp --problems 'quick/t10/*' || code=$?",
            "  --kill-on-invalid-dep=yes '--comment=a b' \\",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
    }
}
