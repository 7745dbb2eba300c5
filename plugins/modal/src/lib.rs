//! What the agents of images, texts and categories beside numbers share: the choice of a network by task and settings, its
//! training, and what its draws have in common.

pub mod belief;
pub mod design;
pub mod fit;
pub mod fitted;
pub mod last;
pub mod masked;
pub mod plan;
pub mod reader;
mod rows;
pub mod settings;
pub mod tables;
pub mod trials;

pub use belief::{Belief, Prior, Uncertain};
pub use design::{Architecture, Auto, Design};
pub use fit::Setup;
pub use fitted::{Fitted, Logits};
pub use last::Last;
pub use masked::Masked;
pub use plan::Plan;
