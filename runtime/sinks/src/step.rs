//! A function as a list of steps: what each operator does to the stack, to locals and to the bits of NaNs.

use std::collections::BTreeSet;

use wasmparser::{
    FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody, ModuleArity as _, Operator, OperatorsReader,
    ValType, ValidatorResources, WasmModuleResources as _,
};

use super::Unknown;
use super::operators::{Effect, effect, is_known};
use super::status::Status;

/// The most facts of locals that are kept for a function: its locals of floats times the places where its ways meet or part.
/// In a function with more, every local is exact. The largest of a bundled agent has 71,022.
const MOST_FACTS: usize = 30_000_000;

/// An operator.
pub(super) struct Step {
    pub(super) act: Act,
    /// Where its bytes end, in those of the file.
    pub(super) end: usize,
    /// The type of the value that it leaves on top of the stack.
    pub(super) top: Option<ValType>,
}

/// The effect of an operator: it pops `pops` values from the stack and pushes `pushes`.
pub(super) enum Act {
    /// Works on the stack alone.
    Operate {
        pops: usize,
        pushes: usize,
        effect: Effect,
    },
    /// Reads or sets a local of floats, by its place among these.
    Get(usize),
    Set(usize),
    Tee(usize),
    Drop,
    Block {
        params: usize,
        results: usize,
    },
    Loop {
        params: usize,
        results: usize,
    },
    If {
        params: usize,
        results: usize,
    },
    Else,
    End,
    /// Goes to the blocks at the depths, and nowhere else if it ends the code.
    Branch {
        pops: usize,
        pushes: usize,
        to: Vec<usize>,
        ends: bool,
    },
}

impl Act {
    /// Returns the number of places where ways meet or part by this operator.
    fn places(&self) -> usize {
        match self {
            Self::Block { .. } | Self::Loop { .. } | Self::If { .. } | Self::Else | Self::End => 1,
            Self::Branch { to, .. } => to.len(),
            _ => 0,
        }
    }

    /// Makes an operator on a local one on bits.
    fn forget_locals(&mut self) {
        let (pops, pushes) = match self {
            Self::Get(_) => (0, 1),
            Self::Set(_) => (1, 0),
            Self::Tee(_) => (1, 1),
            _ => return,
        };
        *self = Self::Operate { pops, pushes, effect: Effect::Plain };
    }

    /// Returns the depth of a branch that takes nothing but its condition from the stack.
    pub(super) fn condition(&self) -> Option<usize> {
        match self {
            Self::Branch { pops: 1, ends: false, to, .. } => to.first().copied(),
            _ => None,
        }
    }
}

/// A function, with the facts of its locals of floats where it begins.
pub(super) struct Function {
    pub(super) steps: Vec<Step>,
    pub(super) locals: Vec<Status>,
    /// The index and type of each of them.
    pub(super) floats: Vec<(u32, ValType)>,
    /// The number of all parameters and locals.
    pub(super) count: u32,
    pub(super) results: usize,
    pub(super) allocations: FuncValidatorAllocations,
}

impl Function {
    /// Reads and validates a function.
    pub(super) fn of(
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody,
        allocations: FuncValidatorAllocations,
    ) -> Result<Self, Unknown> {
        let ty = function.resources.sub_type_at(function.ty).ok_or(Unknown("a type is missing"))?.unwrap_func();
        let (params, results) = (ty.params().len() as u32, ty.results().len());
        let mut validator = function.into_validator(allocations);
        let mut reader = body.get_binary_reader();
        validator.read_locals(&mut reader)?;
        let count = validator.len_locals();
        let (mut locals, mut floats) = (Vec::new(), Vec::new());
        let place = |local: u32| {
            let ty = validator.get_local_type(local).filter(|ty| is_float(*ty))?;
            // What a caller passes is exact; other locals begin with 0.
            locals.push(if local < params { Status::SAME } else { Status::NUMBER });
            floats.push((local, ty));
            Some(floats.len() - 1)
        };
        let places: Vec<Option<usize>> = (0..count).map(place).collect();
        let mut operators = OperatorsReader::new(reader);
        let mut steps = Vec::new();
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset()?;
            let act = act(&operator, &validator, &places)?;
            validator.op(offset, &operator)?;
            let top = validator.get_operand_type(0).flatten();
            steps.push(Step { act, end: operators.original_position(), top });
        }
        operators.finish()?;
        let places: usize = steps.iter().map(|step| step.act.places()).sum();
        if locals.len().saturating_mul(places) > MOST_FACTS {
            locals.clear();
            for step in &mut steps {
                step.act.forget_locals();
            }
        }
        Ok(Self { steps, locals, floats, count, results, allocations: validator.into_allocations() })
    }
}

fn is_float(ty: ValType) -> bool {
    matches!(ty, ValType::F32 | ValType::F64 | ValType::V128)
}

fn act(
    operator: &Operator,
    validator: &FuncValidator<ValidatorResources>,
    places: &[Option<usize>],
) -> Result<Act, Unknown> {
    if !is_known(operator) {
        return Err(Unknown("it has an operator of another proposal"));
    }
    let (pops, pushes) = operator.operator_arity(validator).ok_or(Unknown("an arity is missing"))?;
    let (pops, pushes) = (pops as usize, pushes as usize);
    let block = |ty| {
        let (params, results) = validator.block_type_arity(ty).ok_or(Unknown("a type is missing"))?;
        Ok::<_, Unknown>((params as usize, results as usize))
    };
    // A local of integers has no NaNs.
    let on_local = |index: u32, act: fn(usize) -> Act| {
        let place = places.get(index as usize).copied().flatten();
        place.map_or(Act::Operate { pops, pushes, effect: Effect::Plain }, act)
    };
    let branch = |to: Vec<usize>, ends: bool| Act::Branch { pops, pushes, to, ends };
    Ok(match operator {
        Operator::Block { blockty } => block(*blockty).map(|(params, results)| Act::Block { params, results })?,
        Operator::Loop { blockty } => block(*blockty).map(|(params, results)| Act::Loop { params, results })?,
        Operator::If { blockty } => block(*blockty).map(|(params, results)| Act::If { params, results })?,
        Operator::Else => Act::Else,
        Operator::End => Act::End,
        Operator::Br { relative_depth } => branch(vec![*relative_depth as usize], true),
        Operator::BrIf { relative_depth } => branch(vec![*relative_depth as usize], false),
        Operator::BrTable { targets } => {
            let named = targets.targets().chain([Ok(targets.default())]).collect::<Result<BTreeSet<u32>, _>>()?;
            branch(named.into_iter().map(|depth| depth as usize).collect(), true)
        }
        Operator::Return
        | Operator::Unreachable
        | Operator::ReturnCall { .. }
        | Operator::ReturnCallIndirect { .. } => branch(Vec::new(), true),
        Operator::Drop => Act::Drop,
        Operator::LocalGet { local_index } => on_local(*local_index, Act::Get),
        Operator::LocalSet { local_index } => on_local(*local_index, Act::Set),
        Operator::LocalTee { local_index } => on_local(*local_index, Act::Tee),
        other => Act::Operate { pops, pushes, effect: effect(other) },
    })
}
