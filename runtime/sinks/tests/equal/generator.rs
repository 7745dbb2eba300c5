//! Generates functions that do whatever may be done to floats: arithmetic, moves of bits, locals that change their format,
//! loops, conditionals, branches with values, and calls.

mod operations;

use wasm_encoder::{
    BlockType, CodeSection, ExportKind, ExportSection, Function, FunctionSection, Ieee32, Ieee64, Instruction as I,
    MemArg, MemorySection, MemoryType, Module, TypeSection, ValType,
};

/// The functions of a module. Each can call those before it.
pub(crate) const FUNCTIONS: u32 = 40;
/// The bytes of memory that functions read and write.
pub(crate) const MEMORY: usize = 1 << 10;

/// The locals of each type, after the parameters. Counters are further locals, which only loops use.
const LOCALS: [(u32, ValType); 4] = [(4, ValType::F32), (4, ValType::F64), (5, ValType::V128), (3, ValType::I32)];
const PARAMETERS: [ValType; 3] = [ValType::F32, ValType::F64, ValType::V128];
const COUNTERS: u32 = 8;
/// The most instructions of a function, about.
const BUDGET: u32 = 120;

/// A generator of pseudo-random numbers: SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: u32) -> u32 {
        (self.next() >> 32) as u32 % count
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize].clone()
    }

    /// Returns the bits of a number, often of one that is no ordinary number: a NaN with any payload and sign, an infinity,
    /// a zero, a tiny number.
    pub(crate) fn bits32(&mut self) -> u32 {
        let any = self.next() as u32;
        match self.below(8) {
            0 => 0x7f80_0000 | any,
            1 => 0xffc0_0000 | any,
            2 => 0x7fc0_0000,
            3 => self.one_of(&[0x7f80_0000, 0xff80_0000, 0, 0x8000_0000, 1, u32::MAX]),
            4 => any,
            _ => ((any % 4001) as f32 / 1000.0 - 2.0).to_bits(),
        }
    }

    pub(crate) fn bits64(&mut self) -> u64 {
        let any = self.next();
        match self.below(8) {
            0 => 0x7ff0_0000_0000_0000 | any,
            1 => 0xfff8_0000_0000_0000 | any,
            2 => 0x7ff8_0000_0000_0000,
            3 => self.one_of(&[0x7ff0 << 48, 0xfff0 << 48, 0, 1 << 63, 1, u64::MAX]),
            4 => u64::from(self.bits32()) << 32 | u64::from(self.bits32()),
            _ => ((any % 4001) as f64 / 1000.0 - 2.0).to_bits(),
        }
    }
}

/// Returns a module whose functions, `f0` and so on, take a number of each format and change its memory.
pub(crate) fn module(random: &mut Random) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function(PARAMETERS, PARAMETERS);
    types.ty().function([ValType::V128], [ValType::F32, ValType::V128]);
    let (mut functions, mut exports, mut codes) = (FunctionSection::new(), ExportSection::new(), CodeSection::new());
    for index in 0..FUNCTIONS {
        functions.function(0);
        exports.export(&format!("f{index}"), ExportKind::Func, index);
        codes.function(&Body::new(random, index).whole());
    }
    exports.export("memory", ExportKind::Memory, 0);
    let mut memories = MemorySection::new();
    let pages = 1;
    memories.memory(MemoryType {
        minimum: pages,
        maximum: Some(pages),
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports).section(&codes);
    module.finish()
}

struct Body<'a> {
    random: &'a mut Random,
    index: u32,
    function: Function,
    budget: u32,
    counters: u32,
}

impl<'a> Body<'a> {
    fn new(random: &'a mut Random, index: u32) -> Self {
        let counters = [(COUNTERS, ValType::I32)];
        let function = Function::new([&LOCALS[..], &counters].concat());
        Self { random, index, function, budget: BUDGET, counters: 0 }
    }

    fn whole(mut self) -> Function {
        while self.budget > 0 {
            self.statement(0);
        }
        // Every local is seen at the end.
        for ty in [ValType::F32, ValType::F64, ValType::V128, ValType::I32] {
            for local in locals(ty) {
                self.put(&I::I32Const(16 * local as i32));
                self.put(&I::LocalGet(local));
                self.store(ty);
            }
        }
        for ty in PARAMETERS {
            self.expression(ty, 2);
        }
        self.put(&I::End);
        self.function
    }

    fn put(&mut self, instruction: &I) {
        self.budget = self.budget.saturating_sub(1);
        self.function.instruction(instruction);
    }

    fn local(&mut self, ty: ValType) -> u32 {
        let all: Vec<u32> = locals(ty).collect();
        self.random.one_of(&all)
    }

