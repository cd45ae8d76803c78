//! Any bytes as the answers of a registry: a run ends with a verdict or an error, and connects to no other host.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use hostnet::kinds::mirror_verify::Verifier;
use hostnet::xpkg::{CheckOptions, Depth};
use oci::name::RemoteRef;
use oci::registry::Options;

/// Separator between answers, which are sent in turn.
const END: &[u8] = b"\n====\n";

/// Time limit of a run.
const TIME: Duration = Duration::from_secs(5);

/// The remaining answers.
static ANSWERS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

pub fn registries(data: &[u8]) {
    let host = host();
    let mut answers = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(END.len()).position(|part| part == END) {
        answers.push(at_home(&rest[..at], host));
        rest = &rest[at + END.len()..];
    }
    answers.push(at_home(rest, host));
    answers.reverse();
    *ANSWERS.lock().unwrap() = answers;
    let reference = RemoteRef::read(&format!("{host}/o/p:v1")).unwrap();
    let asked = CheckOptions { version: None, kind: None, is_resolved: true, depth: Depth::Needed };
    let verifier = Verifier::new(asked, TIME, Options::default());
    // Both a result and an error are fine, but a result needs a verdict.
    if let Ok(judged) = verifier.verify_remote(&reference, None, true) {
        assert!(!judged.release_results.is_empty() || judged.is_refused(), "there is no verdict: {judged:?}");
    }
    let _ = verifier.newest(&reference, ">=v1.0.0");
    let _ = verifier.digest_remote(&reference, true);
}

/// The registry, started once for the whole process.
fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
        host
    })
}

/// Sends the next answer to a request and closes the connection. The client tries TLS first; its greeting is not a
/// request.
fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        request.extend(byte);
        if !request[0].is_ascii_uppercase() {
            return;
        }
    }
    let next = ANSWERS.lock().unwrap().pop().unwrap_or_default();
    let _ = stream.write_all(&next);
}

/// The answer with all addresses replaced by the registry's: a case connects only to this machine.
fn at_home(answer: &[u8], host: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(at) =
        rest.windows(2).position(|part| part == b"//" || part == br"\\" || part == br"/\" || part == br"\/")
    {
        text.extend_from_slice(&rest[..at]);
        text.extend_from_slice(b"//");
        text.extend_from_slice(host.as_bytes());
        rest = &rest[at + 2..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"',;<>".contains(byte);
        rest = &rest[rest.iter().position(ends).unwrap_or(rest.len())..];
    }
    text.extend_from_slice(rest);
    text
}
