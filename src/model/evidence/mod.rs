//! Evidence: what shows that a process of a container listens on a number, and what tells it that number.
//!
//! A number of a manifest may be a port that a process listens on, a port of somebody else, or not a port at all. Two
//! questions are answered apart:
//!
//! - **Does a process of this container listen on it?** Every [`Witness`] has a [`Weight`]. A listener has a witness that is
//!   certain or strong; what only a guess speaks for is a [`Guess`], and is left alone.
//! - **What tells it the number?** What the catalogue, `bind` or a config file of the catalogue says; a text in a form that only
//!   a process that listens has; a listen name with the number of a listener that another witness shows. What speaks
//!   against a text is heard first: an [`Objection`].
//!
//! After a planned move the old number must not stand in any other text of the container, unless the text is explained
//! (`leftover`).
//!
//! | file | holds |
//! |---|---|
//! | `witness` | witnesses and their weights |
//! | `setting` | the flags and variables of a container, and the numbers in them |
//! | `settings`, `siblings`, `spans`, `expanded` | all of a container, by name, number, host, place and use |
//! | `word`, `shell` | words of commands and scripts, and where each part is written |
//! | `names` | what the words of a flag's or variable's name say |
//! | `address`, `numbers` | the forms of ports in values and in texts |
//! | `hosts` | whose a host is |
//! | `against` | what speaks against a text |
//! | `leftover` | the old number in other texts |

mod address;
mod against;
mod expanded;
mod hosts;
mod leftover;
mod names;
mod numbers;
mod setting;
mod settings;
mod shell;
mod siblings;
mod spans;
mod witness;
mod word;

pub use address::{Form, addresses};
pub use against::Objection;
pub use setting::{PortSetting, Setting, port_settings, settings, switch};
pub use witness::{Guess, Weight, Witness, Witnesses};
pub use word::TextPlace;

pub(in crate::model) use address::{form_of_host, listen_value};
pub(in crate::model) use against::{Others, Surroundings};
pub(in crate::model) use hosts::{Whose, hosts_of, of_literal, variable_of};
pub(in crate::model) use leftover::{Leftover, Texts, shown};
pub(in crate::model) use names::{Name, Stem};
pub(in crate::model) use numbers::{host_before, is_whole, mentioned_ports, numbers, whole_numbers};
pub(in crate::model) use setting::{container_words, exec_words, settings_of};
pub(in crate::model) use settings::Settings;
pub(in crate::model) use word::Word;
