//! The datasets of dataset shift: images, texts, clicks and tables, with out-of-distribution (OOD) inputs.
//!
//! A [`ShiftCard`] says what a dataset is and where its files are looked for; [`load_shift`] reads and checks them. Files
//! of OOD inputs are read where they exist. Everything read has a limit, whatever size a file states.

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
