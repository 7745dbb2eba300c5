//! The types that a setting can have, each with its text form.

use std::ops::Deref;

/// A type that a setting's text is parsed into.
pub trait SettingValue: Sized {
    /// Returns a description of the accepted texts, to follow the word "expected".
    fn expected() -> String;

    /// Parses the text; returns `None` if it is not a value of this type.
    fn parse_value(text: &str) -> Option<Self>;
}

/// Declares a bounded number type with its text form and the message for a value out of bounds.
macro_rules! bounded {
    ($(#[$doc:meta])* $name:ident($inner:ty), $valid:expr, $expected:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name($inner);

        impl Deref for $name {
            type Target = $inner;

            fn deref(&self) -> &$inner {
                &self.0
            }
        }

        impl SettingValue for $name {
            fn expected() -> String {
                $expected.into()
            }

            fn parse_value(text: &str) -> Option<Self> {
                let value: $inner = text.trim().parse().ok()?;
                let valid: fn($inner) -> bool = $valid;
                valid(value).then_some(Self(value))
            }
        }
    };
}

bounded!(
    /// A whole number of at least 1.
    Count(usize),
    |value| value >= 1,
    "a whole number of at least 1"
);
bounded!(
    /// A finite number above 0.
    Positive(f32),
    |value| value > 0.0 && value.is_finite(),
    "a number above 0"
);
bounded!(
    /// A finite number of at least 0.
    NonNegative(f32),
    |value| value >= 0.0 && value.is_finite(),
    "a number of at least 0"
);

bounded!(
    /// A number of at least 0 and below 1.
    Fraction(f32),
    |value| (0.0..1.0).contains(&value),
    "a number of at least 0 and below 1"
);

bounded!(
    /// A number from 0 to 1.
    Probability(f32),
    |value| (0.0..=1.0).contains(&value),
    "a number from 0 to 1"
);

impl SettingValue for bool {
    fn expected() -> String {
        "yes or no".into()
    }

    fn parse_value(text: &str) -> Option<Self> {
        match text.trim() {
            "yes" | "true" => Some(true),
            "no" | "false" => Some(false),
            _ => None,
        }
    }
}

/// The widths of a network's hidden layers, written `50,50` or `50-50`; `none` means no hidden layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widths(Vec<usize>);

impl Deref for Widths {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl SettingValue for Widths {
    fn expected() -> String {
        "widths such as 50,50, or none".into()
    }

    fn parse_value(text: &str) -> Option<Self> {
        if text.trim() == "none" {
            return Some(Self(Vec::new()));
        }
        let width = |part: &str| part.trim().parse().ok().filter(|width| *width > 0);
        text.split([',', '-']).map(width).collect::<Option<_>>().map(Self)
    }
}

/// Declares a setting whose value is one of a few words.
///
/// ```
/// jointly_sdk::choices! {
///     /// How members see the data.
///     pub enum Bootstrap {
///         /// Every example weighs the same.
///         None = "none",
///         /// Each example is in or out by the toss of a coin.
///         Bernoulli = "bernoulli",
///     }
/// }
/// use jointly_sdk::SettingValue;
/// assert_eq!(Bootstrap::parse_value("bernoulli"), Some(Bootstrap::Bernoulli));
/// assert_eq!(Bootstrap::expected(), "none or bernoulli");
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$doc])* $variant,)+ }

        impl $crate::SettingValue for $name {
            fn expected() -> String {
                [$($word),+].join(" or ")
            }

            fn parse_value(text: &str) -> Option<Self> {
                match text.trim() {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_written_both_ways() {
        assert_eq!(&*Widths::parse_value("50,50").unwrap(), [50, 50]);
        assert_eq!(&*Widths::parse_value("100-20-3").unwrap(), [100, 20, 3]);
        assert_eq!(&*Widths::parse_value("none").unwrap(), []);
        for wrong in ["", "0", "50,", "fifty"] {
            assert_eq!(Widths::parse_value(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn bounds_are_kept() {
        assert_eq!(Count::parse_value("0"), None);
        assert_eq!(Positive::parse_value("0"), None);
        assert_eq!(Positive::parse_value("inf"), None);
        assert_eq!(NonNegative::parse_value("-0.1"), None);
        assert_eq!(NonNegative::parse_value("NaN"), None);
        assert_eq!(*NonNegative::parse_value("1e-3").unwrap(), 1e-3);
        assert_eq!(*Fraction::parse_value("0").unwrap(), 0.0);
        assert_eq!(Fraction::parse_value("1"), None);
        assert_eq!(Fraction::parse_value("NaN"), None);
        assert_eq!(*Probability::parse_value("1").unwrap(), 1.0);
        assert_eq!(Probability::parse_value("1.01"), None);
    }
}
