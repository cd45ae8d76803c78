//! Names of flags and variables, classified by their words.

use super::words::words;
use crate::catalog;

/// Name of a flag or variable, split into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Name(Vec<String>);

/// Words of a name that identify the owner of an address: `redis` in `REDIS_HOST` and `REDIS_PORT`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::model) struct Stem(Vec<String>);

impl Name {
    pub(in crate::model) fn new(name: &str) -> Self {
        // `-Dserver.port` sets the Java property `server.port`.
        let name = name.strip_prefix("-D").filter(|rest| rest.starts_with(|c: char| c.is_lowercase())).unwrap_or(name);
        Self(words(name))
    }

    /// True if the name contains one of these words.
    fn has(&self, list: &[&str]) -> bool {
        self.0.iter().any(|word| list.contains(&word.as_str()))
    }

    /// True if the name contains a listen word (`listen` in `catalog/words.yaml`), whatever its other words.
    pub(in crate::model) fn has_listen_word(&self) -> bool {
        self.has(catalog::WORDS.listen)
    }

    /// True if the name contains a listen word or a word that ends in `port`: `PGPORT`, `HTTPPORT2`.
    pub(in crate::model) fn may_be_port(&self) -> bool {
        self.has_listen_word() || self.0.iter().any(|word| prefix_before_port(word).is_some())
    }

    /// True if the name contains a word for another program (`other` in `catalog/words.yaml`).
    pub(in crate::model) fn has_other_program_word(&self) -> bool {
        self.has(catalog::WORDS.other)
    }

    /// True if an address under this name belongs to another program, and not to the pod (`ownAddresses` in
    /// `catalog/words.yaml`).
    pub(in crate::model) fn has_address_of_other_program(&self) -> bool {
        let known = catalog::WORDS;
        let is_of_other_program = |word: &str| known.other.contains(&word) && !known.own_addresses.contains(&word);
        self.0.iter().any(|word| is_of_other_program(word))
    }

    /// True if the words of the name are the stem: `upstream` for `upstream-port`.
    pub(in crate::model) fn equals_stem(&self, stem: &Stem) -> bool {
        !stem.is_empty() && self.0 == stem.0
    }

    /// True if a number under this name in another container may be the port of a listener: the
    /// name may belong to a port, and not to another number.
    pub(in crate::model) fn may_be_port_of_neighbour(&self) -> bool {
        self.is_listen() || (self.may_be_port() && self.not_port().is_none())
    }

    /// True for a listen name: it contains a listen word, and no word for another program.
    pub(in crate::model) fn is_listen(&self) -> bool {
        self.has_listen_word() && !self.has_other_program_word()
    }

    /// True if the name contains `listen`, `listener`, `listeners`, `listening` or `bind`; only servers have such settings.
    pub(in crate::model) fn contains_listen(&self) -> bool {
        self.has(&["listen", "listener", "listeners", "listening", "bind"])
    }

    /// True for the name of an address that the program announces to others: `--advertise-addr`, `ANNOUNCED_PORT`.
    pub(in crate::model) fn is_advertised(&self) -> bool {
        self.has(catalog::WORDS.advertised)
    }

    /// True for the name of an address that clients dial: `--public-addr`, `VAULT_ADDR`.
    pub(in crate::model) fn is_dialled(&self) -> bool {
        self.has(catalog::WORDS.dialled) || catalog::WORDS.clients.contains(&self.0.join("-").as_str())
    }

    /// True if the name contains a word for a server: a loopback address under it is dialled. `--server-port` names a
    /// port of the process itself.
    pub(in crate::model) fn has_server_word(&self) -> bool {
        let is_port = self.0.last().is_some_and(|last| matches!(last.as_str(), "port" | "ports"));
        self.has(catalog::WORDS.servers) && !is_port
    }

    /// True for a name whose last word is a URL, most often of another program: `--prometheus-url`.
    pub(in crate::model) fn ends_with_url(&self) -> bool {
        self.0.last().is_some_and(|last| matches!(last.as_str(), "url" | "urls" | "uri" | "uris"))
    }

