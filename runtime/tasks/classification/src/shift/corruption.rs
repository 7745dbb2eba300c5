//! The corruptions of Hendrycks & Dietterich, Benchmarking neural network robustness to common corruptions and
//! perturbations (2019), each at five severities.
//!
//! The constants are those of their published code for CIFAR-10-C and ImageNet-C; the list of corruptions is the
//! paper's. Each corruption documents where it draws or filters differently from the published code.

mod blur;
mod color;
mod contrast;
mod elastic;
mod fog;
mod frost;
mod glass;
mod jpeg;
mod motion;
mod noise;
mod pixelate;
mod plasma;
mod snow;
mod spatter;
mod zoom;

pub(super) use blur::{defocus, gaussian as gaussian_blur};
pub(super) use color::{brightness, saturate};
pub(super) use contrast::contrast;
pub(super) use elastic::elastic;
pub(super) use fog::fog;
pub(super) use frost::frost;
pub(super) use glass::glass;
pub(super) use jpeg::jpeg;
pub(super) use motion::motion;
pub(super) use noise::{gaussian as gaussian_noise, impulse, shot, speckle};
pub(super) use pixelate::pixelate;
pub(super) use snow::snow;
pub(super) use spatter::spatter;
pub(super) use zoom::zoom;
