//! Parses a file's modules, imports, defined names, and used paths.

use std::collections::BTreeSet;

use crate::text::{code, without_tests};

/// A path that is imported into a file under a name; the name `*` stands for everything in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
    /// Whether the import is re-exported.
    pub(crate) shared: bool,
}

/// One file of a crate.
#[derive(Debug)]
pub(crate) struct Items {
    /// Modules that are files of their own.
    pub(crate) modules: BTreeSet<String>,
    /// Modules that are files of their own and compiled only for tests.
    pub(crate) tests: Vec<String>,
    pub(crate) imports: Vec<Import>,
    /// Names of functions, types, traits and constants.
    pub(crate) defined: BTreeSet<String>,
    /// Paths of two names and more, outside imports.
    pub(crate) paths: BTreeSet<Vec<String>>,
    /// All single names, outside imports.
    pub(crate) words: BTreeSet<String>,
}

const DEFINERS: [&str; 9] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];

impl Items {
    pub(crate) fn of(source: &str) -> Self {
        let (code, tests) = without_tests(&code(source));
        let (mut modules, mut imports, mut rest) = (BTreeSet::new(), Vec::new(), String::new());
        for statement in statements(&code) {
            if let Some((shared, tree)) = import(statement) {
                leaves(tree, &mut Vec::new(), shared, &mut imports);
            } else if let Some(name) = declared_module(statement) {
                modules.insert(name);
            } else {
                rest.push_str(statement);
                rest.push(' ');
            }
        }
        let words = tokens(&rest);
        let defined = words.windows(2).filter(|pair| DEFINERS.contains(&pair[0].as_str()));
        Self {
            modules,
            tests,
            imports,
            defined: defined.map(|pair| pair[1].clone()).collect(),
            paths: paths(&words),
            words: words.into_iter().collect(),
        }
    }
}

/// Splits code into the pieces between semicolons and braces; imports stay whole.
fn statements(code: &str) -> Vec<&str> {
    let (mut found, mut begin) = (Vec::new(), 0);
    for (at, letter) in code.char_indices() {
        let ends = match letter {
            ';' => true,
            '{' | '}' => import(&code[begin..at]).is_none(),
            _ => false,
        };
        if ends {
            found.push(&code[begin..=at]);
            begin = at + 1;
        }
    }
    found.push(&code[begin..]);
    found
}

/// Returns the statement without attributes and visibility, and whether it is visible elsewhere.
fn bare(statement: &str) -> (bool, &str) {
    let mut rest = statement.trim_start();
    while let Some(attribute) = rest.strip_prefix("#[").or_else(|| rest.strip_prefix("#![")) {
        rest = attribute[attribute.find(']').map_or(attribute.len(), |end| end + 1)..].trim_start();
    }
    let Some(public) = rest.strip_prefix("pub") else { return (false, rest) };
    match public.trim_start().strip_prefix('(') {
        Some(scope) => (true, scope.split_once(')').map_or("", |(_, rest)| rest).trim_start()),
        None if public.starts_with(char::is_whitespace) => (true, public.trim_start()),
        None => (false, rest),
    }
}

fn import(statement: &str) -> Option<(bool, &str)> {
    let (shared, rest) = bare(statement);
    Some((shared, rest.strip_prefix("use ")?.trim_end().trim_end_matches(';')))
}

fn declared_module(statement: &str) -> Option<String> {
    let name = bare(statement).1.strip_prefix("mod ")?.trim_end().strip_suffix(';')?;
    Some(name.trim().to_owned())
}

/// Collects the imports of a tree such as `a::{b, c::{d as e, *}}`.
fn leaves(tree: &str, before: &mut Vec<String>, shared: bool, imports: &mut Vec<Import>) {
    let tree = tree.trim();
    let depth = before.len();
    if let Some((path, group)) = tree.split_once('{') {
        before.extend(path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned));
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        let (mut level, mut begin) = (0_i32, 0);
        for (at, letter) in group.char_indices().chain([(group.len(), ',')]) {
            level += i32::from(letter == '{') - i32::from(letter == '}');
            if letter == ',' && level == 0 {
                leaves(&group[begin..at], before, shared, imports);
                begin = at + 1;
            }
        }
    } else if !tree.is_empty() {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name.trim())));
        before.extend(path.split("::").map(str::trim).map(str::to_owned));
        if before.last().is_some_and(|name| name == "self") {
            before.pop();
        }
        if let Some(last) = before.last().cloned() {
            let name = alias.map_or(last, str::to_owned);
            imports.push(Import { path: before.clone(), name, shared });
        }
    }
    before.truncate(depth);
}

/// Returns names and double colons, in order; other characters become a full stop.
fn tokens(code: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() || letter == '_' {
            let mut name = letter.to_string();
            while let Some(more) = letters.next_if(|c| c.is_alphanumeric() || *c == '_') {
                name.push(more);
            }
            found.push(name);
        } else if letter == ':' && letters.next_if_eq(&':').is_some() {
            found.push("::".into());
        } else if !letter.is_whitespace() {
            found.push(".".into());
        }
    }
    found
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Returns sequences of names joined by double colons.
fn paths(tokens: &[String]) -> BTreeSet<Vec<String>> {
    let (mut found, mut at) = (BTreeSet::new(), 0);
    while at < tokens.len() {
        let mut path = Vec::new();
        if is_name(&tokens[at]) && (at == 0 || tokens[at - 1] != "::") {
            path.push(tokens[at].clone());
            while tokens.get(at + 1).is_some_and(|it| it == "::") && tokens.get(at + 2).is_some_and(|it| is_name(it)) {
                path.push(tokens[at + 2].clone());
                at += 2;
            }
        }
        if path.len() > 1 {
            found.insert(path);
        }
        at += 1;
    }
    found
}

#[test]
fn a_file_says_what_it_takes_and_gives() {
    let items = Items::of(
        "//! x\nmod a;\n#[cfg(test)]\nmod t;\npub(crate) use b::{c::{D, E as F}, self, g::*};\nuse crate::h::I;\n\
         pub fn j<K: L>() -> crate::m::N { a::o(P::q()) }\nstruct R { s: super::T }\n#[cfg(test)]\nmod tests { use u::V; }\n",
    );
    let import = |path: &[&str], name: &str, shared| Import {
        path: path.iter().map(|it| (*it).to_owned()).collect(),
        name: name.to_owned(),
        shared,
    };
    assert_eq!((items.modules.len(), items.tests.as_slice()), (1, &["t".to_owned()][..]));
    let expected = [
        import(&["b", "c", "D"], "D", true),
        import(&["b", "c", "E"], "F", true),
        import(&["b"], "b", true),
        import(&["b", "g", "*"], "*", true),
        import(&["crate", "h", "I"], "I", false),
    ];
    assert_eq!(items.imports, expected);
    assert_eq!(items.defined.iter().collect::<Vec<_>>(), ["R", "j"]);
    let paths: Vec<String> = items.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["P::q", "a::o", "crate::m::N", "super::T"]);
}