    /// True for the name of URLs at which the program itself listens: `ASPNETCORE_URLS`.
    pub(in crate::model) fn has_listen_urls(&self) -> bool {
        self.contains_listen() || self.0.last().is_some_and(|last| catalog::WORDS.listen_urls.contains(&last.as_str()))
    }

    /// True if the end of the name is typical for ports: `metrics-port`, `PORT_NUMBER`, `PORT_HTTPS`, `port-metrics`;
    /// false for `port-range`.
    pub(in crate::model) fn has_port_suffix(&self) -> bool {
        let known = catalog::WORDS;
        let is_port_suffix = |word: &str| {
            word == "number"
                || known.protocols.contains(&word)
                || known.roles.iter().any(|role| role.words.contains(&word))
        };
        match self.0.as_slice() {
            [.., port, last] if is_port(port) && is_port_suffix(last) => true,
            [.., last] => catalog::WORDS.listen.contains(&last.as_str()),
            [] => false,
        }
    }

    /// Returns the word that port names do not have: `timeout`, `max`.
    pub(in crate::model) fn not_port(&self) -> Option<&str> {
        let unit = |word: &str| matches!(word, "ms" | "sec" | "secs" | "kb" | "mb");
        let is_not_port = |(index, word): &(usize, &String)| {
            // A unit counts only as the last word: `MB_JETTY_PORT` is a port of Metabase.
            catalog::WORDS.not_ports.contains(&word.as_str()) && (!unit(word) || index + 1 == self.0.len())
        };
        self.0.iter().enumerate().find(is_not_port).map(|(_, word)| word.as_str())
    }

    /// True if the setting is a default, which the process may never use.
    pub(in crate::model) fn is_default(&self) -> bool {
        self.0.iter().any(|word| word.ends_with("default"))
    }

    /// Returns the stems of a port name, longest first: the words before the last `port`, then without the protocols at
    /// their end (`DB_TCP_PORT` belongs to `DB_HOST`).
    pub(in crate::model) fn port_stems(&self) -> Vec<Stem> {
        let listens = |word: &String| catalog::WORDS.listen.contains(&word.as_str());
        if let Some((last, rest)) = self.0.split_last()
            && let Some(prefix) = prefix_before_port(last)
        {
            return vec![Stem(rest.iter().cloned().chain([prefix.to_owned()]).collect())];
        }
        let last = self.0.iter().rposition(|word| is_port(word)).or_else(|| self.0.iter().rposition(listens));
        let Some(mut stem) = last.and_then(|last| self.0.get(..last)) else { return Vec::new() };
        let mut stems = vec![Stem(stem.to_vec())];
        while let Some((last, rest)) = stem.split_last()
            && catalog::WORDS.protocols.contains(&last.as_str())
        {
            stem = rest;
            stems.push(Stem(stem.to_vec()));
        }
        stems
    }

    /// Returns the stem of the name of a host or address; `None` for every other name.
    pub(in crate::model) fn host_stem(&self) -> Option<Stem> {
        let words = catalog::WORDS;
        if words.remotes.contains(&self.0.join("-").as_str()) {
            return Some(Stem(Vec::new()));
        }
        let (last, stem) = self.0.split_last()?;
        if words.hosts.contains(&last.as_str()) {
            return Some(Stem(stem.to_vec()));
        }
        // `PGHOST` belongs to `PGPORT`.
        let prefix = last.strip_suffix("host").filter(|prefix| !prefix.is_empty())?;
        Some(Stem(stem.iter().cloned().chain([prefix.to_owned()]).collect()))
    }

    /// Returns the stems of a name whose value may be a host: the words before an end in `hostLabels` or
    /// `serviceLabels`, or all words. A stem has true if its value is a host only if it names a Service.
    pub(in crate::model) fn label_stems(&self) -> Vec<(Stem, bool)> {
        let words = catalog::WORDS;
        let stem = |label: &str| Some(Stem(self.words_before(label)?.to_vec()));
        let hosts = words.host_labels.iter().filter_map(|label| Some((stem(label)?, false)));
        let services = words.service_labels.iter().filter_map(|label| Some((stem(label)?, true)));
        hosts.chain(services).chain([(Stem(self.0.clone()), true)]).collect()
    }

