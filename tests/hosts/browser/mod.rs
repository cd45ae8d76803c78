//! Tests of the HTML reports in headless Chromium: loading, filtering and rendering.

mod devtools;
mod png;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;

use self::devtools::Tab;
use crate::cases::HOSTNET;
use crate::support::{find_program, not_run, project, run, text};

/// A page, and the browser for it.
struct Page {
    chromium: PathBuf,
    folder: TempDir,
    /// Length in bytes.
    length: usize,
}

impl Page {
    /// Generates a page. Returns `None`, and prints a note, if the browser is missing.
    fn new(arguments: &[&str], input: &Path) -> Option<Self> {
        let Some(chromium) = find_program("chromium") else {
            not_run("chromium is missing");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        let output = format!("html={}", file.display());
        let mut command = Command::new(HOSTNET);
        let output = run(command.args(arguments).args(["--fail-on", "never", "-o", &output]).arg(input), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let length = std::fs::read(&file).unwrap().len();
        Some(Self { chromium, folder, length })
    }

    fn of_text(arguments: &[&str], manifest: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("input.yaml");
        std::fs::write(&input, manifest).unwrap();
        Self::new(arguments, &input)
    }

    fn of_example() -> Option<Self> {
        let example = project().join("examples/crossplane-core");
        let config = example.join("hostnet.yaml");
        Self::new(&["ports", "--all", "-c", config.to_str().unwrap()], &example.join("base/crossplane.yaml"))
    }

    fn url(&self, fragment: &str) -> String {
        format!("file://{}/page.html{fragment}", self.folder.path().display())
    }

    /// Returns the flags for every start. Chromium's sandbox is disabled, because it cannot start without a separate
    /// user.
    fn flags(&self) -> [String; 5] {
        let profile = format!("--user-data-dir={}", self.folder.path().join("profile").display());
        ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", &profile].map(str::to_owned)
    }

    /// Opens the page with a fragment and the given browser flags, and returns the browser's output.
    fn open(&self, flags: &[&str], fragment: &str) -> String {
        let output = run(Command::new(&self.chromium).args(self.flags()).args(flags).arg(self.url(fragment)), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Returns the document after its script ran.
    fn dom(&self, fragment: &str) -> String {
        self.open(&["--dump-dom"], fragment)
    }

    fn picture(&self, flags: &[&str]) -> png::Picture {
        let file = self.folder.path().join("picture.png");
        let screenshot = format!("--screenshot={}", file.display());
        self.open(&[flags, &["--window-size=1000,700", &screenshot]].concat(), "");
        png::Picture::read(&std::fs::read(file).unwrap())
    }
}

/// Returns the visible rows of the main table.
fn visible(dom: &str) -> Vec<&str> {
    let rows = dom.split("<tr data-n=").skip(1);
    rows.filter(|row| !row.split('>').next().unwrap().contains("hidden")).collect()
}

/// Returns the SVG path of a strip.
fn strip<'d>(dom: &'d str, id: &str) -> &'d str {
    let path = dom.split(&format!("id=\"{id}\" d=\"")).nth(1).unwrap();
    path.split('"').next().unwrap()
}

#[test]
fn the_page_of_the_example_filters_and_finds() {
    let Some(page) = Page::of_example() else { return };
    let all = page.dom("");
    assert!(visible(&all).len() > 8 && all.contains(&format!("{0} of {0} rows", visible(&all).len())), "{all}");
    assert!(strip(&all, "after").contains("M20443.5 0v24") && !strip(&all, "before").contains("M20443.5"));
    let called = page.dom("#a=1");
    assert_eq!(visible(&called).len(), 1, "{called}");
    assert!(visible(&called)[0].contains("20443/TCP"));
    assert_eq!(strip(&called, "after"), "M20443.5 0v24");
    assert_eq!(visible(&page.dom("#text=crossplane+20080")).len(), 1);
    assert_eq!(visible(&page.dom("#k=pool")).len(), 1);
    assert!(visible(&page.dom("#text=no+such+holder")).is_empty());
    assert!(page.dom("#zoom=20000-29999").contains("viewBox=\"20000 0 10000 24\""));
}

#[test]
fn keys_find_filter_and_zoom() {
    let Some(page) = Page::of_example() else { return };
    let flags = page.flags();
    let mut tab = Tab::open(&page.chromium, &flags.each_ref().map(String::as_str), &page.url(""));
    let focus = "document.activeElement.id";
    let shown = "[...document.querySelectorAll('#rows tbody tr')].filter((row) => !row.hidden).length";
    let all = tab.evaluate(shown);
    tab.press("/", 191, "/");
    assert_eq!(tab.evaluate(focus), "text");
    for digit in "20443".chars() {
        tab.press(&digit.to_string(), u32::from(digit), &digit.to_string());
    }
    // The slash key moves the focus and is not part of the text.
    assert_eq!(
        (tab.evaluate("document.getElementById('text').value"), tab.evaluate(shown)),
        (json!("20443"), json!(1))
    );
    for _ in 0..5 {
        tab.press("Backspace", 8, "");
    }
    assert_eq!(tab.evaluate(shown), all);
    // The Tab key reaches every control, and arrow keys change a list.
    let mut reached = Vec::new();
    while !reached.contains(&json!("zoom")) && reached.len() < 10 {
        tab.press("Tab", 9, "");
        reached.push(tab.evaluate(focus));
    }
    let before = tab.evaluate("document.querySelector('.strip').getAttribute('viewBox')");
    tab.press("ArrowDown", 40, "");
    let after = tab.evaluate("document.querySelector('.strip').getAttribute('viewBox')");
    assert!(reached.contains(&json!("zoom")) && before != after, "{reached:?} {before} {after}");
}

#[test]
fn without_javascript_the_table_is_complete() {
    let Some(page) = Page::of_example() else { return };
    let all = visible(&page.dom("")).len();
    // Without JavaScript, Chromium can print neither the document nor a screenshot, so the script is removed instead.
    let file = page.folder.path().join("page.html");
    let whole = std::fs::read_to_string(&file).unwrap();
    let (head, rest) = whole.split_once("<script>").unwrap();
    std::fs::write(&file, format!("{head}{}", rest.split_once("</script>").unwrap().1)).unwrap();
    let dom = page.dom("#a=1");
    assert!(dom.contains("<form id=\"filter\" hidden=\"\">"), "{dom}");
    assert_eq!(visible(&dom).len(), all);
    assert!(page.picture(&[]).colours() > 50);
}

#[test]
fn light_and_dark_are_painted() {
    let Some(page) = Page::of_example() else { return };
    // 0 is dark, 1 is light (blink's `PreferredColorScheme`).
    let [dark, light] =
        ["0", "1"].map(|scheme| page.picture(&[&format!("--blink-settings=preferredColorScheme={scheme}")]));
    assert_eq!((light.width, light.height), (1000, 700));
    assert!(light.brightness() > 200 && dark.brightness() < 80, "{} {}", light.brightness(), dark.brightness());
    assert!(light.colours() > 50 && dark.colours() > 50, "{} {}", light.colours(), dark.colours());
}

#[test]
fn a_thousand_workloads_stay_small_and_quick() {
    let workload = |number: usize| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{number}, namespace: shop-{}}}\nspec:\n  template:\n    metadata: {{labels: \
             {{app: web-{number}}}}}\n    spec:\n      containers:\n      - name: app\n        args: [--listen=:8443, --metrics-addr=:9090]\n        ports: \
             [{{name: https, containerPort: 8443}}]\n---\n",
            number % 10
        )
    };
    let manifest: String = (0..1_000).map(workload).collect();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    let targets = "spec: {targets: [{select: {kind: Deployment}, ports: auto}]}\n";
    std::fs::write(
        &config,
        format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: a}}\n{targets}"),
    )
    .unwrap();
    let Some(page) = Page::of_text(&["ports", "--all", "-c", config.to_str().unwrap()], &manifest) else { return };
    assert!(page.length < 500_000, "{} bytes", page.length);
    let start = Instant::now();
    let dom = page.dom("#text=deployment/web-777");
    assert_eq!(visible(&dom).len(), 2, "two listeners");
    assert_eq!(visible(&page.dom("#n=shop-7")).len(), 200);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn hostile_names_stay_text() {
    let name = "'<img src=x onerror=\"document.title=1\"><script>document.title=1</script>''\"'";
    let manifest = format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: {name}, namespace: {name}}}\nspec: {{template: {{spec: {{hostNetwork: true, \
         containers: [{{name: {name}, ports: [{{name: {name}, containerPort: 10250}}]}}]}}}}}}\n"
    );
    for (arguments, title) in
        [(&["ports", "--all"][..], "Ports of the nodes"), (&["check"], "Host networking: findings")]
    {
        let Some(page) = Page::of_text(arguments, &manifest) else { return };
        let dom = page.dom("");
        assert!(dom.contains(&format!("<title>{title}</title>")), "{dom}");
        assert_eq!((dom.matches("<script").count(), dom.matches("<img").count()), (1, 0), "{dom}");
        // The page's own script ran.
        assert!(dom.contains("<form id=\"filter\">") && dom.contains("rows</output>"), "{dom}");
    }
}
