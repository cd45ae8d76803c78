#[path = "../tests/support/in_process.rs"]
pub(crate) mod in_process;
#[path = "../tests/support/patched.rs"]
pub(crate) mod patched;
