//! Splits texts into words, and maps words to ids.

use std::collections::HashMap;

use jointly_core::tokens::{PADDING, UNKNOWN};

/// The number of ids before the first word: padding and the unknown word.
const FIRST_WORD: u32 = 2;

/// The words of the vocabulary, the most frequent first.
#[derive(Debug)]
pub(super) struct Vocabulary {
    ids: HashMap<Vec<u8>, u32>,
}

/// Returns the words of a text: longest runs of letters, digits and bytes beyond ASCII, in lower case; an apostrophe
/// between two of them belongs to the word. All other bytes separate words.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() && !inner(text[at]) {
            at += 1;
        }
        let start = at;
        let joins = |at: usize| text[at] == b'\'' && text.get(at + 1).is_some_and(|&next| inner(next));
        while at < text.len() && (inner(text[at]) || joins(at)) {
            at += 1;
        }
        (at > start).then(|| text[start..at].to_ascii_lowercase())
    })
}

impl Vocabulary {
    /// Makes a vocabulary of the most frequent words of texts, at most `size` ids with padding and the unknown word.
    /// Words of equal frequency are ordered by their bytes.
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a [u8]>, size: u32) -> Self {
        let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
        for word in texts.flat_map(words) {
            *counts.entry(word).or_insert(0) += 1;
        }
        let mut ranked: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
        ranked.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ranked.truncate(size.saturating_sub(FIRST_WORD) as usize);
        Self { ids: ranked.into_iter().zip(FIRST_WORD..).map(|((word, _), id)| (word, id)).collect() }
    }

    /// Appends the ids of the first `length` words of a text, followed by padding; a text without words becomes one
    /// unknown word.
    pub(super) fn encode(&self, text: &[u8], length: usize, ids: &mut Vec<u32>) {
        let start = ids.len();
        ids.extend(words(text).take(length).map(|word| self.ids.get(&word).copied().unwrap_or(UNKNOWN)));
        if ids.len() == start {
            ids.push(UNKNOWN);
        }
        ids.resize(start + length, PADDING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        words(text.as_bytes()).map(|word| String::from_utf8(word).unwrap()).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(split("Don't SHOUT, it's 1993!"), ["don't", "shout", "it's", "1993"]);
        assert_eq!(split("a_b 'quoted' -- x''y caf\u{e9}"), ["a", "b", "quoted", "x", "y", "caf\u{e9}"]);
        assert!(split(" ' -- \n").is_empty() && split("").is_empty());
    }

    #[test]
    fn the_most_frequent_words_have_the_lowest_ids() {
        let texts = ["the cat and the dog", "a dog, a dog, the end"];
        let vocabulary = |size| Vocabulary::of(texts.iter().map(|text| text.as_bytes()), size);
        let encode = |size: u32, text: &str, length: usize| {
            let mut ids = vec![9];
            vocabulary(size).encode(text.as_bytes(), length, &mut ids);
            ids[1..].to_vec()
        };
        // dog and the three times, a twice, the others once.
        assert_eq!(encode(100, "dog the a and cat end", 6), [2, 3, 4, 5, 6, 7]);
        assert_eq!(encode(100, "A bird and THE cat", 7), [4, 1, 5, 3, 6, 0, 0]);
        assert_eq!(encode(5, "dog the a and cat end", 6), [2, 3, 4, 1, 1, 1]);
        assert_eq!(encode(100, "dog dog dog", 2), [2, 2]);
        assert_eq!(encode(100, "...", 3), [1, 0, 0]);
        assert_eq!(encode(2, "dog", 1), [1]);
    }
}
