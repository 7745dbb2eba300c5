//! Checks the host's dependencies against the bans of `deny.toml`: the part of `make deny` that takes a second.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde::Deserialize;

use crate::workspace;

/// The parts of `deny.toml` that this test checks. Unknown forms of entries are errors, so that none is silently
/// ignored.
#[derive(Deserialize)]
struct Deny {
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Bans {
    multiple_versions: String,
    #[serde(rename = "wildcards")]
    _wildcards: String,
    #[serde(rename = "allow-wildcard-paths")]
    _allow_wildcard_paths: bool,
    deny: Vec<Ban>,
    skip: Vec<Skip>,
}

/// A crate that the host must not use, except through the crates that wrap it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    wrappers: Vec<String>,
    reason: String,
}

/// A version `name@version` that is accepted beside a newer one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    #[serde(rename = "crate")]
    package: String,
    #[serde(rename = "reason")]
    _reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Sources {
    unknown_registry: String,
    unknown_git: String,
    allow_registry: Vec<String>,
}

fn deny() -> Deny {
    toml::from_str(&fs::read_to_string(workspace().join("deny.toml")).unwrap()).unwrap()
}

/// The packages of the host as `name@version`, each with the packages that depend on it. Features are those of the
/// whole workspace, with which `make demo` builds the command.
struct Host {
    dependents: BTreeMap<String, BTreeSet<String>>,
}

impl Host {
    /// Reads the crates of `runtime/` and all their dependencies on this platform, except those that only tests need.
    fn new() -> Self {
        let runtime = format!("({}/runtime/", workspace().display());
        let (mut dependencies, mut left) = (BTreeMap::<String, BTreeSet<String>>::new(), Vec::new());
        let mut above: Vec<String> = Vec::new();
        for line in cargo_tree().lines().filter(|line| !line.is_empty()) {
            let name = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let depth: usize = line[..line.len() - name.len()].parse().unwrap();
            let (name, rest) = name.split_once(" v").unwrap();
            let package = format!("{name}@{}", rest.split(' ').next().unwrap());
            above.truncate(depth);
            if let Some(dependent) = above.last() {
                dependencies.entry(dependent.clone()).or_default().insert(package.clone());
            } else if rest.contains(&runtime) {
                left.push(package.clone());
            }
            above.push(package);
        }
        let mut dependents: BTreeMap<String, BTreeSet<String>> =
            left.iter().map(|package| (package.clone(), BTreeSet::new())).collect();
        while let Some(package) = left.pop() {
            for dependency in dependencies.get(&package).into_iter().flatten() {
                if !dependents.contains_key(dependency) {
                    left.push(dependency.clone());
                }
                dependents.entry(dependency.clone()).or_default().insert(package.clone());
            }
        }
        Self { dependents }
    }

    /// Returns the versions of each crate.
    fn versions(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, version) in self.dependents.keys().map(|package| package.split_once('@').unwrap()) {
            versions.entry(name).or_default().push(version);
        }
        versions
    }

    /// Returns the names of the crates that depend on a package.
    fn dependents(&self, name: &str, version: &str) -> Vec<&str> {
        let dependents = self.dependents[&format!("{name}@{version}")].iter();
        dependents.map(|package| package.split_once('@').unwrap().0).collect()
    }
}

/// Returns the dependency tree, one line per package, beginning with its depth.
fn cargo_tree() -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--workspace", "--edges", "normal,build", "--prefix", "depth", "--format", "{p}"]);
    let output = cargo.args(["--locked", "--offline"]).current_dir(workspace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_host_has_no_banned_crate() {
    let (host, deny) = (Host::new(), deny());
    let versions = host.versions();
    assert!(versions.len() > 100 && versions.contains_key("wasmtime"), "{versions:?}");
    assert!(deny.bans.deny.len() >= 2, "faer and matrixmultiply at least");
    for Ban { name, wrappers, reason } in &deny.bans.deny {
        assert!(!name.contains(['@', ':']), "{name}: this test takes names without a version");
        for version in versions.get(name.as_str()).into_iter().flatten() {
            let mut dependents = host.dependents(name, version);
            dependents.retain(|dependent| !wrappers.iter().any(|wrapper| wrapper == dependent));
            assert!(dependents.is_empty(), "{name} is banned ({reason}), and {} brings it", dependents.join(", "));
        }
    }
}

#[test]
fn the_host_has_no_crate_twice() {
    let (host, deny) = (Host::new(), deny());
    assert_eq!(deny.bans.multiple_versions, "deny");
    for (name, mut versions) in host.versions() {
        versions.retain(|version| {
            // A suffix after a plus, as in 1.5.2+zstd.1.5.7, is no part of the version.
            let package = format!("{name}@{}", version.split('+').next().unwrap());
            !deny.bans.skip.iter().any(|skip| skip.package == package)
        });
        let holders =
            versions.iter().map(|version| format!("{version} of {}", host.dependents(name, version).join(", ")));
        let holders = holders.collect::<Vec<_>>().join(" and ");
        assert!(
            versions.len() < 2,
            "{name} is compiled twice, {holders}: make it once, or say in deny.toml why it is not"
        );
    }
}

#[test]
fn every_package_comes_from_crates_io() {
    let sources = deny().sources;
    assert_eq!((sources.unknown_registry.as_str(), sources.unknown_git.as_str()), ("deny", "deny"));
    let lock = fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let lock: toml::Table = toml::from_str(&lock).unwrap();
    let packages = lock["package"].as_array().unwrap();
    assert!(packages.len() > 200, "{} packages", packages.len());
    for package in packages {
        let Some(source) = package.get("source").and_then(toml::Value::as_str) else { continue };
        let known = sources.allow_registry.iter().any(|registry| source == format!("registry+{registry}"));
        assert!(known, "{:?} comes from {source}", package["name"]);
    }
}
