//! Hosts of other programs in the flags and variables of a container, by the stems of the setting names.

use std::collections::{BTreeSet, HashMap};

use super::types::Setting;
use crate::model::text::{Name, Stem, hosts_of};

/// Hosts in the settings of a container by stem; the first host of each stem counts.
#[derive(Debug, Default)]
pub(in crate::model) struct SettingHosts {
    by_stem: HashMap<Stem, FirstHosts>,
    /// Hosts in settings such as `AUTH_NAME=authd`, where only the value shows that it is a host.
    by_label: HashMap<Stem, FirstHosts>,
    /// Hosts of `-h` and `-H`, which belong to `-p` and `-P` whatever their values.
    short: FirstHosts,
    /// Services of the pod and loopback addresses in host settings, by stem and command line.
    own_hosts: HashMap<Stem, HashMap<Option<usize>, BTreeSet<String>>>,
}

/// Host of another program, and the position of its setting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) struct Host {
    pub(in crate::model) setting: usize,
    pub(in crate::model) host: String,
}

/// First host of all, and the first one of each command line. Variables of the container have no command line.
#[derive(Debug, Default)]
struct FirstHosts {
    of_all: Option<Host>,
    of_command: HashMap<Option<usize>, Host>,
}

impl FirstHosts {
    /// Adds a host, unless an earlier host of the command is known.
    fn add(&mut self, command: Option<usize>, host: &Host) {
        self.of_all.get_or_insert_with(|| host.clone());
        self.of_command.entry(command).or_insert_with(|| host.clone());
    }

    /// First host for the command line of a setting; variables of the container apply to all command lines.
    fn host_for(&self, setting: &Setting) -> Option<&Host> {
        match setting.command {
            None => self.of_all.as_ref(),
            own => self.of_command.get(&own).into_iter().chain(self.of_command.get(&None)).min(),
        }
    }
}

impl SettingHosts {
    /// Host of another program that the command line of a setting dials, by `--host` or `-h`. Variables of the
    /// container do not count.
    pub(in crate::model) fn host_dialled_by_command(&self, setting: &Setting) -> Option<&Host> {
        let own = setting.command.filter(|_| !setting.variable)?;
        let named = self.by_stem.get(&Stem::empty());
        [named, Some(&self.short)].into_iter().flatten().filter_map(|firsts| firsts.of_command.get(&Some(own))).min()
    }

    /// Collects the hosts. `another_host` returns the host of another program in a setting; `is_own_host` is true for a
    /// Service of the pod and for the loopback; `labelled` returns the host of another program in a setting whose name
    /// is not the name of a host, with each stem of the name.
    pub(in crate::model) fn new(
        settings: &[Setting],
        another_host: impl Fn(&Setting) -> Option<String>,
        is_own_host: impl Fn(&str) -> bool,
        labelled: impl Fn(&Setting) -> Vec<(Stem, String)>,
    ) -> Self {
        let mut found = Self::default();
        for (position, setting) in settings.iter().enumerate() {
            let stem = Name::new(&setting.name).host_stem();
            let is_short = matches!(setting.name.as_str(), "-h" | "-H");
            for (stem, host) in labelled(setting) {
                found.by_label.entry(stem).or_default().add(setting.command, &Host { setting: position, host });
            }
            if stem.is_none() && !is_short {
                continue;
            }
            if let Some(stem) = &stem {
                for host in setting.value.iter().flat_map(|value| hosts_of(value)).filter(|host| is_own_host(host)) {
                    let own = found.own_hosts.entry(stem.clone()).or_default();
                    own.entry(setting.command).or_default().insert(host.to_owned());
                }
            }
            let Some(host) = another_host(setting).map(|host| Host { setting: position, host }) else { continue };
            if let Some(stem) = stem {
                found.by_stem.entry(stem).or_default().add(setting.command, &host);
            }
            if is_short {
                found.short.add(setting.command, &host);
            }
        }
        found
    }

    /// First host of a stem that applies to a setting.
    pub(in crate::model) fn of_stem(&self, stem: &Stem, setting: &Setting) -> Option<&Host> {
        self.by_stem.get(stem)?.host_for(setting)
    }

    /// Like [`Self::of_stem`], for settings where only the value shows that it is a host.
    pub(in crate::model) fn first_host_by_label(&self, stem: &Stem, setting: &Setting) -> Option<&Host> {
        self.by_label.get(stem)?.host_for(setting)
    }

    /// Services of the pod and loopback addresses with a stem that apply to a setting.
    pub(in crate::model) fn own_hosts(&self, stem: &Stem, setting: &Setting) -> impl Iterator<Item = &str> {
        let own = setting.command;
        let of_stem = self.own_hosts.get(stem).into_iter().flatten();
        let of_same_command =
            of_stem.filter(move |(command, _)| own.is_none() || command.is_none() || **command == own);
        of_same_command.flat_map(|(_, hosts)| hosts).map(String::as_str)
    }

    /// First host of `-h` that applies to a setting.
    pub(in crate::model) fn short(&self, setting: &Setting) -> Option<&Host> {
        self.short.host_for(setting)
    }
}
