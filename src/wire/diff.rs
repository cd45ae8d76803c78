//! What would change, as a unified diff that `patch -p1` and `git apply` take, but for paths with `..`.

use std::io::{self, Write};
use std::time::Duration;

use similar::{Algorithm, TextDiff};

use crate::yaml::Splice;

use super::input::Input;

/// After this long a diff may be larger than need be, but it is still right.
const ENOUGH: Duration = Duration::from_secs(5);

/// Writes the diff of all inputs that change; `splices` are those of each input, in the same order.
pub fn write(inputs: &[Input], splices: &[Vec<Splice>], out: &mut impl Write) -> io::Result<()> {
    for (input, splices) in inputs.iter().zip(splices) {
        if input.is_changed_by(splices) {
            write_one(input, splices, out)?;
        }
    }
    out.flush()
}

fn write_one(input: &Input, splices: &[Splice], out: &mut impl Write) -> io::Result<()> {
    let name = match input.origin().path() {
        Some(path) => path.to_string_lossy().trim_start_matches("./").trim_start_matches('/').to_owned(),
        None => "stdin".to_owned(),
    };
    let new = input.output(splices);
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(ENOUGH).diff_lines(input.text(), new.as_str());
    let (old_name, new_name) = (format!("a/{name}"), format!("b/{name}"));
    diff.unified_diff().header(&old_name, &new_name).to_writer(out)
}
