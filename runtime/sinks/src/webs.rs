//! Tells apart the values that share a local. A compiler gives one local to many variables; a web is the sets and the reads
//! of one of them: all that reach one another.

use super::step::{Act, Step};

/// For each step that sets or reads a local, the number of its web.
pub(super) struct Webs {
    of_steps: Vec<usize>,
    pub(super) count: usize,
    live: Live,
    ends: Vec<usize>,
}

impl Webs {
    pub(super) fn of(steps: &[Step], locals: usize) -> Self {
        let live = Live::of(steps, locals);
        let mut walk = Walk::new(steps, locals, &live);
        walk.run();
        let Walk { defined, mut same, ends, .. } = walk;
        let of_steps: Vec<usize> = defined.into_iter().map(|value| same.of(value)).collect();
        let last = steps.len().saturating_sub(1);
        let ends = ends.into_iter().map(|end| end.unwrap_or(last)).collect();
        Self { of_steps, count: same.0.len(), live, ends }
    }

    /// Returns the step that ends the block that a step opens.
    pub(super) fn end_of(&self, opener: usize) -> usize {
        self.ends[opener]
    }

    /// Returns whether a local may be read after the end of a block.
    pub(super) fn is_live(&self, end: usize, local: usize) -> bool {
        self.live.0[end].as_ref().is_some_and(|live| live[local])
    }

    pub(super) fn of_step(&self, step: usize) -> usize {
        self.of_steps[step]
    }
}

/// The locals that may be read later, at the end of each block and at the head of each loop.
struct Live(Vec<Option<Vec<bool>>>);

/// A block that a walk from the end to the beginning is in.
struct Within {
    end: usize,
    /// The locals that may be read after it.
    after: Vec<bool>,
    /// Those that may be read in the second branch of a conditional.
    otherwise: Option<Vec<bool>>,
    head: Option<usize>,
}

impl Live {
    fn of(steps: &[Step], locals: usize) -> Self {
        let openers = openers(steps);
        let mut at = vec![None; steps.len()];
        // Each walk but the last adds a local to the head of a loop; ends of blocks are known within a walk.
        loop {
            let mut changed = false;
            let mut live = vec![false; locals];
            let mut within: Vec<Within> = Vec::new();
            for (place, step) in steps.iter().enumerate().rev() {
                match &step.act {
                    Act::End => {
                        let head = openers[place].filter(|opener| matches!(steps[*opener].act, Act::Loop { .. }));
                        at[place] = Some(live.clone());
                        within.push(Within { end: place, after: live.clone(), otherwise: None, head });
                    }
                    Act::Else => {
                        let Some(block) = within.last_mut() else { continue };
                        block.otherwise = Some(std::mem::replace(&mut live, block.after.clone()));
                    }
                    Act::Block { .. } => {
                        within.pop();
                    }
                    Act::Loop { .. } => {
                        within.pop();
                        changed |= at[place].as_ref() != Some(&live);
                        at[place] = Some(live.clone());
                    }
                    Act::If { .. } => {
                        let Some(block) = within.pop() else { continue };
                        join(&mut live, &block.otherwise.unwrap_or(block.after));
                    }
                    Act::Branch { to, ends, .. } => {
                        if *ends {
                            live.fill(false);
                        }
                        for depth in to {
                            let Some(block) = within.len().checked_sub(depth + 1).map(|place| &within[place]) else {
                                continue;
                            };
                            let target = block.head.unwrap_or(block.end);
                            if let Some(there) = &at[target] {
                                join(&mut live, there);
                            }
                        }
                    }
                    Act::Get(local) => live[*local] = true,
                    Act::Set(local) | Act::Tee(local) => live[*local] = false,
                    _ => {}
                }
            }
            if !changed {
                return Self(at);
            }
        }
    }
}

/// Returns for the end of each block the step that opens it.
fn openers(steps: &[Step]) -> Vec<Option<usize>> {
    let mut openers = vec![None; steps.len()];
    let mut open = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        match step.act {
            Act::Block { .. } | Act::Loop { .. } | Act::If { .. } => open.push(place),
            Act::End => openers[place] = open.pop(),
            _ => {}
        }
    }
    openers
}

fn join(live: &mut [bool], others: &[bool]) {
    live.iter_mut().zip(others).for_each(|(own, other)| *own |= other);
}

/// Values of which some are the same: each with the number of one that was found before.
struct Same(Vec<usize>);

