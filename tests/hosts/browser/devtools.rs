//! A page in the browser, driven by the debugging protocol over pipes.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/>; `--remote-debugging-pipe` reads messages on file
//! descriptor 3 and writes to 4; each message ends with a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A tab of a running browser; the browser stops when this value is dropped.
pub(super) struct Tab {
    browser: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Value,
    sent: u64,
}

impl Tab {
    /// Starts the browser with these flags and opens an address.
    pub(super) fn open(chromium: &Path, flags: &[&str], url: &str) -> Self {
        let mut browser = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1"#, "sh"])
            .arg(chromium)
            .args(flags)
            .arg("--remote-debugging-pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (browser.stdin.take().unwrap(), BufReader::new(browser.stdout.take().unwrap()));
        let mut tab = Self { browser, to, from, session: Value::Null, sent: 0 };
        let target = tab.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attached = tab.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        tab.session = attached["sessionId"].clone();
        tab.call("Page.enable", &json!({}));
        tab.call("Page.navigate", &json!({"url": url}));
        while tab.read()["method"] != "Page.loadEventFired" {}
        tab
    }

    /// Calls a method of the protocol and returns its result.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": parameters});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == json!(self.sent) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Reads the next answer or event.
    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        serde_json::from_slice(message.strip_suffix(&[0]).unwrap()).unwrap()
    }

    /// Evaluates an expression in the page and returns its value.
    pub(super) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        self.call("Runtime.evaluate", &parameters)["result"]["value"].clone()
    }

    /// Presses and releases a key; `text` is empty for a key that produces no text.
    pub(super) fn press(&mut self, key: &str, code: u32, text: &str) {
        for event in ["keyDown", "keyUp"] {
            let mut parameters = json!({"type": event, "key": key, "windowsVirtualKeyCode": code});
            if event == "keyDown" && !text.is_empty() {
                parameters["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", &parameters);
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
