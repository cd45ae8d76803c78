//! Listeners whose port number is the number of another listener plus an offset.

use super::data;

/// Row of `catalog/followers.yaml`.
#[derive(Debug)]
pub struct Follower {
    /// Name of the port.
    pub name: &'static str,
    /// Flag with the number of the other listener.
    pub flag: &'static str,
    /// Number of the other listener without the flag.
    pub default: u16,
    /// Offset between both numbers.
    pub plus: u16,
    /// Flag of programs with the listener.
    pub enabled_by: &'static str,
    /// Value of this flag.
    pub value: &'static str,
    /// Flag that sets the port number directly, without the offset.
    pub set_by: &'static str,
}

/// Returns the listeners that follow others.
pub static FOLLOWERS: &[Follower] = data::FOLLOWERS;
