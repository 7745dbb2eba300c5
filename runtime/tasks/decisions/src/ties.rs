//! Choices among equally good actions.

use jointly_core::pick::below;
use jointly_core::stream::Stream;

/// Returns one of the actions, uniformly at random; the stream is made only if there are several.
pub(crate) fn one_of(actions: &[usize], tie: impl FnOnce() -> Stream) -> usize {
    if actions.len() == 1 { actions[0] } else { actions[below(actions.len(), &mut tie())] }
}
