//! Words in names of flags and variables: evidence for or against a port setting.

use super::data;

/// Word lists of `catalog/words.yaml`.
#[derive(Debug)]
pub struct Words {
    /// Words in names of listen addresses.
    pub listen: &'static [&'static str],
    /// Words in names of addresses of other servers, such as peers and upstreams. A name with such
    /// a word is not the name of a listen address.
    pub other: &'static [&'static str],
    /// Words in names of addresses that a program announces: they never set a port.
    pub advertised: &'static [&'static str],
    /// Words in names of addresses that clients dial: an address of the pod itself under such a name sets no port.
    pub dialled: &'static [&'static str],
    /// Words in names of addresses that clients dial, if the address is a loopback address.
    pub servers: &'static [&'static str],
    /// Whole names of variables with the address that a command-line client dials.
    pub clients: &'static [&'static str],
    /// Last words in names of URLs at which the program itself listens.
    pub listen_urls: &'static [&'static str],
    /// Words of `other` that also occur in names of the program's own addresses.
    pub own_addresses: &'static [&'static str],
    /// Words in names of numbers that are not ports: a count, a time, a size, a switch.
    pub not_ports: &'static [&'static str],
    /// Words that end in `port` but do not mean a port.
    pub end_in_port: &'static [&'static str],
    /// Last words in names of hosts.
    pub hosts: &'static [&'static str],
    /// Ends of names that hold a host if their value is a host name with several labels, or names a Service.
    pub host_labels: &'static [&'static str],
    /// Ends of names that hold a host only if their value names a Service.
    pub service_labels: &'static [&'static str],
    /// Whole names of remote addresses to which a plain `--port` of the same command belongs.
    pub remotes: &'static [&'static str],
    /// Suffixes in names of public addresses, at which clients reach the program.
    pub public_names: &'static [&'static str],
    /// Words for protocols between the stem of a name and `port`, as in `DB_TCP_PORT`.
    pub protocols: &'static [&'static str],
    /// General words for a program, such as `server`: they do not show the purpose of its port.
    pub general: &'static [&'static str],
    /// Words for programs that an operator may create, such as `app`.
    pub products: &'static [&'static str],
    /// Words for ports that any program may have, such as `admin`.
    pub aspects: &'static [&'static str],
    /// Words in names of annotations for ports of other programs.
    pub outbound: &'static [&'static str],
    /// Words in names of annotations whose numbers count something.
    pub counters: &'static [&'static str],
    /// Last words of flags and variables that hold options, such as `args`.
    pub option_ends: &'static [&'static str],
    /// Other words of variables with options for the process itself, such as `java` in `JAVA_OPTS`.
    pub own_options: &'static [&'static str],
    /// Words that show the transport protocol of an address.
    pub transports: &'static [Transport],
    /// Last segments of image paths that many different programs share.
    pub common_images: &'static [&'static str],
    /// Words that show the role of a listener.
    pub roles: &'static [RoleWords],
}

impl Words {
    /// True if a name may belong to an address. Variables with other names are read only if their value is an address.
    pub fn may_be_address(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        // Short words such as `ip` count only as a suffix.
        let has_word = |word: &str| if word.len() > 3 { name.contains(word) } else { name.ends_with(word) };
        self.listen.iter().any(|word| name.contains(word)) || self.hosts.iter().any(|word| has_word(word))
    }

    /// True if a name ends like the name of a host or of a Service.
    pub fn may_name_a_host(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let last = |label: &'static str| label.rsplit('-').next().unwrap_or(label);
        self.host_labels.iter().chain(self.service_labels).any(|label| name.ends_with(last(label)))
    }
}

/// Words that show the transport protocol of an address.
#[derive(Debug)]
pub struct Transport {
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Names of the transport protocol, in URL schemes and names.
    pub names: &'static [&'static str],
    /// Names of application protocols that use the transport protocol.
    pub words: &'static [&'static str],
    /// Commands that dial with the protocol; some only with the flag that follows the program.
    pub commands: &'static [&'static str],
}

/// Words that show a role.
#[derive(Debug)]
pub struct RoleWords {
    /// Role of the listener.
    pub role: &'static str,
    /// Words for the role.
    pub words: &'static [&'static str],
}

/// Returns the word lists.
pub static WORDS: &Words = &data::WORDS;
