//! Expressions of policies for changes of every form.

use insta::assert_snapshot;

use super::of_object;
use crate::model::Meta;
use crate::plan::{Change, Edit};
use crate::rule;
use lossless_yaml::{Path, Tree, Value};

fn made(object: &str, edits: &[(Path, Change)]) -> String {
    let tree = Tree::parse(object).unwrap();
    let root = tree.root(0).unwrap();
    let edit = |(path, change): &(Path, Change)| Edit {
        object: 0,
        path: path.clone(),
        change: change.clone(),
        rule: rule::PORT_MOVED,
        message: path.to_string().into(),
    };
    let edits: Vec<Edit> = edits.iter().map(edit).collect();
    match of_object(&Meta::read(root), root, &edits.iter().collect::<Vec<_>>()) {
        Ok(policy) => {
            let variables: String = policy.variables.iter().map(|(name, text)| format!("{name}: {text}\n")).collect();
            format!("{}\n--\n{variables}--\n{}", policy.fits, policy.mutation)
        }
        Err(why) => why,
    }
}

fn set(path: Path, new: impl Into<Value>) -> (Path, Change) {
    (path, Change::Set { old: Value::Null, new: new.into() })
}

fn add(path: Path, new: impl Into<Value>) -> (Path, Change) {
    (path, Change::Add { new: new.into() })
}

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers:
  - name: web
    image: localhost:5000/web:v1@sha256:00
    args: [serve, --port, '8080', --admin, '8080']
    ports: [{containerPort: 8080}, {containerPort: 8080, protocol: UDP}]
  - {name: other, image: other}
";

fn container() -> Path {
    Path::dotted("spec.containers").item(0)
}

