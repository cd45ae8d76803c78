//! Real texts through the wire: what nobody edits comes back byte for byte, in every form that can carry it.

use hostnet::wire::{Form, Input, Origin};
use std::collections::BTreeMap;

#[test]
fn a_resource_list_is_cut() {
    let text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- # head\n  apiVersion: v1\n  kind: Pod\n- apiVersion: v1\n  kind: Service\nfunctionConfig:\n  kind: X\n";
    let input = Input::read(Origin::stdin(), text.into()).unwrap();
    assert_eq!(input.form(), Form::ResourceList);
    let found = input
        .objects(|place, node| (place.item, place.line, node.get("kind").unwrap().text().unwrap().to_owned()))
        .unwrap();
    assert_eq!(found, [(Some(1), 5, "Pod".to_owned()), (Some(2), 7, "Service".to_owned())]);
    let splices = input.render(&BTreeMap::new(), &[]).unwrap();
    assert_eq!(input.output(&splices), text);
    assert_eq!(input.function_config().unwrap().text, "  kind: X");
}
