//! The price list of fuel: what each operator costs, so that whatever an agent executes, a unit of fuel takes at most five
//! times as long as that of the median operator.
//!
//! Measured by `cargo bench -p jointly-benches --bench fuel_prices`, of which `docs/security.md` shows the worst. A price is
//! for the most time that an operator can take where each waits for the one before. The worst by far is memory: a load that
//! misses all caches takes as long as a thousand additions, and whether it will is not known before. But loads that do not
//! wait for one another overlap. To make one wait, the number that it loads must become an address, and addresses are
//! integers. So the price of a miss is on loads of integers and on what makes integers of floats and vectors, and the loads
//! of floats and vectors, of which the inner loops of neural networks consist, stay cheap.

use wasmtime::OperatorCost;

use Level::{Branch, Call, Divide, Float, Free, Grow, Libcall, Miss, Move, Root};

/// The number of this price list, which a plan has in the name of its engine. Fuel under two lists cannot be compared.
/// List 1 had the price 1 for everything, and a unit of fuel was one of the engine's. List 3 has the prices of list 2 for
/// components [with sinks](jointly_sinks), whose instructions are paid like others.
macro_rules! number {
    () => {
        "3"
    };
}
pub(crate) use number;

/// The prices of a unit of fuel. The cheapest operator costs a quarter of a unit, so that fuel is about the number of
/// instructions of an agent that trains a network.
pub(crate) const UNIT: u64 = 4;

/// The prices that are not 1.
#[derive(Clone, Copy)]
enum Level {
    /// Operators for which no code is made: their operands are paid where they are used.
    Free,
    /// Branches, with the values that they may carry.
    Branch,
    /// Floats, and some products and quotients of integers.
    Float,
    /// Roots, and quotients of 64 bits.
    Root,
    /// Calls: the function may be an intrinsic, such as one that makes a handle.
    Call,
    /// Loads of floats and vectors, and stores.
    Move,
    /// Quotients of floats, and products, for which processors use microcode where numbers are almost zero.
    Divide,
    /// Operators for which compiled code calls the engine.
    Libcall,
    /// Growth of memory, whatever its size.
    Grow,
    /// Operators that may wait for memory.
    Miss,
}

impl Level {
    const fn price(self) -> u8 {
        match self {
            Free => 0,
            Branch | Float => 4,
            Root => 8,
            Call | Move => 12,
            Divide => 20,
            Grow => 40,
            Libcall => 48,
            Miss => 255,
        }
    }
}

