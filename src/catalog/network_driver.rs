//! Drivers of Dynamic Resource Allocation that give network devices to pods.

use super::data;

/// Driver that gives a network device to the network of a pod.
#[derive(Debug, PartialEq, Eq)]
pub struct NetworkDriver {
    /// Name of the driver.
    pub driver: &'static str,
    /// Parameter without which a device is no part of the pod's network; `None` if all devices are.
    pub parameter: Option<&'static str>,
    /// Effect of the host network, as a clause for messages.
    pub effect: &'static str,
}

/// Returns all network drivers.
pub fn network_drivers() -> &'static [NetworkDriver] {
    data::NETWORK_DRIVERS
}
