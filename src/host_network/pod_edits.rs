//! Edits of a move in the pod itself: the declared port, and the setting of the process.

use super::additions::Additions;
use super::move_planner::MovePlanner;
use super::unbound;
use super::workload::Workload;
use crate::model::listener::{Binding, Listener};
use crate::model::pod::Container;
use crate::model::text::TextPlace;
use crate::plan::{Change, Edit, Finding, Message};
use crate::rule::{self, Severity};
use lossless_yaml::Value;

impl MovePlanner<'_, '_> {
    /// Edit of the `containerPort`; an undeclared listener is declared instead.
    pub(super) fn declared(&self, container: &Container, additions: &mut Additions) -> Vec<Edit> {
        let Some(declared) = self.workload.declared_index(self.listener) else {
            return vec![declaration(self.workload, self.listener, container, self.to, additions)];
        };
        let old = Value::from(self.listener.number);
        let path = container.port_path(declared).key("containerPort");
        let change = Change::Set { old, new: self.to.into() };
        vec![self.edit(self.workload.id.object, path, change, rule::PORT_MOVED, "containerPort")]
    }

    /// Edits of the settings that set the port of the process.
    pub(super) fn port_setting(
        &self,
        additions: &mut Additions,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<Edit>, Box<Finding>> {
        let mut edits = Vec::new();
        for binding in self.listener.bindings() {
            edits.extend(self.binding_edits(binding, additions, findings)?);
        }
        Ok(edits)
    }

    /// Returns the edits that write the new port number into one binding; an error if the binding cannot be edited.
    fn binding_edits(
        &self,
        binding: &Binding,
        additions: &mut Additions,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<Edit>, Box<Finding>> {
        let refuse = |message: String| Box::new(self.finding(Severity::Error, rule::PORT_SETTING, message));
        match binding {
            Binding::Phantom => Ok(Vec::new()),
            Binding::Visible(places) => {
                let edit = |place: &TextPlace, name: &str| {
                    self.text_edit(self.workload.id.object, place, rule::PORT_SETTING, name)
                };
                Ok(places.iter().map(|visible| edit(&visible.place, &visible.name)).collect())
            }
            Binding::ConfigMap(map) => {
                let readers = self.readers(map, findings);
                self.check_all_move_equally(map.object, &map.place.path, &readers, "use a separate object for each")?;
                findings.extend(self.config_map_warnings(map.object, &map.place.path));
                findings.extend(self.other_reader(map.object, &map.place.path));
                Ok(vec![self.text_edit(map.object, &map.place, rule::PORT_SETTING, &map.name)])
            }
            Binding::Fixed(_) | Binding::Later(_) | Binding::Unknown(_) => {
                let Some(why) = unbound::stay_reason(self.model, self.workload, self.listener) else {
                    return Ok(Vec::new());
                };
                Err(refuse(unbound::refusal(self.workload, self.listener, self.to, &why)))
            }
            Binding::Add { container, known, value, no_cmd, doubt } => {
                let Some(container) = self.workload.template.containers.get(*container) else { return Ok(Vec::new()) };
                if let Some(doubt) = doubt {
                    let why = unbound::reason_of_obstacle(self.workload, self.listener, doubt);
                    let message = format!(
                        "{}: {}. {}",
                        self.display_name(),
                        why.text,
                        self.workload.remedies([&why.remedy].into_iter(), true)
                    );
                    findings.push(self.finding(Severity::Warning, rule::PORT_SETTING, message));
                }
                if !additions.is_first(&container.path, known.name()) {
                    return Ok(Vec::new());
                }
                let text = value.replace("{port}", &self.to.to_string());
                match (&known.env, &known.arg) {
                    (Some(name), _) => Ok(vec![self.add_env(container, name, text, additions)]),
                    (None, Some(flag)) => {
                        let added = self.add_arg(container, flag, &text, *no_cmd, additions);
                        added.map(|edit| vec![edit]).map_err(refuse)
                    }
                    (None, None) => Ok(Vec::new()),
                }
            }
        }
    }

    /// Edit that adds an environment variable to a container.
    fn add_env(&self, container: &Container, name: &str, value: String, additions: &mut Additions) -> Edit {
        let existing = container.env_len;
        let path = additions.next(&container.path.key("env"), existing, Some(name));
        let new = Value::map([("name", name.into()), ("value", value.into())]);
        self.edit(self.workload.id.object, path, Change::Add { new }, rule::PORT_SETTING, &format!("variable {name}"))
    }

    /// Appends a flag to `args`; an error for a shell script, and for a container whose arguments are set only by its
    /// image.
    fn add_arg(
        &self,
        container: &Container,
        flag: &str,
        value: &str,
        no_cmd: bool,
        additions: &mut Additions,
    ) -> Result<Edit, String> {
        let cannot = |why: &str| format!("{}: `{flag}={value}` cannot be added: {why}", self.display_name());
        if container.script().is_some() {
            return Err(cannot("the container runs a shell script; put the flag there yourself"));
        }
        if container.args.is_none() && container.command.is_none() && !no_cmd {
            return Err(cannot("the container has neither command nor args, and args would replace the image's own"));
        }
        let existing = container.args.as_ref().map(Vec::len);
        let path = additions.next(&container.path.key("args"), existing, None);
        let new = Value::Str(format!("{flag}={value}"));
        Ok(self.edit(
            self.workload.id.object,
            path,
            Change::Add { new },
            rule::PORT_SETTING,
            &format!("argument {flag}"),
        ))
    }
}

/// Edit that declares an undeclared listener.
pub(super) fn declaration(
    workload: &Workload<'_>,
    listener: &Listener,
    container: &Container,
    number: u16,
    additions: &mut Additions,
) -> Edit {
    let protocol = (listener.protocol != "TCP").then(|| ("protocol", listener.protocol.as_ref().into()));
    let port =
        [("name", listener.label.as_str().into()), ("containerPort", number.into()), ("hostPort", number.into())];
    let existing = container.ports_len;
    Edit {
        object: workload.id.object,
        path: additions.next(&container.path.key("ports"), existing, Some(&listener.label)),
        change: Change::Add { new: Value::map(port.into_iter().chain(protocol)) },
        rule: rule::PORT_DECLARED,
        message: Message::about(
            workload.meta,
            workload.detail(&format!("container {}", container.name)),
            format_args!("listens on {number} ({}), which was not declared", listener.role),
        ),
    }
}
