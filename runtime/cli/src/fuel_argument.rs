//! The option `--fuel`: a number of units, which may be written as 2e12.

/// Parses its value.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let units = || {
        let (digits, zeros) = text.split_once('e').unwrap_or((text, "0"));
        digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(zeros.parse().ok()?)?)
    };
    units().ok_or_else(|| "expected a whole number, such as 1000000000 or 1e9".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn powers_of_ten_are_exact_and_nothing_overflows() {
        for (text, units) in [("0", 0), ("12", 12), ("2e12", 2_000_000_000_000), ("7e0", 7), ("1e19", 10_u64.pow(19))] {
            assert_eq!(parse(text), Ok(units), "{text}");
        }
        for text in ["", "e9", "1e", "1.5e9", "-1", "1e20", "2e19", "1e99999999999", "9 "] {
            assert!(parse(text).unwrap_err().contains("1e9"), "{text}");
        }
    }
}
