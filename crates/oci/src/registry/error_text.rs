//! Formats registry errors like Crossplane's client.
//!
//! Source: google/go-containerregistry@v0.21.6 `pkg/v1/remote/transport/error.go`.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Answer {
    errors: Vec<Diagnostic>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Diagnostic {
    code: String,
    message: String,
    detail: Value,
}

/// Formats an error: `GET URL: MANIFEST_UNKNOWN: manifest unknown; map[Tag:v1]`
pub(super) fn error_text(method: &str, url: &str, (code, reason): (u16, &str), body: &[u8]) -> String {
    let answer: Answer = serde_json::from_slice(body).unwrap_or_default();
    let one = |diagnostic: &Diagnostic| match &diagnostic.detail {
        Value::Null => format!("{}: {}", diagnostic.code, diagnostic.message),
        detail => format!("{}: {}; {}", diagnostic.code, diagnostic.message, go_format(detail)),
    };
    let what = match answer.errors.as_slice() {
        [] if body.is_empty() && method == "HEAD" => {
            format!("unexpected status code {code} {reason} (HEAD responses have no body, use GET for details)")
        }
        [] if body.is_empty() => format!("unexpected status code {code} {reason}"),
        [] => format!("unexpected status code {code} {reason}: {}", String::from_utf8_lossy(body)),
        [only] => one(only),
        several => format!("multiple errors returned: {}", several.iter().map(one).collect::<Vec<_>>().join("; ")),
    };
    format!("{method} {url}: {what}")
}

/// Formats a value like Go's `%v`.
fn go_format(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_format).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let mut fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}:{}", go_format(value))).collect();
            fields.sort();
            format!("map[{}]", fields.join(" "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::error_text;

    #[test]
    fn registry_errors_have_the_wording_of_go() {
        let text = |method: &str, body: &str| error_text(method, "https://r/v2/", (404, "Not Found"), body.as_bytes());
        let body = r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown","detail":{"Tag":"v9","Name":["a",1]}}]}"#;
        assert_eq!(text("GET", body), "GET https://r/v2/: MANIFEST_UNKNOWN: manifest unknown; map[Name:[a 1] Tag:v9]");
        assert_eq!(
            text("HEAD", ""),
            "HEAD https://r/v2/: unexpected status code 404 Not Found (HEAD responses have no body, use GET for details)"
        );
        assert_eq!(text("GET", "no"), "GET https://r/v2/: unexpected status code 404 Not Found: no");
    }
}
