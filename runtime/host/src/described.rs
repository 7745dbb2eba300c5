//! Reads a component's description from the types of the interface.

use crate::bindings::jointly::agent::types as wit;
use crate::{Description, Interface, Parameter, Setting, Sweep};
use jointly_core::printable::clean;

impl From<wit::Kind> for Interface {
    fn from(kind: wit::Kind) -> Self {
        match kind {
            wit::Kind::Classification => Self::Classification,
            wit::Kind::Regression => Self::Regression,
        }
    }
}

impl From<wit::Description> for Description {
    fn from(description: wit::Description) -> Self {
        let setting = |wit::SettingResult { name, value }| Setting { name, value };
        let variant = |variant: Vec<wit::SettingResult>| variant.into_iter().map(setting).collect();
        Self {
            name: description.name,
            version: clean(&description.version),
            summary: clean(&description.summary),
            citation: clean(&description.citation),
            deterministic: description.deterministic,
            tokens: description.tokens,
            unlabelled: description.unlabelled,
            parameters: description
                .parameters
                .into_iter()
                .map(|parameter| Parameter {
                    name: parameter.name,
                    default: parameter.default_value,
                    summary: clean(&parameter.summary),
                    kind: parameter.kind.map(Into::into),
                })
                .collect(),
            sweeps: description
                .sweeps
                .into_iter()
                .map(|sweep| Sweep {
                    name: sweep.name,
                    variants: sweep.variants.into_iter().map(variant).collect(),
                    kind: sweep.kind.map(Into::into),
                })
                .collect(),
        }
    }
}
