//! The convolutions and poolings in front of a network's dense layers, for inputs that are images.

use jointly_sdk::Failure;

use crate::convolution::{Convolution, Image, Images, Room};
use crate::layout::stride;
use crate::pooling::Pooling;
use crate::simd::{LANES, Lanes, floats, floats_mut, vectors};

/// The largest number of values that a layer may make of an image: 16 MiB.
const MOST_NUMBERS: usize = 1 << 22;

/// A requested layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A [`Convolution`] whose outputs are rectified.
    Convolution {
        /// The number of filters.
        filters: usize,
        /// Side length of a filter, in pixels.
        kernel: usize,
    },
    /// Max pooling over squares.
    Pooling {
        /// Side length of a square, in pixels.
        size: usize,
    },
}

/// The layers of a LeNet as Ovadia et al. (2019) train it: 32 and 64 filters of 3x3, then 2x2 max pooling. A dense
/// layer of 128 units follows.
pub const LENET: [Stage; 3] = [
    Stage::Convolution { filters: 32, kernel: 3 },
    Stage::Convolution { filters: 64, kernel: 3 },
    Stage::Pooling { size: 2 },
];

/// A layer of a front.
#[derive(Clone, Debug)]
pub(crate) enum Layer {
    /// A convolution, and the index of the first vector of its parameters.
    Convolution(Convolution, usize),
    Pooling(Pooling),
}

impl Layer {
    pub(crate) fn output(&self) -> Image {
        match self {
            Self::Convolution(convolution, _) => convolution.output(),
            Self::Pooling(pooling) => pooling.output(),
        }
    }
}

/// Convolutions and poolings, one after the other. Their output for an image is the input of a dense layer.
#[derive(Clone, Debug)]
pub struct Front {
    image: Image,
    pub(crate) layers: Vec<Layer>,
    /// The number of vectors of parameters.
    pub(crate) len: usize,
}

impl Front {
    /// Makes the layers for images of this shape.
    ///
    /// # Errors
    ///
    /// Fails if there are no stages, if the first stage is a pooling, if a filter or a square does not fit, or if a
    /// layer has more than 2^22 values per image or the parameters take more than 2^22 vectors.
    pub fn new(image: Image, stages: &[Stage]) -> Result<Self, Failure> {
        let refuse = |reason: String| Err(Failure::InvalidSetting(reason));
        let (mut shape, mut len) = (image, 0usize);
        let mut layers: Vec<Layer> = Vec::new();
        for stage in stages {
            // The pixels of input images are not padded.
            let pixel = if layers.is_empty() { shape.channels } else { vectors(shape.channels) * LANES };
            let layer = match *stage {
                Stage::Convolution { filters, kernel } => {
                    Convolution::new(shape, pixel, filters, kernel).map(|layer| {
                        let offset = len;
                        len = len.saturating_add((layer.depth() + 1).saturating_mul(vectors(filters)));
                        Layer::Convolution(layer, offset)
                    })
                }
                Stage::Pooling { .. } if layers.is_empty() => return refuse("pooling before any convolution".into()),
                Stage::Pooling { size } => Pooling::new(shape, size).map(Layer::Pooling),
            };
            let Some(layer) = layer else {
                return refuse(format!("{stage:?} does not fit images of {shape:?}"));
            };
            shape = layer.output();
            let numbers =
                shape.channels.checked_next_multiple_of(LANES).and_then(|row| row.checked_mul(shape.pixels()));
            if numbers.is_none_or(|numbers| numbers > MOST_NUMBERS) || len > MOST_NUMBERS {
                return refuse(format!("{stage:?} makes more than {MOST_NUMBERS} numbers of an image"));
            }
            layers.push(layer);
        }
        if layers.is_empty() {
            return refuse("no convolution".into());
        }
        Ok(Self { image, layers, len })
    }

    /// The shape of an image.
    pub fn image(&self) -> Image {
        self.image
    }

    /// The shape of the last layer's output.
    pub fn output(&self) -> Image {
        self.layers.last().map_or(self.image, Layer::output)
    }

    /// The number of features that the dense layers read.
    pub fn features(&self) -> usize {
        self.output().numbers()
    }

    /// The convolutions, in order.
    pub fn convolutions(&self) -> impl Iterator<Item = &Convolution> {
        self.layers.iter().filter_map(|layer| match layer {
            Layer::Convolution(convolution, _) => Some(convolution),
            Layer::Pooling(_) => None,
        })
    }

