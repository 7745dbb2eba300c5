//! The effect of each operator on the bits of NaNs.

use wasmparser::Operator;

use super::status::{Format, Lanes, Status};
use Format::{F32, F64};

/// The effect of an operator that neither branches nor reads or sets a local.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Effect {
    /// Uses bits and gives others, which are the same wherever those are. Everything that is not listed does this.
    Plain,
    /// Gives a value of the status; `reads` is the format of operands of which all NaNs mean the same.
    Gives { reads: Option<Format>, gives: Status },
    /// Moves bits of its operands without looking at them.
    Moves(How),
}

/// How an operator moves bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum How {
    /// Each lane of the result is a lane of an operand.
    Lanes(Lanes),
    /// The result is one of two operands, chosen by a third.
    Select,
    /// The result has the bits that both operands have.
    And,
    /// The result has the bits of the first operand that the second lacks.
    AndNot,
    /// The result has the bits of the first operand where the third is set, and those of the second elsewhere.
    BitSelect,
}

const fn arithmetic(from: Format, to: Format) -> Effect {
    // A NaN in gives a NaN out, whose bits depend on the machine.
    Effect::Gives { reads: Some(from), gives: Status::arithmetic(to) }
}

const fn reads(from: Format, gives: Status) -> Effect {
    Effect::Gives { reads: Some(from), gives }
}

const fn gives(gives: Status) -> Effect {
    Effect::Gives { reads: None, gives }
}

/// Returns the effect of an operator.
pub(super) fn effect(operator: &Operator) -> Effect {
    calculation(operator)
        .or_else(|| reading(operator))
        .or_else(|| giving(operator))
        .unwrap_or_else(|| move_of(operator))
}

/// Arithmetic, whose results have their NaNs made canonical by the engine.
fn calculation(operator: &Operator) -> Option<Effect> {
    use Operator as O;
    Some(match operator {
        O::F32Add
        | O::F32Sub
        | O::F32Mul
        | O::F32Div
        | O::F32Min
        | O::F32Max
        | O::F32Sqrt
        | O::F32Ceil
        | O::F32Floor
        | O::F32Trunc
        | O::F32Nearest
        | O::F32x4Add
        | O::F32x4Sub
        | O::F32x4Mul
        | O::F32x4Div
        | O::F32x4Min
        | O::F32x4Max
        | O::F32x4Sqrt
        | O::F32x4Ceil
        | O::F32x4Floor
        | O::F32x4Trunc
        | O::F32x4Nearest
        | O::F32x4RelaxedMin
        | O::F32x4RelaxedMax
        | O::F32x4RelaxedMadd
        | O::F32x4RelaxedNmadd => arithmetic(F32, F32),
        O::F64Add
        | O::F64Sub
        | O::F64Mul
        | O::F64Div
        | O::F64Min
        | O::F64Max
        | O::F64Sqrt
        | O::F64Ceil
        | O::F64Floor
        | O::F64Trunc
        | O::F64Nearest
        | O::F64x2Add
        | O::F64x2Sub
        | O::F64x2Mul
        | O::F64x2Div
        | O::F64x2Min
        | O::F64x2Max
        | O::F64x2Sqrt
        | O::F64x2Ceil
        | O::F64x2Floor
        | O::F64x2Trunc
        | O::F64x2Nearest
        | O::F64x2RelaxedMin
        | O::F64x2RelaxedMax
        | O::F64x2RelaxedMadd
        | O::F64x2RelaxedNmadd => arithmetic(F64, F64),
        O::F32DemoteF64 | O::F32x4DemoteF64x2Zero => arithmetic(F64, F32),
        O::F64PromoteF32 | O::F64x2PromoteLowF32x4 => arithmetic(F32, F64),
        _ => return None,
    })
}

/// Comparisons, and conversions to integers.
fn reading(operator: &Operator) -> Option<Effect> {
    use Operator as O;
    Some(match operator {
        O::F32Eq
        | O::F32Ne
        | O::F32Lt
        | O::F32Gt
        | O::F32Le
        | O::F32Ge
        | O::I32TruncF32S
        | O::I32TruncF32U
        | O::I64TruncF32S
        | O::I64TruncF32U
        | O::I32TruncSatF32S
        | O::I32TruncSatF32U
        | O::I64TruncSatF32S
        | O::I64TruncSatF32U
        | O::I32x4TruncSatF32x4S
        | O::I32x4TruncSatF32x4U
        | O::I32x4RelaxedTruncF32x4S
        | O::I32x4RelaxedTruncF32x4U => reads(F32, Status::SAME),
        O::F64Eq
        | O::F64Ne
        | O::F64Lt
        | O::F64Gt
        | O::F64Le
        | O::F64Ge
        | O::I32TruncF64S
        | O::I32TruncF64U
        | O::I64TruncF64S
        | O::I64TruncF64U
        | O::I32TruncSatF64S
        | O::I32TruncSatF64U
        | O::I64TruncSatF64S
        | O::I64TruncSatF64U
        | O::I32x4TruncSatF64x2SZero
        | O::I32x4TruncSatF64x2UZero
        | O::I32x4RelaxedTruncF64x2SZero
        | O::I32x4RelaxedTruncF64x2UZero => reads(F64, Status::SAME),
        O::F32x4Eq | O::F32x4Ne | O::F32x4Lt | O::F32x4Gt | O::F32x4Le | O::F32x4Ge => reads(F32, Status::mask(F32)),
        O::F64x2Eq | O::F64x2Ne | O::F64x2Lt | O::F64x2Gt | O::F64x2Le | O::F64x2Ge => reads(F64, Status::mask(F64)),
        _ => return None,
    })
}

