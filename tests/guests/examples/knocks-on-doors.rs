//! Tries every way out of the sandbox and logs the answers.

use jointly_guests::wasi::wasi::cli::stdin::get_stdin;
use jointly_guests::wasi::wasi::filesystem::preopens::get_directories;
use jointly_guests::wasi::wasi::http::outgoing_handler::handle;
use jointly_guests::wasi::wasi::http::types::{Fields, OutgoingRequest, RequestOptions};
use jointly_guests::wasi::wasi::io::streams::StreamError;
use jointly_guests::wasi::wasi::sockets::instance_network::instance_network;
use jointly_guests::wasi::wasi::sockets::ip_name_lookup::resolve_addresses;
use jointly_guests::wasi::wasi::sockets::network::IpAddressFamily;
use jointly_guests::wasi::wasi::sockets::tcp_create_socket::create_tcp_socket;
use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Tries every way out.
pub struct KnocksOnDoors {
    classes: usize,
}

impl Classifier for KnocksOnDoors {
    fn describe() -> Description {
        card("knocks-on-doors", "tries every way out")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let log = |door: &str, answer: &dyn std::fmt::Debug| jointly_sdk::log(&format!("{door}: {answer:?}"));
        log("directories", &get_directories().len());
        log("tcp socket", &create_tcp_socket(IpAddressFamily::Ipv4).map(|_| ()));
        log("look-up", &resolve_addresses(&instance_network(), "example.org").map(|_| ()));
        let headers = Fields::new();
        log("header", &headers.append("accept", b"text/html"));
        log("headers", &headers.entries().len());
        let request = OutgoingRequest::new(headers);
        log("authority", &request.set_authority(Some("example.org")));
        log("request", &handle(request, Some(RequestOptions::new())).map(|_| ()));
        log("standard input", &get_stdin().read(1).map_err(|error| matches!(error, StreamError::Closed)));
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: KnocksOnDoors);
