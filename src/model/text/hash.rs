//! A hash that is the same on every machine and in every version, for ports that `auto` assigns.

/// FNV-1a, 64 bits: the same on every machine and in every version.
pub fn fnv_1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Eight hexadecimal digits that depend only on the text, for names.
pub fn short_hash(text: &str) -> String {
    let hash = fnv_1a(text);
    format!("{:08x}", (hash ^ (hash >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the authors of FNV.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv_1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a("foobar"), 0x8594_4171_f739_67e8);
    }
}