    /// Returns the words before a label such as `service-name`; `None` if the name does not end with the label, or is
    /// the label.
    fn words_before(&self, label: &str) -> Option<&[String]> {
        let count = label.split('-').count();
        let (before, end) = self.0.split_at_checked(self.0.len().checked_sub(count)?)?;
        (!before.is_empty() && label.split('-').eq(end.iter().map(String::as_str))).then_some(before)
    }

    /// True if the value may be a host, by the end of the name.
    pub(in crate::model) fn may_hold_host(&self) -> bool {
        let words = catalog::WORDS;
        let mut labels = words.host_labels.iter().chain(words.service_labels);
        self.host_stem().is_some() || labels.any(|label| self.words_before(label).is_some())
    }

    /// True if the setting is the public address of the program: `--web.external-url`, `ISSUER_URL`.
    pub(in crate::model) fn is_public(&self) -> bool {
        catalog::WORDS.public_names.iter().any(|name| {
            let wanted: Vec<&str> = name.split('-').collect();
            self.0.iter().rev().map(String::as_str).take(wanted.len()).eq(wanted.into_iter().rev())
        })
    }

    /// True if all words are protocols or roles: `http`, `metrics`.
    pub(in crate::model) fn is_generic(&self) -> bool {
        let known = catalog::WORDS;
        self.0.iter().all(|word| {
            let word = word.as_str();
            known.protocols.contains(&word) || known.roles.iter().any(|role| role.words.contains(&word))
        })
    }

    /// Returns the purposes of the port: all words except listen words, words for announced addresses, protocols and
    /// general words such as `server`. A word of a role counts as the role: `PROM_ADDR` and `--metrics-port` have the
    /// purpose `metrics`, and `GRPC_PORT` the purpose `grpc`. A `listener` with a role is a program: `--listener-metrics-addr`.
    pub(in crate::model) fn purposes(&self) -> impl Iterator<Item = &str> {
        let known = catalog::WORDS;
        let role = |word: &str| known.roles.iter().find(|row| row.words.contains(&word)).map(|row| row.role);
        let words = self.0.iter().enumerate().map(|(at, word)| (at, prefix_before_port(word).unwrap_or(word)));
        let words = words.filter(move |(at, word)| {
            let plain = [known.listen, known.protocols, known.general, known.advertised];
            let has_role = || self.0.get(at + 1).is_some_and(|next| role(next).is_some());
            let is_program = matches!(*word, "listener" | "listeners") && has_role();
            *word != "number" && (is_program || role(word).is_some() || !plain.iter().any(|list| list.contains(word)))
        });
        words.map(move |(_, word)| role(word).unwrap_or(word))
    }

