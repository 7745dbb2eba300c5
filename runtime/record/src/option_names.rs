//! The names of the values of options, on the command line, in plans and in messages.

use jointly_classification::Initialization;
use jointly_core::Partitioning;
use jointly_regression::{Noise, Residuals};

/// The name of a partition of the draws, as `--partition` takes it.
pub fn partition(partition: Partitioning) -> &'static str {
    match partition {
        Partitioning::Planes => "planes",
        Partitioning::KMeans => "k-means",
    }
}

/// The name of a distribution of the environments' weights, as `--initialization` takes it.
pub fn initialization(distribution: Initialization) -> &'static str {
    match distribution {
        Initialization::Testbed => "reference",
        Initialization::Glorot => "glorot",
    }
}

/// The name of a distribution of simulated noise, as `--noise` takes it.
pub fn noise(noise: Noise) -> &'static str {
    match noise {
        Noise::Normal => "normal",
        Noise::StudentT => "student-t",
        Noise::Exponential => "exponential",
    }
}

/// The name of what the noise of simulated tables is taken from, as `--residuals` takes it.
pub fn residuals(residuals: Residuals) -> &'static str {
    match residuals {
        Residuals::OutOfBag => "out-of-bag",
        Residuals::InBag => "in-bag",
    }
}
