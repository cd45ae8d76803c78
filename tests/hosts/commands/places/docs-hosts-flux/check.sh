grep -q 'kind: DeploymentRuntimeConfig' infrastructure/crossplane/provider.yaml
for name in cert-manager external-secrets metrics-server; do
  file=infrastructure/$name/release.yaml
  grep -q '# beside this file' $file
  # What helm-controller installs is what `hostnet apply` writes, and a second run changes nothing.
  fluxbuild helm-post-render --helmrelease $file < rendered/$name.yaml > built.yaml
  grep -q 'hostNetwork: true' built.yaml
  hostnet patch --verify built.yaml rendered/$name.yaml
  hostnet patch --check --into $file rendered/$name.yaml
done