    fn float(&mut self) -> ValType {
        self.random.one_of(&[ValType::F32, ValType::F64, ValType::V128, ValType::V128])
    }

    fn address(&mut self) {
        let address = self.random.below(MEMORY as u32 - 32);
        self.put(&I::I32Const(address as i32));
    }

    fn store(&mut self, ty: ValType) {
        let at = MemArg { offset: 0, align: 0, memory_index: 0 };
        self.put(&match ty {
            ValType::F32 => I::F32Store(at),
            ValType::F64 => I::F64Store(at),
            ValType::V128 => I::V128Store(at),
            _ => I::I32Store(at),
        });
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(if depth < 3 { 15 } else { 7 }) {
            0..4 => {
                let ty = self.float();
                self.expression(ty, 4);
                let local = self.local(ty);
                self.put(&I::LocalSet(local));
            }
            4 | 5 => {
                let ty = self.float();
                self.address();
                self.expression(ty, 3);
                self.store(ty);
            }
            6 => {
                self.expression(ValType::I32, 3);
                let local = self.local(ValType::I32);
                self.put(&I::LocalSet(local));
            }
            7 | 8 if self.counters < COUNTERS => self.repeated(depth),
            9 => {
                self.expression(ValType::I32, 2);
                self.put(&I::If(BlockType::Empty));
                self.statement(depth + 1);
                if self.random.below(2) == 0 {
                    self.put(&I::Else);
                    self.statement(depth + 1);
                }
                self.put(&I::End);
            }
            10 => {
                self.put(&I::Block(BlockType::Empty));
                self.statement(depth + 1);
                self.expression(ValType::I32, 2);
                self.put(&I::BrIf(0));
                self.statement(depth + 1);
                if self.random.below(4) == 0 {
                    self.put(&I::Br(0));
                    self.statement(depth + 1);
                }
                self.put(&I::End);
            }
            11 => self.switch(depth),
            12 => {
                // The function may end here.
                self.expression(ValType::I32, 1);
                self.put(&I::If(BlockType::Empty));
                for ty in PARAMETERS {
                    self.expression(ty, 2);
                }
                self.put(&I::Return);
                self.put(&I::End);
            }
            13 if self.counters < COUNTERS => self.carried(depth),
            _ => {
                // Two values come from a block with a parameter.
                self.expression(ValType::V128, 2);
                self.put(&I::Block(BlockType::FunctionType(1)));
                let vector = self.local(ValType::V128);
                self.put(&I::LocalSet(vector));
                self.expression(ValType::F32, 3);
                self.expression(ValType::V128, 3);
                self.put(&I::End);
                self.put(&I::LocalSet(vector));
                let scalar = self.local(ValType::F32);
                self.put(&I::LocalSet(scalar));
            }
        }
    }

    /// Adds a branch to one of two blocks, with code that is never reached behind it.
    fn switch(&mut self, depth: u32) {
        self.put(&I::Block(BlockType::Empty));
        self.put(&I::Block(BlockType::Empty));
        self.statement(depth + 1);
        self.expression(ValType::I32, 1);
        self.put(&I::BrTable([1, 0].as_slice().into(), 0));
        self.statement(depth + 2);
        self.put(&I::End);
        self.statement(depth + 1);
        self.put(&I::End);
    }

    /// Adds a loop that carries a vector on the stack, and gives two values.
    fn carried(&mut self, depth: u32) {
        let counter = self.counter();
        self.expression(ValType::V128, 2);
        self.put(&I::Loop(BlockType::FunctionType(1)));
        let vector = self.local(ValType::V128);
        self.put(&I::LocalSet(vector));
        self.statement(depth + 1);
        self.expression(ValType::V128, 2);
        self.turn_again(counter);
        self.put(&I::Drop);
        self.expression(ValType::F32, 2);
        self.expression(ValType::V128, 2);
        self.put(&I::End);
        self.put(&I::LocalSet(vector));
        let scalar = self.local(ValType::F32);
        self.put(&I::LocalSet(scalar));
    }

    /// Sets a counter to a few turns, and returns its local.
    fn counter(&mut self) -> u32 {
        let counter = PARAMETERS.len() as u32 + LOCALS.iter().map(|(count, _)| count).sum::<u32>() + self.counters;
        self.counters += 1;
        let turns = 1 + self.random.below(4) as i32;
        self.put(&I::I32Const(turns));
        self.put(&I::LocalSet(counter));
        counter
    }

    /// Counts down, and branches to the innermost loop while turns are left.
    fn turn_again(&mut self, counter: u32) {
        self.put(&I::LocalGet(counter));
        self.put(&I::I32Const(1));
        self.put(&I::I32Sub);
        self.put(&I::LocalTee(counter));
        self.put(&I::BrIf(0));
    }

