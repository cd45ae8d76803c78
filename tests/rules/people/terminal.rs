//! Runs a program on a pseudo terminal, and reads its screen as text.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Maximum time for a program.
const PATIENCE: Duration = Duration::from_mins(1);

/// Written to the terminal after the program has ended, so that the screen is read to its end. The test keeps its own
/// side of the terminal open: when the last side closes, a reader can get the error of a closed terminal before the
/// last bytes.
const END: &[u8] = b"\x1cend of the program";

/// The screen of a terminal with 100 columns, escapes written as `^[`; and the exit code. `typed` is sent after the
/// program's first output.
pub(crate) fn screen(
    folder: &Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
    typed: Option<&str>,
) -> (Option<i32>, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let side = || OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(arguments).current_dir(folder).stdin(side()).stdout(side()).stderr(side());
    for unset in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "KUSTOMIZE_PLUGIN_CONFIG_ROOT", "CI"] {
        command.env_remove(unset);
    }
    command.env("TERM", "xterm-256color").envs(environment.iter().copied());
    let mut kept = side();
    let mut child = command.spawn().unwrap();
    let mut reader = std::fs::File::from(master.try_clone().unwrap());
    let mut writer = std::fs::File::from(master);
    let (sender, receiver) = channel::<Vec<u8>>();
    // Ends when all sides of the terminal are closed.
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length) = reader.read(&mut buffer) {
            if length == 0 || sender.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    let (start, mut shown, mut typed, mut has_ended) = (Instant::now(), Vec::new(), typed, false);
    while !shown.ends_with(END) {
        if let Ok(bytes) = receiver.recv_timeout(Duration::from_millis(10)) {
            shown.extend(bytes);
            if let Some(text) = typed.take() {
                writer.write_all(text.as_bytes()).unwrap();
            }
        } else if !has_ended && child.try_wait().unwrap().is_some() {
            has_ended = true;
            kept.write_all(END).unwrap();
        }
        if start.elapsed() >= PATIENCE {
            child.kill().unwrap();
            panic!("{arguments:?} waits: {}", String::from_utf8_lossy(&shown));
        }
    }
    let code = child.wait().unwrap().code();
    shown.truncate(shown.len() - END.len());
    (code, String::from_utf8(shown).unwrap().replace("\r\n", "\n").replace('\u{1b}', "^["))
}
