use jointly_core::estimate::*;
use jointly_core::*;
use std::time::Instant;
fn main() {
    let (tau, n, m, k, d) = (100usize, 40usize, 1000usize, 2usize, 7u32);
    let mut s = stream(0, "a", "b", 0);
    let mut probs = Vec::with_capacity(m * n * tau * k);
    for _ in 0..m * n * tau {
        let p = s.uniform() as f32;
        probs.push(p);
        probs.push(1.0 - p);
    }
    let labels: Vec<u32> = (0..n * tau).map(|_| s.below(2) as u32).collect();
    for clip in [true, false] {
        let t = Instant::now();
        let reps = if clip { 25 } else { 2 };
        let mut total = 0.0;
        for _ in 0..reps {
            for i in 0..n {
                let planes = Planes::sample(0, "x", tau as u32, i as u32, k, d);
                let mut e = Partition::new(planes, &labels[i * tau..(i + 1) * tau], k, clip);
                for f in 0..m {
                    let a = (f * n + i) * tau * k;
                    e.add(&probs[a..a + tau * k], 1);
                }
                total += e.finish();
            }
        }
        println!(
            "partition clip={clip} tau100 M1000 K2 d7: {:.3} s for N=1000 ({total})",
            t.elapsed().as_secs_f64() / (reps * n) as f64 * 1000.0
        );
    }
    let mut out = vec![0.0; tau * k];
    let t = Instant::now();
    for row in probs.chunks_exact(200) {
        probit::clipped(row, &mut out);
    }
    println!("probits 8e6: {:.4} s -> 2e8: {:.3}", t.elapsed().as_secs_f64(), t.elapsed().as_secs_f64() * 25.0);
    let t = Instant::now();
    let mut q = 0.0;
    for i in 0..1000 {
        q += Planes::sample(0, "x", 100, i, 2, 7).plane(3).1;
    }
    println!("planes 1000: {:.3} s {q}", t.elapsed().as_secs_f64());
    let problem = &suite("testbed").unwrap().problems[100];
    let t = Instant::now();
    let inst = problem.instance(0);
    let test = inst.test(100, 0..1000);
    println!("test(100, 0..1000): {:.3} s", t.elapsed().as_secs_f64());
    let t = Instant::now();
    let p = inst.environment().unwrap().class_probs(&test.inputs);
    println!("class_probs 100k rows: {:.3} s {}", t.elapsed().as_secs_f64(), p[0]);
    let t = Instant::now();
    let mut mm = MarginalMean::new(200);
    for row in probs.chunks_exact(200) {
        mm.add(row, 1);
    }
    println!("marginals 8e6 -> 2e8: {:.3}", t.elapsed().as_secs_f64() * 25.0);
}
