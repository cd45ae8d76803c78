#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostnet_fuzz::fuzz::schemas(data));
