//! The named shifts, their severities, and their application to data.

use std::fmt;
use std::str::FromStr;

use jointly_core::matrix::Matrix;
use jointly_core::stream::{Stream, stream};
use jointly_core::{Seed, guess};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::corruption;
use super::error::ShiftError;
use super::input::Input;
use super::pixels::Pixels;
use super::rotation::{rotate, translate};
use super::scale::{Scale, Step};
use super::table::{self, Columns};
use super::tokens;

/// Number of severities of a corruption.
const STEPS: f64 = 5.0;
/// The most standard deviations by which a feature is shifted.
const MOST_DEVIATIONS: f64 = 10.0;
/// The largest translation and rotation; `f64` represents all integers up to it.
const FARTHEST: f64 = 1e9;

/// A kind of dataset shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shift {
    /// Rotates images counter-clockwise by `severity` degrees.
    Rotation,
    /// Moves images to the right, cyclically, by `severity` pixels.
    Translation,
    /// Adds Gaussian noise to each value.
    GaussianNoise,
    /// Adds the noise of few photons.
    ShotNoise,
    /// Turns values black or white.
    ImpulseNoise,
    /// Adds Gaussian noise in proportion to the value.
    SpeckleNoise,
    /// Blurs like a lens out of focus.
    DefocusBlur,
    /// Distorts like frosted glass.
    GlassBlur,
    /// Blurs like a moving camera.
    MotionBlur,
    /// Blurs like a camera that rushes at its object.
    ZoomBlur,
    /// Convolves with a Gaussian.
    GaussianBlur,
    /// Adds falling snow.
    Snow,
    /// Adds ice crystals on the lens.
    Frost,
    /// Adds clouds of fog.
    Fog,
    /// Brightens colours.
    Brightness,
    /// Reduces contrast.
    Contrast,
    /// Pulls and crumples the image like a rubber sheet.
    Elastic,
    /// Makes pixels coarse.
    Pixelate,
    /// Applies lossy compression.
    Jpeg,
    /// Weakens or strengthens colours.
    Saturate,
    /// Adds drops of water or mud on the lens.
    Spatter,
    /// Adds Gaussian noise to each column, with a standard deviation of `severity` training standard deviations.
    GaussianFeatures,
    /// Stretches each column about its training mean by a random factor, `exp` of a Gaussian number with the severity
    /// as its standard deviation; the same factor for all rows.
    FeatureScale,
    /// Moves each column by a random number of its training standard deviations, Gaussian with the severity as its
    /// standard deviation; by the same number for all rows.
    FeatureOffset,
    /// Replaces each token by a uniformly random one, with the severity as the probability.
    Reassign,
}

impl Shift {
    /// All shifts, in order.
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

