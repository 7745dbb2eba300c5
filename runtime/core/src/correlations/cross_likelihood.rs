//! Cross-normalised log-likelihood: compares beliefs by their correlations alone, with the marginals of a reference.

mod groups;

pub use groups::correlated_groups;

use super::dense::Dense;
use super::density::{DensityError, Marginals};
use super::moments::Moments;
use super::rank::mean_ranks;

/// The number b of points in a group, as in the paper.
pub const GROUP_SIZE: usize = 5;

/// Computes the mean joint log density of groups of targets under a belief, per target of a group.
///
/// # Formula
/// (1/G) sum over groups g of ln N(`y_g`; `mean_g`, `covariance_g` + noise) / |g|: a log density per point, comparable
/// with [`marginal_log_likelihood`](super::marginal_log_likelihood).
///
/// # Errors
/// When there are no targets or groups, a target has no variance, a group has no joint density or a target is not
/// finite.
///
/// # Panics
/// When the number of targets is not the number of rows, or a group is empty or names a row that does not exist.
pub fn joint_log_likelihood(belief: &Moments, targets: &[f64], groups: &[Vec<usize>]) -> Result<f64, DensityError> {
    cross_log_likelihood(belief, belief, targets, groups)
}

/// Computes the cross-normalised log-likelihood (XLL) of a candidate under a reference, in nats per target.
///
/// # Formula
/// (1/G) sum over groups g of ln N(`y_g`; `mean_ref`, `D_ref C D_ref`) / |g|, where `D_ref` holds the reference's sds
/// of the targets and C is the candidate's correlation of the targets. Both include noise: with C of f alone, b points
/// close to one another would make it nearly singular (the paper's remark 2, and its code). Wang, Sun and Grosse,
/// "Beyond Marginal Uncertainty" (2021), equation 3.
///
/// # Errors
/// When there are no targets or groups, a target has no variance under the reference, a group has no joint density, or
/// a target is not finite.
///
/// # Panics
/// As [`joint_log_likelihood`].
pub fn cross_log_likelihood(
    candidate: &Moments,
    reference: &Moments,
    targets: &[f64],
    groups: &[Vec<usize>],
) -> Result<f64, DensityError> {
    Marginals::new(reference, targets)?.mean_joint(&candidate.target_correlation(), groups)
}

/// XLL and its ranks (XLLR) of several beliefs, each of which is the reference once.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossLikelihoods {
    beliefs: usize,
    /// The beliefs that are compared, ascending; each is candidate and reference.
    compared: Vec<usize>,
    /// One row for each reference, one column for each candidate.
    likelihoods: Dense,
    ranks: Dense,
    failures: Vec<(usize, DensityError)>,
}

impl CrossLikelihoods {
    /// Compares beliefs about the same rows, in the units of the targets (see [`Moments::in_units`]).
    ///
    /// # Formula
    /// Each belief j is the reference once. For every row, the group of the `size` rows most correlated with it under j
    /// is formed ([`correlated_groups`]), and [`cross_log_likelihood`] of each belief under j is taken over these
    /// groups; ranks are 0 for the largest, and equal values share the mean rank. Averages are over all references,
    /// including the belief itself. Wang, Sun and Grosse (2021), algorithm 2.
    ///
    /// A belief without a density, as reference for some target or as candidate for some group, is not compared: it is
    /// no reference and has no rank. The others are compared without it, and [`failures`](Self::failures) has the
    /// reason.
    ///
    /// # Errors
    /// When there are no targets or one is not finite.
    ///
    /// # Panics
    /// When the rows of a belief do not match the targets, or `size` is 0.
    pub fn new(beliefs: impl IntoIterator<Item = Moments>, targets: &[f64], size: usize) -> Result<Self, DensityError> {
        if targets.is_empty() {
            return Err(DensityError::Empty);
        }
        if let Some(row) = targets.iter().position(|y| !y.is_finite()) {
            return Err(DensityError::Target { row });
        }
        // Only the correlations of each belief are held, a matrix of all pairs of rows.
        let mut correlations = Vec::new();
        let mut failures = Vec::new();
        let mut references = Vec::new();
        for (j, belief) in beliefs.into_iter().enumerate() {
            let correlation = belief.target_correlation();
            match Marginals::new(&belief, targets) {
                Ok(marginals) => references.push((j, marginals, correlated_groups(&correlation, size))),
                Err(failure) => failures.push((j, failure)),
            }
            correlations.push(correlation);
        }
        let mut columns = Vec::new();
        for i in references.iter().map(|(j, ..)| *j) {
            let under = |(_, marginals, groups): &(usize, Marginals, Vec<Vec<usize>>)| {
                marginals.mean_joint(&correlations[i], groups)
            };
            match references.iter().map(under).collect::<Result<Vec<f64>, _>>() {
                Ok(column) => columns.push((i, column)),
                Err(failure) => failures.push((i, failure)),
            }
        }
        failures.sort_by_key(|(i, _)| *i);
        let compared: Vec<usize> = columns.iter().map(|(i, _)| *i).collect();
        let kept: Vec<usize> = (0..references.len()).filter(|&r| compared.contains(&references[r].0)).collect();
        let likelihoods = Dense::from_fn(kept.len(), compared.len(), |r, c| columns[c].1[kept[r]]);
        let mut ranks = Vec::with_capacity(kept.len() * compared.len());
        for r in 0..kept.len() {
            let descending: Vec<f64> = likelihoods.row(r).iter().map(|x| -x).collect();
            ranks.extend(mean_ranks(&descending));
        }
        let ranks = Dense::new(kept.len(), compared.len(), ranks).expect("a rank for each likelihood");
        Ok(Self { beliefs: correlations.len(), compared, likelihoods, ranks, failures })
    }

    /// Returns the number of beliefs given, including those that are not compared.
    pub fn beliefs(&self) -> usize {
        self.beliefs
    }

    /// Returns the beliefs that are compared, in ascending order.
    pub fn compared(&self) -> &[usize] {
        &self.compared
    }

    /// Returns the beliefs that are not compared, in ascending order, and why.
    pub fn failures(&self) -> &[(usize, DensityError)] {
        &self.failures
    }

    /// Returns the XLL of a belief under a reference, or `None` if either is not compared.
    pub fn likelihood(&self, reference: usize, candidate: usize) -> Option<f64> {
        Some(self.likelihoods[(self.place(reference)?, self.place(candidate)?)])
    }

    /// Returns the XLLR of a belief under a reference, 0 for the best, or `None` if either is not compared.
    pub fn rank(&self, reference: usize, candidate: usize) -> Option<f64> {
        Some(self.ranks[(self.place(reference)?, self.place(candidate)?)])
    }

    /// Returns the XLL of a belief averaged over the references, or `None` if it is not compared.
    pub fn mean_likelihood(&self, candidate: usize) -> Option<f64> {
        Some(column_mean(&self.likelihoods, self.place(candidate)?))
    }

    /// Returns the XLLR of a belief averaged over the references, or `None` if it is not compared.
    pub fn mean_rank(&self, candidate: usize) -> Option<f64> {
        Some(column_mean(&self.ranks, self.place(candidate)?))
    }

    fn place(&self, belief: usize) -> Option<usize> {
        self.compared.iter().position(|&i| i == belief)
    }
}

fn column_mean(table: &Dense, col: usize) -> f64 {
    (0..table.rows()).map(|row| table[(row, col)]).sum::<f64>() / table.rows() as f64
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod theorem;
