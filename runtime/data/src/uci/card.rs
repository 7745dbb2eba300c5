//! The tables that suites know: all but the largest of table 1 of Sluijterman et al.

/// The card of a table: everything known before any of its bytes are read.
#[derive(Debug)]
pub struct UciCard {
    /// The name that problems and the command use.
    pub name: &'static str,
    /// One line of description.
    pub summary: &'static str,
    /// The folder of the table, within `uci/` or `UCI_Datasets/` in a data directory.
    pub folder: &'static str,
    /// Number of rows.
    pub rows: u32,
    /// Number of features of an input.
    pub input_dim: u32,
    /// Number of standard splits.
    pub splits: u32,
}

const CARDS: [UciCard; 9] = [
    card("boston", "bostonHousing", 506, 13, "house prices in suburbs of Boston"),
    card("concrete", "concrete", 1030, 8, "compressive strength of concrete by its mixture and age"),
    card("energy", "energy", 768, 8, "heating load of buildings by their shape"),
    card("kin8nm", "kin8nm", 8192, 8, "forward kinematics of an arm of eight links"),
    card("naval", "naval-propulsion-plant", 11_934, 16, "decay of the compressor of a vessel's gas turbine, simulated"),
    card("power", "power-plant", 9568, 4, "electrical output of a power plant by the weather"),
    UciCard {
        splits: 5,
        ..card("protein", "protein-tertiary-structure", 45_730, 9, "deviation of proteins' tertiary structure")
    },
    card("wine", "wine-quality-red", 1599, 11, "red wines' quality by their chemistry"),
    card("yacht", "yacht", 308, 6, "resistance of sailing yachts by their shape"),
];

const fn card(name: &'static str, folder: &'static str, rows: u32, input_dim: u32, summary: &'static str) -> UciCard {
    UciCard { name, summary, folder, rows, input_dim, splits: 20 }
}

/// Returns all tables, ordered alphabetically by folder.
pub fn uci_cards() -> &'static [UciCard] {
    &CARDS
}

/// Returns the table of that name, if there is one.
pub fn uci_card(name: &str) -> Option<&'static UciCard> {
    CARDS.iter().find(|card| card.name == name)
}
