//! Regression tables with standard splits: data of the UCI repository with the splits of Hernandez-Lobato and Adams
//! (2015).

mod card;
mod load;
mod missing;
mod numbers;

pub use card::{UciCard, uci_card, uci_cards};
pub use load::load_uci;
pub use missing::{MissingTable, UCI_ORIGIN, UciFolder, locate_uci};

#[cfg(test)]
mod tests;
