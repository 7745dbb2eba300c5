//! The layers of a packed ensemble's members, and the gradient of a member's loss.

use jointly_nets::examples::Examples;
use jointly_nets::fit::affordable;
use jointly_nets::layout::{Block, stride};
use jointly_nets::loss::CrossEntropy;
use jointly_nets::network::Values;
use jointly_nets::simd::{LANES, Lanes, floats_mut};
use jointly_nets::{FirstBiases, Function, Network, Rows, Stream, predict};
use jointly_sdk::{Failure, Task};

/// The shape of a packed ensemble: how its hidden layers are divided.
///
/// # Formula
///
/// A hidden layer of H units is widened to alpha H units and divided into M gamma groups of equal size, gamma for each of
/// the M members. A group of the first hidden layer reads all inputs. A group of a later hidden layer reads the same group
/// of the layer before it. The outputs of a member read all its groups. So the weights between two hidden layers are a
/// block-diagonal matrix.
///
/// After Laurent et al. (2023), section 3.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Widths of the layers that one group passes through, from the inputs to the classes.
    widths: Vec<usize>,
    /// Groups of a member.
    gamma: usize,
}

impl Shape {
    /// Divides the hidden layers.
    ///
    /// # Errors
    ///
    /// The groups of a hidden layer would not have the same number of units, or there are too many parameters.
    pub(crate) fn new(task: &Task, hidden: &[usize], size: usize, alpha: usize, gamma: usize) -> Result<Self, Failure> {
        if gamma > 1 && hidden.is_empty() {
            return Err(Failure::InvalidSetting(format!(
                "gamma={gamma} divides hidden layers, and hidden=none has none"
            )));
        }
        let too_many = || Failure::InvalidSetting(format!("size={size} times gamma={gamma} is too many groups"));
        let groups = size.checked_mul(gamma).ok_or_else(too_many)?;
        let mut widths = vec![task.input_dim];
        for width in hidden {
            let units = width.checked_mul(alpha);
            let units = units.filter(|units| units.is_multiple_of(groups)).ok_or_else(|| {
                Failure::InvalidSetting(format!(
                    "a hidden layer of {width} units times alpha={alpha} does not divide into size={size} times \
                     gamma={gamma} equal groups: change hidden, alpha, size or gamma"
                ))
            })?;
            widths.push(units / groups);
        }
        widths.push(task.num_classes);
        affordable(&widths, groups)?;
        Ok(Self { widths, gamma })
    }

    /// Returns an untrained member.
    pub(crate) fn member(&self, seed: u64, member: u64) -> Member {
        let mut rng = Stream::Start.rng(seed, member);
        // A weight of the last layer has the scale of all units that an output reads, in all groups.
        let scale = 1.0 / (self.gamma as f32).sqrt();
        let group = |_| Network::new(&self.widths, FirstBiases::Zero, &mut rng).scaled(scale);
        Member { groups: (0..self.gamma).map(group).collect() }
    }
}

/// A member: the blocks of the packed network's weights that belong to it, one network for each group.
///
/// The outputs of a member are the sum of its groups' outputs. The first group has the biases of the last layer; those of
/// the other groups stay zero.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) groups: Vec<Network>,
}

impl Function<Rows> for Member {
    fn probs(&self, inputs: &Rows, out: &mut [f32]) -> Result<(), Failure> {
        predict(&self.groups.iter().collect::<Vec<_>>(), inputs, out)
    }
}

/// The gradient of a member's loss with respect to its parameters, with scratch buffers.
#[derive(Debug)]
pub(crate) struct Gradient {
    values: Vec<Values>,
    loss: CrossEntropy,
    /// Numbers in a row of outputs.
    stride: usize,
    last: Block,
    /// The gradient with respect to the parameters of each group.
    pub(crate) groups: Vec<Vec<Lanes>>,
}

impl Gradient {
    /// Makes buffers for members with the shape of `member`, at minibatches of `max_rows` rows.
    ///
    /// # Panics
    ///
    /// Never: a member has a group, and a group has a layer.
    pub(crate) fn new(member: &Member, max_rows: usize) -> Self {
        let network = member.groups.first().expect("a member has a group");
        let classes = network.outputs();
        Self {
            values: member.groups.iter().map(|group| Values::new(group, max_rows)).collect(),
            loss: CrossEntropy::new(classes),
            stride: stride(classes) * LANES,
            last: *network.blocks().last().expect("a network has a layer"),
            groups: vec![vec![Lanes::splat(0.0); network.parameters.len()]; member.groups.len()],
        }
    }

