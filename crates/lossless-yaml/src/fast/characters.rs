//! Characters that the fast parser supports, and their classes in a plain scalar.

/// True if a text has only characters that all parsers read alike: printable characters, tabs, spaces and LF.
///
/// Other characters differ: CR is a line break; NEL, LS and PS are line breaks for some parsers; a byte order mark has
/// a meaning only at the start; parsers reject other non-printable characters.
pub(super) fn has_only_plain_characters(text: &str) -> bool {
    let control = |byte: u8| (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f;
    // Without an early exit the compiler vectorizes the loop.
    let odd = text.bytes().fold(false, |odd, byte| odd | control(byte));
    !odd && (text.is_ascii() || !text.chars().any(is_unusual))
}

fn is_unusual(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Class of a byte. All classes before `Flow` are text inside of a plain scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Text at every position.
    Text,
    /// An indicator at the start of a node, otherwise text.
    Indicator,
    /// `-`: at the start of a node it depends on the next character, otherwise it is text.
    Dash,
    /// `,[]{}`: an indicator at the start of a node, and everywhere in a flow collection.
    Flow,
    /// `:`, which depends on the next character.
    Colon,
    /// `#`, which depends on the previous character.
    Hash,
    Space,
    /// Ends a single-line scalar, or is not supported by the fast parser.
    End,
}

/// Returns the class of a byte; non-ASCII bytes are text.
pub(super) fn class(byte: u8) -> Class {
    static CLASSES: [Class; 256] = classes();
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::End)
}

/// Class of each byte.
const fn classes() -> [Class; 256] {
    let mut classes = [Class::Text; 256];
    let mut byte = 0_u8;
    loop {
        let class = match byte {
            b',' | b'[' | b']' | b'{' | b'}' => Class::Flow,
            b'?' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`' => Class::Indicator,
            b'-' => Class::Dash,
            b':' => Class::Colon,
            b'#' => Class::Hash,
            b' ' => Class::Space,
            0..b' ' | 0x7f => Class::End,
            _ => Class::Text,
        };
        #[allow(clippy::indexing_slicing, reason = "256 classes for 256 bytes, worked out by the compiler")]
        {
            classes[byte as usize] = class;
        }
        if byte == u8::MAX {
            return classes;
        }
        byte += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::has_only_plain_characters;

    #[test]
    fn texts_with_unusual_characters_are_not_plain() {
        assert!(has_only_plain_characters("a: b\n# é 🦀 \u{a0}\tc\n") && has_only_plain_characters(""));
        for odd in ["\r", "\0", "\u{7f}", "\u{85}", "\u{9f}", "\u{2028}", "\u{2029}", "\u{feff}", "\u{ffff}", "\u{1b}"]
        {
            assert!(
                !has_only_plain_characters(&format!(
                    "a long enough text, so that more than one byte is looked at: {odd}"
                )),
                "{odd:?}"
            );
        }
    }
}
