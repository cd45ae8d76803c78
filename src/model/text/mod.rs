//! Texts: numbers, words, hosts and addresses in them, independent of containers.

pub mod address;
mod hash;
mod here_document;
mod host;
mod host_name;
mod labels;
mod lines;
mod loopback;
mod name;
mod nesting;
mod number;
mod numbers;
mod own_host;
mod own_host_name;
mod placeholder;
mod shell;
pub mod transport;
mod word;
mod words;

pub use address::{Form, addresses};
pub use hash::{fnv_1a, short_hash};
pub use host::is_loopback_host;
pub use host_name::{filled, hosts_in};
pub use labels::Labels;
pub(in crate::model) use loopback::has_host_placeholder;
pub use loopback::{has_loopback_placeholder, listens_on_placeholder};
pub use number::{Number, listed_ports, port};
pub use numbers::may_be_own_port;
pub use own_host_name::{HOST_NAME_VARIABLE, HostNameRead, host_name_reads};
pub use placeholder::{
    PLACEHOLDER_MARKS, can_become, default_of_placeholder, defaults_to, holds_placeholder, is_empty_by_default,
    is_placeholder, is_template, may_be_filled_in, may_become_port, variables,
};
pub use shell::script_of;
pub use word::TextPlace;
pub use words::words;

pub(in crate::model) use address::{Address, form_of_host, listen_value};
pub(in crate::model) use host::{HostKind, hosts_of, literal_host_kind, literal_ip, variable_in_host};
pub(in crate::model) use host_name::{host_of, labels};
pub(in crate::model) use lines::{any_addresses, is_comment, numbers_by_line, shown_lines};
pub(in crate::model) use loopback::{is_filled_in, is_loopback_end};
pub(in crate::model) use name::{Name, Stem};
pub(in crate::model) use number::is_word;
pub(in crate::model) use numbers::{host_before, is_alone, is_whole, numbers, whole_numbers};
pub(in crate::model) use own_host::{is_own_host, is_own_port, names_own_host, own_places, own_ports, places};
pub(in crate::model) use shell::script_words;
pub(in crate::model) use transport::Commands;
pub(in crate::model) use word::Word;
pub(in crate::model) use words::is_port_key;
