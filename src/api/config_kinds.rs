//! The kinds of configs.

use super::host_network::HOST_NETWORK;
use super::host_network_check::HOST_NETWORK_CHECK;
use super::package_mirror::PACKAGE_MIRROR;
use super::proxy_environment::PROXY_ENVIRONMENT;

/// The kinds of this version.
pub const KINDS: [&str; 4] = [HOST_NETWORK, HOST_NETWORK_CHECK, PROXY_ENVIRONMENT, PACKAGE_MIRROR];

/// The kinds that change objects.
pub const CHANGING_KINDS: [&str; 3] = [HOST_NETWORK, PROXY_ENVIRONMENT, PACKAGE_MIRROR];
