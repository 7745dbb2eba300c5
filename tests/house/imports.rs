//! Finds which file of a crate imports which names from which other file.

use std::collections::{BTreeMap, BTreeSet};

use crate::crates::{files, read};
use crate::items::{Import, Items};

/// A crate as modules, one per file.
pub(crate) struct Crate {
    /// The modules by path; that of the root is empty.
    modules: BTreeMap<Vec<String>, (String, Items)>,
}

/// The names that one file imports from another, by the two files.
pub(crate) type Taken = BTreeMap<(String, String), BTreeSet<String>>;

impl Crate {
    /// Reads the crate in a folder. Files below its `src` are modules by their places; files that are compiled only for
    /// tests, and binaries beside a library, are left out.
    pub(crate) fn read(folder: &str) -> Self {
        let sources = files(&format!("{folder}/src"), &["rs"]);
        Self::of(sources.into_iter().map(|path| {
            let text = read(&path);
            (path[folder.len() + "/src/".len()..].to_owned(), path.clone(), text)
        }))
    }

    /// Makes a crate from files given by their places below `src`, their names in messages, and their texts.
    pub(crate) fn of(files: impl Iterator<Item = (String, String, String)>) -> Self {
        let mut modules = BTreeMap::new();
        for (place, shown, text) in files {
            let place = place.trim_end_matches(".rs");
            let mut path: Vec<String> = place.split('/').map(str::to_owned).collect();
            match path.last().map(String::as_str) {
                Some("lib") => path.clear(),
                Some("main") if path.len() == 1 && modules.contains_key(&Vec::new()) => continue,
                Some("main") if path.len() == 1 => path.clear(),
                Some("mod") => drop(path.pop()),
                _ => {}
            }
            modules.insert(path, (shown, Items::of(&text)));
        }
        let tests: Vec<Vec<String>> = modules
            .iter()
            .flat_map(|(path, (_, items)): (&Vec<String>, &(String, Items))| {
                items.tests.iter().map(|name| [path.clone(), vec![name.clone()]].concat())
            })
            .collect();
        modules.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        Self { modules }
    }

    /// Returns what each file imports from the others, except from the files of its own modules.
    pub(crate) fn taken(&self) -> Taken {
        let mut taken = Taken::new();
        for (module, (file, items)) in &self.modules {
            // A name that is only re-exported is no import: its users import it from where it is defined.
            let used = |import: &&Import| !import.shared || items.words.contains(&import.name);
            let imports = items.imports.iter().filter(used).map(|import| &import.path);
            for path in imports.chain(&items.paths) {
                for (other, name) in self.found(module, path, 0) {
                    if !other.starts_with(module) {
                        let other = self.modules[&other].0.clone();
                        taken.entry((file.clone(), other)).or_default().insert(name);
                    }
                }
            }
        }
        taken
    }

    /// Returns the module that defines what a path in a module means, and its name there; several if several modules
    /// re-export it, and none if it is in another crate.
    fn found(&self, module: &[String], path: &[String], depth: usize) -> Vec<(Vec<String>, String)> {
        // Two modules that re-export all of each other would recurse forever.
        if depth > 8 {
            return Vec::new();
        }
        let mut here = module.to_vec();
        let mut rest = path;
        match rest.first().map(String::as_str) {
            Some("crate") => {
                here.clear();
                rest = &rest[1..];
            }
            Some("self") => rest = &rest[1..],
            Some("super") => {
                while rest.first().is_some_and(|name| name == "super") {
                    here.pop();
                    rest = &rest[1..];
                }
            }
            // A name of this module itself; imported names are counted at their import.
            Some(first) if !self.modules[module].1.modules.contains(first) => return Vec::new(),
            _ => {}
        }
        self.named(&here, rest, depth)
    }

    /// Returns the same for names within a module.
    fn named(&self, module: &[String], names: &[String], depth: usize) -> Vec<(Vec<String>, String)> {
        let Some((_, items)) = self.modules.get(module) else { return Vec::new() };
        let Some(first) = names.first() else { return vec![(module.to_vec(), "itself".into())] };
        let below = [module, std::slice::from_ref(first)].concat();
        if self.modules.contains_key(&below) && !(names.len() == 1 && items.defined.contains(first)) {
            return self.named(&below, &names[1..], depth);
        }
        if items.defined.contains(first) {
            return vec![(module.to_vec(), first.clone())];
        }
        let handed = items.imports.iter().filter(|import| import.name == *first);
        let mut found: Vec<(Vec<String>, String)> =
            handed.flat_map(|import| self.found(module, &[&import.path, &names[1..]].concat(), depth + 1)).collect();
        if found.is_empty() {
            // Searches the glob re-exports of the module for the name.
            let all = items.imports.iter().filter(|import| import.name == "*" && import.shared);
            let inner = all.map(|import| [&import.path[..import.path.len() - 1], names].concat());
            found = inner.flat_map(|path| self.found(module, &path, depth + 1)).collect();
        }
        let local = module.is_empty() || items.words.contains(first);
        if found.is_empty() && local && first != "*" && !items.imports.iter().any(|import| import.name == *first) {
            found.push((module.to_vec(), first.clone()));
        }
        if found.is_empty() && first == "*" {
            found.push((module.to_vec(), "*".into()));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Crate;

    fn taken(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(place, text)| ((*place).into(), (*place).into(), (*text).into()));
        let taken = Crate::of(files).taken();
        let line = |((from, to), names): (&(String, String), &BTreeSet<String>)| {
            format!("{from} -> {to}: {}", names.iter().cloned().collect::<Vec<_>>().join(" "))
        };
        taken.iter().map(line).collect()
    }

    #[test]
    fn who_hands_a_name_on_does_not_take_it_and_a_module_is_made_of_its_own() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*; const D: u8 = a::Z;"),
            ("a.rs", "use crate::B; pub struct A(B);"),
            ("b.rs", "mod c; pub struct B; fn f() { c::g() }"),
            ("b/c.rs", "use super::B; use crate::{A, D}; pub fn g() {} #[cfg(test)] mod tests { use crate::nothing; }"),
        ];
        let expected = ["a.rs -> b.rs: B", "b/c.rs -> a.rs: A", "b/c.rs -> b.rs: B", "b/c.rs -> lib.rs: D"];
        assert_eq!(taken(&files), expected);
    }

    #[test]
    fn paths_without_an_import_count_too() {
        let files = [
            ("main.rs", "mod a; mod b;"),
            ("a.rs", "pub(crate) fn f() -> crate::b::B { super::b::g() }"),
            ("b.rs", "use crate::a; pub(crate) struct B; pub(crate) fn g() -> B { a::f() }"),
        ];
        assert_eq!(taken(&files), ["a.rs -> b.rs: B g", "b.rs -> a.rs: itself"]);
    }
}
