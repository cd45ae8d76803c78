//! Holders of the ports of nodes: the objects as a check reads them, joined with the listeners of a plan.

use super::read::CheckedModel;
use super::settings;
use crate::api::{HostNetworkCheckSpec, HostNetworkConfig};
use crate::check::{CheckContext, PackagePods};
use crate::host_network::PortRow;
use crate::port_map::PortMap;
use krm::{Input, ReadError};

/// Lists the holders of all ports of nodes. `rows` are the listeners of a plan of `config`; without a config nothing
/// moves.
pub fn port_map(
    inputs: &mut [Input],
    config: Option<&HostNetworkConfig>,
    rows: &[PortRow],
) -> Result<PortMap, ReadError> {
    let host_network = config.map(|config| &config.host_network.spec);
    let mut loaded = CheckedModel::load(inputs, Vec::new(), host_network);
    if !loaded.errors.is_empty() {
        return Err(loaded.errors.swap_remove(0).1);
    }
    let spec = HostNetworkCheckSpec::default();
    let settings = settings(&spec, host_network);
    let packages = PackagePods::new(&loaded.model, &loaded.facts, &loaded.inputs, &settings);
    let is_checked = vec![true; loaded.model.objects().len()];
    let context = CheckContext::new(&loaded.model, &packages, &loaded.facts, &loaded.inputs, &is_checked, settings);
    Ok(PortMap::new(&context, rows))
}
