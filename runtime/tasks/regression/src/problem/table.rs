//! The table that a problem is made of.

use std::sync::Arc;

use jointly_core::regression::dataset::RegressionTask;
use jointly_data::DataError;
use jointly_data::regression::{RegressionTable, TableDefect};
use jointly_data::uci::{MissingTable, UciCard};
use thiserror::Error;

/// The longest name of a person's own table.
const LONGEST_NAME: usize = 64;

/// A table by its name, known by a card or a person's own, and its data once they are attached.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    /// None of a person's own.
    card: Option<&'static UciCard>,
    data: Option<Arc<RegressionTable>>,
}

/// Why problems have no table.
#[derive(Debug, Error)]
pub enum TableError {
    /// It is in none of the data directories.
    #[error(transparent)]
    Missing(#[from] MissingTable),
    /// A file of it cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl Table {
    /// A table that suites know, without its data.
    pub fn known(card: &'static UciCard) -> Self {
        Self { name: card.name.to_owned(), card: Some(card), data: None }
    }

    /// A user-supplied table, without its data; [`user_table`](crate::user_tables::user_table) also refuses the names of suites.
    ///
    /// # Errors
    /// When no problem can have that name.
    pub fn user_supplied(name: &str) -> Result<Self, TableDefect> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins || !name.chars().all(plain) || name.len() > LONGEST_NAME {
            return Err(TableDefect::Name { name: name.to_owned() });
        }
        Ok(Self { name: name.to_owned(), card: None, data: None })
    }

    /// What is known of it; None of a person's own.
    pub fn card(&self) -> Option<&'static UciCard> {
        self.card
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The data, once they are attached.
    pub fn data(&self) -> Option<&RegressionTable> {
        self.data.as_deref()
    }

    /// Gives it its data.
    ///
    /// # Panics
    /// When they are another table's.
    pub fn attach(&mut self, table: &Arc<RegressionTable>) {
        assert_eq!(table.name(), self.name, "the data of the problem's own table");
        self.data = Some(Arc::clone(table));
    }

    /// # Panics
    /// When it is a person's own and has no data yet: only these tell their features.
    pub(super) fn task(&self) -> RegressionTask {
        let features = self.card.map(|card| card.input_dim);
        let input_dim = features.unwrap_or_else(|| self.attached().data().inputs().cols() as u32);
        RegressionTask { input_dim, noise_std: None }
    }

    pub(super) fn attached(&self) -> &RegressionTable {
        self.data().unwrap_or_else(|| panic!("the data of {} are attached", self.name))
    }
}
