//! The batch script that carries out a planned run as an array of Slurm and merges its shards.

use std::fmt::Write as _;

use jointly_record::shell::quoted;

/// The parts of a script.
pub struct Script {
    /// The name of the jobs.
    pub name: String,
    /// A comment that describes the run.
    pub about: String,
    /// The number of tasks of the array, one per shard.
    pub tasks: u32,
    /// The number of CPUs of a task.
    pub cpus: usize,
    /// Options of sbatch, one word each.
    pub options: Vec<String>,
    /// The directory in which the script was requested; relative paths start from it.
    pub folder: String,
    /// The command itself.
    pub jointly: String,
    /// The directory in which the run is planned and merged.
    pub out: String,
    /// The prefix of the directories of the shards.
    pub shards: String,
    /// Further options of `jointly run`.
    pub words: Vec<String>,
}

impl Script {
    /// Returns the text of the script: `sh` submits it and its merge, and Slurm runs it as each task of the array.
    pub fn text(&self) -> String {
        let Self { name, about, tasks, cpus, .. } = self;
        let mut text = format!("#!/bin/sh\n#SBATCH --job-name={name}\n");
        for option in &self.options {
            let _ = writeln!(text, "#SBATCH {}", directive(option));
        }
        for option in ["--ntasks=1", "--requeue", "--open-mode=append"] {
            let _ = writeln!(text, "#SBATCH {option}");
        }
        let _ = writeln!(text, "#SBATCH --cpus-per-task={cpus}\n#SBATCH --array=1-{tasks}");
        let (folder, jointly, out) = (quoted(&self.folder), quoted(&self.jointly), quoted(&self.out));
        let words: String = self.words.iter().flat_map(|word| [" ".to_owned(), quoted(word)]).collect();
        let options: String = self.options.iter().flat_map(|option| [quoted(option), " ".to_owned()]).collect();
        let shards = quoted(&format!("{}/", self.shards));
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
# requeued goes on in its own directory. What tasks say is in slurm-*.out beside you.
# Where one failed, `sh FILE` again runs only what is missing; `sbatch --array=2 FILE`
# is for one task alone.
set -eu

if [ -n \"${{SLURM_ARRAY_TASK_ID:-}}\" ]; then
  cd {folder}
  code=0
  {jointly} run --like {out} --shard auto --shards {tasks} \\
    --out {shards}\"$SLURM_ARRAY_TASK_ID\"-of-{tasks}{words} || code=$?
  # An agent that failed somewhere is a result, and no failure of the task.
  [ \"$code\" -ne 3 ] || code=0
  exit \"$code\"
fi

if squeue --noheader --name={name},{name}-merge --user=\"$(id -un)\" 2>/dev/null | grep -q .; then
  echo \"jobs of this run are queued or running already; wait for them, or end them by scancel\" >&2
  exit 2
fi
array=$(sbatch --parsable \"$0\")
merge=$(sbatch --parsable {options}--job-name={name}-merge \\
  --dependency=\"afterok:${{array%%;*}}\" --kill-on-invalid-dep=yes \\
  --wrap={merge})
echo \"submitted the array ${{array%%;*}}, and the merge ${{merge%%;*}} that waits for it\"
"
        );
        text
    }
}

/// Quotes an option for sbatch, which splits options in a script at blanks and gives some characters a meaning.
fn directive(option: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+.,:/@%^[]".contains(c);
    if option.chars().all(plain) {
        return option.to_owned();
    }
    format!("\"{}\"", option.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::{Script, directive};

    #[test]
    fn whatever_a_folder_is_called_is_one_word() {
        let script = Script {
            name: "jointly-quick-1".into(),
            about: "2 units".into(),
            tasks: 4,
            cpus: 2,
            options: vec!["--comment=a b".into()],
            folder: "/home/it's\nmine".into(),
            jointly: "/opt/jointly".into(),
            out: "my runs/a".into(),
            shards: "my runs/a.shards".into(),
            words: vec!["--jobs".into(), "2".into(), "--data".into(), "my data".into()],
        };
        let text = script.text();
        for part in [
            "\n#SBATCH --array=1-4\n",
            "\n#SBATCH --cpus-per-task=2\n",
            "\n#SBATCH \"--comment=a b\"\n",
            "\n  cd '/home/it'\\''s\nmine'\n",
            "\n  /opt/jointly run --like 'my runs/a' --shard auto --shards 4 \\\n",
            "\n    --out 'my runs/a.shards/'\"$SLURM_ARRAY_TASK_ID\"-of-4 --jobs 2 --data 'my data' || code=$?\n",
            "--parsable '--comment=a b' --job-name=",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn options_stay_one_word_in_a_script() {
        assert_eq!(directive("--time=04:00:00"), "--time=04:00:00");
        assert_eq!(directive("--nodelist=node[1-4]"), "--nodelist=node[1-4]");
        assert_eq!(directive("--comment=#1 \"a\\b\""), "\"--comment=#1 \\\"a\\\\b\\\"\"");
    }
}