impl Same {
    fn of(&mut self, mut value: usize) -> usize {
        while self.0[value] != value {
            self.0[value] = self.0[self.0[value]];
            value = self.0[value];
        }
        value
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// An open block.
struct Frame {
    end: Option<usize>,
    head: Option<(usize, Vec<usize>)>,
    /// The value of each local at the end, by the first that arrives.
    arrived: Option<Vec<usize>>,
    otherwise: Option<Vec<usize>>,
}

struct Walk<'a> {
    steps: &'a [Step],
    live: &'a Live,
    /// The value that each step defines or reads. The first ones are what locals begin with.
    defined: Vec<usize>,
    same: Same,
    current: Vec<usize>,
    frames: Vec<Frame>,
    dead: Option<usize>,
    ends: Vec<Option<usize>>,
}

impl<'a> Walk<'a> {
    fn new(steps: &'a [Step], locals: usize, live: &'a Live) -> Self {
        let mut ends = vec![None; steps.len()];
        for (end, opener) in openers(steps).into_iter().enumerate() {
            if let Some(opener) = opener {
                ends[opener] = Some(end);
            }
        }
        Self {
            steps,
            live,
            defined: vec![0; steps.len()],
            same: Same((0..locals.max(1)).collect()),
            current: (0..locals).collect(),
            frames: Vec::new(),
            dead: None,
            ends,
        }
    }

    fn run(&mut self) {
        let last = self.steps.len().checked_sub(1);
        self.frames.push(Frame { end: last, head: None, arrived: None, otherwise: None });
        for (at, step) in self.steps.iter().enumerate() {
            match (self.dead, &step.act) {
                (Some(blocks), Act::Block { .. } | Act::Loop { .. } | Act::If { .. }) => self.dead = Some(blocks + 1),
                (Some(blocks), Act::End) if blocks > 0 => self.dead = Some(blocks - 1),
                (Some(0), Act::Else) => self.otherwise(),
                (Some(_), Act::End) => self.end(),
                (Some(_), _) => {}
                (None, act) => self.take(at, act),
            }
        }
    }

    fn take(&mut self, at: usize, act: &Act) {
        match act {
            Act::Get(local) => self.defined[at] = self.current[*local],
            Act::Set(local) | Act::Tee(local) => {
                let value = self.same.0.len();
                self.same.0.push(value);
                self.defined[at] = value;
                self.current[*local] = value;
            }
            Act::Block { .. } => self.open(at),
            Act::Loop { .. } => {
                self.open(at);
                let head = (at, self.current.clone());
                self.frame().head = Some(head);
            }
            Act::If { .. } => {
                self.open(at);
                self.frame().otherwise = Some(self.current.clone());
            }
            Act::Else => {
                self.arrive(0);
                self.otherwise();
            }
            Act::End => {
                self.arrive(0);
                self.end();
            }
            Act::Branch { to, ends, .. } => {
                for depth in to {
                    self.branch(*depth);
                }
                self.dead = ends.then_some(0);
            }
            _ => {}
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function ends with its last block")
    }

    fn open(&mut self, at: usize) {
        self.frames.push(Frame { end: self.ends[at], head: None, arrived: None, otherwise: None });
    }

    /// Goes to a block: to the head of a loop, and to the end of any other.
    fn branch(&mut self, depth: usize) {
        let place = self.frames.len() - 1 - depth;
        let Some((head, known)) = self.frames[place].head.take() else { return self.arrive(depth) };
        self.unite(head, &known);
        self.frames[place].head = Some((head, known));
    }

    /// Arrives at the end of a block.
    fn arrive(&mut self, depth: usize) {
        let place = self.frames.len() - 1 - depth;
        let known = self.frames[place].arrived.take().unwrap_or_else(|| self.current.clone());
        if let Some(end) = self.frames[place].end {
            self.unite(end, &known);
        }
        self.frames[place].arrived = Some(known);
    }

    /// The values that locals have now are those that they have at a place, where they may be read later.
    fn unite(&mut self, at: usize, known: &[usize]) {
        let Some(live) = &self.live.0[at] else { return };
        for ((own, other), live) in self.current.iter().zip(known).zip(live) {
            if *live {
                self.same.unite(*own, *other);
            }
        }
    }

    fn otherwise(&mut self) {
        let known = self.frame().otherwise.take();
        self.current = known.expect("a conditional has one other branch");
        self.dead = None;
    }

    fn end(&mut self) {
        if let Some(known) = self.frame().otherwise.take() {
            self.current = known;
            self.arrive(0);
        }
        let frame = self.frames.pop().expect("a function ends with its last block");
        match frame.arrived {
            Some(known) => {
                self.current = known;
                self.dead = None;
            }
            None => self.dead = Some(0),
        }
    }
}
