//! Trains an agent outside the sandbox, and prints the times of training and of its answers. The arguments are the
//! agent (gp, nkn or svgp), the numbers of examples and features, and settings such as `kernel=relu`.

use std::time::Instant;

use jointly_agent_gp::GaussianProcess;
use jointly_agent_nkn::NeuralKernelProcess;
use jointly_agent_svgp::SparseProcess;
use jointly_sdk::{Matrix, RegressionTask, Regressor, Rng, Setting, Targets};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let agent = arguments.next().expect("the name of an agent");
    let mut number = || arguments.next().and_then(|n| n.parse().ok()).expect("numbers of examples and of features");
    let (examples, dim): (usize, usize) = (number(), number());
    let settings: Vec<Setting> = arguments
        .map(|argument| {
            let (name, value) = argument.split_once('=').expect("a setting is name=value");
            Setting { name: name.into(), value: value.into() }
        })
        .collect();
    let mut rng = Rng::new(0, 0);
    let inputs: Vec<f32> = (0..examples * dim).map(|_| rng.normal()).collect();
    let target = |row: &[f32]| row.iter().map(|x| x.sin()).sum::<f32>() / (dim as f32).sqrt();
    let targets = inputs.chunks(dim).map(|row| target(row) + 0.2 * rng.normal()).collect();
    let data = Targets { inputs: Matrix::new(examples, dim, inputs).expect("a row an example"), targets };
    match agent.as_str() {
        "gp" => measure::<GaussianProcess>(&data, &settings),
        "nkn" => measure::<NeuralKernelProcess>(&data, &settings),
        "svgp" => measure::<SparseProcess>(&data, &settings),
        other => panic!("there is no agent {other}: gp, nkn or svgp"),
    }
}

fn measure<R: Regressor>(data: &Targets, settings: &[Setting]) {
    let task = RegressionTask { input_dim: data.inputs.cols(), noise_std: None };
    let start = Instant::now();
    let agent = R::train(&task, data, None, settings, 0).expect("training succeeds");
    println!("training: {:.3} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let moments = agent.gaussian(&data.inputs).expect("an answer").expect("moments");
    println!(
        "moments at all of them: {:.3} s; noise variance {:.4}",
        start.elapsed().as_secs_f64(),
        moments.noise_variance[0]
    );
    let start = Instant::now();
    agent.sample_functions(&data.inputs, &(0..100).collect::<Vec<u64>>()).expect("functions");
    println!("100 draws at all of them: {:.3} s", start.elapsed().as_secs_f64());
}
