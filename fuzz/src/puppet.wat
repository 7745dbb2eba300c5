;; An agent that answers honestly and then has bytes of its answers replaced, as a script says: the one that it holds where
;; it describes itself, and from its training on the value of its first setting, in which two letters, a to p, are a byte.
;;
;; Of the script each call takes a byte, its deed, then what the deed needs. Deeds up to 0x7f: as many words of the answer
;; as the last three bits say are replaced, each by an offset, modulo the answer's length, and a word. Those from 0xf0 on
;; are: 0xf0 to draw random bytes, 0xf1 to subscribe to a time, 0xf2 to poll, 0xf3 to ask whether a pollable is ready, 0xf4
;; to drop one, 0xf5 to add to headers, 0xf6 to exit, 0xf7 to look at the clock, 0xf8 to log a text, 0xf9 to report progress, 0xfa to grow the memory, 0xfb to grow the table, 0xfc to recurse,
;; 0xfd to loop, both without end, 0xfe to stop, 0xff to answer with the deed itself as a pointer. The rest do nothing.
(module
  (import "jointly:agent/host@0.3.0" "log" (func $log (param i32 i32)))
  (import "jointly:agent/host@0.3.0" "progress" (func $progress (param f32)))
  (import "wasi:io/poll@0.2.0" "poll" (func $poll (param i32 i32 i32)))
  (import "wasi:io/poll@0.2.0" "[method]pollable.ready" (func $ready (param i32) (result i32)))
  (import "wasi:io/poll@0.2.0" "[resource-drop]pollable" (func $drop_pollable (param i32)))
  (import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $now (result i64)))
  (import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
  (import "wasi:random/random@0.2.0" "get-random-bytes" (func $random (param i64 i32)))
  (import "wasi:http/types@0.2.0" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.0" "[method]fields.append" (func $append (param i32 i32 i32 i32 i32 i32)))
  (import "wasi:cli/exit@0.2.0" "exit" (func $exit (param i32)))
  (import "[export]jointly:agent/classification@0.3.0" "[resource-new]model" (func $new_classifier (param i32) (result i32)))
  (import "[export]jointly:agent/regression@0.3.0" "[resource-new]model" (func $new_regressor (param i32) (result i32)))
  {imports}

  (memory (export "memory") 2)
  (table $table 1 funcref)
  ;; The script, and after it the texts of the description.
  (data (i32.const 0) "{script}")
  (data (i32.const 4096) "puppetsize1")

  (global $cursor (mut i32) (i32.const 0))
  (global $heap (mut i32) (i32.const 8192))
  (global $classes (mut i32) (i32.const 2))

  ;; The next byte of the script; zeros beyond its end.
  (func $byte (result i32)
    (if (i32.ge_u (global.get $cursor) (i32.const 1024)) (then (return (i32.const 0))))
    (i32.load8_u (global.get $cursor))
    (global.set $cursor (i32.add (global.get $cursor) (i32.const 1))))

  ;; Takes the script from a list of settings, of which an address and a length are given.
  (func $read (param $settings i32)
    (local $from i32)
    (local $left i32)
    (local $to i32)
    (if (i32.eqz (i32.load offset=4 (local.get $settings))) (then (return)))
    (local.set $settings (i32.load (local.get $settings)))
    (local.set $from (i32.load offset=8 (local.get $settings)))
    (local.set $left (i32.shr_u (i32.load offset=12 (local.get $settings)) (i32.const 1)))
    (if (i32.gt_u (local.get $left) (i32.const 1024)) (then (local.set $left (i32.const 1024))))
    (loop $again
      (if (local.get $left)
        (then
          (i32.store8 (local.get $to)
            (i32.or
              (i32.shl (i32.sub (i32.load8_u (local.get $from)) (i32.const 97)) (i32.const 4))
              (i32.sub (i32.load8_u offset=1 (local.get $from)) (i32.const 97))))
          (local.set $from (i32.add (local.get $from) (i32.const 2)))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (br $again)))))

  (func $word (result i32)
    (call $byte)
    (i32.or (i32.shl (call $byte) (i32.const 8)))
    (i32.or (i32.shl (call $byte) (i32.const 16)))
    (i32.or (i32.shl (call $byte) (i32.const 24))))

  ;; Memory that is never given back, on a boundary of 16 bytes.
  (func $alloc (param $size i32) (result i32)
    (local $at i32)
    (local $end i32)
    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
    (local.set $end (i32.add (local.get $at) (local.get $size)))
    (if (i32.lt_u (local.get $end) (local.get $at)) (then (unreachable)))
    (if (i32.gt_u (local.get $end) (i32.shl (memory.size) (i32.const 16)))
      (then
        (if (i32.eq (i32.const -1) (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 1))))
          (then (unreachable)))))
    (global.set $heap (local.get $end))
    (local.get $at))

  (func (export "cabi_realloc") (param $old i32) (param $held i32) (param $align i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (call $alloc (local.get $size)))
    (if (local.get $held)
      (then (memory.copy (local.get $at) (local.get $old)
        (select (local.get $held) (local.get $size) (i32.lt_u (local.get $held) (local.get $size))))))
    (local.get $at))

  (func $recurse (result i32) (i32.add (call $recurse) (i32.const 1)))

  ;; Does the next deed of the script to an answer, and gives what is answered with.
  (func $meddle (param $at i32) (param $length i32) (result i32)
    (local $deed i32)
    (local $left i32)
    (local $place i32)
    (local.set $deed (call $byte))
    (if (i32.le_u (local.get $deed) (i32.const 0x7f))
      (then
        (local.set $left (i32.and (local.get $deed) (i32.const 7)))
        (loop $again
          (if (local.get $left)
            (then
              (local.set $place (i32.add (local.get $at) (i32.rem_u (call $word) (local.get $length))))
              (i32.store (local.get $place) (call $word))
              (local.set $left (i32.sub (local.get $left) (i32.const 1)))
              (br $again))))))
    (if (i32.eq (local.get $deed) (i32.const 0xf0))
      (then (call $random (i64.extend_i32_u (call $word)) (i32.const 4224))))
    (if (i32.eq (local.get $deed) (i32.const 0xf1))
      (then (drop (call $subscribe (i64.extend_i32_u (call $word))))))
    (if (i32.eq (local.get $deed) (i32.const 0xf2)) (then (call $poll (call $word) (call $word) (i32.const 4224))))
    (if (i32.eq (local.get $deed) (i32.const 0xf3)) (then (drop (call $ready (call $word)))))
    (if (i32.eq (local.get $deed) (i32.const 0xf4)) (then (call $drop_pollable (call $word))))
    (if (i32.eq (local.get $deed) (i32.const 0xf5))
      (then (call $append (call $fields) (call $word) (call $word) (call $word) (call $word) (i32.const 4224))))
    (if (i32.eq (local.get $deed) (i32.const 0xf6)) (then (call $exit (call $word))))
    (if (i32.eq (local.get $deed) (i32.const 0xf7)) (then (drop (call $now))))
    (if (i32.eq (local.get $deed) (i32.const 0xf8)) (then (call $log (call $word) (call $word))))
    (if (i32.eq (local.get $deed) (i32.const 0xf9)) (then (call $progress (f32.reinterpret_i32 (call $word)))))
    (if (i32.eq (local.get $deed) (i32.const 0xfa)) (then (drop (memory.grow (call $word)))))
    (if (i32.eq (local.get $deed) (i32.const 0xfb)) (then (drop (table.grow $table (ref.null func) (call $word)))))
    (if (i32.eq (local.get $deed) (i32.const 0xfc)) (then (drop (call $recurse))))
    (if (i32.eq (local.get $deed) (i32.const 0xfd)) (then (loop $ever (br $ever))))
    (if (i32.eq (local.get $deed) (i32.const 0xfe)) (then (unreachable)))
    (if (i32.eq (local.get $deed) (i32.const 0xff)) (then (return (call $word))))
    (local.get $at))

  ;; Numbers of one value each, from an address on.
  (func $fill_f32 (param $at i32) (param $count i32) (param $value f32)
    (loop $again
      (if (local.get $count)
        (then
          (f32.store (local.get $at) (local.get $value))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (local.set $count (i32.sub (local.get $count) (i32.const 1)))
          (br $again)))))

  (func $fill_f64 (param $at i32) (param $count i32) (param $value f64)
    (loop $again
      (if (local.get $count)
        (then
          (f64.store (local.get $at) (local.get $value))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (local.set $count (i32.sub (local.get $count) (i32.const 1)))
          (br $again)))))

  ;; A list's address and length.
  (func $list (param $at i32) (param $from i32) (param $count i32)
    (i32.store (local.get $at) (local.get $from))
    (i32.store offset=4 (local.get $at) (local.get $count)))

  ;; A description of an agent that takes tokens and inputs without labels, with one parameter and one sweep of one variant.
  (func (export "jointly:agent/info@0.3.0#describe") (result i32)
    (local $at i32)
    (local.set $at (call $alloc (i32.const 128)))
    (call $list (local.get $at) (i32.const 4096) (i32.const 6))
    (i32.store8 offset=33 (local.get $at) (i32.const 1))
    (i32.store8 offset=34 (local.get $at) (i32.const 1))
    ;; parameters: one, at 52
    (call $list (i32.add (local.get $at) (i32.const 36)) (i32.add (local.get $at) (i32.const 52)) (i32.const 1))
    (call $list (i32.add (local.get $at) (i32.const 52)) (i32.const 4102) (i32.const 4))
    (call $list (i32.add (local.get $at) (i32.const 60)) (i32.const 4106) (i32.const 1))
    ;; sweeps: one, at 80; its variants: one, at 100; its settings: one, at 108
    (call $list (i32.add (local.get $at) (i32.const 44)) (i32.add (local.get $at) (i32.const 80)) (i32.const 1))
    (call $list (i32.add (local.get $at) (i32.const 80)) (i32.const 4102) (i32.const 4))
    (call $list (i32.add (local.get $at) (i32.const 88)) (i32.add (local.get $at) (i32.const 100)) (i32.const 1))
    (call $list (i32.add (local.get $at) (i32.const 100)) (i32.add (local.get $at) (i32.const 108)) (i32.const 1))
    (call $list (i32.add (local.get $at) (i32.const 108)) (i32.const 4102) (i32.const 4))
    (call $list (i32.add (local.get $at) (i32.const 116)) (i32.const 4106) (i32.const 1))
    (call $meddle (local.get $at) (i32.const 128)))

  ;; A trained model by its handle: result<model, failure>.
  (func $trained (param $handle i32) (result i32)
    (local $at i32)
    (local.set $at (call $alloc (i32.const 16)))
    (i32.store offset=4 (local.get $at) (local.get $handle))
    (call $meddle (local.get $at) (i32.const 16)))

  ;; Even probabilities: result<list<f32>, failure>.
  (func $probs (param $rows i32) (param $draws i32) (result i32)
    (local $at i32)
    (local $count i32)
    (local.set $count (i32.mul (i32.mul (local.get $rows) (local.get $draws)) (global.get $classes)))
    (local.set $at (call $alloc (i32.add (i32.const 16) (i32.shl (local.get $count) (i32.const 2)))))
    (call $list (i32.add (local.get $at) (i32.const 4)) (i32.add (local.get $at) (i32.const 16)) (local.get $count))
    (call $fill_f32 (i32.add (local.get $at) (i32.const 16)) (local.get $count)
      (f32.div (f32.const 1) (f32.convert_i32_u (global.get $classes))))
    (call $meddle (local.get $at) (i32.add (i32.const 16) (i32.shl (local.get $count) (i32.const 2)))))

  ;; Every draw for itself: list<u64>.
  (func $canonical (param $from i32) (param $draws i32) (result i32)
    (local $at i32)
    (local $bytes i32)
    (local.set $bytes (i32.shl (local.get $draws) (i32.const 3)))
    (local.set $at (call $alloc (i32.add (i32.const 16) (local.get $bytes))))
    (call $list (local.get $at) (i32.add (local.get $at) (i32.const 16)) (local.get $draws))
    (memory.copy (i32.add (local.get $at) (i32.const 16)) (local.get $from) (local.get $bytes))
    (call $meddle (local.get $at) (i32.add (i32.const 16) (local.get $bytes))))

  (func (export "jointly:agent/classification@0.3.0#train") (param $arguments i32) (result i32)
    (call $read (i32.add (local.get $arguments) (i32.const 172)))
    (global.set $classes (i32.load offset=4 (local.get $arguments)))
    {training}
    (call $trained (call $new_classifier (i32.const 1))))
  (func (export "jointly:agent/classification@0.3.0#[method]model.sample-probs")
    (param $self i32) (param $rows i32) (param i32 i32 i32) (param i32 i32 i32 i32) (param i32) (param $draws i32)
    (result i32)
    (call $probs (local.get $rows) (local.get $draws)))
  (func (export "jointly:agent/classification@0.3.0#[method]model.canonical-draws")
    (param $self i32) (param $from i32) (param $draws i32) (result i32)
    (call $canonical (local.get $from) (local.get $draws)))
  (func (export "jointly:agent/classification@0.3.0#[dtor]model") (param i32))

  (func (export "jointly:agent/regression@0.3.0#train") (param $arguments i32) (result i32)
    (call $read (i32.add (local.get $arguments) (i32.const 64)))
    (call $trained (call $new_regressor (i32.const 1))))
  ;; Functions that are 0 everywhere, with noise of 1: result<function-samples, failure>.
  (func (export "jointly:agent/regression@0.3.0#[method]model.sample-functions")
    (param $self i32) (param $rows i32) (param i32 i32 i32) (param i32) (param $draws i32) (result i32)
    (local $at i32)
    (local $count i32)
    (local $noise i32)
    (local.set $count (i32.mul (local.get $rows) (local.get $draws)))
    (local.set $at (call $alloc (i32.add (i32.const 32) (i32.shl (local.get $count) (i32.const 3)))))
    (local.set $noise (i32.add (i32.add (local.get $at) (i32.const 32)) (i32.shl (local.get $count) (i32.const 2))))
    (call $list (i32.add (local.get $at) (i32.const 4)) (i32.add (local.get $at) (i32.const 32)) (local.get $count))
    (call $list (i32.add (local.get $at) (i32.const 12)) (local.get $noise) (local.get $count))
    (call $fill_f32 (i32.add (local.get $at) (i32.const 32)) (local.get $count) (f32.const 0))
    (call $fill_f32 (local.get $noise) (local.get $count) (f32.const 1))
    (call $meddle (local.get $at) (i32.add (i32.const 32) (i32.shl (local.get $count) (i32.const 3)))))
  (func (export "jointly:agent/regression@0.3.0#[method]model.canonical-draws")
    (param $self i32) (param $from i32) (param $draws i32) (result i32)
    (call $canonical (local.get $from) (local.get $draws)))
  ;; Independent rows of mean 0 and variance 1, and noise of 1: result<option<gaussian>, failure>.
  (func (export "jointly:agent/regression@0.3.0#[method]model.gaussian")
    (param $self i32) (param $rows i32) (param i32 i32 i32) (result i32)
    (local $at i32)
    (local $covariance i32)
    (local $noise i32)
    (local $bytes i32)
    (local $row i32)
    (local.set $bytes (i32.add (i32.const 32)
      (i32.shl (i32.mul (local.get $rows) (i32.add (local.get $rows) (i32.const 2))) (i32.const 3))))
    (local.set $at (call $alloc (local.get $bytes)))
    (local.set $covariance (i32.add (i32.add (local.get $at) (i32.const 32)) (i32.shl (local.get $rows) (i32.const 3))))
    (local.set $noise (i32.add (local.get $covariance)
      (i32.shl (i32.mul (local.get $rows) (local.get $rows)) (i32.const 3))))
    (i32.store offset=4 (local.get $at) (i32.const 1))
    (call $list (i32.add (local.get $at) (i32.const 8)) (i32.add (local.get $at) (i32.const 32)) (local.get $rows))
    (call $list (i32.add (local.get $at) (i32.const 16)) (local.get $covariance)
      (i32.mul (local.get $rows) (local.get $rows)))
    (call $list (i32.add (local.get $at) (i32.const 24)) (local.get $noise) (local.get $rows))
    (call $fill_f64 (local.get $noise) (local.get $rows) (f64.const 1))
    (loop $again
      (if (i32.lt_u (local.get $row) (local.get $rows))
        (then
          (f64.store
            (i32.add (local.get $covariance)
              (i32.shl (i32.mul (local.get $row) (i32.add (local.get $rows) (i32.const 1))) (i32.const 3)))
            (f64.const 1))
          (local.set $row (i32.add (local.get $row) (i32.const 1)))
          (br $again))))
    (call $meddle (local.get $at) (local.get $bytes)))
  ;; Of -1 to 1, both kinds: result<option<intervals>, failure>.
  (func (export "jointly:agent/regression@0.3.0#[method]model.intervals")
    (param $self i32) (param $rows i32) (param i32 i32 i32) (param f64) (result i32)
    (local $at i32)
    (local $upper i32)
    (local.set $at (call $alloc (i32.add (i32.const 48) (i32.shl (local.get $rows) (i32.const 4)))))
    (local.set $upper (i32.add (i32.add (local.get $at) (i32.const 48)) (i32.shl (local.get $rows) (i32.const 3))))
    (i32.store offset=4 (local.get $at) (i32.const 1))
    (i32.store offset=8 (local.get $at) (i32.const 1))
    (call $list (i32.add (local.get $at) (i32.const 12)) (i32.add (local.get $at) (i32.const 48)) (local.get $rows))
    (call $list (i32.add (local.get $at) (i32.const 20)) (local.get $upper) (local.get $rows))
    (call $list (i32.add (local.get $at) (i32.const 28)) (i32.add (local.get $at) (i32.const 48)) (local.get $rows))
    (call $list (i32.add (local.get $at) (i32.const 36)) (local.get $upper) (local.get $rows))
    (call $fill_f64 (i32.add (local.get $at) (i32.const 48)) (local.get $rows) (f64.const -1))
    (call $fill_f64 (local.get $upper) (local.get $rows) (f64.const 1))
    (call $meddle (local.get $at) (i32.add (i32.const 48) (i32.shl (local.get $rows) (i32.const 4)))))
  (func (export "jointly:agent/regression@0.3.0#[dtor]model") (param i32))
  {start}
)
