//! Strips a source of comments, strings, and items that are compiled only for tests.

/// Returns the code of a source, with a blank instead of each character of a comment or string.
pub(crate) fn code(source: &str) -> String {
    let letters: Vec<char> = source.chars().collect();
    let (mut code, mut at) = (String::with_capacity(source.len()), 0);
    while at < letters.len() {
        let end = end_of_text(&letters, at);
        if end > at {
            code.extend(letters[at..end].iter().map(|letter| if *letter == '\n' { '\n' } else { ' ' }));
            at = end;
        } else {
            code.push(letters[at]);
            at += 1;
        }
    }
    code
}

/// Returns where a comment or string that begins here ends, or `at` if none begins.
fn end_of_text(letters: &[char], at: usize) -> usize {
    let is = |place: usize, text: &str| text.chars().enumerate().all(|(i, c)| letters.get(place + i) == Some(&c));
    let find = |from: usize, text: &str| (from..letters.len()).find(|place| is(*place, text));
    if is(at, "//") {
        return find(at, "\n").unwrap_or(letters.len());
    }
    if is(at, "/*") {
        return find(at + 2, "*/").map_or(letters.len(), |end| end + 2);
    }
    let after_name = at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_');
    let raw = if is(at, "br") { at + 2 } else { at + 1 };
    if !after_name && (letters[at] == 'r' || is(at, "br")) {
        let hashes = letters[raw.min(letters.len())..].iter().take_while(|letter| **letter == '#').count();
        if letters.get(raw + hashes) == Some(&'"') {
            let ending = format!("\"{}", "#".repeat(hashes));
            return find(raw + hashes + 1, &ending).map_or(letters.len(), |end| end + ending.len());
        }
    }
    match letters[at] {
        '"' => {
            let mut end = at + 1;
            while end < letters.len() && letters[end] != '"' {
                end += if letters[end] == '\\' { 2 } else { 1 };
            }
            (end + 1).min(letters.len())
        }
        // A character literal, not a lifetime.
        '\'' if letters.get(at + 1) == Some(&'\\') => find(at + 3, "'").map_or(letters.len(), |end| end + 1),
        '\'' if letters.get(at + 2) == Some(&'\'') => at + 3,
        _ => at,
    }
}

/// Returns the code without the items that are compiled only for tests, and the names of those of them that are module
/// files.
pub(crate) fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut rest, mut kept, mut files) = (code, String::new(), Vec::new());
    while let Some(begin) = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|attribute| rest.find(attribute)).min()
    {
        kept.push_str(&rest[..begin]);
        let mut item = &rest[begin..];
        while let Some(attribute) = item.trim_start().strip_prefix("#[") {
            item = &attribute[attribute.find(']').map_or(0, |end| end + 1)..];
        }
        let end = end_of_item(item);
        let declared = item[..end].trim().trim_end_matches(';').rsplit_once("mod ");
        files.extend(declared.filter(|_| item[..end].ends_with(';')).map(|(_, name)| name.trim().to_owned()));
        rest = &item[end..];
    }
    kept.push_str(rest);
    (kept, files)
}

/// Returns where an item ends: at its semicolon, or where its braces close.
fn end_of_item(item: &str) -> usize {
    let mut depth = 0_usize;
    for (place, letter) in item.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            '}' if depth <= 1 && !item.trim_start().starts_with("use ") => return place + 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return place + 1,
            _ => {}
        }
    }
    item.len()
}

#[test]
fn comments_and_strings_are_no_code() {
    let source = "a // crate::b\n\"crate::\\\"c\" 'd' '\\'' r#\"crate::\"e\"# 'f: /* crate::g */ h";
    let words: Vec<String> = code(source).split_whitespace().map(str::to_owned).collect();
    assert_eq!(words, ["a", "'f:", "h"]);
}

#[test]
fn tests_are_no_imports() {
    let source = "use a::b;\n#[cfg(test)]\nmod tests {\n    use c::{d};\n    fn e() { f(); }\n}\n#[cfg(test)]\nmod g;\nuse h;\n\
                  #[cfg(all(test, unix))]\n#[expect(x)]\nuse i::{j, k};\nfn l() {}\n";
    let (kept, files) = without_tests(source);
    assert_eq!(kept.split_whitespace().collect::<Vec<_>>().join(" "), "use a::b; use h; fn l() {}");
    assert_eq!(files, ["g"]);
}
