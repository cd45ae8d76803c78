//! Errors of invalid configs: the position, the expected value, and the remedy.

use super::config;

#[test]
#[allow(clippy::too_many_lines, reason = "one table of all that is refused")]
fn invalid_specs_are_refused_with_their_position() {
    let target = "targets: [{select: {name: web}}]";
    let cases = [
        target.to_owned(),
        format!("httpsProxy: proxy:3128, {target}"),
        format!("httpsProxy: ' http://p:1', {target}"),
        format!("httpsProxy: 'http://', {target}"),
        format!("httpsProxy: 'ftp://p:1', {target}"),
        format!("httpsProxy: 'http://u:pa#ss@h:1', {target}"),
        format!("httpsProxy: 'http://u:pa/ss@h:1', {target}"),
        format!("httpsProxy: 'http://u:p@ss@h:1', {target}"),
        format!("httpsProxy: 'http://u:p%zz@h:1', {target}"),
        format!("httpsProxy: 'http://h:x', {target}"),
        format!("httpsProxy: 'http://h:99999', {target}"),
        format!("httpsProxy: 'http://h:0', {target}"),
        format!("httpsProxy: 'http://fd00::1:3128', {target}"),
        format!("httpsProxy: 'http://u:p%3A@fd00::1', literalCredentials: Warn, {target}"),
        format!("httpsProxy: 'http://u:pass@h:1', {target}"),
        format!("httpsProxy: 'http://u:pass@{{{{ .host }}}}:1', {target}"),
        format!("httpsProxy: {{}}, {target}"),
        format!("httpsProxy: {{value: 'http://p:1', secretKeyRef: {{name: a, key: b}}}}, {target}"),
        format!("httpsProxy: {{secretKeyRef: {{name: a, key: b}}, configMapKeyRef: {{name: a, key: b}}}}, {target}"),
        format!("httpsProxy: {{secretKeyref: {{name: a, key: b}}}}, {target}"),
        format!("httpsProxy: {{secretKeyRef: {{name: P_x, key: b}}}}, {target}"),
        format!("httpsProxy: {{secretKeyRef: {{name: a, key: 'a b'}}}}, {target}"),
        format!("httpsProxy: [a], {target}"),
        format!("httpsProxy: 'http://p:1', noProxy: [a.com, '10.*'], {target}"),
        format!("httpsProxy: 'http://p:1', noProxy: ['a.com,b.com'], {target}"),
        format!("httpsProxy: 'http://p:1', noProxy: ['*', b.com], {target}"),
        "httpsProxy: 'http://p:1', targets: [{select: {name: web}, noProxy: ['https://a.com']}]".to_owned(),
        format!("httpsProxy: 'http://p:1', cluster: {{pods: [10.244.0.0]}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{services: ['10.96.0.0/12:443']}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{domain: .cluster.local}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{apiServer: FromNode}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{apiServer: []}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{apiServer: [a.com, '10.0.0.0/24']}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{apiServer: ['*']}}, {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{apiServer: ['a.com:0']}}, {target}"),
        format!("httpsProxy: 'http://p:1', existing: merge, {target}"),
        "httpsProxy: 'http://p:1'".to_owned(),
        "httpsProxy: 'http://p:1', targets: [{select: {name: '('}}]".to_owned(),
        format!("httpsProxy: 'http://p:1', destinations: [{{host: a.com}}, {{host: 'a:b:c'}}], {target}"),
        format!("httpsProxy: 'http://p:1', destinations: [{{host: 'ssh://git.corp:22'}}], {target}"),
        format!("httpsProxy: 'http://p:1', networkPolicy: All, {target}"),
        format!("httpsProxy: 'http://p:1', crossplane: {{version: stable}}, {target}"),
    ];
    let log = cases.iter().map(|spec| match config(spec) {
        Err(error) => format!("{spec}\n  {error}"),
        Ok(hostnet::api::AnyConfig::Proxy(config)) => {
            let error = hostnet::proxy::ProxyTargets::compile(&config).map(drop).unwrap_err();
            format!("{spec}\n  {error}")
        }
        Ok(_) => panic!("{spec}"),
    });
    insta::assert_snapshot!(log.collect::<Vec<_>>().join("\n"), @r"
    targets: [{select: {name: web}}]
      proxy.yaml:4:7: neither `httpProxy` nor `httpsProxy` is given; write `httpsProxy: http://proxy.example.com:3128`
      |
    4 | spec: {targets: [{select: {name: web}}]}
      |       ^
    httpsProxy: proxy:3128, targets: [{select: {name: web}}]
      proxy.yaml:4:20: a proxy is a URL with its scheme; write one such as `http://proxy.example.com:3128`
      |
    4 | spec: {httpsProxy: proxy:3128, targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: ' http://p:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: it is empty, or has blanks or line breaks around it; write one such as `http://proxy.example.com:3128`
      |
    4 | spec: {httpsProxy: ' http://p:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://', targets: [{select: {name: web}}]
      proxy.yaml:4:20: it has no host; write one such as `http://proxy.example.com:3128`
      |
    4 | spec: {httpsProxy: 'http://', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'ftp://p:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: `ftp` is not the scheme of a proxy; known are http, https, socks5, socks5h
      |
    4 | spec: {httpsProxy: 'ftp://p:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:pa#ss@h:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: a character of its user or password ends the URL's authority before the `@`: in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25
      |
    4 | spec: {httpsProxy: 'http://u:*****@h:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:pa/ss@h:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: a character of its user or password ends the URL's authority before the `@`: in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25
      |
    4 | spec: {httpsProxy: 'http://u:*****@h:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:p@ss@h:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: a character of its user or password ends the URL's authority before the `@`: in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25
      |
    4 | spec: {httpsProxy: 'http://u:****@h:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:p%zz@h:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: it is not a URL: a `%` is not followed by two hexadecimal digits; write `%25` for a percent sign; in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25
      |
    4 | spec: {httpsProxy: 'http://u:****@h:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://h:x', targets: [{select: {name: web}}]
      proxy.yaml:4:20: `h:x` is not a host with a port; write one such as `http://proxy.example.com:3128`, and in a user or a password write `#` as %23, `/` as %2F, `@` as %40, `:` as %3A, `?` as %3F and `%` as %25
      |
    4 | spec: {httpsProxy: 'http://h:x', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://h:99999', targets: [{select: {name: web}}]
      proxy.yaml:4:20: `99999` is not a port: expected a number from 1 to 65535
      |
    4 | spec: {httpsProxy: 'http://h:99999', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://h:0', targets: [{select: {name: web}}]
      proxy.yaml:4:20: `0` is not a port: expected a number from 1 to 65535
      |
    4 | spec: {httpsProxy: 'http://h:0', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://fd00::1:3128', targets: [{select: {name: web}}]
      proxy.yaml:4:20: its host has several colons: write an IPv6 address in brackets, as in `http://[fd00::1]:3128`
      |
    4 | spec: {httpsProxy: 'http://fd00::1:3128', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:p%3A@fd00::1', literalCredentials: Warn, targets: [{select: {name: web}}]
      proxy.yaml:4:20: its host has several colons: write an IPv6 address in brackets, as in `http://[fd00::1]:3128`
      |
    4 | spec: {httpsProxy: 'http://u:****@fd00::1', literalCredentials: Warn, targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:pass@h:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: it contains a password, which every reader of the manifest sees: put the whole URL into a Secret, and write `{secretKeyRef: {name: proxy, key: url}}`; or accept it with `literalCredentials: Warn` in the spec
      |
    4 | spec: {httpsProxy: 'http://u:****@h:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://u:pass@{{ .host }}:1', targets: [{select: {name: web}}]
      proxy.yaml:4:20: it contains a password, which every reader of the manifest sees: put the whole URL into a Secret, and write `{secretKeyRef: {name: proxy, key: url}}`; or accept it with `literalCredentials: Warn` in the spec
      |
    4 | spec: {httpsProxy: 'http://u:****@{{ .host }}:1', targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: {}, targets: [{select: {name: web}}]
      proxy.yaml:4:20: give one of `secretKeyRef` and `configMapKeyRef`
      |
    4 | spec: {httpsProxy: {}, targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: {value: 'http://p:1', secretKeyRef: {name: a, key: b}}, targets: [{select: {name: web}}]
      proxy.yaml:4:20: a value and a reference exclude each other; leave out `value`, or give one of `secretKeyRef` and `configMapKeyRef`
      |
    4 | spec: {httpsProxy: {value: 'http://p:1', secretKeyRef: {name: a, key: b}}, targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: {secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}, targets: [{select: {name: web}}]
      proxy.yaml:4:20: give one of `secretKeyRef` and `configMapKeyRef`
      |
    4 | spec: {httpsProxy: {secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}, targets: [{select: {name: web
      |                    ^
    httpsProxy: {secretKeyref: {name: a, key: b}}, targets: [{select: {name: web}}]
      proxy.yaml:4:21: unknown field `secretKeyref`: did you mean `secretKeyRef`? Known are `secretKeyRef`, `configMapKeyRef`
      |
    4 | spec: {httpsProxy: {secretKeyref: {name: a, key: b}}, targets: [{select: {name: web}}]}
      |                     ^
    httpsProxy: {secretKeyRef: {name: P_x, key: b}}, targets: [{select: {name: web}}]
      proxy.yaml:4:20: `P_x` is not the name of an object: write lower-case letters, digits, `-` and `.`
      |
    4 | spec: {httpsProxy: {secretKeyRef: {name: P_x, key: b}}, targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: {secretKeyRef: {name: a, key: 'a b'}}, targets: [{select: {name: web}}]
      proxy.yaml:4:20: `a b` is not a key: write letters, digits, `-`, `_` and `.`
      |
    4 | spec: {httpsProxy: {secretKeyRef: {name: a, key: 'a b'}}, targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: [a], targets: [{select: {name: web}}]
      proxy.yaml:4:20: `httpsProxy` must be text or a mapping, not a list: leave out the `- `
      |
    4 | spec: {httpsProxy: [a], targets: [{select: {name: web}}]}
      |                    ^
    httpsProxy: 'http://p:1', noProxy: [a.com, '10.*'], targets: [{select: {name: web}}]
      proxy.yaml:4:51: `10.*` never matches: the beginning of an address matches nothing; write a range, such as `10.0.0.0/8`
      |
    4 | spec: {httpsProxy: 'http://p:1', noProxy: [a.com, '10.*'], targets: [{select: {name: web}}]}
      |                                                   ^
    httpsProxy: 'http://p:1', noProxy: ['a.com,b.com'], targets: [{select: {name: web}}]
      proxy.yaml:4:44: `a.com,b.com` is several entries; write each as an element of the list
      |
    4 | spec: {httpsProxy: 'http://p:1', noProxy: ['a.com,b.com'], targets: [{select: {name: web}}]}
      |                                            ^
    httpsProxy: 'http://p:1', noProxy: ['*', b.com], targets: [{select: {name: web}}]
      proxy.yaml:4:44: `*` matches everything, so it must be the only entry; remove the others, or the `*`
      |
    4 | spec: {httpsProxy: 'http://p:1', noProxy: ['*', b.com], targets: [{select: {name: web}}]}
      |                                            ^
    httpsProxy: 'http://p:1', targets: [{select: {name: web}, noProxy: ['https://a.com']}]
      proxy.yaml:4:76: `https://a.com` never matches: an entry has no scheme; leave out `https://`
      |
    4 | spec: {httpsProxy: 'http://p:1', targets: [{select: {name: web}, noProxy: ['https://a.com']}]}
      |                                                                            ^
    httpsProxy: 'http://p:1', cluster: {pods: [10.244.0.0]}, targets: [{select: {name: web}}]
      proxy.yaml:4:51: `10.244.0.0` is not a range of addresses; write one such as `10.244.0.0/16`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {pods: [10.244.0.0]}, targets: [{select: {name: web}}]}
      |                                                   ^
    httpsProxy: 'http://p:1', cluster: {services: ['10.96.0.0/12:443']}, targets: [{select: {name: web}}]
      proxy.yaml:4:55: `10.96.0.0/12:443` is not a range of addresses (a range has no port; write `10.96.0.0/12`); write one such as `10.244.0.0/16`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {services: ['10.96.0.0/12:443']}, targets: [{select: {name: web}}]}
      |                                                       ^
    httpsProxy: 'http://p:1', cluster: {domain: .cluster.local}, targets: [{select: {name: web}}]
      proxy.yaml:4:52: `.cluster.local` is not a domain: it begins with a dot; write `cluster.local`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {domain: .cluster.local}, targets: [{select: {name: web}}]}
      |                                                    ^
    httpsProxy: 'http://p:1', cluster: {apiServer: FromNode}, targets: [{select: {name: web}}]
      proxy.yaml:4:55: `FromNode` is not a value of `apiServer`: it takes `FromService`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {apiServer: FromNode}, targets: [{select: {name: web}}]}
      |                                                       ^
    httpsProxy: 'http://p:1', cluster: {apiServer: []}, targets: [{select: {name: web}}]
      proxy.yaml:4:55: no host: write `[api.example.com]`, or `FromService`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {apiServer: []}, targets: [{select: {name: web}}]}
      |                                                       ^
    httpsProxy: 'http://p:1', cluster: {apiServer: [a.com, '10.0.0.0/24']}, targets: [{select: {name: web}}]
      proxy.yaml:4:63: `10.0.0.0/24` is not one host; write the API server's name or address, such as `10.0.0.1` or `api.example.com:6443`, and put ranges into `noProxy`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {apiServer: [a.com, '10.0.0.0/24']}, targets: [{select: {name: web}}]}
      |                                                               ^
    httpsProxy: 'http://p:1', cluster: {apiServer: ['*']}, targets: [{select: {name: web}}]
      proxy.yaml:4:56: `*` is not one host; write the API server's name or address, such as `10.0.0.1` or `api.example.com:6443`, and put ranges into `noProxy`
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {apiServer: ['*']}, targets: [{select: {name: web}}]}
      |                                                        ^
    httpsProxy: 'http://p:1', cluster: {apiServer: ['a.com:0']}, targets: [{select: {name: web}}]
      proxy.yaml:4:56: `a.com:0` never matches: `0` is not a port from 1 to 65535, written without leading zeros
      |
    4 | spec: {httpsProxy: 'http://p:1', cluster: {apiServer: ['a.com:0']}, targets: [{select: {name: web}}]}
      |                                                        ^
    httpsProxy: 'http://p:1', existing: merge, targets: [{select: {name: web}}]
      proxy.yaml:4:44: `merge` is not a value of `existing`: did you mean `Merge`? It takes `Merge`, `Keep`, `Replace`
      |
    4 | spec: {httpsProxy: 'http://p:1', existing: merge, targets: [{select: {name: web}}]}
      |                                            ^
    httpsProxy: 'http://p:1'
      proxy.yaml:4:7: no target: write `targets: [{select: {namespace: crossplane-system, name: crossplane}}]`
      |
    4 | spec: {httpsProxy: 'http://p:1'}
      |       ^
    httpsProxy: 'http://p:1', targets: [{select: {name: '('}}]
      proxy.yaml:4:60: `(` is not a regular expression (unclosed group); `name` takes one that matches the whole name, such as `web|api` or `web-.*`; write `\` before a literal character
      |
    4 | spec: {httpsProxy: 'http://p:1', targets: [{select: {name: '('}}]}
      |                                                            ^
    httpsProxy: 'http://p:1', destinations: [{host: a.com}, {host: 'a:b:c'}], targets: [{select: {name: web}}]
      proxy.yaml:4:71: `b:c` is not a port: expected a number from 1 to 65535, and an IPv6 address in brackets
      |
    4 | spec: {httpsProxy: 'http://p:1', destinations: [{host: a.com}, {host: 'a:b:c'}], targets: [{select: {name: web}}]}
      |                                                                       ^
    httpsProxy: 'http://p:1', destinations: [{host: 'ssh://git.corp:22'}], targets: [{select: {name: web}}]
      proxy.yaml:4:56: `ssh` has no proxy variable; use http:// or https://, or omit the scheme
      |
    4 | spec: {httpsProxy: 'http://p:1', destinations: [{host: 'ssh://git.corp:22'}], targets: [{select: {name: web}}]}
      |                                                        ^
    httpsProxy: 'http://p:1', networkPolicy: All, targets: [{select: {name: web}}]
      proxy.yaml:4:49: `All` is not a value of `networkPolicy`: it takes `None`, `Functions`
      |
    4 | spec: {httpsProxy: 'http://p:1', networkPolicy: All, targets: [{select: {name: web}}]}
      |                                                 ^
    httpsProxy: 'http://p:1', crossplane: {version: stable}, targets: [{select: {name: web}}]
      proxy.yaml:4:56: `stable` is not a version: expected one such as `v2.0.2`
      |
    4 | spec: {httpsProxy: 'http://p:1', crossplane: {version: stable}, targets: [{select: {name: web}}]}
      |                                                        ^
    ");
}

#[test]
fn valid_specs_are_accepted() {
    let target = "targets: [{select: {name: web}}]";
    for spec in [
        format!("httpProxy: 'http://p', {target}"),
        format!("httpsProxy: 'socks5h://p:1080', {target}"),
        format!("httpsProxy: 'https://[fd00::1]:3128/', {target}"),
        format!("httpsProxy: 'http://user@p:1', {target}"),
        format!("httpsProxy: 'http://u:p%23@p:1', literalCredentials: Warn, {target}"),
        format!("httpsProxy: '${{PROXY}}', {target}"),
        format!("httpsProxy: '{{{{ .proxy }}}}', {target}"),
        format!("httpsProxy: 'http://u:{{{{ .password }}}}@#{{Proxy}}:3128', {target}"),
        format!("httpsProxy: 'http://p:1', noProxy: ['{{{{ join \",\" .list }}}}', '#{{A}}', '.%ZONE%'], {target}"),
        format!("httpsProxy: 'http://p:1', cluster: {{domain: '{{{{ .domain }}}}'}}, {target}"),
        format!("httpsProxy: {{configMapKeyRef: {{name: a, key: b}}}}, {target}"),
        format!("httpsProxy: 'http://p:1', noProxy: ['*'], {target}"),
        format!("httpsProxy: 'http://p:1', noProxy: ['$(NODE_IP)', .example.com, 'a:8080', 'fd00::/8'], {target}"),
    ] {
        assert!(config(&spec).is_ok(), "{spec}: {:?}", config(&spec).err());
    }
}
