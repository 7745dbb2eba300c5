//! Measures how much a function asks of the compiler.

use wasmparser::{
    BinaryReaderError, BlockType, ContType, FrameKind, FuncType, FunctionBody, ModuleArity, Operator, RefType, SubType,
};

/// The types of a module.
pub(crate) trait ModuleTypes {
    /// Returns the type with an index.
    fn ty(&self, index: u32) -> Option<&SubType>;
    /// Returns the type with an index, if it is a function's.
    fn function(&self, ty: u32) -> Option<&FuncType>;
    /// Returns the index of a function's type.
    fn type_of_function(&self, index: u32) -> Option<u32>;
}

/// The quantities of one function.
#[derive(Default)]
pub(crate) struct FunctionExtent {
    /// Blocks, loops and conditionals.
    pub(crate) blocks: u64,
    /// The most blocks within one another.
    pub(crate) depth: u64,
    /// The most loops within one another.
    pub(crate) loops: u64,
    /// Instructions, with what each takes from the stack and puts there: a call of two bytes can take a thousand
    /// values.
    pub(crate) operands: u64,
    /// For each block, the locals that are set within it and the values that it returns, times the branches that meet
    /// there: the compiler makes a value for each of them.
    pub(crate) merges: u64,
    /// For each end of a basic block, the locals and the values on the stack: the compiler keeps a place for each.
    pub(crate) crossings: u64,
}

impl FunctionExtent {
    /// Measures the body of a function with type `ty` and `locals` parameters and locals, in time proportional to its
    /// bytes.
    pub(crate) fn of(
        body: &FunctionBody,
        ty: Option<u32>,
        locals: u64,
        module: &dyn ModuleTypes,
    ) -> Result<Self, BinaryReaderError> {
        let mut walk = Walk {
            module,
            locals,
            extent: Self::default(),
            clock: 1,
            height: 0,
            set_at: Vec::new(),
            labels: Vec::new(),
            loops: 0,
        };
        walk.open(ty.map_or(BlockType::Empty, BlockType::FuncType), FrameKind::Block, 0);
        for operator in body.get_operators_reader()? {
            walk.visit(&operator?);
        }
        Ok(walk.extent)
    }
}

/// Returns the number of parameters and locals of a function with type `ty`.
pub(crate) fn locals(body: &FunctionBody, ty: Option<u32>, module: &dyn ModuleTypes) -> Result<u64, BinaryReaderError> {
    let parameters = ty.and_then(|ty| module.function(ty)).map_or(0, |ty| ty.params().len() as u64);
    let declared = body.get_locals_reader()?.into_iter();
    declared
        .map(|declared| Ok(u64::from(declared?.0)))
        .try_fold(parameters, |sum, count: Result<u64, _>| Ok(sum.saturating_add(count?)))
}

/// An open block.
struct Label {
    ty: BlockType,
    kind: FrameKind,
    /// The clock when it was opened.
    opened: u64,
    /// The height of the stack below its parameters.
    height: u64,
    /// The locals that are set within it, each counted once.
    set: u64,
    /// How many of them the enclosing blocks have counted before.
    known_outside: u64,
    /// Branches to it.
    branches: u64,
}

struct Walk<'a> {
    module: &'a dyn ModuleTypes,
    locals: u64,
    extent: FunctionExtent,
    /// The number of blocks opened and locals set.
    clock: u64,
    height: u64,
    /// The clock when each local was last set.
    set_at: Vec<u64>,
    labels: Vec<Label>,
    /// The open loops.
    loops: u64,
}

