//! The page of a run: leaderboard, provenance, what the scores mean, and the figures of the paper from the run's data.

mod bars;
mod correlation;
mod cost;
mod curves;
mod figure;
mod glossary;
mod grid;
mod growth;
mod improvement;
mod page;
mod pair;
mod place;
mod provenance;
mod quantile;
mod ratio;
mod regression;
mod rows;
mod shift;
mod standing;
mod transfer;
mod tuning;
mod view;

pub(crate) use page::Page;
pub(crate) use pair::PAIR;
pub(crate) use provenance::Other;
pub(crate) use shift::Shown;
pub(crate) use tuning::PARAMETER;
