//! The datasets that dataset shift is looked at on: images, texts, clicks and tables, and beside them inputs of no class.
//!
//! A [`ShiftCard`] says what a dataset is and where its files are looked for; [`load_shift`] reads and checks them. Files
//! of other inputs are read where they are there. All that is read is bounded, whatever a file says of itself.

mod card;
mod clicks;
mod examples;
mod folder;
mod lines;
mod load;
mod locate;
mod matlab;
mod newsgroups;
mod picture;
mod registry;
mod words;

pub use card::{OutsiderCard, Portion, ShiftCard, ShiftContent, ShiftSplit};
pub use clicks::CLICK_ROWS;
pub use examples::Labelled;
pub use examples::ShiftData;
pub use folder::ImageFolder;
pub use load::load_shift;
pub use locate::{MissingShiftData, ShiftFiles, locate_outsiders, locate_shift};
pub use newsgroups::{NEWSGROUPS, TEXT_LENGTH, VOCABULARY};
pub use registry::{shift_card, shift_cards};

#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
#[cfg(test)]
mod tests;