    /// Returns the corruptions of Hendrycks & Dietterich: their fifteen and the four that they keep for validation.
    pub fn corruptions() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|shift| shift.is_corruption())
    }

    /// Returns whether the shift is one of [`Shift::corruptions`].
    pub fn is_corruption(self) -> bool {
        self.input() == Input::Image && !matches!(self, Self::Rotation | Self::Translation)
    }

    /// Returns whether the shift changes grey images: all image shifts do except [`Shift::Saturate`], because grey has
    /// no saturation.
    pub fn changes_grey(self) -> bool {
        self.input() == Input::Image && self != Self::Saturate
    }

    /// Returns the name in kebab case: `gaussian-noise`.
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

    /// Returns the kind of data to which the shift applies.
    pub fn input(self) -> Input {
        match self {
            Self::GaussianFeatures | Self::FeatureScale | Self::FeatureOffset => Input::Table,
            Self::Reassign => Input::Tokens,
            _ => Input::Image,
        }
    }

    /// Returns the usual severities, from the weakest; severity 0 is always no shift at all.
    ///
    /// Rotations by 15 to 180 degrees and translations by 2 to 14 pixels are the paper's (its code continues to 26
    /// pixels, but half of MNIST's 28 pixels is the farthest that a cyclic translation goes). Corruptions have five
    /// severities. The others are our own choice.
    pub fn severities(self) -> &'static [f64] {
        match self {
            Self::Rotation => &[15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0, 135.0, 150.0, 165.0, 180.0],
            Self::Translation => &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0],
            Self::GaussianFeatures | Self::FeatureScale | Self::FeatureOffset => &[0.125, 0.25, 0.5, 1.0, 2.0],
            Self::Reassign => &[0.05, 0.1, 0.25, 0.5, 0.75, 1.0],
            _ => &[1.0, 2.0, 3.0, 4.0, 5.0],
        }
    }

    /// Returns the shift at a severity.
    ///
    /// # Errors
    /// When the shift has no such severity: degrees are finite, pixels and steps (0 to 5) are whole, standard
    /// deviations are from 0 to 10 and probabilities from 0 to 1.
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
        let unknown = || {
            let names = Self::ALL.map(Self::name);
            let remedy = guess::remedy(name, names, &format!("it is one of {}", names.join(", ")));
            ShiftError::Unknown { name: name.to_owned(), remedy }
        };
        Self::ALL.into_iter().find(|shift| shift.name() == name).ok_or_else(unknown)
    }
}

/// A shift at one valid severity; as text `rotation/45`. Severity 0 leaves data unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ShiftLevel {
    shift: Shift,
    severity: f64,
}

impl ShiftLevel {
    /// Creates the shift at a severity; see [`Shift::at`].
    pub(super) fn new(shift: Shift, severity: f64) -> Result<Self, ShiftError> {
        let within = |least: f64, most: f64| (least..=most).contains(&severity);
        let whole = severity.trunc() == severity;
        let (valid, expected) = match shift {
            Shift::Rotation => (within(-FARTHEST, FARTHEST), "degrees"),
            Shift::Translation => (within(-FARTHEST, FARTHEST) && whole, "whole pixels"),
            Shift::GaussianFeatures | Shift::FeatureScale | Shift::FeatureOffset => {
                (within(0.0, MOST_DEVIATIONS), "standard deviations from 0 to 10")
            }
            Shift::Reassign => (within(0.0, 1.0), "a probability from 0 to 1"),
            _ => (within(0.0, STEPS) && whole, "0, 1, 2, 3, 4 or 5"),
        };
        if valid {
            // Adding 0 turns -0 into 0, so that equal levels have one name.
            Ok(Self { shift, severity: severity + 0.0 })
        } else {
            Err(ShiftError::Severity { shift: shift.name(), severity, expected })
        }
    }

    /// Returns the shift.
    pub fn shift(&self) -> Shift {
        self.shift
    }

    /// Returns the severity, in the shift's own unit.
    pub fn severity(&self) -> f64 {
        self.severity
    }

    /// Returns the random stream of this shift for example `index` (0 for a whole table) of `problem`.
    ///
    /// The severity is not part of its name: an example receives the same noise, at different strengths, at every
    /// severity, so that severities are compared in pairs.
    pub fn stream(&self, seed: Seed, problem: &str, index: u64) -> Stream {
        stream(seed, &format!("shift/{}", self.shift), problem, index)
    }

    /// Shifts an image. Corruptions use ImageNet-C's constants if the image is grey or its shorter side has at least 85
    /// pixels, else CIFAR-10-C's.
    ///
    /// # Errors
    /// When the shift does not apply to images.
    pub fn apply(&self, image: &Pixels, stream: &mut Stream) -> Result<Pixels, ShiftError> {
        self.apply_at(Scale::of(image.shape()), image, stream)
    }

