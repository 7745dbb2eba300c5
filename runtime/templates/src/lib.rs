//! Templates: the files of `templates/`, with the interface and the SDK that agents build on, embedded.
#![deny(missing_docs)]

/// A file of a template.
pub struct File {
    /// The path in the new folder.
    pub path: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// A template: files of several source folders.
#[derive(Clone, Copy)]
pub struct Template(&'static [Part]);

/// An agent in Rust, with the SDK.
pub const RUST: Template = Template(&[RUST_FILES, SDK]);
/// An agent in C, with its bindings.
pub const C: Template = Template(&[C_FILES, WIT]);
/// An agent in Python.
pub const PYTHON: Template = Template(&[PYTHON_FILES, WIT]);
/// An agent in JavaScript.
pub const JAVASCRIPT: Template = Template(&[JAVASCRIPT_FILES, WIT]);
/// A repository that keeps a table.
pub const TABLE: Template = Template(&[TABLE_FILES]);

impl Template {
    /// Returns all files of the template, with a name in place of the template's own.
    pub fn files(self, name: &str) -> Vec<File> {
        let files = self.0.iter().flat_map(|part| part.files.iter().map(move |file| (part, file)));
        let file = |(part, (path, bytes)): (&Part, &(&str, &[u8]))| File {
            path: format!("{}{path}", part.into),
            bytes: match std::str::from_utf8(bytes) {
                Ok(text) if part.named => text.replace(PLACEHOLDER, name).into_bytes(),
                _ => bytes.to_vec(),
            },
        };
        files.map(file).collect()
    }
}

/// Files of a source folder that go into a folder of the agent.
struct Part {
    /// The source folder, for the test that none of its files is left out.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test that no file is left out"))]
    from: &'static str,
    into: &'static str,
    /// Whether the files contain the template's name, to be replaced by the agent's.
    named: bool,
    files: &'static [(&'static str, &'static [u8])],
}

macro_rules! part {
    ($from:literal into $into:literal, named: $named:literal, $($path:literal),+ $(,)?) => {
        Part {
            from: $from,
            into: $into,
            named: $named,
            files: &[$(($path, include_bytes!(concat!("../../../", $from, "/", $path)))),+],
        }
    };
}

const WIT: Part = part!(
    "wit" into "wit/", named: false,
    "classification-parts.wit",
    "classification.wit",
    "host.wit",
    "info.wit",
    "regression.wit",
    "types.wit",
    "worlds.wit",
);

const SDK: Part = part!(
    "sdk/src" into "jointly-sdk/src/", named: false,
    "bindings.rs",
    "bindings/agent.rs",
    "bindings/classification.rs",
    "bindings/regression.rs",
    "classifier.rs",
    "data.rs",
    "description.rs",
    "export.rs",
    "failure.rs",
    "given.rs",
    "glue.rs",
    "glue/classification.rs",
    "glue/convert.rs",
    "glue/info.rs",
    "glue/learner.rs",
    "glue/regression.rs",
    "host.rs",
    "input_classifier.rs",
    "inputs.rs",
    "lib.rs",
    "matrix.rs",
    "progress.rs",
    "regressor.rs",
    "rng.rs",
    "setting.rs",
    "setting_value.rs",
    "settings.rs",
    "softmax.rs",
    "task.rs",
);

const RUST_FILES: Part = part!(
    "templates/rust" into "", named: true,
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "jointly-sdk/Cargo.toml",
    "src/lib.rs",
);

const C_FILES: Part = part!(
    "templates/c" into "", named: true,
    ".gitignore",
    "Makefile",
    "agent.c",
    "bindings/classifier.c",
    "bindings/classifier.h",
    "bindings/classifier_component_type.o",
    "bindings/made_from.wit",
    "rng.c",
    "rng.h",
    "settings.c",
    "settings.h",
);

const PYTHON_FILES: Part =
    part!("templates/python" into "", named: true, ".gitignore", "Makefile", "agent.py", "requirements.txt");

const JAVASCRIPT_FILES: Part = part!(
    "templates/javascript" into "", named: true,
    ".gitignore",
    "agent.js",
    "build.mjs",
    "package-lock.json",
    "package.json",
    "random.js",
    "settings.js",
);

/// The repository of a table.
const TABLE_FILES: Part = part!(
    "templates/table" into "", named: true,
    ".github/workflows/table.yml",
    ".gitignore",
    "README.md",
    "packs/README.md",
    "table.env",
);

/// The name of the agent in the files of `templates/`.
const PLACEHOLDER: &str = "template-agent";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn sources() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn files_below(folder: &Path, prefix: &str) -> Vec<String> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.file_type().unwrap().is_dir() {
                files.extend(files_below(&entry.path(), &format!("{prefix}{name}/")));
            } else {
                files.push(format!("{prefix}{name}"));
            }
        }
        files.sort();
        files
    }

    #[test]
    fn no_file_is_left_out() {
        for part in [RUST, C, PYTHON, JAVASCRIPT, TABLE].iter().flat_map(|template| template.0) {
            let kept: Vec<&str> = part.files.iter().map(|(path, _)| *path).collect();
            assert_eq!(kept, files_below(&sources().join(part.from), ""), "{}", part.from);
        }
    }

    #[test]
    fn the_agents_name_stands_where_the_templates_stood() {
        for (language, template) in [("Rust", RUST), ("C", C), ("Python", PYTHON), ("JavaScript", JAVASCRIPT)] {
            let files = template.files("my-agent");
            let texts: Vec<&str> = files.iter().filter_map(|file| std::str::from_utf8(&file.bytes).ok()).collect();
            assert!(texts.iter().any(|text| text.contains("\"my-agent\"")), "{language} describes no my-agent");
            assert!(texts.iter().all(|text| !text.contains("template")), "{language}");
        }
    }

    #[test]
    fn the_kept_sdk_asks_for_the_versions_of_the_workspace() {
        let read = |path: &str| std::fs::read_to_string(sources().join(path)).unwrap();
        let (workspace, own, kept) =
            (read("Cargo.toml"), read("sdk/Cargo.toml"), read("templates/rust/jointly-sdk/Cargo.toml"));
        let inherited = own.lines().filter_map(|line| line.strip_suffix(".workspace = true"));
        let packages = ["rand_chacha", "wit-bindgen", "proptest"];
        assert_eq!(inherited.filter(|name| packages.contains(name)).collect::<Vec<_>>(), packages);
        for package in packages {
            let asked = workspace.lines().find(|line| line.starts_with(&format!("{package} = "))).unwrap();
            assert!(kept.lines().any(|line| line == asked), "{asked}");
        }
        // All that the SDK needs is there, except the generator of its bindings: two crates of its tests.
        assert_eq!(own.lines().filter(|line| line.ends_with(".workspace = true")).count(), 5 + packages.len() + 2);
    }

    /// Cargo takes the locked versions on a machine with a network; tests without a network take those of the
    /// workspace.
    #[test]
    fn the_kept_lock_names_packages_of_the_workspace() {
        // The name and version of each package.
        let packages = |path: &str| -> Vec<String> {
            let lock = std::fs::read_to_string(sources().join(path)).unwrap();
            let packages = lock.split("[[package]]\n").skip(1);
            packages.map(|package| package.lines().take(2).collect::<Vec<_>>().join(", ")).collect()
        };
        let workspace = packages("Cargo.lock");
        for package in packages("templates/rust/Cargo.lock").iter().filter(|package| !package.contains(PLACEHOLDER)) {
            let remedy = "build what `jointly new --lang rust` makes with the workspace's Cargo.lock and --offline, and keep the lock";
            assert!(workspace.contains(package), "{package}: {remedy}");
        }
    }

    /// The bindings are generated from the interface; `make bindings WIT=../../wit` in templates/c generates them anew.
    #[test]
    fn the_kept_bindings_are_those_of_the_interface() {
        // Comments change no binding.
        let code = |text: &str| -> Vec<String> {
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty() && !line.starts_with("//"))
                .map(str::to_owned)
                .collect()
        };
        let read = |path: &str| std::fs::read_to_string(sources().join(path)).unwrap();
        let interface: String = WIT.files.iter().map(|(name, _)| read(&format!("wit/{name}"))).collect();
        assert_eq!(
            code(&read("templates/c/bindings/made_from.wit")),
            code(&interface),
            "run `make bindings WIT=../../wit` in templates/c"
        );
    }
}