    /// Returns the words for programs that an operator may make: `app` in `APP_PORT`.
    pub(in crate::model) fn products(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str).filter(|word| catalog::WORDS.products.contains(word))
    }

    /// True for the name of an annotation whose numbers are no ports of the pods: ports of other programs, or counts.
    pub(in crate::model) fn is_not_own_port_annotation(&self) -> bool {
        let words = catalog::WORDS;
        let counts = || self.has(words.counters) || self.not_port().is_some();
        self.has(words.outbound) || !self.has_listen_word() && counts()
    }

    /// True for the name of an annotation with the port of an Ingress' backend pods: `health-probe-port`.
    pub(in crate::model) fn is_port_of_backend(&self) -> bool {
        let is_health = |word: &String| {
            let mut roles = catalog::WORDS.roles.iter().filter(|row| row.role == "health");
            roles.any(|row| row.words.contains(&word.as_str()))
        };
        self.0.iter().any(|word| is_port(word)) && (self.has_other_program_word() || self.0.iter().any(is_health))
    }

    /// True for the name of a flag whose value is options for another program: `--sidecar-args`. False for options of the
    /// runtime, such as `--jvm-args`.
    pub(in crate::model) fn passes_options(&self) -> bool {
        let words = catalog::WORDS;
        let is_end = self.0.last().is_some_and(|last| words.option_ends.contains(&last.as_str()));
        let is_own = |word: &String| word != "extra" && words.own_options.contains(&word.as_str());
        is_end && self.0.len() > 1 && !self.0.iter().any(is_own)
    }

    /// Returns a word of a variable that shows that its options are for another program: `runner` in `RUNNER_ARGS`, but
    /// none in `JAVA_OPTS` and `WEBHOOK_ARGS`. Words of `own`, the names of this program, do not show another program.
    pub(in crate::model) fn program_of_options(&self, own: &[Self]) -> Option<&str> {
        let words = catalog::WORDS;
        let is_plain = |word: &&str| {
            let is_role = || words.roles.iter().any(|row| row.role == *word);
            let is_own = || own.iter().any(|name| name.0.iter().any(|own| own == word));
            words.option_ends.contains(word) || words.own_options.contains(word) || is_role() || is_own()
        };
        self.purposes().find(|word| !is_plain(word))
    }

    /// Removes the words of another name from the start: `SHOP_METRICS_PORT` of program `shop` becomes `METRICS_PORT`.
    pub(in crate::model) fn without_prefix_words(&self, start: &Self) -> Self {
        Self(start.end_in(&self.0).and_then(|end| self.0.get(end..)).unwrap_or(&self.0).to_vec())
    }

    /// Number of words at the start of a list that have the letters of this name: `N8N_HOST` starts with `n8n`, although
    /// it is split into `n8`, `n` and `host`. `None` for another start, and for a name without words.
    fn end_in(&self, list: &[String]) -> Option<usize> {
        let name = self.0.concat();
        let mut rest = name.as_str();
        for (index, word) in list.iter().enumerate() {
            rest = rest.strip_prefix(word.as_str())?;
            if rest.is_empty() {
                return Some(index + 1);
            }
        }
        None
    }

    /// True if a word equals one of these words, or is part of all words joined: `shipping` in `shippingservice`.
    pub(in crate::model) fn is_in(&self, word: &str) -> bool {
        self.0.iter().any(|own| own == word) || (word.len() > 2 && self.0.concat().contains(word))
    }

    /// All runs of adjacent words.
    pub(in crate::model) fn parts(&self) -> impl Iterator<Item = &[String]> {
        (1..=self.0.len()).flat_map(|count| self.0.windows(count))
    }

    /// True if the name contains all words of an object name, adjacent and in order: `PAYMENTS_DB_PORT` names Service
    /// `payments-db`.
    pub(in crate::model) fn names(&self, object: &str) -> bool {
        let wanted = words(object);
        !wanted.is_empty() && self.0.windows(wanted.len()).any(|part| part == wanted)
    }
}

impl Stem {
    /// Stem of a name such as `HOST` or `PORT`, which does not identify the owner of an address.
    pub(in crate::model) fn empty() -> Self {
        Self(Vec::new())
    }

    /// All starts of the stem, longest first, including the stem itself: `CLICKHOUSE_HOST` also belongs to
    /// `CLICKHOUSE_NATIVE_PORT`.
    pub(in crate::model) fn starts(&self) -> impl Iterator<Item = Self> {
        (0..=self.0.len()).rev().filter_map(|end| self.0.get(..end).map(|words| Self(words.to_vec())))
    }

    /// True if the stem shows no other program: it is general, or starts with the name of the program itself.
    pub(in crate::model) fn belongs_to(&self, own_names: &[Name]) -> bool {
        self.is_general() || self.starts_with_one_of(own_names)
    }

