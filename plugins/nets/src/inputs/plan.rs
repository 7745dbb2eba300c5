//! Chooses the shape of a network from a design and a task.

use crate::simd::LANES;
use crate::{FirstBiases, Front, Image, Network, Stage, Stream};
use jointly_sdk::{Failure, Task, Tokens};

use super::design::{Architecture, Design};
use super::encoder::Encoder;
use super::lstm;
use super::resnet::{self, Resnet};
use super::tables::{embeddings, ids};

/// The largest number of parameters of all networks and tables of an agent together: 256 MiB.
const MOST_PARAMETERS: usize = 1 << 26;

/// Side length of a filter, in pixels.
const KERNEL: usize = 3;

/// Side length of a pooling square, in pixels.
const POOL: usize = 2;

/// Default widths of the hidden layers, and of those behind convolutions and for texts.
const HIDDEN: [usize; 2] = [200, 200];
const HIDDEN_OF_FEATURES: [usize; 1] = [128];

/// Default numbers per embedding of a word, and of a category.
const WORD_WIDTH: usize = 128;
const CATEGORY_WIDTH: usize = 16;

/// The shape of a network: its inputs and its layers.
#[derive(Clone, Debug)]
pub struct Plan {
    front: Option<Front>,
    /// Widths from the inputs of the first dense layer (the features, if there is a front) to the classes.
    widths: Vec<usize>,
    /// Numbers of an input that are not tokens.
    pub(super) numbers: usize,
    /// Whether these numbers are standardised.
    pub(super) standardises: bool,
    /// The kind of tokens of an input.
    pub(super) tokens: Tokens,
    pub(super) embedding_width: usize,
    /// Units of the LSTM that reads the words, if there is one.
    units: Option<usize>,
    /// The residual network that reads the image, if there is one.
    pub(super) resnet: Option<resnet::Shape>,
    /// Numbers that a network reads per input.
    pub(super) inputs: usize,
}

impl Plan {
    /// Returns the shape of a design's network for a task; an agent has `networks` of them.
    ///
    /// # Errors
    ///
    /// Fails if the network cannot read the task's inputs, if there are fewer than two classes, if filters do not fit
    /// into the image, or if there are too many parameters.
    pub fn new(design: &Design, task: &Task, networks: usize) -> Result<Self, Failure> {
        let unsupported = |reason: &str| Err(Failure::Unsupported(reason.into()));
        let has_tokens = task.tokens != Tokens::Absent;
        let network = match design.network {
            Architecture::Auto if has_tokens => Architecture::Embedding,
            Architecture::Auto => Architecture::Mlp,
            network => network,
        };
        let is_text = matches!(task.tokens, Tokens::Text { .. });
        if network == Architecture::Lstm && !is_text {
            return unsupported("network=lstm reads texts, and the inputs are none");
        }
        if has_tokens && !matches!(network, Architecture::Embedding | Architecture::Lstm) {
            return unsupported(
                "the inputs have tokens, which only network=embedding and, for texts, network=lstm read",
            );
        }
        if task.num_classes < 2 {
            return unsupported("there are fewer than two classes");
        }
        let image =
            task.image.map(|shape| Image { height: shape.height, width: shape.width, channels: shape.channels });
        if let Some(image) = image.filter(|image| image.numbers() != task.input_dim) {
            return Err(Failure::Internal(format!("{} numbers are no image of {image:?}", task.input_dim)));
        }
        let front = match (network, image) {
            (Architecture::Lenet, None) => {
                return unsupported("network=lenet reads images, and the task does not say that its numbers are one");
            }
            (Architecture::Resnet20, None) => {
                return unsupported(
                    "network=resnet20 reads images, and the task does not say that its numbers are one",
                );
            }
            (Architecture::Lenet, Some(image)) => Some(front(image, &design.filters)?),
            _ => None,
        };
        let resnet = image.filter(|_| network == Architecture::Resnet20);
        let resnet = resnet.map(|image| resnet::Shape::new(image, design.batch_size)).transpose()?;
        let embedding_width = design.embedding_width.unwrap_or(match task.tokens {
            Tokens::Text { .. } => WORD_WIDTH,
            Tokens::Absent | Tokens::Categories(_) => CATEGORY_WIDTH,
        });
        let units = (network == Architecture::Lstm).then_some(design.units);
        let embedded = units.or_else(|| embeddings(&task.tokens).checked_mul(embedding_width));
        // A layer needs at least one input.
        let inputs = embedded.and_then(|embedded| embedded.checked_add(task.input_dim)).map(|inputs| inputs.max(1));
        let Some(inputs) = inputs else { return too_many() };
        let inputs = resnet.as_ref().map_or(inputs, resnet::Shape::features);
        let hidden = design.hidden.clone().unwrap_or_else(|| match (network, &task.tokens) {
            (Architecture::Lstm | Architecture::Resnet20, _) => Vec::new(),
            (Architecture::Lenet, _) | (_, Tokens::Text { .. }) => HIDDEN_OF_FEATURES.to_vec(),
            _ => HIDDEN.to_vec(),
        });
        let read = front.as_ref().map_or(inputs, Front::features);
        let widths = [&[read], &hidden[..], &[task.num_classes]].concat();
        let plan = Self {
            standardises: has_tokens,
            numbers: task.input_dim,
            front,
            widths,
            tokens: task.tokens.clone(),
            embedding_width,
            units,
            resnet,
            inputs,
        };
        match plan.parameters().and_then(|parameters| parameters.checked_mul(networks)) {
            Some(parameters) if parameters <= MOST_PARAMETERS => Ok(plan),
            _ => too_many(),
        }
    }

