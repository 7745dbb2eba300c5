//! Draws the page of a run, with its leaderboard, its provenance, the meaning of the scores and the figures of the
//! papers, and pictures of agents' predictions; the tables of a terminal; and a table of all units as a file.
//!
//! Everything is a function of the run: a picture holds no time and no path, so the same run gives the same bytes.
#![deny(missing_docs)]

mod bars;
mod choices;
mod classification;
mod correlation;
mod cost;
mod curves;
mod decisions;
mod drawing;
mod figure;
mod glossary;
mod grid;
mod growth;
mod improvement;
mod kind_page;
mod kinds;
pub mod leaderboard_text;
mod page;
mod pair;
pub mod picture;
mod provenance;
pub mod published_bars;
mod quantile;
mod ratio;
mod regression;
mod reliability;
mod rows;
pub mod scatter;
mod shift;
pub mod site;
mod standing;
pub mod table;
mod transfer;
mod tuning;
pub mod unit_table;
mod view;

pub use choices::{Choices, Shown};
pub use page::Page;
pub use pair::PAIR;
pub use provenance::{Bundled, Other};
pub use tuning::{Defaults, PARAMETER};
