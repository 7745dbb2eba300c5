//! The list of shifts, their names and their severities.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::ShiftError;
use super::level::ShiftLevel;

/// The kind of data that a shift is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// [`Pixels`](super::Pixels).
    Image,
    /// Rows of numbers.
    Table,
    /// Categorical tokens.
    Tokens,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "images",
            Self::Table => "tables of numbers",
            Self::Tokens => "tokens",
        })
    }
}

/// A way in which data shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shift {
    /// Images turned counter-clockwise by as many degrees as the severity.
    Rotation,
    /// Images moved to the right, cyclically, by as many pixels as the severity.
    Translation,
    /// Gaussian noise of each value.
    GaussianNoise,
    /// The noise of few photons.
    ShotNoise,
    /// Values that become black or white.
    ImpulseNoise,
    /// Gaussian noise in proportion to the value.
    SpeckleNoise,
    /// A lens out of focus.
    DefocusBlur,
    /// Frosted glass.
    GlassBlur,
    /// A camera that moves.
    MotionBlur,
    /// A camera that rushes at its object.
    ZoomBlur,
    /// Convolution with a Gaussian.
    GaussianBlur,
    /// Falling snow.
    Snow,
    /// Crystals of ice on the lens.
    Frost,
    /// Clouds of fog.
    Fog,
    /// Brighter colours.
    Brightness,
    /// Less contrast.
    Contrast,
    /// A rubber sheet that is pulled and crumpled.
    Elastic,
    /// Coarse pixels.
    Pixelate,
    /// Lossy compression.
    Jpeg,
    /// Weaker and stronger colours.
    Saturate,
    /// Drops of water or mud on the lens.
    Spatter,
    /// Gaussian noise of each column, of as many of its training standard deviations as the severity.
    GaussianFeatures,
    /// Each column stretched about its training mean by a random factor, `exp` of normal noise with the severity as its
    /// standard deviation; the same for all rows.
    FeatureScale,
    /// Each column moved by a random number of its training standard deviations, normal with the severity as its
    /// standard deviation; the same for all rows.
    FeatureOffset,
    /// Each token replaced by a uniformly random one, with the severity as the probability.
    Reassign,
}

impl Shift {
    /// All shifts.
    pub const ALL: [Self; 25] = [
        Self::Rotation,
        Self::Translation,
        Self::GaussianNoise,
        Self::ShotNoise,
        Self::ImpulseNoise,
        Self::SpeckleNoise,
        Self::DefocusBlur,
        Self::GlassBlur,
        Self::MotionBlur,
        Self::ZoomBlur,
        Self::GaussianBlur,
        Self::Snow,
        Self::Frost,
        Self::Fog,
        Self::Brightness,
        Self::Contrast,
        Self::Elastic,
        Self::Pixelate,
        Self::Jpeg,
        Self::Saturate,
        Self::Spatter,
        Self::GaussianFeatures,
        Self::FeatureScale,
        Self::FeatureOffset,
        Self::Reassign,
    ];

    /// The corruptions of Hendrycks & Dietterich: their fifteen and the four that they keep for validation.
    pub fn corruptions() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|shift| shift.is_corruption())
    }

    /// Whether it is one of [`Shift::corruptions`].
    pub fn is_corruption(self) -> bool {
        self.input() == Input::Image && !matches!(self, Self::Rotation | Self::Translation)
    }

    /// Whether it changes grey images: all shifts of images but [`Shift::Saturate`], for grey has no saturation.
    pub fn changes_grey(self) -> bool {
        self.input() == Input::Image && self != Self::Saturate
    }

    /// Its name, in kebab case: `gaussian-noise`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rotation => "rotation",
            Self::Translation => "translation",
            Self::GaussianNoise => "gaussian-noise",
            Self::ShotNoise => "shot-noise",
            Self::ImpulseNoise => "impulse-noise",
            Self::SpeckleNoise => "speckle-noise",
            Self::DefocusBlur => "defocus-blur",
            Self::GlassBlur => "glass-blur",
            Self::MotionBlur => "motion-blur",
            Self::ZoomBlur => "zoom-blur",
            Self::GaussianBlur => "gaussian-blur",
            Self::Snow => "snow",
            Self::Frost => "frost",
            Self::Fog => "fog",
            Self::Brightness => "brightness",
            Self::Contrast => "contrast",
            Self::Elastic => "elastic",
            Self::Pixelate => "pixelate",
            Self::Jpeg => "jpeg",
            Self::Saturate => "saturate",
            Self::Spatter => "spatter",
            Self::GaussianFeatures => "gaussian-features",
            Self::FeatureScale => "feature-scale",
            Self::FeatureOffset => "feature-offset",
            Self::Reassign => "reassign",
        }
    }

    /// The data that it is of.
    pub fn input(self) -> Input {
        match self {
            Self::GaussianFeatures | Self::FeatureScale | Self::FeatureOffset => Input::Table,
            Self::Reassign => Input::Tokens,
            _ => Input::Image,
        }
    }

    /// The severities at which it is usually looked at, from the weakest; severity 0 is always no shift at all.
    ///
    /// Rotations by 15 to 180 degrees are the paper's, and translations by 2 to 14 pixels (its code goes on to 26, but
    /// half of MNIST's 28 pixels is as far as a cyclic translation goes). Corruptions have five. The others are ours.
    pub fn severities(self) -> &'static [f64] {
        match self {
            Self::Rotation => &[15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0, 135.0, 150.0, 165.0, 180.0],
            Self::Translation => &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0],
            Self::GaussianFeatures | Self::FeatureScale | Self::FeatureOffset => &[0.125, 0.25, 0.5, 1.0, 2.0],
            Self::Reassign => &[0.05, 0.1, 0.25, 0.5, 0.75, 1.0],
            _ => &[1.0, 2.0, 3.0, 4.0, 5.0],
        }
    }

    /// The shift at that severity.
    ///
    /// # Errors
    /// When the shift has no such severity: degrees are finite, pixels and steps (0 to 5) are whole, standard deviations
    /// are from 0 to 10 and probabilities from 0 to 1.
    pub fn at(self, severity: f64) -> Result<ShiftLevel, ShiftError> {
        ShiftLevel::new(self, severity)
    }
}

impl fmt::Display for Shift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Shift {
    type Err = ShiftError;

    fn from_str(name: &str) -> Result<Self, ShiftError> {
        Self::ALL
            .into_iter()
            .find(|shift| shift.name() == name)
            .ok_or_else(|| ShiftError::Unknown { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") })
    }
}
