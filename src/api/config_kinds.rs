//! The kinds of configs.

use super::host_network::HOST_NETWORK;
use super::host_network_check::HOST_NETWORK_CHECK;
use super::proxy_environment::PROXY_ENVIRONMENT;

/// The kinds that this version knows.
pub const KINDS: [&str; 3] = [HOST_NETWORK, HOST_NETWORK_CHECK, PROXY_ENVIRONMENT];

/// The kinds that change objects.
pub const CHANGING_KINDS: [&str; 2] = [HOST_NETWORK, PROXY_ENVIRONMENT];
