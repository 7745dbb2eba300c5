//! The languages that `jointly new` makes agents in.

use clap::ValueEnum;
use jointly_templates::{self as templates, Template};

/// A language that an agent can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// With the SDK; needs cargo and its target wasm32-unknown-unknown
    Rust,
    /// With bindings that wit-bindgen has made; needs clang, lld and a C library for WebAssembly
    C,
    /// By componentize-py, which brings its interpreter along; needs python3
    Python,
    /// By componentize-js, which brings its engine along; needs node and npm
    #[value(name = "javascript")]
    JavaScript,
}

impl Language {
    /// Returns the name of the language.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
        }
    }

    /// Returns the template of an agent.
    pub(crate) fn template(self) -> Template {
        match self {
            Self::Rust => templates::RUST,
            Self::C => templates::C,
            Self::Python => templates::PYTHON,
            Self::JavaScript => templates::JAVASCRIPT,
        }
    }

    /// Returns the commands that build an agent in its folder.
    pub(crate) fn build(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["cargo build --release --target wasm32-unknown-unknown"],
            Self::C | Self::Python => &["make"],
            Self::JavaScript => &["npm ci", "npm run build"],
        }
    }

    /// Returns the path, from the agent's folder, of the component that the build makes.
    pub(crate) fn built(self, name: &str) -> String {
        match self {
            // Cargo names libraries by identifiers.
            Self::Rust => format!("target/wasm32-unknown-unknown/release/{}.wasm", name.replace('-', "_")),
            Self::C | Self::Python | Self::JavaScript => format!("{name}.wasm"),
        }
    }
}
