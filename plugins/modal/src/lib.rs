//! What the agents of images, texts and categories beside numbers share: the choice of a network by task and settings, its
//! training, and what its draws have in common.

pub mod design;
pub mod fit;
pub mod fitted;
pub mod plan;
pub mod reader;
pub mod settings;
pub mod tables;
pub mod trials;

pub use design::{Architecture, Auto, Design};
pub use fit::Setup;
pub use fitted::{Fitted, Logits};
pub use plan::Plan;
