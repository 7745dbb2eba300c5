//! Vectors, by the families of their operators; each operation takes the result of the one before.

use crate::guest::{Class, Group};

const UNARY: &[&str] = &[
    "v128.not",
    "i8x16.abs",
    "i8x16.neg",
    "i8x16.popcnt",
    "i16x8.abs",
    "i16x8.neg",
    "i32x4.abs",
    "i32x4.neg",
    "i64x2.abs",
    "i64x2.neg",
    "i16x8.extadd_pairwise_i8x16_s",
    "i16x8.extadd_pairwise_i8x16_u",
    "i32x4.extadd_pairwise_i16x8_s",
    "i32x4.extadd_pairwise_i16x8_u",
    "i16x8.extend_low_i8x16_s",
    "i16x8.extend_high_i8x16_u",
    "i32x4.extend_low_i16x8_s",
    "i64x2.extend_high_i32x4_u",
    "f32x4.abs",
    "f32x4.neg",
    "f32x4.sqrt",
    "f32x4.ceil",
    "f32x4.floor",
    "f32x4.trunc",
    "f32x4.nearest",
    "f64x2.abs",
    "f64x2.neg",
    "f64x2.sqrt",
    "f64x2.ceil",
    "f64x2.floor",
    "f64x2.trunc",
    "f64x2.nearest",
    "i32x4.trunc_sat_f32x4_s",
    "i32x4.trunc_sat_f32x4_u",
    "f32x4.convert_i32x4_s",
    "f32x4.convert_i32x4_u",
    "i32x4.trunc_sat_f64x2_s_zero",
    "i32x4.trunc_sat_f64x2_u_zero",
    "f64x2.convert_low_i32x4_s",
    "f64x2.convert_low_i32x4_u",
    "f32x4.demote_f64x2_zero",
    "f64x2.promote_low_f32x4",
    "i32x4.relaxed_trunc_f32x4_s",
    "i32x4.relaxed_trunc_f32x4_u",
    "i32x4.relaxed_trunc_f64x2_s_zero",
    "i32x4.relaxed_trunc_f64x2_u_zero",
];

const BINARY: &[&str] = &[
    "v128.and",
    "v128.andnot",
    "v128.or",
    "v128.xor",
    "i8x16.add",
    "i8x16.add_sat_s",
    "i8x16.sub",
    "i8x16.min_s",
    "i8x16.max_u",
    "i8x16.avgr_u",
    "i8x16.eq",
    "i8x16.lt_u",
    "i8x16.ge_s",
    "i8x16.swizzle",
    "i8x16.narrow_i16x8_s",
    "i8x16.narrow_i16x8_u",
    "i16x8.add",
    "i16x8.mul",
    "i16x8.q15mulr_sat_s",
    "i16x8.narrow_i32x4_s",
    "i16x8.narrow_i32x4_u",
    "i16x8.extmul_low_i8x16_s",
    "i16x8.extmul_high_i8x16_u",
    "i16x8.gt_u",
    "i16x8.min_u",
    "i32x4.add",
    "i32x4.mul",
    "i32x4.dot_i16x8_s",
    "i32x4.extmul_low_i16x8_s",
    "i32x4.extmul_high_i16x8_u",
    "i32x4.le_u",
    "i32x4.min_s",
    "i64x2.add",
    "i64x2.mul",
    "i64x2.eq",
    "i64x2.lt_s",
    "i64x2.ge_s",
    "i64x2.extmul_low_i32x4_s",
    "i64x2.extmul_high_i32x4_u",
    "f32x4.add",
    "f32x4.sub",
    "f32x4.mul",
    "f32x4.div",
    "f32x4.min",
    "f32x4.max",
    "f32x4.pmin",
    "f32x4.pmax",
    "f32x4.eq",
    "f32x4.lt",
    "f64x2.add",
    "f64x2.sub",
    "f64x2.mul",
    "f64x2.div",
    "f64x2.min",
    "f64x2.max",
    "f64x2.pmin",
    "f64x2.pmax",
    "f64x2.eq",
    "f64x2.le",
    "i8x16.relaxed_swizzle",
    "f32x4.relaxed_min",
    "f32x4.relaxed_max",
    "f64x2.relaxed_min",
    "f64x2.relaxed_max",
    "i16x8.relaxed_q15mulr_s",
    "i16x8.relaxed_dot_i8x16_i7x16_s",
];