    /// Returns the number of parameters of a network and its tables, with padding; `None` if that overflows.
    fn parameters(&self) -> Option<usize> {
        let dense = self.widths.windows(2).try_fold(0usize, |sum, pair| {
            let row = pair[1].checked_next_multiple_of(LANES)?;
            row.checked_mul(pair[0].checked_add(1)?)?.checked_add(sum)
        })?;
        let filters = self.front.iter().flat_map(Front::convolutions);
        let filters = filters.map(|layer| (layer.depth() + 1) * layer.output().channels.next_multiple_of(LANES));
        let filters: usize = filters.sum();
        let lstm = self.units.map_or(Some(0), |units| lstm::parameters(self.embedding_width, units))?;
        let resnet = self.resnet.as_ref().map_or(0, resnet::Shape::numbers);
        let tables = ids(&self.tokens).checked_mul(self.embedding_width)?;
        tables.checked_add(lstm)?.checked_add(resnet)?.checked_add(dense)?.checked_add(filters)
    }

    /// The number of dense layers.
    pub fn dense(&self) -> usize {
        self.widths.len() - 1
    }

    /// Returns whether convolutions stand in front of the dense layers.
    pub fn convolves(&self) -> bool {
        self.front.is_some()
    }

    /// Returns the untrained network of a member.
    pub(super) fn network(&self, seed: u64, member: u64) -> Network {
        let mut rng = Stream::Start.rng(seed, member);
        match (&self.front, &self.widths[..]) {
            (Some(front), [_, hidden @ .., classes]) => {
                Network::convolutional(front.clone(), hidden, *classes, &mut rng)
            }
            (_, widths) => Network::new(widths, FirstBiases::Zero, &mut rng),
        }
    }

    /// Returns the untrained embedding tables of a member, with the LSTM behind them if there is one.
    pub(super) fn encoder(&self, seed: u64, member: u64) -> Encoder {
        let mut rng = Stream::Embeddings.rng(seed, member);
        Encoder::new(self.tokens.clone(), self.embedding_width, self.units, &mut rng)
    }

    /// Returns the untrained residual network of a member, if it has one.
    pub(super) fn resnet(&self, seed: u64, member: u64) -> Option<Resnet> {
        let mut rng = Stream::Embeddings.rng(seed, member);
        self.resnet.as_ref().map(|shape| Resnet::new(shape.clone(), &mut rng))
    }
}

