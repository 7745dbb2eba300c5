//! The limits of imported files.

/// The most bytes that the arrays of one imported file may fill in memory: a problem's arrays, or the labels and
/// log-likelihoods beside predictions, which are themselves read piece by piece.
pub const MAX_IMPORT_BYTES: u64 = 512 << 20;
/// The most bytes of a file: in addition to its arrays, it holds their headers and the archive's directory.
pub const MAX_FILE_BYTES: u64 = MAX_IMPORT_BYTES + (1 << 20);
