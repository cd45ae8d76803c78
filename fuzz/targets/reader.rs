//! Compares the fast reader with granit: the same tree and spans, or no tree in both.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        lossless_yaml::compare(text).unwrap();
    }
});
