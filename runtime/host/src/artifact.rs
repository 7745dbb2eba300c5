//! Checks the bytes of a file before the component in them is compiled.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME as PREVIEW1, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER as ADAPTER,
};
use wasmparser::{Encoding, Parser, Payload};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use crate::extent::{COMPONENT_TYPE, Extent};
use crate::load_error::LoadError;
use crate::{INTERFACE, Interface, arity, wasi};
use jointly_core::printable::clean;

/// The custom section in which the SDK writes the name and version of its interface.
const STAMP: &str = "jointly-agent";
const PACKAGE: &str = "jointly:agent/";
/// The interface for training in parts.
pub(crate) const PARTS: &str = "classification-parts";
/// The most packages of a component type, limited because the encoder recurses over their dependencies. WASI has a
/// dozen.
const PACKAGES: usize = 100;
const VERSION: &str = INTERFACE.split_at("jointly:agent@".len()).1;

/// Returns the name of one of the package's interfaces, with the version.
pub(crate) fn versioned(interface: &str) -> String {
    format!("{PACKAGE}{interface}@{VERSION}")
}

/// Checks the sections of a file: that it is no larger than what is compiled, and neither composed nor of another
/// version. This takes time in proportion to its bytes.
pub(crate) fn inspect(bytes: &[u8]) -> Result<(), LoadError> {
    if !bytes.starts_with(b"\0asm") {
        return Err(LoadError::NotWasm);
    }
    Extent::of(bytes)?;
    let survey = Survey::of(bytes)?;
    if let Some(interface) = survey.stamp.filter(|interface| interface != INTERFACE) {
        return Err(LoadError::OtherVersion(interface));
    }
    if survey.composed {
        return Err(LoadError::Composed);
    }
    arity::refuse_wide(bytes)?;
    if let Some(import) = survey.foreign_import {
        return Err(refused_import(&import));
    }
    if survey.core && survey.types.is_empty() {
        return Err(LoadError::Untyped);
    }
    Ok(())
}

/// Returns the component in the bytes of a file that has passed its inspection: the bytes themselves, or a core module
/// with a component type, wrapped into a component.
pub(crate) fn component(bytes: &[u8]) -> Result<Cow<'_, [u8]>, LoadError> {
    let survey = Survey::of(bytes)?;
    if !survey.core {
        return Ok(Cow::Borrowed(bytes));
    }
    survey.types.iter().try_for_each(|ty| refuse_circles(ty))?;
    let mut encoder = wit_component::ComponentEncoder::default().module(bytes);
    if survey.preview1 {
        encoder = encoder.and_then(|encoder| encoder.adapter(PREVIEW1, ADAPTER));
    }
    encoder.and_then(|encoder| encoder.validate(true).encode()).map(Cow::Owned).map_err(|error| {
        LoadError::Malformed(clean(&format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")))
    })
}

/// Checks the imports and exports of a component before any of its code runs. Returns the interfaces that it supports,
/// at least one.
pub(crate) fn check(engine: &Engine, component: &Component) -> Result<Vec<Interface>, LoadError> {
    let ty = component.component_type();
    if let Some((import, _)) = ty.imports(engine).find(|(import, _)| !offered(import)) {
        return Err(refused_import(import));
    }
    let exports: Vec<&str> = ty.exports(engine).map(|(name, _)| name).collect();
    let has = |interface: &str| exports.contains(&versioned(interface).as_str());
    let spoken: Vec<Interface> = Interface::ALL.into_iter().filter(|interface| has(&interface.to_string())).collect();
    if has("info") && !spoken.is_empty() {
        return Ok(spoken);
    }
    if let Some(version) = exports.iter().find_map(|export| other_version(export)) {
        return Err(LoadError::OtherVersion(version));
    }
    let exports = if exports.is_empty() { "nothing".into() } else { exports.join(", ") };
    Err(LoadError::ForeignWorld(clean(&exports)))
}

/// Returns whether a component exports the interface for training in parts, of which no function may be missing.
pub(crate) fn trains_in_parts(engine: &Engine, component: &Component) -> Result<bool, LoadError> {
    let ty = component.component_type();
    let Some(parts) = ty.get_export(engine, &versioned(PARTS)) else { return Ok(false) };
    let ComponentItem::ComponentInstance(parts) = parts.ty else { return Err(LoadError::Parts("count")) };
    let missing = ["count", "train-part", "join"].into_iter().find(|name| parts.get_export(engine, name).is_none());
    missing.map_or(Ok(true), |name| Err(LoadError::Parts(name)))
}

/// The contents of a file's sections, read without compiling or running it.
#[derive(Default)]
struct Survey<'a> {
    core: bool,
    /// The component types that a core module carries.
    types: Vec<&'a [u8]>,
    /// Whether a nested component has code, instances or functions of its own. Such components are refused: texts are
    /// copied between components without fuel, and a few hundred bytes of nested components can make billions of
    /// instances.
    composed: bool,
    /// Whether the module imports WASI preview 1, as wasi-libc does; the adapter translates it to WASI 0.2.
    preview1: bool,
    stamp: Option<String>,
    /// The first import of a core module that the sandbox does not offer.
    foreign_import: Option<String>,
}

