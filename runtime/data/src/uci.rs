//! Tables to predict a real number from, with the standard splits: the regression data of the UCI repository as
//! Hernandez-Lobato and Adams (2015) split them.

mod card;
mod load;
mod missing;
mod numbers;

pub use card::{UciCard, uci_card, uci_cards};
pub use load::load_uci;
pub use missing::{MissingTable, UCI_ORIGIN, UciFolder, locate_uci};

#[cfg(test)]
mod tests;
