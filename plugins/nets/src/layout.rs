//! Where a network's parameters are among the padding.

use crate::simd::{LANES, Lanes, floats_mut, vectors};

/// One where a network with these widths has a parameter, zero where a row is padded to whole vectors.
pub fn mask(widths: &[usize]) -> Vec<Lanes> {
    let mut mask = Vec::new();
    for pair in widths.windows(2) {
        let from = mask.len();
        mask.resize(from + (pair[0] + 1) * vectors(pair[1]), Lanes::splat(0.0));
        for row in floats_mut(&mut mask[from..]).chunks_exact_mut(vectors(pair[1]) * LANES) {
            row[..pair[1]].fill(1.0);
        }
    }
    mask
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::network::{FirstBiases, Network};
    use crate::simd::floats;

    #[test]
    fn a_fresh_network_is_zero_beside_the_mask() {
        for widths in [&[2, 3][..], &[5, 8, 2], &[1, 13, 9, 4]] {
            let network = Network::new(widths, FirstBiases::Normal, &mut Rng::new(0, 0));
            let mask = mask(widths);
            assert_eq!(mask.len(), network.parameters.len());
            let parameters: usize = widths.windows(2).map(|pair| (pair[0] + 1) * pair[1]).sum();
            assert_eq!(floats(&mask).iter().sum::<f32>(), parameters as f32);
            for (value, is) in floats(&network.parameters).iter().zip(floats(&mask)) {
                assert!(*is == 1.0 || *value == 0.0);
            }
        }
    }
}
