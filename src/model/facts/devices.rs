//! Devices of network drivers in classes and claims (Dynamic Resource Allocation).

use crate::catalog::{NetworkDriver, network_drivers};
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Pattern};

/// API group of classes and claims of devices.
pub const RESOURCE_GROUP: &str = "resource.k8s.io";

/// Driver and classes of the devices that an object selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Devices {
    /// Network driver of the devices; `None` if only their class may show the driver.
    pub driver: Option<&'static NetworkDriver>,
    /// Names of the classes.
    pub classes: Vec<Box<str>>,
}

/// Places of requests in a claim.
const REQUESTS: [&str; 3] = ["requests[]", "requests[].exactly", "requests[].firstAvailable[]"];

impl Devices {
    /// Reads a `DeviceClass`, `ResourceClaim` or `ResourceClaimTemplate`; `None` for other kinds, and without a network
    /// driver or class.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let below = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            (RESOURCE_GROUP, "DeviceClass") => "spec",
            (RESOURCE_GROUP, "ResourceClaim") => "spec.devices",
            (RESOURCE_GROUP, "ResourceClaimTemplate") => "spec.spec.devices",
            _ => return None,
        };
        let texts = |path: &str| {
            let found = Pattern::new(&format!("{below}.{path}")).find(object).collect::<Vec<_>>();
            found.into_iter().filter_map(|found| found.node.text().map(Box::<str>::from))
        };
        let selectors =
            || REQUESTS.into_iter().flat_map(|request| texts(&format!("{request}.selectors[].cel.expression")));
        let drivers = texts("config[].opaque.driver").chain(texts("selectors[].cel.expression")).chain(selectors());
        let mut drivers = drivers.filter_map(|text| network_driver(&text));
        let has_parameter = |driver: &&NetworkDriver| {
            let set = |key| texts(&format!("config[].opaque.parameters.{key}")).next().is_some();
            driver.parameter.is_none_or(set)
        };
        let driver = drivers.find(has_parameter);
        let classes = REQUESTS.into_iter().flat_map(|request| texts(&format!("{request}.deviceClassName")));
        let found = Self { driver, classes: classes.collect() };
        (found.driver.is_some() || !found.classes.is_empty()).then_some(found)
    }
}

/// Network driver that a text names: the name alone, or the name in quotes in an expression.
fn network_driver(text: &str) -> Option<&'static NetworkDriver> {
    let names = |row: &&NetworkDriver| {
        let driver = row.driver;
        let quoted = ['"', '\''].map(|quote| format!("{quote}{driver}{quote}"));
        text == driver || quoted.iter().any(|name| text.contains(name) && !text.contains(&format!("!= {name}")))
    };
    network_drivers().iter().find(names)
}

/// Network driver that the name of a class shows, as classes often have the name of their driver; `None` for a driver
/// that needs a parameter.
pub fn driver_of_class_name(class: &str) -> Option<&'static NetworkDriver> {
    network_driver(class).filter(|driver| driver.parameter.is_none())
}