impl Walk<'_> {
    fn visit(&mut self, operator: &Operator) {
        let (takes, gives) =
            operator.operator_arity(self).map_or((0, 0), |(takes, gives)| (takes.into(), gives.into()));
        self.extent.operands = self.extent.operands.saturating_add(1 + takes + gives);
        match operator {
            Operator::Block { blockty } => return self.open(*blockty, FrameKind::Block, takes),
            Operator::Loop { blockty } => return self.open(*blockty, FrameKind::Loop, takes),
            Operator::If { blockty } => return self.open(*blockty, FrameKind::If, takes),
            Operator::TryTable { try_table } => return self.open(try_table.ty, FrameKind::TryTable, takes),
            Operator::Try { blockty } => return self.open(*blockty, FrameKind::LegacyTry, takes),
            Operator::Else | Operator::Catch { .. } | Operator::CatchAll => {
                self.cross();
                if let Some(label) = self.labels.last() {
                    self.height = label.height.saturating_add(takes);
                }
            }
            Operator::End | Operator::Delegate { .. } => return self.close(),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => self.set(*local_index),
            Operator::Br { relative_depth }
            | Operator::BrIf { relative_depth }
            | Operator::BrOnNull { relative_depth }
            | Operator::BrOnNonNull { relative_depth } => self.branch(*relative_depth),
            Operator::BrTable { targets } => {
                self.branch(targets.default());
                for target in targets.targets().flatten() {
                    self.branch(target);
                }
            }
            _ => {}
        }
        self.height = self.height.saturating_sub(takes).saturating_add(gives);
    }

    fn open(&mut self, ty: BlockType, kind: FrameKind, takes: u64) {
        self.extent.blocks += 1;
        self.height = self.height.saturating_sub(u64::from(kind == FrameKind::If));
        self.cross();
        let params = takes.saturating_sub(u64::from(kind == FrameKind::If));
        let height = self.height.saturating_sub(params);
        self.clock += 1;
        self.labels.push(Label { ty, kind, opened: self.clock, height, set: 0, known_outside: 0, branches: 0 });
        self.loops += u64::from(kind == FrameKind::Loop);
        self.extent.depth = self.extent.depth.max(self.labels.len() as u64);
        self.extent.loops = self.extent.loops.max(self.loops);
    }

    /// Counts what a block merges, and tells the enclosing block which locals were set.
    fn close(&mut self) {
        self.cross();
        let Some(label) = self.labels.pop() else { return };
        self.loops -= u64::from(label.kind == FrameKind::Loop);
        let (params, results) = self.block_type_arity(label.ty).unwrap_or_default();
        let values = label.set + u64::from(if label.kind == FrameKind::Loop { params } else { results });
        // A block that nothing branches to merges nothing but a conditional's two sides.
        let meeting = match label.kind {
            FrameKind::If => label.branches + 2,
            _ if label.branches == 0 => 0,
            _ => label.branches + 1,
        };
        self.extent.merges = self.extent.merges.saturating_add(values.saturating_mul(meeting));
        if let Some(outer) = self.labels.last_mut() {
            outer.set += label.set - label.known_outside;
        }
        self.height = label.height + u64::from(results);
    }

    /// Counts the local as set in every open block in which it was not set before: in the innermost block, with a note
    /// at the outermost of them, from which on it is not handed outwards.
    fn set(&mut self, local: u32) {
        let local = local as usize;
        if local as u64 >= self.locals {
            return;
        }
        if local >= self.set_at.len() {
            self.set_at.resize(local + 1, 0);
        }
        let before = std::mem::replace(&mut self.set_at[local], self.clock);
        let outermost = self.labels.partition_point(|label| label.opened <= before);
        if outermost < self.labels.len() {
            self.labels[outermost].known_outside += 1;
            if let Some(innermost) = self.labels.last_mut() {
                innermost.set += 1;
            }
        }
    }

    fn branch(&mut self, depth: u32) {
        self.cross();
        let outwards = self.labels.len().checked_sub(depth as usize + 1);
        if let Some(label) = outwards.and_then(|at| self.labels.get_mut(at)) {
            label.branches += 1;
        }
    }

    fn cross(&mut self) {
        self.extent.crossings = self.extent.crossings.saturating_add(self.locals + self.height);
    }
}

impl ModuleArity for Walk<'_> {
    fn sub_type_at(&self, index: u32) -> Option<&SubType> {
        self.module.ty(index)
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, index: u32) -> Option<u32> {
        self.module.type_of_function(index)
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        self.labels.len() as u32
    }

    fn label_block(&self, depth: u32) -> Option<(BlockType, FrameKind)> {
        let at = self.labels.len().checked_sub(depth as usize + 1)?;
        self.labels.get(at).map(|label| (label.ty, label.kind))
    }
}
