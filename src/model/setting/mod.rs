//! Flags and variables of a container, and the port numbers in them.

mod exec;
mod expanded;
mod read;
mod remotes;
mod settings;
mod siblings;
mod spans;
mod types;
mod uses;
mod words;

pub use read::{UnreadSetting, open_addresses, port_settings, settings, switch, unread_setting};
pub use types::{PortSetting, Setting};

pub(in crate::model) use exec::ExecTexts;
pub(in crate::model) use read::expanded_variables;
pub(in crate::model) use settings::Settings;
pub(in crate::model) use siblings::{Host, SettingHosts};
pub(in crate::model) use uses::Uses;
pub(in crate::model) use words::container_words;
