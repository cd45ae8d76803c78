//! Files of the repository that tests generate: `make generated` writes them, every other run compares them.

use std::path::Path;

/// Compares a file of the repository with its expected text, or writes it if `HOSTNET_BLESS=1`.
///
/// # Panics
/// If the file differs from the text.
pub(crate) fn assert_generated(path: &Path, text: &str) {
    if let Some(difference) = difference(path, text) {
        panic!("{difference}");
    }
}

/// Returns the difference between a file of the repository and its expected text; `None` if they are equal. Writes the
/// file if `HOSTNET_BLESS=1`.
pub(crate) fn difference(path: &Path, text: &str) -> Option<String> {
    if std::env::var("HOSTNET_BLESS").is_ok_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        return None;
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let lines = similar::TextDiff::from_lines(kept.as_str(), text);
    (kept != text)
        .then(|| format!("{} is old: run `make generated`\n{}", path.display(), lines.unified_diff().context_radius(1)))
}

/// Maximum line length of a page, outside of tables, code and links.
pub(crate) const PAGE_WIDTH: usize = 120;

/// Wraps a text to the width of a page and indents every line but the first. The result ends with a newline.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.trim().is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= PAGE_WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(format!("{indent}{word}"));
        }
    }
    lines.join("\n") + "\n"
}
