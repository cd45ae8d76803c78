//! The words of names that say whether a value is a port, and which.

use super::data;

/// The words of `catalog/words.yaml`.
#[derive(Debug)]
pub struct Words {
    /// Words of a name that says where to listen.
    pub listen: &'static [&'static str],
    /// Words that make such a name somebody else's address.
    pub other: &'static [&'static str],
    /// Words of a name that is not a port's: a count, a time, a size, a switch.
    pub not_ports: &'static [&'static str],
    /// Words that end in `port` and have nothing to do with one.
    pub end_in_port: &'static [&'static str],
    /// Last words of a name that says where somebody is.
    pub hosts: &'static [&'static str],
    /// Whole names that say where somebody else is, beside a bare `--port`.
    pub remotes: &'static [&'static str],
    /// Ends of names of the address at which others know the program.
    pub public_names: &'static [&'static str],
    /// Words between the stem of a name and `port` that say what is spoken there.
    pub protocols: &'static [&'static str],
    /// Words of a name that leave open whose port it is: what a program calls itself.
    pub general: &'static [&'static str],
    /// By which protocol an address is dialled.
    pub transports: &'static [Transport],
    /// Last segments of image paths that say nothing about the program.
    pub common_images: &'static [&'static str],
    /// Words that say what a listener is for.
    pub roles: &'static [RoleWords],
}

impl Words {
    /// Whether a name may be one of an address: a variable whose name is not is read only where its value is an address.
    #[must_use]
    pub fn may_be_address(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        // `ip` is in many a word, and says something at the end alone.
        let says = |word: &str| if word.len() > 3 { name.contains(word) } else { name.ends_with(word) };
        self.listen.iter().any(|word| name.contains(word)) || self.hosts.iter().any(|word| says(word))
    }
}

/// What says that an address is dialled by a protocol.
#[derive(Debug)]
pub struct Transport {
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Names of the protocol itself, in schemes and names.
    pub names: &'static [&'static str],
    /// Names of what is spoken on top of it.
    pub words: &'static [&'static str],
    /// Programs that dial by it, some only with the flag behind them.
    pub commands: &'static [&'static str],
}

/// The words that make a role.
#[derive(Debug)]
pub struct RoleWords {
    /// The role.
    pub role: &'static str,
    /// Its words.
    pub words: &'static [&'static str],
}

/// The words of names.
#[must_use]
pub fn words() -> &'static Words {
    &data::WORDS
}