/// Constants, conversions from integers, and comparisons of them.
fn giving(operator: &Operator) -> Option<Effect> {
    use Operator as O;
    Some(match operator {
        O::F32Const { value } => gives(constant(&value.bits().to_le_bytes())),
        O::F64Const { value } => gives(constant(&value.bits().to_le_bytes())),
        O::V128Const { value } => gives(constant(value.bytes())),
        O::F32ConvertI32S
        | O::F32ConvertI32U
        | O::F32ConvertI64S
        | O::F32ConvertI64U
        | O::F32x4ConvertI32x4S
        | O::F32x4ConvertI32x4U => gives(Status::number(F32)),
        O::F64ConvertI32S
        | O::F64ConvertI32U
        | O::F64ConvertI64S
        | O::F64ConvertI64U
        | O::F64x2ConvertLowI32x4S
        | O::F64x2ConvertLowI32x4U => gives(Status::number(F64)),
        O::I32x4Eq
        | O::I32x4Ne
        | O::I32x4LtS
        | O::I32x4LtU
        | O::I32x4GtS
        | O::I32x4GtU
        | O::I32x4LeS
        | O::I32x4LeU
        | O::I32x4GeS
        | O::I32x4GeU => gives(Status::mask(F32)),
        O::I64x2Eq | O::I64x2Ne | O::I64x2LtS | O::I64x2GtS | O::I64x2LeS | O::I64x2GeS => gives(Status::mask(F64)),
        _ => return None,
    })
}

/// Moves of lanes, and all else.
fn move_of(operator: &Operator) -> Effect {
    use Operator as O;
    match operator {
        O::F32x4Splat | O::F32x4ExtractLane { .. } | O::F32x4ReplaceLane { .. } | O::F32x4PMin | O::F32x4PMax => {
            Effect::Moves(How::Lanes(Lanes::Of(F32)))
        }
        O::F64x2Splat | O::F64x2ExtractLane { .. } | O::F64x2ReplaceLane { .. } | O::F64x2PMin | O::F64x2PMax => {
            Effect::Moves(How::Lanes(Lanes::Of(F64)))
        }
        O::I8x16Shuffle { lanes } if moves(lanes, 8) => Effect::Moves(How::Lanes(Lanes::Both)),
        O::I8x16Shuffle { lanes } if moves(lanes, 4) => Effect::Moves(How::Lanes(Lanes::Of(F32))),

        O::Select | O::TypedSelect { .. } => Effect::Moves(How::Select),
        O::V128And => Effect::Moves(How::And),
        O::V128AndNot => Effect::Moves(How::AndNot),
        O::V128Bitselect => Effect::Moves(How::BitSelect),
        _ => Effect::Plain,
    }
}

/// Returns whether an operator is of a proposal whose operators are known here. What those of others do to bits, or where
/// they branch, is not.
pub(super) fn is_known(operator: &Operator) -> bool {
    macro_rules! proposals {
        ($(@$proposal:ident $name:ident $({ $($argument:ident: $type:ty),* })? => $visit:ident ($($rest:tt)*))*) => {
            match operator {
                $(Operator::$name { .. } => stringify!($proposal),)*
                _ => "",
            }
        };
    }
    const KNOWN: [&str; 8] = [
        "mvp",
        "sign_extension",
        "saturating_float_to_int",
        "bulk_memory",
        "reference_types",
        "simd",
        "relaxed_simd",
        "tail_call",
    ];
    KNOWN.contains(&wasmparser::for_each_operator!(proposals))
}

/// Returns whether a shuffle of bytes moves groups of `size` bytes as a whole.
fn moves(lanes: &[u8; 16], size: usize) -> bool {
    lanes.chunks(size).all(|group| {
        usize::from(group[0]).is_multiple_of(size)
            && group.iter().zip(group[0]..).all(|(own, expected)| *own == expected)
    })
}

fn constant(bytes: &[u8]) -> Status {
    let narrow = bytes.as_chunks::<4>().0.iter().any(|lane| f32::from_le_bytes(*lane).is_nan());
    let wide = bytes.as_chunks::<8>().0.iter().any(|lane| f64::from_le_bytes(*lane).is_nan());
    if narrow || wide { Status::SAME } else { Status::NUMBER }
}
