//! Clients that send slowly or not at all keep nobody else from an answer.

use crate::server::{get, serve};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

#[test]
fn those_who_never_finish_a_request_are_dropped_and_others_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]);
    let begun = Instant::now();
    let mut slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream.write_all(b"POST /api/v1/plan HTTP/1.1\r\nHost: local").unwrap();
            stream
        })
        .collect();
    assert!(get(&server.address, "/healthz").ends_with("ok\n"));
    for stream in &mut slow {
        let mut answer = Vec::new();
        // Closed, with or without a word.
        let _ = stream.read_to_end(&mut answer);
    }
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(55), "held for {waited:?}");

    // A body that never comes is answered when patience ends, and the rest goes on meanwhile.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "POST /api/v1/plan HTTP/1.1\r\nHost: {}\r\nContent-Type: application/yaml\r\n\
         Content-Length: 100000\r\n\r\njobs:",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    assert!(get(&server.address, "/healthz").ends_with("ok\n"));
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(get(&server.address, "/healthz").ends_with("ok\n"));
}
