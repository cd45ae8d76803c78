#[path = "../tests/support/dice.rs"]
pub(crate) mod dice;
#[path = "../tests/support/in_process.rs"]
pub(crate) mod in_process;
#[path = "../tests/support/json_schema.rs"]
pub(crate) mod json_schema;
#[path = "../tests/support/patched.rs"]
pub(crate) mod patched;
