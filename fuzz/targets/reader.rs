//! The fast reader against granit: the same tree, the same spans, or none.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        lossless_yaml::compare(text).unwrap();
    }
});