    /// Computes the gradient of the mean cross-entropy at a minibatch, and returns whether the loss is finite.
    pub(crate) fn compute(&mut self, member: &Member, examples: &Examples<'_>) -> bool {
        let (inputs, inputs_stride, rows) = (examples.inputs(), examples.stride(), examples.rows());
        for (group, values) in member.groups.iter().zip(&mut self.values) {
            group.forward(inputs, inputs_stride, rows, values);
        }
        let len = rows * self.stride;
        let Some((first, others)) = self.values.split_first_mut() else { return true };
        let outputs = &mut first.outputs()[..len];
        for values in &mut *others {
            outputs.iter_mut().zip(values.outputs()).for_each(|(sum, output)| *sum += *output);
        }
        let finite = self.loss.differentiate(outputs, self.stride, examples.targets());
        // The slope of a sum is that of each of its terms.
        for values in others {
            values.outputs()[..len].copy_from_slice(outputs);
        }
        for ((group, values), gradient) in member.groups.iter().zip(&mut self.values).zip(&mut self.groups) {
            group.backward(inputs, inputs_stride, rows, values, gradient);
        }
        for gradient in self.groups.iter_mut().skip(1) {
            floats_mut(gradient)[self.last.row(self.last.inputs)].fill(0.0);
        }
        finite
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::examples::Likelihood;
    use jointly_nets::simd::floats;
    use jointly_sdk::{Dataset, Matrix, Rng};

    use super::*;

    /// Tolerance between sums in another order, for numbers of order one.
    const TOLERANCE: f32 = 1e-5;

    fn data(rows: usize) -> Dataset {
        let mut rng = Rng::new(4, 0);
        let inputs = Matrix::new(rows, 3, (0..rows * 3).map(|_| rng.normal()).collect()).unwrap();
        Dataset { inputs, labels: (0..rows).map(|_| rng.below(4) as u32).collect() }
    }

    /// Returns the pairs (place in a group's parameters, place in the dense network's) of one group, for each layer.
    ///
    /// Group g owns the units g w to (g + 1) w of a hidden layer with groups of w units.
    fn places(group: usize, own: &[Block], dense: &[Block]) -> Vec<(usize, usize)> {
        let last = own.len() - 1;
        let mut places = Vec::new();
        for (l, (own, dense)) in own.iter().zip(dense).enumerate() {
            for i in 0..=own.inputs {
                // Inputs are shared by all groups, and the biases are the last row of each layer.
                let row = if i == own.inputs {
                    dense.inputs
                } else if l == 0 {
                    i
                } else {
                    group * own.inputs + i
                };
                if l == last && i == own.inputs && group > 0 {
                    continue;
                }
                let from = if l == last { 0 } else { group * own.outputs };
                places.extend(own.row(i).zip(dense.row(row).skip(from)));
            }
        }
        places
    }

    #[test]
    fn a_member_is_a_dense_network_with_block_diagonal_weights() {
        let (task, data) = (Task::new(3, 4), data(23));
        for (hidden, size, alpha, gamma) in
            [(&[12][..], 2, 1, 3), (&[12, 8], 2, 2, 2), (&[6, 12, 6], 1, 1, 3), (&[10, 20], 5, 2, 1), (&[], 3, 1, 1)]
        {
            let shape = Shape::new(&task, hidden, size, alpha, gamma).unwrap();
            let member = shape.member(7, 1);
            let whole: Vec<usize> = hidden.iter().map(|width| width * alpha / size).collect();
            let widths = [&[3], &whole[..], &[4]].concat();
            let mut dense = Network::new(&widths, FirstBiases::Zero, &mut Rng::new(0, 0));
            dense.parameters.fill(Lanes::splat(0.0));
            let blocks = dense.blocks();
            for (g, group) in member.groups.iter().enumerate() {
                for (from, to) in places(g, &group.blocks(), &blocks) {
                    floats_mut(&mut dense.parameters)[to] = floats(&group.parameters)[from];
                }
            }

            let rows = Rows::of(&data.inputs);
            let (mut found, mut expected) = (vec![0.0; 23 * 4], vec![0.0; 23 * 4]);
            member.probs(&rows, &mut found).unwrap();
            predict(&[&dense], &rows, &mut expected).unwrap();
            let close = |found: &f32, expected: &f32| (found - expected).abs() < TOLERANCE;
            assert!(found.iter().zip(&expected).all(|(found, expected)| close(found, expected)), "{hidden:?}");

            let mut examples = Examples::new(&task, &data, 10, Rng::new(1, 0)).unwrap();
            examples.next_batch();
            let mut gradient = Gradient::new(&member, examples.max_rows());
            assert!(gradient.compute(&member, &examples));
            let mut likelihood = Likelihood::new(&dense, examples.max_rows());
            let mut by_dense = vec![Lanes::splat(0.0); dense.parameters.len()];
            assert!(likelihood.differentiate(&dense, &examples, examples.targets(), &mut by_dense));
            let (mut moved, mut all) = (0, 0);
            for (g, (group, gradient)) in member.groups.iter().zip(&gradient.groups).enumerate() {
                let places = places(g, &group.blocks(), &blocks);
                for (from, to) in &places {
                    let (found, expected) = (floats(gradient)[*from], floats(&by_dense)[*to]);
                    assert!(close(&found, &expected), "{hidden:?} group {g}: {found} for {expected}");
                }
                // No other parameter of a group has a gradient.
                let owned = places.iter().filter(|(from, _)| floats(gradient)[*from] != 0.0).count();
                assert_eq!(floats(gradient).iter().filter(|slope| **slope != 0.0).count(), owned);
                (moved, all) = (moved + owned, all + places.len());
            }
            assert!(moved > all / 3, "{moved} of {all}");
        }
    }

    #[test]
    fn the_scale_of_initial_outputs_does_not_depend_on_the_groups() {
        let task = Task::new(3, 4);
        let spread = |gamma: usize| {
            let shape = Shape::new(&task, &[240, 240], 1, 1, gamma).unwrap();
            let last = |group: &Network| {
                let block = *group.blocks().last().unwrap();
                let squares = block.weights().map(|at| floats(&group.parameters)[at].powi(2));
                squares.sum::<f32>()
            };
            shape.member(1, 0).groups.iter().map(last).sum::<f32>()
        };
        // The sum of squares of 960 weights with the variance c / 240: relative standard error below 4 per cent.
        assert!((spread(4) / spread(1) - 1.0).abs() < 0.15, "{} {}", spread(4), spread(1));
    }

    #[test]
    fn what_does_not_divide_is_refused_by_name() {
        let task = Task::new(2, 2);
        let shape = |hidden: &[usize], size, alpha, gamma| Shape::new(&task, hidden, size, alpha, gamma);
        assert_eq!(shape(&[50, 50], 10, 2, 1).unwrap().widths, [2, 10, 10, 2]);
        assert_eq!(shape(&[60, 20], 4, 1, 5).unwrap().widths, [2, 3, 1, 2]);
        assert_eq!(shape(&[], 4, 3, 1).unwrap().widths, [2, 2]);
        let reason = |hidden: &[usize], size, alpha, gamma| match shape(hidden, size, alpha, gamma) {
            Err(Failure::InvalidSetting(reason)) => reason,
            other => panic!("{other:?}"),
        };
        let uneven = reason(&[60, 50], 3, 2, 4);
        assert!(uneven.starts_with("a hidden layer of 50 units times alpha=2"), "{uneven}");
        assert!(uneven.contains("size=3 times gamma=4"), "{uneven}");
        // A layer with fewer units than groups.
        assert!(reason(&[4], 8, 1, 1).contains("hidden layer of 4 units"));
        assert!(reason(&[], 3, 1, 2).contains("gamma=2"));
        assert!(reason(&[4], usize::MAX, 1, 2).contains("too many groups"));
        assert!(reason(&[usize::MAX], 1, 2, 1).contains("alpha=2"));
        assert!(reason(&[1 << 20, 1 << 20], 1, 1, 1).contains("parameters"));
    }
}
