//! The table that a problem uses.

use std::sync::Arc;

use jointly_core::regression::dataset::RegressionTask;
use jointly_data::DataError;
use jointly_data::regression::{RegressionTable, TableDefect};
use jointly_data::uci::{MissingTable, UciCard};
use thiserror::Error;

/// Maximum length of a user-supplied table's name, in bytes.
const LONGEST_NAME: usize = 64;

/// A table by name, with a card or user-supplied, and its data once they are attached.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    /// `None` for a user-supplied table.
    card: Option<&'static UciCard>,
    data: Option<Arc<RegressionTable>>,
}

/// Why problems cannot get their tables.
#[derive(Debug, Error)]
pub enum TableError {
    /// The table is in none of the data directories.
    #[error(transparent)]
    Missing(#[from] MissingTable),
    /// A file of the table cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl Table {
    /// Creates a table that suites know, without its data.
    pub fn known(card: &'static UciCard) -> Self {
        Self { name: card.name.to_owned(), card: Some(card), data: None }
    }

    /// Creates a user-supplied table, without its data; [`user_table`](crate::user_tables::user_table) also rejects
    /// names that suites use.
    ///
    /// # Errors
    /// When the name cannot be part of a problem's name.
    pub fn user_supplied(name: &str) -> Result<Self, TableDefect> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins || !name.chars().all(plain) || name.len() > LONGEST_NAME {
            return Err(TableDefect::Name { name: name.to_owned() });
        }
        Ok(Self { name: name.to_owned(), card: None, data: None })
    }

    /// Returns the table's card; `None` for a user-supplied table.
    pub fn card(&self) -> Option<&'static UciCard> {
        self.card
    }

    /// Returns the table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the data, once they are attached.
    pub fn data(&self) -> Option<&RegressionTable> {
        self.data.as_deref()
    }

    /// Attaches the data.
    ///
    /// # Panics
    /// When they belong to another table.
    pub fn attach(&mut self, table: &Arc<RegressionTable>) {
        assert_eq!(table.name(), self.name, "the data of the problem's own table");
        self.data = Some(Arc::clone(table));
    }

    /// Returns what agents are told: the number of features, and no noise.
    ///
    /// # Panics
    /// When the table is user-supplied and has no data yet: only its data give its number of features.
    pub(super) fn task(&self) -> RegressionTask {
        let features = self.card.map(|card| card.input_dim);
        let input_dim = features.unwrap_or_else(|| self.attached().data().inputs().cols() as u32);
        RegressionTask { input_dim, noise_std: None }
    }

    pub(super) fn attached(&self) -> &RegressionTable {
        self.data().unwrap_or_else(|| panic!("the data of {} are attached", self.name))
    }
}