    /// Computes the features of every image, [`stride`] of the number of features vectors per row.
    pub(crate) fn forward(
        &self,
        parameters: &[Lanes],
        images: Images<'_>,
        values: &mut FrontValues,
        features: &mut [Lanes],
    ) {
        let FrontValues { layers, room, .. } = values;
        for (l, layer) in self.layers.iter().enumerate() {
            let (before, after) = layers.split_at_mut(l);
            match layer {
                Layer::Convolution(convolution, offset) => {
                    let parameters = &parameters[*offset..][..convolution.len()];
                    convolution.forward(parameters, self.images(before, images), room, &mut after[0], true);
                }
                Layer::Pooling(pooling) => pooling.forward(&before[l - 1], images.count, &mut after[0]),
            }
        }
        self.flatten(&layers[self.layers.len() - 1], images.count, features);
    }

    /// Computes the gradient with respect to the parameters at the images of the last [`forward`](Self::forward), given
    /// the gradient with respect to the features before they were rectified. Overwrites the values.
    pub(crate) fn backward(
        &self,
        parameters: &[Lanes],
        images: Images<'_>,
        values: &mut FrontValues,
        features: &[Lanes],
        gradient: &mut [Lanes],
    ) {
        let FrontValues { layers, slopes, room } = values;
        self.unflatten(features, images.count, &mut layers[self.layers.len() - 1]);
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (before, after) = layers.split_at_mut(l);
            match layer {
                Layer::Convolution(convolution, offset) => {
                    let place = *offset..offset + convolution.len();
                    let (from, gradient) = (&parameters[place.clone()], &mut gradient[place]);
                    let read = self.images(before, images);
                    let by_inputs = before.last().map(|values| floats_mut(&mut slopes[..values.len()]));
                    convolution.backward(from, read, &after[0], room, gradient, by_inputs);
                    if let Some(before) = before.last_mut() {
                        let gated = before.iter_mut().zip(&*slopes);
                        gated.for_each(|(value, slope)| *value = slope.where_positive(*value));
                    }
                }
                Layer::Pooling(pooling) => pooling.backward(&mut before[l - 1], images.count, &after[0]),
            }
        }
    }

    /// Returns the input of a layer: the values of the layer before it, or the images.
    pub(crate) fn images<'a>(&self, before: &'a [Vec<Lanes>], images: Images<'a>) -> Images<'a> {
        before.last().map_or(images, |values| {
            let shape = self.layers[before.len() - 1].output();
            let stride = shape.pixels() * vectors(shape.channels) * LANES;
            Images { values: floats(values), stride, count: images.count }
        })
    }

    /// Copies the last layer's values to rows of features, without padding between pixels.
    pub(crate) fn flatten(&self, last: &[Lanes], images: usize, features: &mut [Lanes]) {
        let Image { channels, .. } = self.output();
        let pixels = self.output().pixels() * vectors(channels) * LANES;
        let rows = floats_mut(features).chunks_exact_mut(stride(self.features()) * LANES);
        for (row, image) in rows.zip(floats(last).chunks_exact(pixels)).take(images) {
            let pixels = image.chunks_exact(vectors(channels) * LANES);
            let to = row[..self.features()].chunks_exact_mut(channels);
            to.zip(pixels).for_each(|(to, from)| to.copy_from_slice(&from[..channels]));
        }
    }

    /// Copies rows of features back to the layout from which [`flatten`](Self::flatten) copies.
    pub(crate) fn unflatten(&self, features: &[Lanes], images: usize, last: &mut [Lanes]) {
        let Image { channels, .. } = self.output();
        let pixels = self.output().pixels() * vectors(channels) * LANES;
        let rows = floats(features).chunks_exact(stride(self.features()) * LANES);
        for (row, image) in rows.zip(floats_mut(last).chunks_exact_mut(pixels)).take(images) {
            let pixels = image.chunks_exact_mut(vectors(channels) * LANES);
            let from = row[..self.features()].chunks_exact(channels);
            pixels.zip(from).for_each(|(to, from)| {
                to[..channels].copy_from_slice(from);
                to[channels..].fill(0.0);
            });
        }
    }
}

/// The values of every layer of a front at a block of images.
#[derive(Debug)]
pub(crate) struct FrontValues {
    /// The values pixel by pixel, each pixel padded to whole vectors.
    pub(crate) layers: Vec<Vec<Lanes>>,
    /// The gradient with respect to the values of one layer at a time.
    pub(crate) slopes: Vec<Lanes>,
    pub(crate) room: Room,
}

