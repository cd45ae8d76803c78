grep -q 'hostNetwork: true' moved.yaml
grep -q 'kustomize.buildOptions: --enable-alpha-plugins' installed.yaml
grep -q 'KUSTOMIZE_PLUGIN_HOME' installed.yaml
[ "$(grep -c 'image: registry.example.com/hostnet:' installed.yaml)" = 1 ]
# Runs the plugin's command as its sidecar does.
hostnet install --kustomize-plugin "$HOME/plugins" >/dev/null
command=$(sed -n 's/^    command: \[\(.*\)\]$/\1/p' repo-server/plugin.yaml | tr -d ',' | sed "s|^/plugins|$HOME/plugins|")
cp hostnet.yaml app/
(cd app && $command) | cmp - moved.yaml
# The plugin leaves applications with a kustomization to kustomize.
discover=$(sed -n "s/^      command: \[sh, -c, '\(.*\)'\]$/\1/p" repo-server/plugin.yaml)
[ "$(cd app && sh -c "$discover")" = hostnet.yaml ]
mkdir built
touch built/hostnet.yaml built/kustomization.yml
[ -z "$(cd built && sh -c "$discover")" ]
