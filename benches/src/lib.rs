//! Benchmarks of Jointly; each is a program in `benches/`.