impl FrontValues {
    /// Makes buffers for `images` images.
    pub(crate) fn new(front: &Front, images: usize) -> Self {
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let len = |layer: &Layer| images * layer.output().pixels() * vectors(layer.output().channels);
        let layers: Vec<Vec<Lanes>> = front.layers.iter().map(|layer| zeros(len(layer))).collect();
        // The gradient with respect to the last layer's values is that of the features.
        let slopes = front.layers[..front.layers.len() - 1].iter().map(len).max();
        Self { layers, slopes: zeros(slopes.unwrap_or(0)), room: Room::default() }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, Rng};

    use super::*;
    use crate::network::{Network, Values};
    use crate::plain;
    use crate::predict::{Rows, outputs, predict};
    use crate::{Activation, fit::Decay};

    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-5;
    /// Tolerance for a number of order one that was computed in single precision.
    const TOLERANCE: f64 = 3e-5;

    const ROWS: usize = 4;

    fn network(channels: usize, stages: &[Stage], hidden: &[usize]) -> Network {
        let mut rng = Rng::new(5, stages.len() as u64);
        let front = Front::new(Image { height: 9, width: 8, channels }, stages).unwrap();
        let mut network = Network::convolutional(front, hidden, 3, &mut rng);
        for block in network.blocks() {
            let parameters = floats_mut(&mut network.parameters);
            block.biases().for_each(|at| parameters[at] = 0.1 + 0.1 * rng.normal());
        }
        network
    }

    fn networks() -> Vec<Network> {
        use Stage::{Convolution, Pooling};
        let [three, eight] = [(3, 3), (8, 2)].map(|(filters, kernel)| Convolution { filters, kernel });
        vec![
            network(1, &[eight], &[]),
            network(1, &[three, eight, Pooling { size: 2 }], &[9]),
            network(3, &[eight, Pooling { size: 2 }, three], &[8, 5]),
            network(2, &[three, Pooling { size: 3 }, Pooling { size: 2 }], &[7]),
            // Like LeNet except for the sizes.
            network(1, &[Convolution { filters: 16, kernel: 3 }, eight, Pooling { size: 2 }], &[16]),
        ]
    }

