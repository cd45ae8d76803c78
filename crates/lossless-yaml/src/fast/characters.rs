//! Which characters the fast reader knows, and what each of them may do in a plain scalar.

/// Whether a text holds only characters that every reader takes for themselves: printable ones, blanks and LF.
///
/// CR is another line break, NEL, LS and PS are line breaks for some readers, a byte order mark is one only at the
/// start, and what is not printable is refused.
pub(super) fn are_plain(text: &str) -> bool {
    let control = |byte: u8| (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f;
    // Without a way out early the compiler makes it wide.
    let odd = text.bytes().fold(false, |odd, byte| odd | control(byte));
    !odd && (text.is_ascii() || !text.chars().any(is_odd))
}

fn is_odd(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// What a byte may do. Up to `Dash` all are text inside of a plain scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Text wherever it stands.
    Text,
    /// An indicator at the start of a node, and text behind that.
    Indicator,
    /// `-`, which depends on what follows at the start, and is text behind that.
    Dash,
    /// `,[]{}`: an indicator at the start, and anywhere in a flow collection.
    Flow,
    /// `:`, which depends on what follows.
    Colon,
    /// `#`, which depends on what stands before.
    Hash,
    Space,
    /// Ends a scalar of one line, or makes the reader give up.
    End,
}

/// The class of a byte; those of characters beyond ASCII are text.
pub(super) fn class(byte: u8) -> Class {
    static CLASSES: [Class; 256] = classes();
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::End)
}

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
    use super::are_plain;

    #[test]
    fn what_a_reader_could_take_for_something_else_is_not_plain() {
        assert!(are_plain("a: b\n# é 🦀 \u{a0}\tc\n") && are_plain(""));
        for odd in ["\r", "\0", "\u{7f}", "\u{85}", "\u{9f}", "\u{2028}", "\u{2029}", "\u{feff}", "\u{ffff}", "\u{1b}"]
        {
            assert!(
                !are_plain(&format!("a long enough text, so that more than one byte is looked at: {odd}")),
                "{odd:?}"
            );
        }
    }
}
