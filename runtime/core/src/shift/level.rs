//! A shift at a severity, and what it does to data.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::corruption;
use super::error::ShiftError;
use super::list::{Input, Shift};
use super::pixels::Pixels;
use super::rotation::{rotate, translate};
use super::scale::{Scale, Step};
use super::table::{self, Columns};
use super::tokens;
use crate::matrix::Matrix;
use crate::stream::{Stream, stream};

/// Severities of a corruption.
const STEPS: f64 = 5.0;
/// The most standard deviations of a shift of features.
const MOST_DEVIATIONS: f64 = 10.0;
/// The farthest translation and rotation, up to which all whole numbers are numbers of `f64`.
const FARTHEST: f64 = 1e9;

/// A shift at one severity, which is valid; as text `rotation/45`. Severity 0 leaves data as they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShiftLevel {
    shift: Shift,
    severity: f64,
}

impl ShiftLevel {
    /// The shift at that severity; see [`Shift::at`].
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
            // -0 is 0, so that equal levels have one name.
            Ok(Self { shift, severity: severity + 0.0 })
        } else {
            Err(ShiftError::Severity { shift: shift.name(), severity, expected })
        }
    }

    /// The shift.
    pub fn shift(&self) -> Shift {
        self.shift
    }

    /// How severe it is, in the shift's own unit.
    pub fn severity(&self) -> f64 {
        self.severity
    }

    /// The stream that serves this shift of example `index` (0 for a whole table) of `problem`.
    ///
    /// The severity is no part of its name: at every severity an example meets the same noise, more or less of it, so that
    /// severities are compared in pairs.
    pub fn stream(&self, seed: u64, problem: &str, index: u64) -> Stream {
        stream(seed, &format!("shift/{}", self.shift), problem, index)
    }

    /// An image shifted. Corruptions have ImageNet-C's constants where the image is grey or its shorter side has 85 pixels
    /// or more, else CIFAR-10-C's.
    ///
    /// # Errors
    /// When the shift is not one of images.
    pub fn apply(&self, image: &Pixels, stream: &mut Stream) -> Result<Pixels, ShiftError> {
        self.apply_at(Scale::of(image.shape()), image, stream)
    }

    /// An image shifted, with the constants of a chosen image set; they matter to corruptions alone.
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

    /// A table shifted; `columns` are those of the training rows.
    ///
    /// # Errors
    /// When the shift is not one of tables, the columns are not as many as in training, or a number is, or becomes, more
    /// than an `f32` holds.
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

    /// Tokens of a vocabulary shifted.
    ///
    /// # Errors
    /// When the shift is not one of tokens, or a token is none of the vocabulary.
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
        let (name, severity) = text.split_once('/').ok_or_else(level)?;
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
