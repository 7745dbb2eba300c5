//! Finds the values of a function whose NaNs have to be made canonical.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::operators::{Effect, How};
use super::status::{Format, Status};
use super::step::{Act, Step};

/// The number of walks after which all locals and moves of a function are exact, and the most walks. Each walk but the last
/// takes a fact from some local at the head of a loop, or makes something exact that was not; no function of the bundled
/// agents needs more than twelve.
const PATIENCE: usize = 60;
const MOST_WALKS: usize = 120;

/// The values of a function that are made canonical.
pub(super) struct Needs {
    /// The format of the value that each step gives, if that value is one of them.
    pub(super) values: Vec<Option<Format>>,
    /// Locals, on the way to the end of a block by each step.
    pub(super) locals: Vec<Vec<(usize, Format)>>,
}

impl Needs {
    fn none(steps: usize) -> Self {
        Self { values: vec![None; steps], locals: vec![Vec::new(); steps] }
    }

    pub(super) fn is_none(&self) -> bool {
        self.values.iter().all(Option::is_none) && self.locals.iter().all(Vec::is_empty)
    }
}

/// Returns the values that are made canonical, or `None` if many walks do not find them. `locals` has the facts of each
/// local where the function begins.
pub(super) fn needs(steps: &[Step], locals: &[Status], results: usize) -> Option<Needs> {
    let mut exact = Exact {
        locals: vec![false; locals.len()],
        steps: vec![false; steps.len()],
        blocks: vec![Vec::new(); steps.len()],
    };
    let mut heads = vec![None; steps.len()];
    for walks in 0..MOST_WALKS {
        if walks == PATIENCE {
            exact.locals.fill(true);
            exact.steps.fill(true);
            // With every local exact, these are the facts by all ways to a loop.
            for (head, step) in heads.iter_mut().zip(steps) {
                *head = matches!(step.act, Act::Loop { .. }).then(|| vec![Status::SAME; locals.len()]);
            }
        }
        let mut walk = Walk::new(steps, locals, &exact, &heads);
        walk.run(results);
        let Walk { needs, conflicts, mixed, heads: found, .. } = walk;
        if found != heads {
            heads = found;
        } else if conflicts.is_empty() {
            return Some(needs);
        } else {
            exact.add(&conflicts, steps, &mixed);
            // What is exact now was not before, so the heads are looked for anew.
            heads = vec![None; steps.len()];
        }
    }
    None
}

/// The values that must have the bits of canonical NaNs before they are used, because no single format makes them canonical
/// where they are used.
struct Exact {
    /// Locals, wherever they are set.
    locals: Vec<bool>,
    /// The operands of steps.
    steps: Vec<bool>,
    /// Locals at the end of the block that a step opens.
    blocks: Vec<Vec<usize>>,
}

impl Exact {
    /// Adds what steps need whose values cannot be made canonical after them. `mixed` are blocks, each with the locals that
    /// are the result of arithmetic by one way to its end, and arbitrary bits by another: there a local is made exact first,
    /// and where it is set only if this does not help.
    fn add(&mut self, conflicts: &[usize], steps: &[Step], mixed: &[(usize, Vec<usize>)]) {
        // The blocks at whose end each local is not exact yet.
        let mut fresh: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (block, locals) in mixed {
            let known: HashSet<usize> = self.blocks[*block].iter().copied().collect();
            for local in locals.iter().filter(|local| !known.contains(local)) {
                fresh.entry(*local).or_default().push(*block);
            }
        }
        let mut helped = BTreeSet::new();
        for step in conflicts {
            match steps[*step].act {
                Act::Get(local) | Act::Tee(local) if fresh.contains_key(&local) => drop(helped.insert(local)),
                Act::Get(local) | Act::Tee(local) => self.locals[local] = true,
                _ => self.steps[*step] = true,
            }
        }
        for local in helped {
            for block in &fresh[&local] {
                self.blocks[*block].push(local);
            }
        }
    }
}

/// A value on the stack.
#[derive(Clone, Copy)]
struct Held {
    status: Status,
    /// The step that gave it, if it can still be made canonical there.
    by: Option<usize>,
}

impl Held {
    const SAME: Self = Self { status: Status::SAME, by: None };
}

/// An open block.
struct Frame {
    /// The step that opens the block; for the function's own, the last step.
    opener: usize,
    /// Whether branches go to its head: whether it is a loop.
    is_loop: bool,
    height: usize,
    params: usize,
    results: usize,
    /// The facts of locals at the end, by all ways there until now.
    end: Option<Vec<Status>>,
    /// Whether a way to the end makes a local the result of arithmetic.
    arithmetic: Vec<bool>,
    /// The facts of locals where the second branch of a conditional begins.
    otherwise: Option<Vec<Status>>,
}

