//! `hostnet` moves Kubernetes workloads to the host network.

pub mod yaml;
