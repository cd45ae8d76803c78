//! Lists of names in messages.

use std::fmt::{Display, Write as _};

/// The first names of a list, then "and N more". Only the listed names are formatted: a list may have many.
pub(crate) fn listed(names: impl IntoIterator<Item = impl Display>, max: usize) -> String {
    let (mut text, mut more) = (String::new(), 0);
    for (position, name) in names.into_iter().enumerate() {
        if position < max {
            let separator = if position == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}{name}");
        } else {
            more += 1;
        }
    }
    if more == 0 { text } else { format!("{text} and {more} more") }
}
