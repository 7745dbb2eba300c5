//! Values in braces, as bash reads them: `bbb:epochs={100,300}` stands for `bbb:epochs=100` and `bbb:epochs=300`. Braces without
//! a comma are text.

use anyhow::{Context as _, Result, ensure};
use jointly_record::shell::quoted;

/// The most bytes of all agents that braces of a manifest stand for.
pub(crate) const MOST_BYTES: usize = 1 << 22;
/// The memory that a list takes for a word in addition to its text, in bytes.
const ENTRY: usize = 32;

/// Splits a word at the first braces with several values into what is before, inside and after them.
fn split(word: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let close = from + word[from..].find('}')?;
        if let Some(open) = word[from..close].rfind('{').map(|at| from + at)
            && word[open..close].contains(',')
        {
            return Some((&word[..open], &word[open + 1..close], &word[close + 1..]));
        }
        from = close + 1;
    }
}

/// Returns the number of words that a word stands for.
fn count(word: &str) -> usize {
    let (mut count, mut rest) = (1_usize, word);
    while let Some((_, inside, after)) = split(rest) {
        count = count.saturating_mul(inside.split(',').count());
        rest = after;
    }
    count
}

/// Returns the words that a word stands for. A word without values in braces stands for itself.
fn expanded(word: &str) -> Vec<String> {
    let (mut starts, mut rest) = (vec![String::new()], word);
    while let Some((before, inside, after)) = split(rest) {
        let each = |start: &String| -> Vec<String> {
            inside.split(',').map(|value| format!("{start}{before}{value}")).collect()
        };
        starts = starts.iter().flat_map(each).collect();
        rest = after;
    }
    starts.into_iter().map(|start| start + rest).collect()
}

/// Returns the number of words before the first option.
fn before_options(words: &[String]) -> usize {
    words.iter().take_while(|word| !word.starts_with("--")).count()
}

/// Returns the words of a command with an agent for each value, and takes their bytes from those that are `left`. Options keep their
/// braces, which are for patterns of problems.
///
/// # Errors
/// When braces are inside others, or too few bytes are left, before anything is made.
pub(crate) fn agents(words: &[String], left: &mut usize) -> Result<Vec<String>> {
    let (agents, options) = words.split_at(before_options(words));
    for word in agents {
        let open = |text: &str| text.matches('{').count() > text.matches('}').count();
        let nested = split(word).is_some_and(|(before, ..)| open(before));
        ensure!(!nested, "an agent has braces inside braces: give a list of values in each");
        let bytes = count(word).saturating_mul(word.len() + ENTRY);
        let rest = left.checked_sub(bytes);
        *left = rest.context("the agents that braces stand for are too long together: give fewer values")?;
    }
    Ok(agents.iter().flat_map(|word| expanded(word)).chain(options.iter().cloned()).collect())
}

/// Returns the words of a command as bash takes them: with the braces where it makes an agent for each value itself.
pub(crate) fn shown(words: &[String]) -> Vec<String> {
    let (agents, options) = words.split_at(before_options(words));
    let each = |word: &String| {
        let without: String = word.chars().filter(|c| !"{}".contains(*c)).collect();
        let odd = word.matches('{').count() != word.matches('}').count();
        if count(word) > 1 && quoted(&without) == without && !odd {
            return vec![word.clone()];
        }
        expanded(word).iter().map(|one| quoted(one)).collect()
    };
    agents.iter().flat_map(each).chain(options.iter().map(|word| quoted(word))).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{MOST_BYTES, agents, shown};

    #[test]
    fn an_agent_has_each_value_and_an_option_its_braces() {
        let words = ["run", "mlp", "bbb:epochs={1,2},hidden={5,9}", "--problems", "*/seed{1,2}"].map(str::to_owned);
        let expected = [
            "run",
            "mlp",
            "bbb:epochs=1,hidden=5",
            "bbb:epochs=1,hidden=9",
            "bbb:epochs=2,hidden=5",
            "bbb:epochs=2,hidden=9",
            "--problems",
            "*/seed{1,2}",
        ];
        assert_eq!(agents(&words, &mut MOST_BYTES.clone()).unwrap(), expected);
        assert_eq!(shown(&words).join(" "), "run mlp bbb:epochs={1,2},hidden={5,9} --problems '*/seed{1,2}'");
    }

    #[test]
    fn bash_reads_the_agents_of_a_shown_command() {
        for word in [
            "a{1",
            "a{1}",
            "a{}",
            "a}{1,2}",
            "{a}{1,2}",
            "exec:x {1,2}",
            "a={1,2}b={3,4,}",
            "a$={1,2}",
            "'{1,2}",
            "{a{b}c,d}x",
        ] {
            let words = [word.to_owned(), "--problems".to_owned(), "*/{a,b}".to_owned()];
            let expected = agents(&words, &mut MOST_BYTES.clone()).unwrap();
            let line = format!("printf '%s\\n' {}", shown(&words).join(" "));
            let read = Command::new("bash").args(["-c", &line]).output().expect("bash runs");
            assert_eq!(String::from_utf8_lossy(&read.stdout).lines().collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn too_many_agents_are_refused_before_they_are_made() {
        let refused = |words: &[String]| agents(words, &mut MOST_BYTES.clone()).unwrap_err().to_string();
        for many in [vec![format!("bbb:{}", "{1,2}".repeat(70))], vec!["{1,2}".repeat(13); 1000]] {
            assert!(refused(&many).contains("give fewer values"), "{}", refused(&many));
        }
        assert!(refused(&["{a,{b,c}}".to_owned()]).contains("braces inside braces"));
    }
}