impl<'a> Survey<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let mut survey = Self::default();
        // The enclosing modules and components, outermost first.
        let mut within: Vec<Encoding> = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(|error| LoadError::Malformed(clean(error.message())))?;
            match payload {
                Payload::Version { encoding, .. } => {
                    survey.core |= within.is_empty() && encoding == Encoding::Module;
                    within.push(encoding);
                }
                Payload::End(_) => drop(within.pop()),
                Payload::ModuleSection { .. }
                | Payload::InstanceSection(_)
                | Payload::ComponentInstanceSection(_)
                | Payload::ComponentCanonicalSection(_)
                | Payload::ComponentStartSection { .. } => survey.composed |= within.len() > 1,
                Payload::CustomSection(section) if section.name() == STAMP => {
                    survey.stamp = Some(clean(&String::from_utf8_lossy(section.data())));
                }
                Payload::CustomSection(section) if survey.core && section.name().starts_with(COMPONENT_TYPE) => {
                    survey.types.push(section.data());
                }
                Payload::ImportSection(section) if survey.core => {
                    for import in section.into_imports() {
                        let import = import.map_err(|error| LoadError::Malformed(clean(error.message())))?;
                        survey.preview1 |= import.module == PREVIEW1;
                        if survey.foreign_import.is_none() && foreign_to_module(import.module, import.name) {
                            survey.foreign_import = Some(format!("{} {}", import.module, import.name));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(survey)
    }
}

/// Refuses a component type whose packages depend on one another in a circle: the encoder would not terminate.
fn refuse_circles(ty: &[u8]) -> Result<(), LoadError> {
    let damaged = |error: &str| LoadError::Malformed(clean(&format!("component type: {error}")));
    let (resolve, _) = wit_parser::decoding::decode_world(ty).map_err(|error| damaged(&format!("{error:#}")))?;
    if resolve.packages.len() > PACKAGES {
        return Err(damaged("it names too many packages"));
    }
    let mut open: Vec<_> = resolve.packages.iter().map(|(package, _)| package).collect();
    // Removes packages whose dependencies are all removed. If none can be removed, the rest contains a circle.
    loop {
        let before = open.len();
        let needed: Vec<Vec<_>> = open.iter().map(|package| resolve.package_direct_deps(*package).collect()).collect();
        let met = |needs: &Vec<_>| !needs.iter().any(|need| open.contains(need));
        let left = open.iter().zip(&needed).filter(|(_, needs)| !met(needs)).map(|(package, _)| *package).collect();
        open = left;
        match open.len() {
            0 => return Ok(()),
            left if left == before => return Err(damaged("its packages need one another")),
            _ => {}
        }
    }
}

fn offered(import: &str) -> bool {
    ["host", "types"].iter().any(|interface| import == versioned(interface)) || wasi::offers(import)
}

/// Returns whether an import of a core module is not offered. Modules import host functions by interface, and their own
/// resources' intrinsics from `[export]...`.
fn foreign_to_module(module: &str, name: &str) -> bool {
    !(offered(module) || module.starts_with("[export]") || module == PREVIEW1 && adapted(name))
}

/// Returns whether the adapter has this function of WASI's first preview.
fn adapted(function: &str) -> bool {
    static FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let sections = Parser::new(0).parse_all(ADAPTER).flatten();
        let exports = sections.filter_map(|payload| match payload {
            Payload::ExportSection(exports) => Some(exports.into_iter().flatten().map(|export| export.name)),
            _ => None,
        });
        exports.flatten().collect()
    });
    FUNCTIONS.contains(function)
}

fn refused_import(import: &str) -> LoadError {
    let interface = import.split(' ').next().unwrap_or_default();
    other_version(interface).map_or_else(|| LoadError::ForbiddenImport(clean(import)), LoadError::OtherVersion)
}

/// Returns `jointly:agent@V` if the name belongs to another version of this package.
fn other_version(name: &str) -> Option<String> {
    let (_, version) = name.strip_prefix(PACKAGE)?.split_once('@')?;
    (version != VERSION).then(|| clean(&format!("jointly:agent@{version}")))
}