struct Walk<'a> {
    steps: &'a [Step],
    exact: &'a Exact,
    stack: Vec<Held>,
    locals: Vec<Status>,
    frames: Vec<Frame>,
    /// The number of blocks opened in code that is never reached, or `None` in code that is.
    dead: Option<usize>,
    /// The facts of locals by the branches to each loop: in the walks before this one, and with those of this one.
    before: &'a [Option<Vec<Status>>],
    heads: Vec<Option<Vec<Status>>>,
    needs: Needs,
    conflicts: Vec<usize>,
    mixed: Vec<(usize, Vec<usize>)>,
}

impl<'a> Walk<'a> {
    fn new(steps: &'a [Step], locals: &[Status], exact: &'a Exact, before: &'a [Option<Vec<Status>>]) -> Self {
        Self {
            steps,
            exact,
            stack: Vec::new(),
            locals: locals.to_vec(),
            frames: Vec::new(),
            dead: None,
            before,
            heads: before.to_vec(),
            needs: Needs::none(steps.len()),
            conflicts: Vec::new(),
            mixed: Vec::new(),
        }
    }

    fn run(&mut self, results: usize) {
        self.open(self.steps.len() - 1, 0, results);
        for (at, step) in self.steps.iter().enumerate() {
            match self.dead {
                Some(blocks) => self.skip(blocks, &step.act),
                None => self.take(at, &step.act),
            }
        }
    }

    /// Passes a step that is never reached.
    fn skip(&mut self, blocks: usize, act: &Act) {
        match act {
            Act::Block { .. } | Act::Loop { .. } | Act::If { .. } => self.dead = Some(blocks + 1),
            Act::End if blocks > 0 => self.dead = Some(blocks - 1),
            Act::Else if blocks == 0 => self.otherwise(),
            Act::End => self.end(),
            _ => {}
        }
    }

    fn take(&mut self, at: usize, act: &Act) {
        match *act {
            Act::Operate { pops, pushes, effect } => self.operate(at, pops, pushes, effect),
            Act::Get(local) => self.push(at, self.locals[local]),
            Act::Set(local) => self.locals[local] = self.set(local),
            Act::Tee(local) => {
                self.locals[local] = self.set(local);
                self.push(at, self.locals[local]);
            }
            Act::Drop => {
                self.pop();
            }
            Act::Block { params, results } => self.open(at, params, results),
            Act::Loop { params, results } => {
                self.open(at, params, results);
                if let Some(head) = &self.before[at] {
                    meet(&mut self.locals, head);
                }
                self.frame().is_loop = true;
            }
            Act::If { params, results } => {
                self.use_bits(1);
                self.open(at, params, results);
                self.frame().otherwise = Some(self.locals.clone());
            }
            Act::Else => {
                self.leave(at);
                self.otherwise();
            }
            Act::End => {
                self.leave(at);
                self.end();
            }
            Act::Branch { pops, pushes, ref to, ends } => {
                self.use_bits(pops);
                // What is made exact on the way to the end of a block is not where the code goes on.
                let stay = act.condition().map(|_| self.locals.clone());
                for depth in to {
                    self.branch(at, *depth);
                }
                self.locals = stay.unwrap_or_else(|| std::mem::take(&mut self.locals));
                self.push_same(pushes);
                self.dead = ends.then_some(0);
            }
        }
    }

    fn operate(&mut self, at: usize, pops: usize, pushes: usize, effect: Effect) {
        match effect {
            Effect::Plain => {
                self.use_bits(pops);
                self.push_same(pushes);
            }
            Effect::Gives { reads, gives } => {
                for _ in 0..pops {
                    match reads {
                        Some(format) => self.read(format),
                        None => self.use_bits(1),
                    }
                }
                self.push(at, gives);
            }
            Effect::Moves(how) => self.moves(at, pops, how),
        }
    }

    /// Takes a step that moves bits without looking at them.
    fn moves(&mut self, at: usize, pops: usize, how: How) {
        let mut operands: Vec<Held> = (0..pops).map(|_| self.pop()).collect();
        operands.reverse();
        let status = if self.exact.steps[at] { None } else { moved(&operands, how) };
        let status = status.unwrap_or_else(|| {
            for held in &operands {
                self.exact(*held);
            }
            Status::SAME
        });
        self.push(at, status);
    }

    fn push(&mut self, by: usize, status: Status) {
        self.stack.push(Held { status, by: Some(by) });
    }

    fn push_same(&mut self, count: usize) {
        self.stack.extend((0..count).map(|_| Held::SAME));
    }

    fn pop(&mut self) -> Held {
        self.stack.pop().unwrap_or(Held::SAME)
    }

    /// Takes values whose bits are used.
    fn use_bits(&mut self, count: usize) {
        for _ in 0..count {
            let held = self.pop();
            self.exact(held);
        }
    }

    /// Takes a value in a use to which all NaNs of a format are alike.
    fn read(&mut self, format: Format) {
        let held = self.pop();
        if !held.status.is_alike(format) {
            self.exact(held);
        }
    }

