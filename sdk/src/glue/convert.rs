//! Conversions between the interface's shared types and this crate's.

use crate::bindings::agent::jointly::agent::types as wit;
use crate::{Description, Failure, Kind, Matrix, Parameter, Setting, Sweep};

pub(super) fn matrix(matrix: wit::Matrix) -> Result<Matrix, wit::Failure> {
    Matrix::new(matrix.rows as usize, matrix.cols as usize, matrix.values)
        .ok_or_else(|| wit::Failure::Internal("a matrix whose shape is not its size".into()))
}

pub(super) fn settings(settings: Vec<wit::Setting>) -> Vec<Setting> {
    settings.into_iter().map(|wit::Setting { name, value }| Setting { name, value }).collect()
}

impl From<Failure> for wit::Failure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::InvalidSetting(reason) => Self::InvalidSetting(reason),
            Failure::Unsupported(reason) => Self::Unsupported(reason),
            Failure::Diverged(reason) => Self::Diverged(reason),
            Failure::Internal(reason) => Self::Internal(reason),
        }
    }
}

impl From<Description> for wit::Description {
    fn from(description: Description) -> Self {
        Self {
            name: description.name,
            version: description.version,
            summary: description.summary,
            citation: description.citation,
            deterministic: description.deterministic,
            tokens: description.tokens,
            unlabelled: description.unlabelled,
            parameters: description.parameters.into_iter().map(Into::into).collect(),
            sweeps: description.sweeps.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Kind> for wit::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Classification => Self::Classification,
            Kind::Regression => Self::Regression,
        }
    }
}

impl From<Parameter> for wit::Parameter {
    fn from(parameter: Parameter) -> Self {
        let Parameter { name, default_value, summary, kind } = parameter;
        Self { name, default_value, summary, kind: kind.map(Into::into) }
    }
}

impl From<Sweep> for wit::Sweep {
    fn from(sweep: Sweep) -> Self {
        let setting = |Setting { name, value }| wit::Setting { name, value };
        let variant = |variant: Vec<Setting>| variant.into_iter().map(setting).collect();
        Self {
            name: sweep.name,
            variants: sweep.variants.into_iter().map(variant).collect(),
            kind: sweep.kind.map(Into::into),
        }
    }
}
