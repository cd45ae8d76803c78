//! Lists of names in messages.

/// The first names of a list, then "and N more".
pub(crate) fn listed(names: impl Iterator<Item = String>, most: usize) -> String {
    let (mut listed, mut more) = (Vec::new(), 0);
    for name in names {
        if listed.len() < most {
            listed.push(name);
        } else {
            more += 1;
        }
    }
    let listed = listed.join(", ");
    if more == 0 { listed } else { format!("{listed} and {more} more") }
}