    /// True for a stem of only words for roles, protocols and programs in general: `app`, `http`.
    pub(in crate::model) fn is_general(&self) -> bool {
        let known = catalog::WORDS;
        let plain = |word: &String| {
            let lists = [known.protocols, known.general];
            lists.iter().any(|list| list.contains(&word.as_str()))
                || known.roles.iter().any(|role| role.words.contains(&word.as_str()))
        };
        self.0.iter().all(plain)
    }

    /// True if the stem starts with all words of one of these names.
    pub(in crate::model) fn starts_with_one_of(&self, names: &[Name]) -> bool {
        names.iter().any(|name| name.end_in(&self.0).is_some())
    }

    /// True for the stem of `HOST` or `PORT`, which does not identify the owner of an address.
    pub(in crate::model) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn is_port(word: &str) -> bool {
    matches!(word, "port" | "ports")
}

/// Returns the part of a word before `port`: `pg` in `pgport`, `http` in `httpport2`.
fn prefix_before_port(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let prefix = word.strip_suffix("ports").or_else(|| word.strip_suffix("port"))?;
    (!prefix.is_empty() && !catalog::WORDS.end_in_port.contains(&word)).then_some(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(name: &str) -> Vec<String> {
        Name::new(name).port_stems().into_iter().map(|stem| stem.0.join(" ")).collect()
    }

    fn host(name: &str) -> Option<String> {
        Name::new(name).host_stem().map(|stem| stem.0.join(" "))
    }

    #[test]
    fn port_and_host_names_with_one_stem_are_paired() {
        assert_eq!(stems("REDIS_PORT"), ["redis"]);
        assert_eq!(stems("REDIS_PORT_NUMBER"), ["redis"]);
        assert_eq!(stems("REDIS_TCP_PORT"), ["redis tcp", "redis"]);
        assert_eq!(stems("--port"), [""]);
        assert_eq!(stems("HTTP_PORT"), ["http", ""]);
        assert_eq!(stems("--listen-address"), ["listen"]);
        assert_eq!(stems("--verbose"), [""; 0]);
        assert_eq!(host("REDIS_HOST").as_deref(), Some("redis"));
        assert_eq!(host("--redis-addresses").as_deref(), Some("redis"));
        assert_eq!(host("--upstream").as_deref(), Some(""));
        assert_eq!(host("--service-name").as_deref(), Some(""));
        assert_eq!(host("HOST").as_deref(), Some(""));
        assert_eq!(host("REDIS_PORT"), None);
        assert_eq!(stems("-Dspring.redis.port"), ["spring redis"]);
        assert_eq!((stems("PGPORT"), host("PGHOST")), (vec!["pg".to_owned()], Some("pg".to_owned())));
        assert_eq!(stems("--cache-support"), [""; 0]);
    }

    #[test]
    fn the_words_of_a_name_show_a_port() {
        let listen = |name: &str| Name::new(name).is_listen();
        assert!(listen("--webhookServerPort") && listen("METRICS_BIND_ADDRESS") && listen("--web.listen-address"));
        assert!(!listen("--server") && !listen("--servicePort") && !listen("REDIS_PORT") && !listen("--concurrency"));
        let ends = |name: &str| Name::new(name).has_port_suffix();
        assert!(ends("--metrics-port") && ends("HTTP_PORT_NUMBER") && ends("--listen"));
        assert!(ends("INGRESS_PORT_HTTPS") && ends("--port-metrics"));
        assert!(!ends("--port-range") && !ends("ORDER_NUMBER") && !ends("-"));
        assert_eq!(Name::new("--listen-timeout").not_port(), Some("timeout"));
        assert_eq!(Name::new("--secure-port").not_port(), None);
        assert_eq!((Name::new("MB_JETTY_PORT").not_port(), Name::new("CACHE_MB").not_port()), (None, Some("mb")));
    }

    #[test]
    fn a_text_names_an_object_by_all_words_of_its_name() {
        assert!(Name::new("PAYMENTS_DB_PORT").names("payments-db") && Name::new("DB_PORT").names("db"));
        assert!(!Name::new("DB_PORT").names("payments-db") && !Name::new("PORT").names(""));
    }
}
