//! The networks of classifiers for numbers, images, texts and categories: how task and settings choose a network, its
//! training, and how draws of a network are made.

pub mod belief;
pub mod design;
mod encoder;
pub mod fit;
pub mod fitted;
pub mod last;
mod lstm;
pub mod masked;
pub mod plan;
pub mod prior;
pub mod reader;
mod resnet;
mod rows;
mod settings;
mod tables;

pub use belief::{Belief, Uncertain, Variational};
pub use design::{Architecture, Auto, Design, Length, Sort};
pub use fit::{Course, Setup};
pub use fitted::Fitted;
pub use last::Last;
pub use masked::Masked;
pub use plan::Plan;
pub use prior::Prior;
pub use reader::Reader;