const TERNARY: &[&str] = &[
    "v128.bitselect",
    "f32x4.relaxed_madd",
    "f32x4.relaxed_nmadd",
    "f64x2.relaxed_madd",
    "f64x2.relaxed_nmadd",
    "i8x16.relaxed_laneselect",
    "i16x8.relaxed_laneselect",
    "i32x4.relaxed_laneselect",
    "i64x2.relaxed_laneselect",
    "i32x4.relaxed_dot_i8x16_i7x16_add_s",
];

const SHIFTS: &[&str] = &[
    "i8x16.shl",
    "i8x16.shr_s",
    "i8x16.shr_u",
    "i16x8.shl",
    "i16x8.shr_s",
    "i32x4.shl",
    "i32x4.shr_u",
    "i64x2.shl",
    "i64x2.shr_s",
    "i64x2.shr_u",
];

const TESTS: &[&str] = &[
    "v128.any_true",
    "i8x16.all_true",
    "i8x16.bitmask",
    "i16x8.all_true",
    "i16x8.bitmask",
    "i32x4.all_true",
    "i32x4.bitmask",
    "i64x2.all_true",
    "i64x2.bitmask",
];

/// Lanes that are taken out and filled with again, with the type of the number.
const LANES: &[(&str, &str)] = &[
    ("i8x16.extract_lane_s 3", "i8x16.splat"),
    ("i16x8.extract_lane_u 3", "i16x8.splat"),
    ("i32x4.extract_lane 3", "i32x4.splat"),
    ("i64x2.extract_lane 1", "i64x2.splat"),
    ("f32x4.extract_lane 3", "f32x4.splat"),
    ("f64x2.extract_lane 1", "f64x2.splat"),
    ("i32x4.extract_lane 3", "i32x4.replace_lane 2 (local.get $w)"),
    ("f64x2.extract_lane 0", "f64x2.replace_lane 1 (local.get $w)"),
];

/// Returns the classes of vectors.
pub(crate) fn all() -> Vec<Class> {
    let class = |name: &str, value: String| {
        let integers = ["i8x16.extract", "i16x8.extract", "i32x4.extract", "i64x2.extract", "_true", "bitmask"];
        let group = if integers.iter().any(|part| name.contains(part)) { Group::ToIntegers } else { Group::Vectors };
        Class::chain(group, name, "$v", &value)
    };
    let mut classes: Vec<Class> = UNARY.iter().map(|op| class(op, format!("({op} (local.get $v))"))).collect();
    classes.extend(BINARY.iter().map(|op| class(op, format!("({op} (local.get $v) (local.get $w))"))));
    classes.extend(TERNARY.iter().map(|op| class(op, format!("({op} (local.get $v) (local.get $w) (local.get $u))"))));
    classes.extend(SHIFTS.iter().map(|op| class(op, format!("({op} (local.get $v) (local.get $n))"))));
    classes.extend(TESTS.iter().map(|op| class(op, format!("(i32x4.splat ({op} (local.get $v)))"))));
    classes.extend(LANES.iter().map(|(take, put)| {
        class(
            &format!("{take}, {put}"),
            match put.split_once(" (") {
                Some((put, from)) => format!("({put} ({from} ({take} (local.get $v)))"),
                None => format!("({put} ({take} (local.get $v)))"),
            },
        )
    }));
    let shuffle = "i8x16.shuffle 3 17 2 29 1 30 0 31 8 9 10 26 27 28 4 5";
    classes.push(class("i8x16.shuffle", format!("({shuffle} (local.get $v) (local.get $w))")));
    // Below the smallest normal number.
    for (lanes, tiny, factor) in [("f32x4", "0x1p-140", "0x1.000002p0"), ("f64x2", "0x1p-1060", "0x1.0000000000001p0")]
    {
        let ty = &lanes[..3];
        let enter = format!(
            "(local.set $v ({lanes}.splat ({ty}.const {tiny}))) (local.set $w ({lanes}.splat ({ty}.const {factor})))"
        );
        for op in ["add", "mul", "div"] {
            let value = format!("({lanes}.{op} (local.get $v) (local.get $w))");
            classes.push(Class { enter: enter.clone(), ..class(&format!("{lanes}.{op} of subnormals"), value) });
        }
        let value = format!("({lanes}.relaxed_madd (local.get $v) (local.get $w) (local.get $v))");
        classes.push(Class { enter: enter.clone(), ..class(&format!("{lanes}.relaxed_madd of subnormals"), value) });
        let value = format!("({lanes}.mul ({lanes}.sqrt (local.get $v)) (local.get $w))");
        let enter = enter.replace(factor, tiny);
        classes.push(Class { enter, ..class(&format!("{lanes}.sqrt of subnormals"), value) });
    }
    classes
}