fn too_many() -> Result<Plan, Failure> {
    Err(Failure::InvalidSetting(format!("the networks have more than {MOST_PARAMETERS} parameters")))
}

/// Returns convolutions with the given numbers of filters, followed by one pooling.
fn front(image: Image, filters: &[usize]) -> Result<Front, Failure> {
    let convolutions = filters.iter().map(|filters| Stage::Convolution { filters: *filters, kernel: KERNEL });
    let stages: Vec<Stage> = convolutions.chain([Stage::Pooling { size: POOL }]).collect();
    Front::new(image, &stages)
}

#[cfg(test)]
mod tests {
    use jointly_sdk::ImageShape;
    use jointly_testkit::trials::trials;

    use super::*;
    use crate::inputs::design::tests::design;

    #[test]
    fn networks_are_those_of_the_paper_where_nothing_is_said() {
        let [numbers, _, texts, categories] = trials();
        let image = Some(ImageShape { height: 28, width: 28, channels: 1 });
        let mnist = Task { image, ..Task::new(784, 10) };
        let auto = design();
        let lenet = Design { network: Architecture::Lenet, filters: vec![32, 64], ..auto.clone() };
        let lstm = Design { network: Architecture::Lstm, ..auto.clone() };
        let resnet = Design { network: Architecture::Resnet20, ..auto.clone() };
        let plan = |design: &Design, task: &Task| Plan::new(design, task, 1).unwrap();
        for (design, task, widths) in [
            (&auto, &mnist, vec![784, 200, 200, 10]),
            (&lenet, &mnist, vec![12 * 12 * 64, 128, 10]),
            (&resnet, &mnist, vec![64, 10]),
            (&auto, &numbers.task, vec![2, 200, 200, 3]),
            (&auto, &texts.task, vec![128, 128, 3]),
            (&lstm, &texts.task, vec![32, 3]),
            (&auto, &categories.task, vec![1 + 3 * 16, 200, 200, 2]),
        ] {
            let plan = plan(design, task);
            assert_eq!(plan.widths, widths);
            let network = plan.network(1, 0);
            let tables = task.tokens != Tokens::Absent;
            let encoder = plan.encoder(1, 0);
            let encoded: usize = encoder.values().iter().map(|values| values.len()).sum();
            let resnet = plan.resnet(1, 0).map_or(0, |resnet| resnet.values().len());
            assert_eq!(plan.parameters(), Some(network.parameters.len() * LANES + encoded + resnet));
            assert_eq!(encoder.numbers() > 0, tables);
            assert_eq!((plan.dense(), plan.convolves()), (widths.len() - 1, network.front().is_some()));
        }
    }

    #[test]
    fn an_lstm_reads_texts_alone() {
        let [numbers, images, texts, categories] = trials();
        let lstm = Design { network: Architecture::Lstm, ..design() };
        for trial in [numbers, images, categories] {
            assert!(matches!(Plan::new(&lstm, &trial.task, 1), Err(Failure::Unsupported(_))), "{}", trial.name);
        }
        let huge = Design { units: usize::MAX / 2, ..lstm };
        assert!(matches!(Plan::new(&huge, &texts.task, 1), Err(Failure::InvalidSetting(_))));
    }

    #[test]
    fn what_has_no_room_is_refused() {
        let [.., categories] = trials();
        let ids = |sizes: Vec<u32>| Task { tokens: Tokens::Categories(sizes), ..categories.task.clone() };
        assert!(Plan::new(&design(), &ids(vec![4_000_000]), 1).is_ok());
        for (task, networks) in [(ids(vec![5_000_000]), 1), (ids(vec![u32::MAX; 3]), 1), (ids(vec![400_000]), 11)] {
            assert!(matches!(Plan::new(&design(), &task, networks), Err(Failure::InvalidSetting(_))));
        }
        assert!(Plan::new(&design(), &ids(vec![2]), usize::MAX).is_err());
    }
}
