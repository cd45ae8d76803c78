#![allow(missing_docs, clippy::all, clippy::pedantic)]
use hostnet::yaml::*;
#[test]
fn dbg() {
    let text = "c:\n- name: x\n  args:\n  - core\n  ports:\n  - name: a\n    containerPort: 1\n  - name: b\n    containerPort: 2\n  sec:\n      u: 1\n";
    let tree = Tree::parse(text).unwrap();
    let c = Path::root().key("c").item(0);
    let ports = c.key("ports");
    let place = Place { after: vec!["containerPort".into()], before: vec![] };
    let ops = [
        Op::Add { parent: ports.item(0), key: "hostPort".into(), value: Value::Int(1), place: place.clone() },
        Op::Add { parent: ports.item(1), key: "hostPort".into(), value: Value::Int(2), place },
        Op::Append { sequence: ports.clone(), value: Value::Map(vec![("name".into(), "m".into()), ("containerPort".into(), Value::Int(3))]) },
        Op::Add { parent: c.clone(), key: "env".into(), value: Value::Seq(vec![Value::Map(vec![("name".into(), "m".into()), ("value".into(), "3".into())])]), place: Place { after: vec!["ports".into(), "args".into()], before: vec!["sec".into()] } },
    ];
    let s = edit(tree.root(0).unwrap(), &ops).unwrap();
    println!("{}", splice(text, &s));
}