/// The value of a flag is found by the word before it, a port without a name by number and protocol.
#[test]
fn elements_are_found_by_their_fields() {
    let port = container().key("ports").item(1);
    let edits = [
        set(container().key("args").item(2), "20080"),
        set(port.key("containerPort"), 20080_u16),
        add(port.key("hostPort"), 20080_u16),
    ];
    assert_snapshot!(made(POD, &edits), @r#"
    object.?spec.?containers.orValue([]).transformList(i1, e1, e1.?name.orValue("") == "web",
      e1.?image.orValue("").matches("^localhost:5000/web(:[^/]*)?(@.*)?$") &&
      e1.?ports.orValue([]).all(p, p.?protocol.orValue("TCP") == "TCP" && p.?containerPort.orValue(dyn(null)) == 8080 || p.?protocol.orValue("TCP") == "UDP" && p.?containerPort.orValue(dyn(null)) in [8080, 20080]) &&
      e1.?command.orValue(dyn(null)) == null &&
      e1.?args.orValue([]).all(x, !x.matches("(^|[^0-9])(8080)([^0-9]|$)") || x == "8080") &&
      e1.?args.orValue([]).filter(x, x == "--port" || x.startsWith("--port=")).size() == 1 &&
      e1.?env.orValue([]).all(v, !v.?value.orValue("").matches("(^|[^0-9])(8080)([^0-9]|$)") || v.?name.orValue("") in []) &&
      [e1.?livenessProbe.?httpGet.?port, e1.?livenessProbe.?tcpSocket.?port, e1.?livenessProbe.?grpc.?port, e1.?readinessProbe.?httpGet.?port, e1.?readinessProbe.?tcpSocket.?port, e1.?readinessProbe.?grpc.?port, e1.?startupProbe.?httpGet.?port, e1.?startupProbe.?tcpSocket.?port, e1.?startupProbe.?grpc.?port, e1.?lifecycle.?postStart.?httpGet.?port, e1.?lifecycle.?postStart.?tcpSocket.?port, e1.?lifecycle.?preStop.?httpGet.?port, e1.?lifecycle.?preStop.?tcpSocket.?port].all(p, !(p.orValue(dyn(null)) == 8080)) &&
      e1.?args.orValue([]).transformList(i2, e2, e2 in ["8080", "20080"] && i2 > 0 && e1.?args.orValue([])[i2 - 1] == "--port",
        true) == [true] &&
      e1.?ports.orValue([]).transformList(i2, e2, e2.?containerPort.orValue(dyn(null)) in [8080, 20080] && e2.?protocol.orValue("TCP") == "UDP" && !(e2.?containerPort.orValue(dyn(null)) == 20080 && e2.?protocol.orValue("TCP") == "UDP" && e1.?ports.orValue([]).exists(x, x.?containerPort.orValue(dyn(null)) == 8080 && x.?protocol.orValue("TCP") == "UDP")),
        e2.?containerPort.orValue(dyn(null)) in [8080, 20080] &&
        e2.?hostPort.orValue(dyn(null)) in [dyn(null), dyn(8080), dyn(20080)]) == [true]) == [true] &&
    object.?spec.?containers.orValue([]).transformList(i1, e1, e1.?name.orValue("") == "other",
      e1.?image.orValue("").matches("^other(:[^/]*)?(@.*)?$") &&
      e1.?ports.orValue([]).all(p, false)) == [true]
    --
    containers0: object.spec.containers.transformList(i, e, e.?name.orValue("") == "web", i)[0]
    args0: object.spec.containers[variables.containers0].args.transformList(i, e, e in ["8080", "20080"] && i > 0 && object.spec.containers[variables.containers0].args[i - 1] == "--port", i)[0]
    ports0: object.spec.containers[variables.containers0].ports.transformList(i, e, e.?containerPort.orValue(dyn(null)) in [8080, 20080] && e.?protocol.orValue("TCP") == "UDP" && !(e.?containerPort.orValue(dyn(null)) == 20080 && e.?protocol.orValue("TCP") == "UDP" && object.spec.containers[variables.containers0].ports.exists(x, x.?containerPort.orValue(dyn(null)) == 8080 && x.?protocol.orValue("TCP") == "UDP")), i)[0]
    --
    [
      JSONPatch{op: "replace", path: "/spec/containers/" + string(variables.containers0) + "/args/" + string(variables.args0), value: "20080"},
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/ports/" + string(variables.ports0) + "/containerPort", value: 20080},
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/ports/" + string(variables.ports0) + "/hostPort", value: 20080}
    ] + object.spec.containers[variables.containers0].ports.transformList(i, e, e.?containerPort.orValue(dyn(null)) == 20080 && e.?protocol.orValue("TCP") == "UDP" && object.spec.containers[variables.containers0].ports.exists(x, x.?containerPort.orValue(dyn(null)) == 8080 && x.?protocol.orValue("TCP") == "UDP"), i).transformList(k, i, JSONPatch{op: "remove", path: "/spec/containers/" + string(variables.containers0) + "/ports/" + string(i - k)})
    "#);
}

/// A new value of a flag counts as present only together with its flag; a missing list or mapping is created.
#[test]
fn an_appended_element_is_added_once() {
    let edits = [
        add(container().key("args").item(5), "--metrics"),
        add(container().key("args").item(6), "9090"),
        add(container().key("args").item(7), "--log=x"),
        add(
            container().key("env").item(0),
            Value::Map(vec![("name".into(), "A".into()), ("value".into(), "1".into())]),
        ),
        add(Path::dotted("metadata.annotations").key("a/b"), "1"),
    ];
    assert_snapshot!(made(POD, &edits), @r#"
    object.?metadata.?annotations[?"a/b"].orValue(dyn(null)) in [dyn(null), dyn("1")] &&
    object.?spec.?containers.orValue([]).transformList(i1, e1, e1.?name.orValue("") == "web",
      e1.?image.orValue("").matches("^localhost:5000/web(:[^/]*)?(@.*)?$") &&
      e1.?ports.orValue([]).all(p, p.?protocol.orValue("TCP") == "TCP" && p.?containerPort.orValue(dyn(null)) == 8080 || p.?protocol.orValue("TCP") == "UDP" && p.?containerPort.orValue(dyn(null)) == 8080) &&
      e1.?command.orValue(dyn(null)) == null &&
      e1.?args.orValue([]).all(i, x, x != "--metrics" && !x.startsWith("--metrics=") || x == "--metrics" && e1.?args.orValue([])[?i + 1].orValue(dyn(null)) == "9090") &&
      e1.?args.orValue([]).all(i, x, x != "--log" && !x.startsWith("--log=") || x == "--log=x") &&
      e1.?env.orValue([]).all(x, !(x.?name.orValue(dyn(null)) == "A") || x.?name.orValue(dyn(null)) == "A" && x.?value.orValue(dyn(null)) == "1")) == [true] &&
    object.?spec.?containers.orValue([]).transformList(i1, e1, e1.?name.orValue("") == "other",
      e1.?image.orValue("").matches("^other(:[^/]*)?(@.*)?$") &&
      e1.?ports.orValue([]).all(p, false)) == [true]
    --
    containers0: object.spec.containers.transformList(i, e, e.?name.orValue("") == "web", i)[0]
    --
    (object.?metadata.?annotations.hasValue() ? [] : [
      JSONPatch{op: "add", path: "/metadata/annotations", value: {}}
    ]) + [
      JSONPatch{op: "add", path: "/metadata/annotations/a~1b", value: "1"}
    ] + (object.spec.containers[variables.containers0].?args.hasValue() ? [] : [
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/args", value: []}
    ]) + (object.spec.containers[variables.containers0].?args.orValue([]).exists(i, x, x == "--metrics" && object.spec.containers[variables.containers0].?args.orValue([])[?i + 1].orValue(dyn(null)) == "9090" && object.spec.containers[variables.containers0].?args.orValue([])[?i + 2].orValue(dyn(null)) == "--log=x") ? [] : [
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/args/-", value: "--metrics"},
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/args/-", value: "9090"},
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/args/-", value: "--log=x"}
    ]) + (object.spec.containers[variables.containers0].?env.hasValue() ? [] : [
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/env", value: []}
    ]) + (object.spec.containers[variables.containers0].?env.orValue([]).exists(x, x.?name.orValue(dyn(null)) == "A" && x.?value.orValue(dyn(null)) == "1") ? [] : [
      JSONPatch{op: "add", path: "/spec/containers/" + string(variables.containers0) + "/env/-", value: {"name": "A", "value": "1"}}
    ])
    "#);
}

#[test]
fn edits_that_a_policy_cannot_express_are_errors() {
    let twice = POD.replace("--admin, '8080'", "--port, '8080'");
    assert_snapshot!(made(&twice, &[set(container().key("args").item(2), "1")]), @"Pod shop/web: spec.containers[0].args[2] cannot be distinguished from another element of its list, so a policy cannot find it");
    let remove = [(container().key("args").item(0), Change::Remove { old: Value::Null })];
    assert_snapshot!(made(POD, &remove), @"Pod shop/web: a policy sets values and appends to lists, and the change of spec.containers[0].args[0] is neither; `hostnet apply` writes it");
    assert_snapshot!(made(&POD.replace(", namespace: shop", ""), &[set(container().key("image"), "a")]), @"Pod web: a policy needs its namespace, which the input does not have");
    assert_snapshot!(made(&POD.replace("{name: web,", "{name: 'web-${a}',"), &[set(container().key("image"), "a")]), @"Pod shop/web-${a}: a policy finds objects by name, and this name has a placeholder");
    assert_snapshot!(made(&POD.replace("{name: web,", "{name: 'a/b',"), &[set(container().key("image"), "a")]), @"Pod shop/a/b: a policy finds objects by name, and the API server refuses this name");
    assert_snapshot!(made(&POD.replace("{name: other, image: other}", "{name: other, image: '${a}'}"), &[set(container().key("workingDir"), "a")]), @"Pod shop/web: spec.containers[1] has an image with a placeholder, by which a policy cannot identify it");
}
