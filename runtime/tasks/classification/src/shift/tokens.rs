//! The shift of categorical features, which replaces tokens.

use jointly_core::pick::below;
use jointly_core::stream::Stream;

use super::error::ShiftError;

/// Replaces each token, independently with this probability, by one drawn uniformly from the vocabulary (possibly the
/// same token).
///
/// Two numbers are drawn for every token whether it is replaced or not, so that a token replaced at one probability is
/// replaced by the same token at every higher one.
///
/// Source: Ovadia et al. (2019), section 4.4. (Its code decides once for a whole batch whether a feature is replaced,
/// and draws from 10^8 tokens, nearly all of them new.)
pub(super) fn reassign(
    tokens: &[u32],
    probability: f64,
    vocabulary: u32,
    stream: &mut Stream,
) -> Result<Vec<u32>, ShiftError> {
    if let Some(index) = tokens.iter().position(|&token| token >= vocabulary) {
        return Err(ShiftError::Token { index, token: tokens[index], vocabulary });
    }
    let replace = |&token: &u32| {
        let (replaced, other) = (stream.uniform() < probability, below(vocabulary as usize, stream) as u32);
        if replaced { other } else { token }
    };
    Ok(tokens.iter().map(replace).collect())
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    const TOKENS: usize = 40_000;

    fn source() -> Stream {
        stream(0, "test", "tokens", 0)
    }

    #[test]
    fn as_many_change_as_the_probability_says() {
        for (probability, vocabulary) in [(0.1, 10_u32), (0.5, 1000), (1.0, 4)] {
            let shifted = reassign(&vec![3; TOKENS], probability, vocabulary, &mut source()).unwrap();
            let n = TOKENS as f64;
            let within = |count: usize, p: f64| (count as f64 - n * p).abs() < 5.0 * (n * p * (1.0 - p)).sqrt() + 1.0;
            let changed = shifted.iter().filter(|&&token| token != 3).count();
            assert!(within(changed, probability * f64::from(vocabulary - 1) / f64::from(vocabulary)));
            // All tokens are equally likely replacements.
            let zeros = shifted.iter().filter(|&&token| token == 0).count();
            assert!(within(zeros, probability / f64::from(vocabulary)), "{zeros}");
            assert!(shifted.iter().all(|&token| token < vocabulary));
        }
    }

    #[test]
    fn severities_are_nested() {
        let tokens: Vec<u32> = (0..1000).map(|token| token % 50).collect();
        let at = |probability: f64| reassign(&tokens, probability, 50, &mut source()).unwrap();
        let (some, more, all) = (at(0.2), at(0.6), at(1.0));
        assert_eq!(at(0.0), tokens);
        for i in 0..1000 {
            assert!(some[i] == tokens[i] || some[i] == more[i]);
            assert!(more[i] == tokens[i] || more[i] == all[i]);
        }
    }

    #[test]
    fn strangers_are_refused() {
        let error = reassign(&[0, 5], 0.5, 5, &mut source()).unwrap_err();
        assert_eq!(error, ShiftError::Token { index: 1, token: 5, vocabulary: 5 });
        assert_eq!(reassign(&[], 0.5, 0, &mut source()), Ok(vec![]));
        assert_eq!(reassign(&[0, 0], 1.0, 1, &mut source()), Ok(vec![0, 0]));
    }
}
