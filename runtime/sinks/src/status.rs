//! Facts about a value, compared with the value that the same program has where every operation makes its NaNs canonical.

use std::ops::BitAnd;

/// A floating-point format: of a number, or of each lane of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// The formats of the lanes that an operator moves as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lanes {
    /// Lanes of one format.
    Of(Format),
    /// Lanes of 64 bits, and so those of 32 bits too.
    Both,
}

/// A set of facts about a value v and the value r that the same program has with canonical NaNs everywhere.
///
/// - *same*: v and r have the same bits.
/// - *arithmetic* in a format: v with canonical NaNs is r.
/// - *alike* in a format: v with canonical NaNs is r with canonical NaNs.
/// - *mask* in a format: every lane of v is all ones or all zeros, and v and r have the same bits.
///
/// Same and arithmetic each imply alike. Where two paths meet, what both know holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status(u8);

const SAME: u8 = 1;
const ARITHMETIC: [u8; 2] = [1 << 1, 1 << 2];
const ALIKE: [u8; 2] = [1 << 3, 1 << 4];
const MASK: [u8; 2] = [1 << 5, 1 << 6];

impl Status {
    /// Arbitrary bits, equal with and without canonical NaNs.
    pub(super) const SAME: Self = Self(SAME | ALIKE[0] | ALIKE[1]);
    /// Equal bits, and not a NaN in either format.
    pub(super) const NUMBER: Self = Self(Self::SAME.0 | ARITHMETIC[0] | ARITHMETIC[1]);

    /// Returns the status of the result of an operation whose NaNs have any bits.
    pub(super) const fn arithmetic(format: Format) -> Self {
        Self(ARITHMETIC[format as usize] | ALIKE[format as usize])
    }

    /// Returns the status of a number that was converted from an integer, or whose NaNs were made canonical.
    pub(super) const fn number(format: Format) -> Self {
        Self(Self::SAME.0 | ARITHMETIC[format as usize])
    }

    /// Returns the status of what a comparison of lanes gives. A lane of 64 equal bits is two of 32.
    pub(super) const fn mask(format: Format) -> Self {
        match format {
            Format::F32 => Self(Self::SAME.0 | MASK[0]),
            Format::F64 => Self(Self::SAME.0 | MASK[0] | MASK[1]),
        }
    }

    /// Returns the facts that remain where lanes are moved as a whole.
    pub(super) const fn moved(self, lanes: Lanes) -> Self {
        let kept = match lanes {
            Lanes::Of(format) => ARITHMETIC[format as usize] | ALIKE[format as usize],
            Lanes::Both => ARITHMETIC[0] | ARITHMETIC[1] | ALIKE[0] | ALIKE[1],
        };
        let same = if self.is_same() { Self::SAME.0 } else { 0 };
        Self(self.0 & kept | same)
    }

    pub(super) const fn is_same(self) -> bool {
        self.0 & SAME != 0
    }

    pub(super) const fn is_alike(self, format: Format) -> bool {
        self.0 & ALIKE[format as usize] != 0
    }

    /// Returns the lanes of which the value is a mask, if it is one.
    pub(super) fn mask_of(self) -> Option<Lanes> {
        let is = |format: Format| self.0 & MASK[format as usize] != 0;
        if is(Format::F64) { Some(Lanes::Both) } else { is(Format::F32).then_some(Lanes::Of(Format::F32)) }
    }

    /// Returns the format in which the value is the result of arithmetic, if it is.
    pub(super) fn format(self) -> Option<Format> {
        [Format::F32, Format::F64].into_iter().find(|format| self.0 & ARITHMETIC[*format as usize] != 0)
    }
}

impl BitAnd for Status {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