    /// Takes the value that a local is set to.
    fn set(&mut self, local: usize) -> Status {
        let held = self.pop();
        if self.exact.locals[local] { self.exact(held) } else { held.status }
    }

    /// Has a value made canonical where it was given, and returns its facts then.
    fn exact(&mut self, held: Held) -> Status {
        let (false, Some(by)) = (held.status.is_same(), held.by) else { return held.status };
        if let Some(format) = held.status.format() {
            self.needs.values[by] = Some(format);
            return Status::number(format);
        }
        self.conflicts.push(by);
        Status::SAME
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function ends with its last block")
    }

    fn open(&mut self, opener: usize, params: usize, results: usize) {
        self.use_bits(params);
        let height = self.stack.len();
        let arithmetic = vec![false; self.locals.len()];
        self.frames.push(Frame {
            opener,
            is_loop: false,
            height,
            params,
            results,
            end: None,
            arithmetic,
            otherwise: None,
        });
        self.push_same(params);
    }

    /// Arrives at the end of a block, or of the first branch of a conditional.
    fn leave(&mut self, at: usize) {
        let results = self.frame().results;
        self.use_bits(results);
        self.arrive(at, self.frames.len() - 1);
    }

    /// Goes to the end of a block by a step.
    fn arrive(&mut self, at: usize, place: usize) {
        let frame = &mut self.frames[place];
        for local in &self.exact.blocks[frame.opener] {
            let status = &mut self.locals[*local];
            if let (false, Some(format)) = (status.is_same(), status.format()) {
                self.needs.locals[at].push((*local, format));
                *status = Status::number(format);
            }
        }
        for (is, status) in frame.arithmetic.iter_mut().zip(&self.locals) {
            *is |= !status.is_same() && status.format().is_some();
        }
        arrive(&mut frame.end, &self.locals);
    }

    fn otherwise(&mut self) {
        let frame = self.frame();
        let (height, params, locals) = (frame.height, frame.params, frame.otherwise.take());
        self.locals = locals.expect("a conditional has one other branch");
        self.stack.truncate(height);
        self.push_same(params);
        self.dead = None;
    }

    fn end(&mut self) {
        let mut frame = self.frames.pop().expect("a function ends with its last block");
        if let Some(otherwise) = frame.otherwise.take() {
            // A conditional without a second branch has no step there at which a local could be made exact.
            arrive(&mut frame.end, &otherwise);
        }
        self.note_mixed(&frame);
        self.stack.truncate(frame.height);
        match frame.end {
            Some(locals) => {
                self.locals = locals;
                self.push_same(frame.results);
                self.dead = None;
            }
            None => self.dead = Some(0),
        }
    }

    /// Notes the locals that arrive at the end of a block as results of arithmetic by one way and not by another.
    fn note_mixed(&mut self, frame: &Frame) {
        let Some(end) = &frame.end else { return };
        let mixed = |(local, status): (usize, &Status)| {
            (frame.arithmetic[local] && !status.is_same() && status.format().is_none()).then_some(local)
        };
        let locals: Vec<usize> = end.iter().enumerate().filter_map(mixed).collect();
        if !locals.is_empty() {
            self.mixed.push((frame.opener, locals));
        }
    }

    fn branch(&mut self, at: usize, depth: usize) {
        let place = self.frames.len() - 1 - depth;
        let Frame { opener, is_loop, .. } = self.frames[place];
        if is_loop {
            arrive(&mut self.heads[opener], &self.locals);
        } else {
            self.arrive(at, place);
        }
    }
}

/// Returns the facts of the result of a step that moves bits, or `None` if its operands must be exact.
fn moved(operands: &[Held], how: How) -> Option<Status> {
    let status = |place: usize| operands[place].status;
    match how {
        How::Lanes(lanes) => {
            operands.iter().map(|held| held.status).reduce(|all, one| all & one).map(|all| all.moved(lanes))
        }
        // The third operand is an integer, which is the same.
        How::Select => Some(status(0) & status(1)),
        How::And => match (status(0).mask_of(), status(1).mask_of()) {
            (Some(_), Some(_)) => Some(status(0) & status(1)),
            (None, Some(lanes)) => Some(status(0).moved(lanes)),
            (Some(lanes), None) => Some(status(1).moved(lanes)),
            (None, None) => None,
        },
        How::AndNot => status(1).mask_of().map(|lanes| status(0).moved(lanes)),
        How::BitSelect => status(2).mask_of().map(|lanes| (status(0) & status(1)).moved(lanes)),
    }
}

/// Adds the facts of locals on one more way to a place.
fn arrive(place: &mut Option<Vec<Status>>, locals: &[Status]) {
    match place {
        Some(known) => meet(known, locals),
        None => *place = Some(locals.to_vec()),
    }
}

fn meet(known: &mut [Status], others: &[Status]) {
    known.iter_mut().zip(others).for_each(|(own, other)| *own = *own & *other);
}