    /// Adds a loop of a few turns, which may be left early.
    fn repeated(&mut self, depth: u32) {
        let counter = self.counter();
        self.put(&I::Block(BlockType::Empty));
        self.put(&I::Loop(BlockType::Empty));
        self.statement(depth + 1);
        if self.random.below(3) == 0 {
            self.expression(ValType::I32, 1);
            self.put(&I::BrIf(1));
        }
        self.statement(depth + 1);
        self.turn_again(counter);
        self.put(&I::End);
        self.put(&I::End);
    }

    fn expression(&mut self, ty: ValType, depth: u32) {
        if depth == 0 || self.budget == 0 || self.random.below(8) == 0 {
            return self.leaf(ty);
        }
        let deeper = depth - 1;
        match self.random.below(12) {
            0 => {
                self.expression(ty, deeper);
                self.expression(ty, deeper);
                self.expression(ValType::I32, deeper.min(1));
                self.put(&if ty == ValType::V128 { I::TypedSelect(ty) } else { I::Select });
            }
            1 => {
                self.expression(ty, deeper);
                let local = self.local(ty);
                self.put(&I::LocalTee(local));
            }
            2 => {
                self.put(&I::Block(BlockType::Result(ty)));
                self.expression(ty, deeper);
                if self.random.below(2) == 0 {
                    self.expression(ValType::I32, deeper.min(1));
                    self.put(&I::BrIf(0));
                }
                self.put(&I::End);
            }
            3 => {
                self.expression(ValType::I32, deeper.min(1));
                self.put(&I::If(BlockType::Result(ty)));
                self.expression(ty, deeper);
                self.put(&I::Else);
                self.expression(ty, deeper);
                self.put(&I::End);
            }
            4 if self.index > 0 && self.random.below(3) == 0 => self.call(ty, deeper),
            _ => self.operation(ty, deeper),
        }
    }

    fn call(&mut self, ty: ValType, depth: u32) {
        for ty in PARAMETERS {
            self.expression(ty, depth.min(1));
        }
        let callee = self.random.below(self.index);
        self.put(&I::Call(callee));
        // The results are in the order of the parameters: keep one.
        let kept = self.local(if ty == ValType::I32 { ValType::F32 } else { ty });
        for result in PARAMETERS.into_iter().rev() {
            self.put(&if result == ty || ty == ValType::I32 && result == ValType::F32 {
                I::LocalSet(kept)
            } else {
                I::Drop
            });
        }
        self.put(&I::LocalGet(kept));
        if ty == ValType::I32 {
            self.put(&I::I32ReinterpretF32);
        }
    }

    fn leaf(&mut self, ty: ValType) {
        match self.random.below(6) {
            0 | 1 => {
                let at = MemArg { offset: 0, align: 0, memory_index: 0 };
                self.address();
                let load = match ty {
                    ValType::F32 => I::F32Load(at),
                    ValType::F64 => I::F64Load(at),
                    ValType::V128 => self.random.one_of(&[
                        I::V128Load(at),
                        I::V128Load(at),
                        I::V128Load32Splat(at),
                        I::V128Load64Splat(at),
                        I::V128Load64Zero(at),
                    ]),
                    _ => I::I32Load(at),
                };
                self.put(&load);
            }
            2 => {
                let (narrow, wide, high) = (self.random.bits32(), self.random.bits64(), self.random.bits64());
                self.put(&match ty {
                    ValType::F32 => I::F32Const(Ieee32::new(narrow)),
                    ValType::F64 => I::F64Const(Ieee64::new(wide)),
                    ValType::V128 => I::V128Const(((u128::from(high) << 64) | u128::from(wide)).cast_signed()),
                    _ => I::I32Const(narrow as i32),
                });
            }
            _ => {
                let local = self.local(ty);
                self.put(&I::LocalGet(local));
            }
        }
    }

    fn operation(&mut self, ty: ValType, depth: u32) {
        let (operands, instruction): (&[ValType], I) = match ty {
            ValType::F32 => self.f32(),
            ValType::F64 => self.f64(),
            ValType::V128 => self.vector(),
            _ => self.integer(),
        };
        for ty in operands {
            self.expression(*ty, depth);
        }
        self.put(&instruction);
    }
}

/// Returns the locals of a type, parameters among them.
fn locals(ty: ValType) -> impl Iterator<Item = u32> {
    let before: u32 = LOCALS.iter().take_while(|(_, other)| *other != ty).map(|(count, _)| count).sum();
    let count = LOCALS.iter().find(|(_, other)| *other == ty).map_or(0, |(count, _)| *count);
    let first = PARAMETERS.len() as u32 + before;
    let parameter = PARAMETERS.iter().position(|other| *other == ty).map(|place| place as u32);
    parameter.into_iter().chain(first..first + count)
}
