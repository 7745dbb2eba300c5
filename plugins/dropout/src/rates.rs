//! A setting with one dropout rate, or several to choose from.

use std::ops::Deref;

use jointly_sdk::SettingValue;

/// The largest number of rates to choose from.
const MOST: usize = 20;

/// Probabilities of dropping a unit, each at least 0 and below 1, separated by commas.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RateList(Vec<f32>);

impl Deref for RateList {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl SettingValue for RateList {
    fn expected() -> String {
        "a number of at least 0 and below 1, or a few such as 0.005,0.05".into()
    }

    fn parse_value(text: &str) -> Option<Self> {
        let rate = |part: &str| part.trim().parse().ok().filter(|rate| (0.0..1.0).contains(rate));
        let rates: Vec<f32> = text.split(',').map(rate).collect::<Option<_>>()?;
        (rates.len() <= MOST).then_some(Self(rates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_several() {
        assert_eq!(&*RateList::parse_value("0.05").unwrap(), [0.05]);
        assert_eq!(&*RateList::parse_value("0, 0.5").unwrap(), [0.0, 0.5]);
        for wrong in ["", "1", "0.1,", "NaN", "0.1,x", "-0.1"] {
            assert_eq!(RateList::parse_value(wrong), None, "{wrong}");
        }
        assert_eq!(RateList::parse_value(&["0.1"; 21].join(",")), None);
    }
}