/// Returns the price of every operator.
pub(crate) fn prices() -> OperatorCost {
    let mut prices = OperatorCost::new();
    macro_rules! set {
        ($level:ident: $($operator:ident)*) => { $(prices.$operator = $level.price();)* };
    }
    set!(Free: LocalGet I32Const I64Const F32Const F64Const V128Const RefNull);
    set!(Move: F32Load F64Load V128Load V128Load8x8S V128Load8x8U V128Load16x4S V128Load16x4U V128Load32x2S
        V128Load32x2U V128Load8Splat V128Load16Splat V128Load32Splat V128Load64Splat V128Load32Zero V128Load64Zero
        V128Load8Lane V128Load16Lane V128Load32Lane V128Load64Lane I32Store I64Store F32Store F64Store I32Store8
        I32Store16 I64Store8 I64Store16 I64Store32 V128Store V128Store8Lane V128Store16Lane V128Store32Lane
        V128Store64Lane TableGet TableSet);
    set!(Branch: Br BrIf BrTable BrOnNull BrOnNonNull);
    set!(Float: F32Add F32Sub F32Min F32Max F32Ceil F32Floor F32Trunc F32Nearest F64Add F64Sub F64Min F64Max
        F64Ceil F64Floor F64Trunc F64Nearest F32DemoteF64 F64PromoteF32 F32ConvertI32S F32ConvertI32U
        F32ConvertI64S F32ConvertI64U F64ConvertI32S F64ConvertI32U F64ConvertI64S F64ConvertI64U F32x4Add F32x4Sub
        F32x4Min F32x4Max F32x4Ceil F32x4Floor F32x4Trunc F32x4Nearest F64x2Add F64x2Sub F64x2Min
        F64x2Max F64x2Ceil F64x2Floor F64x2Trunc F64x2Nearest
        F32x4RelaxedMin F32x4RelaxedMax F64x2RelaxedMin F64x2RelaxedMax F32x4ConvertI32x4S
        F32x4ConvertI32x4U F64x2ConvertLowI32x4S F64x2ConvertLowI32x4U F32x4DemoteF64x2Zero F64x2PromoteLowF32x4
        I32x4TruncSatF32x4S I32x4TruncSatF32x4U I32x4TruncSatF64x2SZero I32x4TruncSatF64x2UZero
        I32x4RelaxedTruncF32x4S I32x4RelaxedTruncF32x4U I32x4RelaxedTruncF64x2SZero I32x4RelaxedTruncF64x2UZero
        I8x16Popcnt I32x4Mul I64x2Mul I64x2ExtMulLowI32x4S I64x2ExtMulHighI32x4S I64x2ExtMulLowI32x4U
        I64x2ExtMulHighI32x4U I32x4RelaxedDotI8x16I7x16AddS I32DivS I32DivU I32RemS I32RemU);
    set!(Root: I64DivS I64DivU I64RemS I64RemU F32Sqrt F64Sqrt F32x4Sqrt F64x2Sqrt);
    set!(Divide: F32Mul F64Mul F32x4Mul F64x2Mul F32x4RelaxedMadd F32x4RelaxedNmadd F64x2RelaxedMadd F64x2RelaxedNmadd
        F32Div F64Div F32x4Div F64x2Div);
    set!(Call: Call CallIndirect CallRef ReturnCall ReturnCallIndirect ReturnCallRef);
    set!(Libcall: RefFunc MemoryFill MemoryCopy MemoryInit DataDrop TableFill TableCopy TableInit ElemDrop);
    set!(Grow: MemoryGrow TableGrow);
    set!(Miss: I32Load I64Load I32Load8S I32Load8U I32Load16S I32Load16U I64Load8S I64Load8U I64Load16S I64Load16U
        I64Load32S I64Load32U I32TruncF32S I32TruncF32U I32TruncF64S I32TruncF64U I64TruncF32S I64TruncF32U I64TruncF64S
        I64TruncF64U I32TruncSatF32S I32TruncSatF32U I32TruncSatF64S I32TruncSatF64U I64TruncSatF32S I64TruncSatF32U
        I64TruncSatF64S I64TruncSatF64U I32ReinterpretF32 I64ReinterpretF64 F32Eq F32Ne F32Lt F32Gt F32Le F32Ge F64Eq
        F64Ne F64Lt F64Gt F64Le F64Ge I8x16ExtractLaneS I8x16ExtractLaneU I16x8ExtractLaneS I16x8ExtractLaneU
        I32x4ExtractLane I64x2ExtractLane V128AnyTrue I8x16AllTrue I8x16Bitmask I16x8AllTrue I16x8Bitmask I32x4AllTrue
        I32x4Bitmask I64x2AllTrue I64x2Bitmask);
    prices
}

#[cfg(test)]
mod tests {
    use super::prices;

    /// A loop without a price, and a permutation of variables without one, would take time without end.
    #[test]
    fn whatever_repeats_or_moves_costs_something() {
        let prices = prices();
        let loops = [prices.Br, prices.BrIf, prices.BrTable, prices.Call, prices.CallIndirect, prices.ReturnCall];
        let moves = [prices.LocalSet, prices.LocalTee, prices.GlobalGet, prices.Select, prices.If];
        assert!(loops.iter().chain(&moves).all(|price| *price > 0));
    }

    /// Every way from memory to an address has the price of a miss.
    #[test]
    fn what_can_become_an_address_costs_a_miss() {
        let prices = prices();
        assert!(prices.F32Load < 20 && prices.V128Load < 20);
        let ways = [prices.I32Load, prices.I64Load32U, prices.I32ReinterpretF32, prices.F64Lt, prices.V128AnyTrue];
        assert!(ways.iter().all(|price| *price >= 200));
    }
}
