;; An agent that prepares its memory where it trains, and goes through a loop without end where it is sampled. The parts in
;; braces are those of a class.
(module
  (import "[export]jointly:agent/classification@0.3.0" "[resource-new]model" (func $new (param i32) (result i32)))
  (import "[export]jointly:agent/classification@0.3.0" "[resource-rep]model" (func $rep (param i32) (result i32)))
  (import "[export]jointly:agent/classification@0.3.0" "[resource-drop]model" (func $drop (param i32)))
  {imports}
  (memory (export "memory") {pages})
  ;; The name, the description that it is part of, and numbers that the compiler does not know.
  (data (i32.const 64) "{name}")
  (data (i32.const 1024) "\40\00\00\00\05\00\00\00")
  (data (i32.const 2048) "\9d\37\0b\5b\71\e6\2a\13\03\00\00\00\00\00\00\00\6f\12\83\3f\00\00\80\3f\00\00\00\00\00\00\f0\3f")
  (data (i32.const 2080) "\00\00\00\80\00\00\f0\3f\77\be\9f\1a\2f\dd\24\06\01\00\00\00\01\00\00\00\01\00\00\00\00\00\00\00")
  {declarations}
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 16384))
  (func (export "jointly:agent/info@0.3.0#describe") (result i32) (i32.const 1024))
  (func (export "jointly:agent/classification@0.3.0#train") (param i32) (result i32)
    (local $i i32) (local $n i32) (local $p i32)
    {prepare}
    (i32.store (i32.const 4096) (i32.const 0))
    (i32.store (i32.const 4100) (call $new (i32.const 1)))
    (i32.const 4096))
  (func (export "jointly:agent/classification@0.3.0#[method]model.sample-probs")
    (param i32 i32) (param i32 i32 i32) (param i32 i32 i32 i32) (param i32 i32) (result i32)
    (local $i i32) (local $j i32) (local $n i32) (local $p i32) (local $m i64) (local $k i64) (local $q i64)
    (local $f f32) (local $g f32) (local $h f32) (local $d f64) (local $e f64) (local $c f64)
    (local $v v128) (local $w v128) (local $u v128)
    (local.set $i (i32.load (i32.const 2048)))
    (local.set $j (i32.load (i32.const 2052)))
    (local.set $n (i32.load (i32.const 2056)))
    (local.set $m (i64.load (i32.const 2048)))
    (local.set $k (i64.load (i32.const 2088)))
    (local.set $q (i64.load (i32.const 2056)))
    (local.set $f (f32.load (i32.const 2064)))
    (local.set $g (f32.load (i32.const 2068)))
    (local.set $d (f64.load (i32.const 2080)))
    (local.set $e (f64.load (i32.const 2072)))
    (local.set $v (v128.load (i32.const 2048)))
    (local.set $w (v128.load (i32.const 2064)))
    {enter}
    (loop $again
      {body}
      (br $again))
    (unreachable))
  (func (export "jointly:agent/classification@0.3.0#[method]model.canonical-draws") (param i32 i32 i32) (result i32)
    (unreachable))
  (func (export "jointly:agent/classification@0.3.0#[dtor]model") (param i32))
)
