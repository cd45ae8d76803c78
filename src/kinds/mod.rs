//! One file per function-config kind: in which order wire, model, plan and render are called.

pub mod check;
pub mod host_network;
pub mod patch;
pub mod pin;
pub mod reserve;
pub mod survey;