    /// Shifts an image with the constants of a chosen image set, which matter only to corruptions.
    pub(super) fn apply_at(&self, scale: Scale, image: &Pixels, stream: &mut Stream) -> Result<Pixels, ShiftError> {
        self.of(Input::Image)?;
        if self.severity == 0.0 {
            return Ok(image.clone());
        }
        let corruption: fn(&Pixels, Scale, Step, &mut Stream) -> Pixels = match self.shift {
            Shift::Rotation => return Ok(rotate(image, self.severity)),
            Shift::Translation => return Ok(translate(image, self.severity as i64)),
            Shift::GaussianNoise => corruption::gaussian_noise,
            Shift::ShotNoise => corruption::shot,
            Shift::ImpulseNoise => corruption::impulse,
            Shift::SpeckleNoise => corruption::speckle,
            Shift::DefocusBlur => corruption::defocus,
            Shift::GlassBlur => corruption::glass,
            Shift::MotionBlur => corruption::motion,
            Shift::ZoomBlur => corruption::zoom,
            Shift::GaussianBlur => corruption::gaussian_blur,
            Shift::Snow => corruption::snow,
            Shift::Frost => corruption::frost,
            Shift::Fog => corruption::fog,
            Shift::Brightness => corruption::brightness,
            Shift::Contrast => corruption::contrast,
            Shift::Elastic => corruption::elastic,
            Shift::Pixelate => corruption::pixelate,
            Shift::Jpeg => corruption::jpeg,
            Shift::Saturate => corruption::saturate,
            Shift::Spatter => corruption::spatter,
            Shift::GaussianFeatures | Shift::FeatureScale | Shift::FeatureOffset | Shift::Reassign => {
                unreachable!("shifts of other data are refused above")
            }
        };
        Ok(corruption(image, scale, self.severity as Step - 1, stream))
    }

    /// Shifts a table; `columns` are the statistics of the training rows.
    ///
    /// # Errors
    /// When the shift does not apply to tables, the number of columns differs from that in training, or a number is, or
    /// becomes, larger than an `f32` can hold.
    pub fn apply_to_table(&self, rows: &Matrix, columns: &Columns, stream: &mut Stream) -> Result<Matrix, ShiftError> {
        self.of(Input::Table)?;
        let shift = match self.shift {
            Shift::GaussianFeatures => table::noise,
            Shift::FeatureScale => table::scale,
            _ => table::offset,
        };
        table::check(rows, columns)?;
        if self.severity == 0.0 { Ok(rows.clone()) } else { shift(rows, columns, self.severity, stream) }
    }

    /// Shifts tokens of a vocabulary.
    ///
    /// # Errors
    /// When the shift does not apply to tokens, or a token is not in the vocabulary.
    pub fn apply_to_tokens(
        &self,
        tokens: &[u32],
        vocabulary: u32,
        stream: &mut Stream,
    ) -> Result<Vec<u32>, ShiftError> {
        self.of(Input::Tokens)?;
        tokens::reassign(tokens, self.severity, vocabulary, stream)
    }

    fn of(&self, found: Input) -> Result<(), ShiftError> {
        let shifts = self.shift.input();
        if shifts == found { Ok(()) } else { Err(ShiftError::Input { shift: self.shift.name(), shifts, found }) }
    }
}

impl fmt::Display for ShiftLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.shift, self.severity)
    }
}

impl FromStr for ShiftLevel {
    type Err = ShiftError;

    fn from_str(text: &str) -> Result<Self, ShiftError> {
        let level = || ShiftError::Level { text: text.to_owned() };
        // A name without a severity is parsed as well, because it may be misspelt.
        let (name, severity) = text.split_once('/').unwrap_or((text, ""));
        name.parse::<Shift>()?.at(severity.parse().map_err(|_| level())?)
    }
}

impl TryFrom<String> for ShiftLevel {
    type Error = ShiftError;

    fn try_from(text: String) -> Result<Self, ShiftError> {
        text.parse()
    }
}

impl From<ShiftLevel> for String {
    fn from(level: ShiftLevel) -> Self {
        level.to_string()
    }
}
