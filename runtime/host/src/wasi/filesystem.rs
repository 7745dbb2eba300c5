//! `wasi:filesystem` without a preopened directory, so that no file can be reached.

use wasmtime::component::{LinkerInstance, Resource};

use super::link::{absent, function, uncallable};
use crate::meter::Meter;

/// A file or directory, which never exists.
struct Descriptor;
/// A listing of a directory, which never exists.
struct DirectoryEntryStream;

const DESCRIPTOR: [&str; 27] = [
    "advise",
    "append-via-stream",
    "create-directory-at",
    "get-flags",
    "get-type",
    "is-same-object",
    "link-at",
    "metadata-hash",
    "metadata-hash-at",
    "open-at",
    "read",
    "read-directory",
    "read-via-stream",
    "readlink-at",
    "remove-directory-at",
    "rename-at",
    "set-size",
    "set-times",
    "set-times-at",
    "stat",
    "stat-at",
    "symlink-at",
    "sync",
    "sync-data",
    "unlink-file-at",
    "write",
    "write-via-stream",
];

/// Links `wasi:filesystem/types`.
pub(super) fn types(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<Descriptor>(instance, "descriptor", &DESCRIPTOR)?;
    absent::<DirectoryEntryStream>(instance, "directory-entry-stream", &["read-directory-entry"])?;
    uncallable(instance, "filesystem-error-code")
}

/// Links `wasi:filesystem/preopens`.
pub(super) fn preopens(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-directories", |_, (): ()| Ok((Vec::<(Resource<Descriptor>, String)>::new(),)))
}
