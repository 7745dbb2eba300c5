//! The operators of which generated functions choose one, with the types of their operands.

use wasm_encoder::{Instruction as I, ValType};

use super::Body;

/// One, two or three vectors.
const ONE: &[ValType] = &[ValType::V128];
const TWO: &[ValType] = &[ValType::V128; 2];
const THREE: &[ValType] = &[ValType::V128; 3];

/// Arithmetic on vectors.
const ARITHMETIC: &[(&[ValType], I<'static>)] = &[
    (TWO, I::F32x4Add),
    (TWO, I::F32x4Sub),
    (TWO, I::F32x4Mul),
    (TWO, I::F32x4Div),
    (TWO, I::F32x4Min),
    (TWO, I::F32x4Max),
    (ONE, I::F32x4Sqrt),
    (ONE, I::F32x4Ceil),
    (ONE, I::F32x4Floor),
    (ONE, I::F32x4Trunc),
    (ONE, I::F32x4Nearest),
    (THREE, I::F32x4RelaxedMadd),
    (THREE, I::F32x4RelaxedMadd),
    (THREE, I::F32x4RelaxedNmadd),
    (TWO, I::F64x2Add),
    (TWO, I::F64x2Sub),
    (TWO, I::F64x2Mul),
    (TWO, I::F64x2Div),
    (TWO, I::F64x2Min),
    (TWO, I::F64x2Max),
    (ONE, I::F64x2Sqrt),
    (ONE, I::F64x2Floor),
    (ONE, I::F64x2Ceil),
    (ONE, I::F64x2Trunc),
    (ONE, I::F64x2Nearest),
    (THREE, I::F64x2RelaxedMadd),
    (THREE, I::F64x2RelaxedNmadd),
    (ONE, I::F32x4DemoteF64x2Zero),
    (ONE, I::F64x2PromoteLowF32x4),
];

impl Body<'_> {
    pub(super) fn f32(&mut self) -> (&'static [ValType], I<'static>) {
        const TWO: &[ValType] = &[ValType::F32; 2];
        const ONE: &[ValType] = &[ValType::F32];
        let lane = self.random.below(4) as u8;
        self.random.one_of(&[
            (TWO, I::F32Add),
            (TWO, I::F32Sub),
            (TWO, I::F32Mul),
            (TWO, I::F32Div),
            (TWO, I::F32Min),
            (TWO, I::F32Max),
            (TWO, I::F32Copysign),
            (ONE, I::F32Sqrt),
            (ONE, I::F32Ceil),
            (ONE, I::F32Floor),
            (ONE, I::F32Trunc),
            (ONE, I::F32Nearest),
            (ONE, I::F32Neg),
            (ONE, I::F32Abs),
            (&[ValType::F64], I::F32DemoteF64),
            (&[ValType::I32], I::F32ConvertI32S),
            (&[ValType::I32], I::F32ReinterpretI32),
            (&[ValType::V128], I::F32x4ExtractLane(lane)),
        ])
    }

    pub(super) fn f64(&mut self) -> (&'static [ValType], I<'static>) {
        const TWO: &[ValType] = &[ValType::F64; 2];
        const ONE: &[ValType] = &[ValType::F64];
        let lane = self.random.below(2) as u8;
        self.random.one_of(&[
            (TWO, I::F64Add),
            (TWO, I::F64Sub),
            (TWO, I::F64Mul),
            (TWO, I::F64Div),
            (TWO, I::F64Min),
            (TWO, I::F64Max),
            (TWO, I::F64Copysign),
            (ONE, I::F64Sqrt),
            (ONE, I::F64Ceil),
            (ONE, I::F64Floor),
            (ONE, I::F64Trunc),
            (ONE, I::F64Nearest),
            (ONE, I::F64Neg),
            (ONE, I::F64Abs),
            (&[ValType::F32], I::F64PromoteF32),
            (&[ValType::I32], I::F64ConvertI32U),
            (&[ValType::V128], I::F64x2ExtractLane(lane)),
        ])
    }

    pub(super) fn integer(&mut self) -> (&'static [ValType], I<'static>) {
        const F32: &[ValType] = &[ValType::F32; 2];
        const F64: &[ValType] = &[ValType::F64; 2];
        const V128: &[ValType] = &[ValType::V128];
        self.random.one_of(&[
            (F32, I::F32Lt),
            (F32, I::F32Eq),
            (F32, I::F32Ne),
            (F64, I::F64Ge),
            (F64, I::F64Ne),
            (&[ValType::F32], I::I32ReinterpretF32),
            (&[ValType::F32], I::I32TruncSatF32S),
            (&[ValType::F64], I::I32TruncSatF64U),
            (V128, I::I32x4ExtractLane(1)),
            (V128, I::I8x16ExtractLaneU(6)),
            (V128, I::V128AnyTrue),
            (V128, I::I32x4Bitmask),
            (&[ValType::I32; 2], I::I32Xor),
        ])
    }

    pub(super) fn vector(&mut self) -> (&'static [ValType], I<'static>) {
        let (narrow, wide) = (self.random.below(4) as u8, self.random.below(2) as u8);
        let shuffle = self.shuffle();
        let others: &[(&'static [ValType], I<'static>)] = &[
            (TWO, I::F32x4PMin),
            (TWO, I::F32x4PMax),
            (TWO, I::F64x2PMin),
            (TWO, I::F64x2PMax),
            (TWO, I::F32x4RelaxedMin),
            (TWO, I::F32x4RelaxedMax),
            (TWO, I::F64x2RelaxedMin),
            (TWO, I::F64x2RelaxedMax),
            (ONE, I::F32x4Neg),
            (ONE, I::F64x2Abs),
            (TWO, I::F32x4Eq),
            (TWO, I::F32x4Ne),
            (TWO, I::F32x4Lt),
            (TWO, I::F32x4Gt),
            (TWO, I::F32x4Le),
            (TWO, I::F32x4Ge),
            (TWO, I::F64x2Eq),
            (TWO, I::F64x2Ne),
            (TWO, I::F64x2Lt),
            (TWO, I::F64x2Gt),
            (TWO, I::F64x2Le),
            (TWO, I::F64x2Ge),
            (TWO, I::I32x4Eq),
            (TWO, I::I32x4Ne),
            (TWO, I::I32x4LtS),
            (TWO, I::I32x4LtU),
            (TWO, I::I32x4GtS),
            (TWO, I::I32x4GtU),
            (TWO, I::I32x4LeS),
            (TWO, I::I32x4LeU),
            (TWO, I::I32x4GeS),
            (TWO, I::I32x4GeU),
            (TWO, I::I64x2Eq),
            (TWO, I::I64x2Ne),
            (TWO, I::I64x2LtS),
            (TWO, I::I64x2GtS),
            (TWO, I::I64x2LeS),
            (TWO, I::I64x2GeS),
            (TWO, I::V128And),
            (TWO, I::V128AndNot),
            (TWO, I::V128Or),
            (TWO, I::V128Xor),
            (ONE, I::V128Not),
            (THREE, I::V128Bitselect),
            (THREE, I::I32x4RelaxedLaneselect),
            (TWO, shuffle.clone()),
            (TWO, shuffle),
            (TWO, I::I8x16Swizzle),
            (TWO, I::I32x4Add),
            (TWO, I::I8x16MinU),
            (ONE, I::I32x4TruncSatF32x4S),
            (ONE, I::I32x4TruncSatF32x4U),
            (ONE, I::I32x4TruncSatF64x2SZero),
            (ONE, I::I32x4TruncSatF64x2UZero),
            (ONE, I::I32x4RelaxedTruncF32x4S),
            (ONE, I::I32x4RelaxedTruncF32x4U),
            (ONE, I::I32x4RelaxedTruncF64x2SZero),
            (ONE, I::I32x4RelaxedTruncF64x2UZero),
            (ONE, I::F32x4ConvertI32x4S),
            (ONE, I::F32x4ConvertI32x4U),
            (ONE, I::F64x2ConvertLowI32x4S),
            (ONE, I::F64x2ConvertLowI32x4U),
            (&[ValType::F32], I::F32x4Splat),
            (&[ValType::F64], I::F64x2Splat),
            (&[ValType::I32], I::I32x4Splat),
            (&[ValType::V128, ValType::F32], I::F32x4ReplaceLane(narrow)),
            (&[ValType::V128, ValType::F64], I::F64x2ReplaceLane(wide)),
            (&[ValType::V128, ValType::I32], I::I32x4ReplaceLane(narrow)),
        ];
        let all = if self.random.below(2) == 0 { ARITHMETIC } else { others };
        self.random.one_of(all)
    }

    /// Returns a shuffle, of bytes or of lanes.
    fn shuffle(&mut self) -> I<'static> {
        let size = self.random.one_of(&[1, 4, 4, 8]);
        let mut lanes = [0; 16];
        for group in lanes.chunks_mut(size) {
            let first = self.random.below(32 / size as u32) as u8 * size as u8;
            group.iter_mut().zip(first..).for_each(|(lane, byte)| *lane = byte);
        }
        I::I8x16Shuffle(lanes)
    }
}
