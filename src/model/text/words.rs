//! Splits names of flags, variables, keys and ports into words.

/// True if the last word of a key is `port` or `ports`, or its last two words are `port number`.
pub(in crate::model) fn is_port_key(key: &str) -> bool {
    let is_port = |word: &String| matches!(word.as_str(), "port" | "ports");
    match words(key).as_slice() {
        [.., port, number] if matches!(number.as_str(), "number" | "numbers") => is_port(port),
        [.., last] => is_port(last),
        [] => false,
    }
}

/// Lower-case words of a flag, variable or port name: `--webhookServerPort` is `webhook`, `server`, `port`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        let hump = c.is_uppercase() && lower_before;
        if (hump || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
