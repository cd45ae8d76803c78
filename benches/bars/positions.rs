//! Items that share an anchor, with messages about every fourth item: they form a single tree, in which each message
//! needs a line and a column.

use std::fmt::Write as _;

use super::{Inputs, ROUNDS, Table};

/// Limit: time for twice as many items and messages, as a multiple. 2 is linear, the rest is noise.
const TWICE: f64 = 2.6;

pub(crate) fn bar(inputs: &Inputs<'_>, table: &mut Table) {
    let time = |items: usize| {
        let file = inputs.folder.join(format!("shared-{items}.yaml"));
        std::fs::write(&file, list(items)).unwrap();
        let best = (0..ROUNDS).map(|_| inputs.apply(&file).time).min().expect("a run");
        best.as_secs_f64()
    };
    let half = time(1_000);
    let what = "hostnet, time, 2,000 items of one anchor, 500 messages / half of it";
    table.at_most(what, time(2_000) / half, TWICE);
}

/// A list whose items share an anchor. Every fourth has a duplicate key and is reported as unchanged; the others move.
fn list(items: usize) -> String {
    let mut text = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
    for index in 0..items {
        let (network, twice) =
            if index % 4 == 0 { ("pod", "          tty: true\n          tty: true\n") } else { ("host", "") };
        let resources = if index == 0 { "&small {limits: {cpu: 100m}}" } else { "*small" };
        let _ = write!(
            text,
            "- apiVersion: apps/v1
  kind: Deployment
  metadata: {{name: web-{index}, namespace: team, labels: {{network: {network}}}}}
  spec:
    selector: {{matchLabels: {{app: web-{index}}}}}
    template:
      metadata: {{labels: {{app: web-{index}}}}}
      spec:
        nodeSelector: {{pool: pool-{index}}}
        containers:
        - name: web
          image: registry.example/web:1
          args: [--port={port}]
          ports: [{{name: http, containerPort: {port}}}]
          resources: {resources}
{twice}",
            port = 12_000 + index,
        );
    }
    text
}
