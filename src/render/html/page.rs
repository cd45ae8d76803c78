//! Parts that all HTML pages share.

use krm::escape_line;

/// Maximum number of rows of a table; a browser becomes slow with more.
pub(super) const ROWS: usize = 10_000;

/// Head of a page.
pub(super) struct Page {
    pub(super) title: &'static str,
    pub(super) style: &'static str,
    pub(super) style_hash: &'static str,
    pub(super) script: &'static str,
    pub(super) script_hash: &'static str,
}

impl Page {
    pub(super) fn new(title: &'static str) -> Self {
        Self {
            title,
            style: include_str!("page.css"),
            style_hash: "sha256-NzmzzepwA6hJDcDTn/QiPO03sIJEwjwK+5cz+7U432o=",
            script: include_str!("page.js"),
            script_hash: "sha256-54sm4bRk8SyW2K2sJLnlqjFeGPXwMXxJbj0bb95Vfos=",
        }
    }
}

/// Text without characters that a browser displays as other text, such as marks that change the text direction.
pub(super) fn visible(text: &str) -> String {
    escape_line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::Page;
    use sha2::{Digest as _, Sha256};

    /// Base64 of bytes (RFC 4648).
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let chunk = |bytes: &[u8]| {
            let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | usize::from(bytes.get(at).copied().unwrap_or(0)));
            let letter =
                |at: usize| if at > bytes.len() { '=' } else { char::from(LETTERS[bits >> (18 - 6 * at) & 63]) };
            (0..4).map(letter).collect::<String>()
        };
        bytes.chunks(3).map(chunk).collect()
    }

    #[test]
    fn the_policy_has_the_hashes_of_style_and_script() {
        assert_eq!(base64(b"hell"), "aGVsbA==");
        let page = Page::new("a");
        let hash = |text: &str| format!("sha256-{}", base64(&Sha256::digest(text)));
        assert_eq!((page.style_hash, page.script_hash), (hash(page.style).as_str(), hash(page.script).as_str()));
    }
}
