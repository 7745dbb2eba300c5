//! Values in braces, as bash reads them: `bbb:epochs={100,300}` stands for `bbb:epochs=100` and `bbb:epochs=300`.

use anyhow::{Result, ensure};
use jointly_record::plan::MOST_AGENTS;
use jointly_record::shell::quoted;

/// Splits a word at its first braces into what is before, inside and after them.
fn split(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{')?;
    let (inside, after) = rest.split_once('}')?;
    Some((before, inside, after))
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

/// Returns the words that a word stands for. A word without braces stands for itself.
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

/// Returns the words of a command with an agent for each value. Options keep their braces, which are for patterns of problems.
///
/// # Errors
/// When a word stands for more agents than a plan may have.
pub(crate) fn agents(words: &[String]) -> Result<Vec<String>> {
    let (agents, options) = words.split_at(before_options(words));
    for word in agents {
        ensure!(
            count(word) <= MOST_AGENTS,
            "{word} stands for {} agents, at most {MOST_AGENTS} are allowed",
            count(word)
        );
    }
    Ok(agents.iter().flat_map(|word| expanded(word)).chain(options.iter().cloned()).collect())
}

/// Returns the words of a command as bash takes them, which makes an agent for each value itself.
pub(crate) fn shown(words: &[String]) -> impl Iterator<Item = String> {
    let agents = before_options(words);
    words.iter().enumerate().map(move |(place, word)| {
        let without: String = word.chars().filter(|c| !"{}".contains(*c)).collect();
        let plain = place < agents && count(word) > 1 && quoted(&without) == without;
        if plain { word.clone() } else { quoted(word) }
    })
}

#[cfg(test)]
mod tests {
    use super::{agents, shown};

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
        assert_eq!(agents(&words).unwrap(), expected);
        let line = shown(&words).collect::<Vec<_>>().join(" ");
        assert_eq!(line, "run mlp bbb:epochs={1,2},hidden={5,9} --problems '*/seed{1,2}'");
        let odd = ["run", "a{1", "exec:x {1,2}"].map(str::to_owned);
        assert_eq!(agents(&odd[..2]).unwrap(), odd[..2]);
        assert_eq!(shown(&odd).collect::<Vec<_>>(), ["run", "'a{1'", "'exec:x {1,2}'"]);
        let many = ["run".to_owned(), format!("bbb:{}", "{1,2}".repeat(70))];
        let refused = agents(&many).unwrap_err().to_string();
        assert!(refused.contains("agents, at most 10000 are allowed"), "{refused}");
    }
}
