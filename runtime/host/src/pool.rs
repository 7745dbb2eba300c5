//! The threads on which guests run side by side.

/// Returns whether the caller is a thread of a pool with several. Guests run on the threads of such a pool, whose stacks
/// have room for them, and on no thread of the global pool.
pub(crate) fn has_more_threads() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}
