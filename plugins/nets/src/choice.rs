//! Which of finitely many functions a draw names.

use jointly_sdk::Rng;

use crate::stream::Stream;

/// A random choice of a member for every draw, the same whenever it is asked for.
#[derive(Clone, Debug)]
pub struct Choice {
    seed: u64,
    members: usize,
    /// The first draw that names each member.
    canonical: Vec<u64>,
}

impl Choice {
    /// A choice among so many members.
    pub fn new(seed: u64, members: usize) -> Self {
        let seed = Stream::Choice.seed(seed);
        let mut first = vec![None; members];
        let mut missing = members;
        for draw in 0.. {
            if missing == 0 {
                break;
            }
            let member = &mut first[choose(seed, draw, members)];
            if member.is_none() {
                *member = Some(draw);
                missing -= 1;
            }
        }
        Self { seed, members, canonical: first.into_iter().flatten().collect() }
    }

    /// The member that a draw names.
    pub fn member(&self, draw: u64) -> usize {
        choose(self.seed, draw, self.members)
    }

    /// The first draw that names the same member.
    pub fn canonical_draw(&self, draw: u64) -> u64 {
        self.canonical[self.member(draw)]
    }

    /// Fills `out` with what `predict` says of the draws' members, one after the other; each member is asked once.
    ///
    /// # Errors
    ///
    /// The first of `predict`.
    pub fn sample<E>(
        &self,
        draws: &[u64],
        out: &mut [f32],
        predict: impl Fn(usize, &mut [f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let block = out.len() / draws.len().max(1);
        let mut computed = vec![None; self.members];
        for (i, draw) in draws.iter().enumerate() {
            let member = self.member(*draw);
            let to = i * block;
            match computed[member] {
                Some(from) => out.copy_within(from..from + block, to),
                None => predict(member, &mut out[to..to + block])?,
            }
            computed[member] = Some(to);
        }
        Ok(())
    }
}

fn choose(seed: u64, draw: u64, members: usize) -> usize {
    Rng::new(seed, draw).below(members)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn each_member_is_asked_once_and_its_answer_stands_for_all_its_draws() {
        let choice = Choice::new(5, 7);
        let draws: Vec<u64> = (0..50).chain([3, 3]).collect();
        let asked = RefCell::new(Vec::new());
        let mut out = vec![0.0; draws.len() * 2];
        let predict = |member: usize, out: &mut [f32]| {
            asked.borrow_mut().push(member);
            out.fill(member as f32);
            Ok::<(), ()>(())
        };
        choice.sample(&draws, &mut out, predict).unwrap();
        let mut asked = asked.into_inner();
        asked.sort_unstable();
        assert_eq!(asked, [0, 1, 2, 3, 4, 5, 6]);
        for (draw, out) in draws.iter().zip(out.chunks(2)) {
            assert_eq!(out, [choice.member(*draw) as f32; 2]);
            assert_eq!(choice.member(choice.canonical_draw(*draw)), choice.member(*draw));
            assert!(choice.canonical_draw(*draw) <= *draw);
        }
    }
}
