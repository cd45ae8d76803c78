//! Every real manifest at hand and every valid case of the YAML test suite through the splice path: spans cook to
//! values, a scalar set to its own text changes no byte, and what is added and removed again leaves none.

mod cooker;
mod identity;
mod inputs;
mod refused;
mod spans;
