//! Variables that a description names: `[$PORT]`, `($PORT)`, `[env: PORT=]`, `[env var: PORT]`.

/// All variables that a description names as setting the flag.
pub(super) fn variables_in(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for open in ["[$", "($", "[env: ", "[env var: ", "(env: ", "(env var: "] {
        let ends: &[char] = if open.ends_with('$') { &[']', ')', '\n'] } else { &[']', ')', ';', '\n'] };
        for (at, _) in text.match_indices(open) {
            let list = text.get(at + open.len()..).and_then(|rest| rest.split(ends).next());
            found.extend(
                list.unwrap_or_default().split(',').filter_map(|name| variable(name.trim().trim_start_matches('$'))),
            );
        }
    }
    found
}

/// The name at the start of `PORT` or `PORT=8080`.
fn variable(text: &str) -> Option<String> {
    let name = text.split('=').next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}
