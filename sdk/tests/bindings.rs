//! The bindings in `src/bindings` are what wit-bindgen makes of `wit/`, so that agents are built without compiling the generator.
//!
//! After a change of `wit/`, `JOINTLY_WRITE_BINDINGS=1 cargo test --release -p jointly-sdk --test bindings` writes them again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_core::wit_parser::Resolve;
use wit_bindgen_core::{Files, WorldGenerator as _};
use wit_bindgen_rust::{Opts, WithOption};

/// Generates the bindings of one part of the interface: a world with these imports and exports of `jointly:agent`.
fn generate(root: &Path, part: &str, items: &[&str]) -> String {
    let mut resolve = Resolve::default();
    resolve.push_path(root.join("../wit")).unwrap();
    let items: String = items.iter().map(|item| (*item).to_owned() + "@0.3.0;\n").collect();
    let package = resolve.push_str("parts", &format!("package jointly:parts;\nworld {part} {{\n{items}}}")).unwrap();
    let world = resolve.select_world(&[package], Some(part)).unwrap();
    let types = ("jointly:agent/types@0.3.0", "crate::bindings::agent::jointly::agent::types");
    let with = if part == "agent" { vec![] } else { vec![(types.0.to_owned(), WithOption::Path(types.1.to_owned()))] };
    let options = Opts {
        format: true,
        with,
        generate_all: true,
        pub_export_macro: true,
        export_macro_name: Some(format!("export_{part}")),
        default_bindings_module: Some(format!("jointly_sdk::bindings::{part}")),
        ..Opts::default()
    };
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files).unwrap();
    let (_, source) = files.iter().next().unwrap();
    String::from_utf8(source.to_vec()).unwrap()
}

#[test]
fn the_bindings_are_those_of_the_interface() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let parts: [(&str, &[&str]); 3] = [
        ("agent", &["import jointly:agent/host", "export jointly:agent/info"]),
        ("classification", &["export jointly:agent/classification", "export jointly:agent/classification-parts"]),
        ("regression", &["export jointly:agent/regression"]),
    ];
    for (part, items) in parts {
        let path = root.join(format!("src/bindings/{part}.rs"));
        let made = generate(&root, part, items);
        if env::var_os("JOINTLY_WRITE_BINDINGS").is_some() {
            fs::write(&path, made).unwrap();
            continue;
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == made, "{} is not what `wit/` says: JOINTLY_WRITE_BINDINGS=1 writes it again", path.display());
    }
}