    #[test]
    fn gradients_agree_with_finite_differences_in_double_precision() {
        for network in networks() {
            let mut rng = Rng::new(7, 0);
            let (dim, classes) = (network.inputs(), network.outputs());
            let inputs: Vec<f32> = (0..ROWS * dim).map(|_| rng.normal()).collect();
            let slopes: Vec<f32> = (0..ROWS * classes).map(|_| rng.normal()).collect();
            let mut values = Values::new(&network, ROWS + 3);
            let mut gradient = vec![Lanes::splat(f32::NAN); network.parameters.len()];
            // Twice, to detect state left behind by an earlier step.
            let mut found = Vec::new();
            for _ in 0..2 {
                network.forward(&inputs, dim, ROWS, &mut values);
                found.clear();
                let rows = values.outputs().chunks_exact_mut(stride(classes) * LANES);
                for (row, slopes) in rows.zip(slopes.chunks(classes)) {
                    found.extend(row[..classes].iter().map(|value| f64::from(*value)));
                    row[..classes].copy_from_slice(slopes);
                }
                network.backward(&inputs, dim, ROWS, &mut values, &mut gradient);
            }
            let parameters: Vec<f64> = floats(&network.parameters).iter().map(|value| f64::from(*value)).collect();
            let outputs = |parameters: &[f64]| -> Vec<f64> {
                let rows = inputs.chunks(dim).map(|row| row.iter().map(|value| f64::from(*value)).collect::<Vec<_>>());
                rows.flat_map(|row| plain::outputs(&network, parameters, &[], &row)).collect()
            };
            for (found, expected) in found.iter().zip(outputs(&parameters)) {
                assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{found} {expected}");
            }
            let objective = |parameters: &[f64]| -> f64 {
                outputs(parameters).iter().zip(&slopes).map(|(value, slope)| value * f64::from(*slope)).sum()
            };
            let (mut moved, mut compared) = (0, 0);
            for at in network.blocks().iter().flat_map(|block| block.weights().chain(block.biases())) {
                let shifted = |by: f64| {
                    let mut parameters = parameters.clone();
                    parameters[at] += by;
                    objective(&parameters)
                };
                let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                let derivative = f64::from(floats(&gradient)[at]);
                let error = (difference - derivative).abs() / (1.0 + difference.abs());
                assert!(error < TOLERANCE, "{at}: {difference} {derivative}");
                moved += usize::from(difference != 0.0);
                compared += 1;
            }
            assert!(moved > compared / 2, "{moved} of {compared}");
        }
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_company() {
        for network in networks() {
            let mut rng = Rng::new(2, 0);
            let (dim, classes, rows) = (network.inputs(), network.outputs(), 131);
            let inputs = Matrix::new(rows, dim, (0..rows * dim).map(|_| rng.normal()).collect()).unwrap();
            let mut together = vec![0.0; rows * classes];
            predict(&[&network], &Rows::of(&inputs), &mut together).unwrap();
            for (i, expected) in together.chunks(classes).enumerate() {
                let alone = Matrix::new(1, dim, inputs.row(i).to_vec()).unwrap();
                let mut found = vec![0.0; classes];
                predict(&[&network], &Rows::of(&alone), &mut found).unwrap();
                assert_eq!(found, expected, "row {i}");
            }
            // The same bits follow from the features.
            let features = network.features(inputs.values());
            assert_eq!(features.len(), rows * network.front().unwrap().features());
            assert_eq!(outputs(&network.dense(), &features), outputs(&network, inputs.values()));
        }
    }

    #[test]
    fn factors_of_what_a_layer_reads_are_those_of_its_weights() {
        for network in networks() {
            let mut rng = Rng::new(4, 0);
            let widths = network.blocks().into_iter().skip(network.convolutions()).map(|block| block.inputs);
            let masks: Vec<Vec<f64>> =
                widths.map(|width| (0..width).map(|_| 2.0 * rng.below(2) as f64).collect()).collect();
            let mut thinned = network.clone();
            for (l, mask) in masks.iter().enumerate() {
                thinned.scale_inputs(l, &mask.iter().map(|factor| *factor as f32).collect::<Vec<_>>());
            }
            let inputs: Vec<f32> = (0..network.inputs()).map(|_| rng.normal()).collect();
            let parameters: Vec<f64> = floats(&network.parameters).iter().map(|value| f64::from(*value)).collect();
            let row: Vec<f64> = inputs.iter().map(|value| f64::from(*value)).collect();
            let expected = plain::outputs(&network, &parameters, &masks, &row);
            for (found, expected) in outputs(&thinned, &inputs).iter().zip(expected) {
                assert!(
                    (f64::from(*found) - expected).abs() < TOLERANCE * (1.0 + expected.abs()),
                    "{found} {expected}"
                );
            }
        }
    }

    #[test]
    fn hidden_units_may_be_others_and_weights_decay() {
        let network = networks().remove(2).with_activation(Activation::Tanh);
        let inputs = vec![0.3; network.inputs()];
        let dense = network.dense();
        assert_eq!(dense.activation(), Activation::Tanh);
        assert_eq!(outputs(&dense, &network.features(&inputs)), outputs(&network, &inputs));
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        Decay::new(&network).add(&network, 0.5, &mut gradient);
        for block in network.blocks() {
            assert!(block.weights().all(|at| floats(&gradient)[at] == floats(&network.parameters)[at]));
            assert!(block.biases().all(|at| floats(&gradient)[at] == 0.0));
        }
    }

    #[test]
    fn a_lenet_has_the_published_shape() {
        let front = Front::new(Image { height: 28, width: 28, channels: 1 }, &LENET).unwrap();
        assert_eq!(front.output(), Image { height: 12, width: 12, channels: 64 });
        let network = Network::convolutional(front, &[128], 10, &mut Rng::new(0, 0));
        let parameters: usize = network.blocks().iter().map(|block| (block.inputs + 1) * block.outputs).sum();
        // The number of parameters that Keras reports for these layers.
        assert_eq!(parameters, 320 + 18_496 + 1_179_776 + 1_290);
        let mask = crate::layout::mask_of(&network.blocks());
        assert_eq!(floats(&mask).iter().sum::<f32>(), parameters as f32);
        let zero_beside =
            floats(&network.parameters).iter().zip(floats(&mask)).all(|(value, is)| *is == 1.0 || *value == 0.0);
        assert!(zero_beside && mask.len() == network.parameters.len());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        use Stage::{Convolution, Pooling};
        let image = Image { height: 6, width: 6, channels: 1 };
        let wide = Convolution { filters: usize::MAX, kernel: 3 };
        let many = Convolution { filters: MOST_NUMBERS, kernel: 3 };
        let large = Convolution { filters: 2, kernel: 7 };
        let small = Convolution { filters: 2, kernel: 3 };
        for stages in [
            &[][..],
            &[Pooling { size: 2 }],
            &[wide],
            &[many],
            &[large],
            &[small, Pooling { size: 5 }],
            &[small, small, small],
        ] {
            assert!(matches!(Front::new(image, stages), Err(Failure::InvalidSetting(_))), "{stages:?}");
        }
    }
}
