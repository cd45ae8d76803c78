//! Facts about a program's ports, from its source (`truth.yaml`).

use serde::Deserialize;

/// Facts about a project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Truth {
    pub(crate) project: String,
    pub(crate) version: String,
    pub(crate) containers: Vec<Container>,
    #[serde(default)]
    pub(crate) references: Vec<Reference>,
    #[serde(default)]
    pub(crate) not_references: Vec<NotReference>,
}

/// A container with the ports that its process binds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Container {
    pub(crate) container: Whose,
    #[serde(default)]
    pub(crate) listeners: Vec<Listener>,
    #[serde(default)]
    pub(crate) not_listeners: Vec<NotListener>,
}

/// `Kind/NAME/CONTAINER`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Whose {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) container: String,
}

impl TryFrom<String> for Whose {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.split('/').collect::<Vec<_>>()[..] {
            [kind, name, container] => {
                Ok(Self { kind: kind.to_owned(), name: name.to_owned(), container: container.to_owned() })
            }
            _ => Err(format!("`{text}` is not Kind/NAME/CONTAINER")),
        }
    }
}

impl Whose {
    /// `Kind/NAME`
    pub(crate) fn workload(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }
}

/// A number that a process binds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listener {
    pub(crate) number: u16,
    #[serde(default = "tcp")]
    pub(crate) protocol: String,
    /// In order of precedence: the last setting that the container has decides.
    pub(crate) settings: Vec<KnownSetting>,
    #[serde(default = "bare")]
    pub(crate) value: String,
    pub(crate) source: String,
    /// Remark for the reader.
    #[serde(default, rename = "why")]
    _why: Option<String>,
}

fn tcp() -> String {
    "TCP".to_owned()
}

fn bare() -> String {
    "{port}".to_owned()
}

/// A setting of a process' number: one of the three.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownSetting {
    pub(crate) arg: Option<String>,
    pub(crate) env: Option<String>,
    /// `FILE#path.to.field`
    pub(crate) config: Option<String>,
    /// Form of the value, if it differs from the listener's.
    pub(crate) value: Option<String>,
}

/// A text with a number that looks like a port, but that the process does not bind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotListener {
    /// Path below the container: `args[i]`, `command[i]`, `env.NAME`.
    pub(crate) at: String,
    pub(crate) number: u16,
    /// The part of the text that must not change, if another part sets the number of a listener.
    pub(crate) text: Option<String>,
    pub(crate) why: String,
    pub(crate) source: String,
}

/// A field that refers to a listener.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reference {
    pub(crate) object: String,
    pub(crate) at: String,
    pub(crate) means: Means,
    #[serde(default, rename = "why")]
    _why: Option<String>,
}

/// `Kind/NAME/CONTAINER:NUMBER`, with the suffix `/UDP` for UDP.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Means {
    pub(crate) whose: Whose,
    pub(crate) number: u16,
    pub(crate) protocol: String,
}

impl TryFrom<String> for Means {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (whose, port) = text.rsplit_once(':').ok_or_else(|| format!("`{text}` has no number"))?;
        let (number, protocol) = port.split_once('/').unwrap_or((port, "TCP"));
        let number = number.parse().map_err(|_| format!("`{text}` has no number"))?;
        Ok(Self { whose: whose.to_owned().try_into()?, number, protocol: protocol.to_owned() })
    }
}

/// A number that must not change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotReference {
    pub(crate) object: String,
    pub(crate) at: String,
    #[serde(default, rename = "why")]
    _why: Option<String>,
}

impl Truth {
    /// Returns the listener that a reference leads to.
    pub(crate) fn meant(&self, means: &Means) -> Option<&Listener> {
        let of_it = self.containers.iter().filter(|container| container.container == means.whose);
        let mut listeners = of_it.flat_map(|container| &container.listeners);
        listeners.find(|listener| listener.number == means.number && listener.protocol == means.protocol)
    }

    /// Returns `Kind/NAME` of every workload, without duplicates.
    pub(crate) fn workloads(&self) -> Vec<String> {
        let mut all: Vec<String> = self.containers.iter().map(|container| container.container.workload()).collect();
        all.sort();
        all.dedup();
        all
    }
}
