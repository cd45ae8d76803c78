grep -q 'kind: DeploymentRuntimeConfig' infrastructure/crossplane/provider.yaml
for release in cert-manager_cert-manager external-secrets_external-secrets kube-system_metrics-server; do
  name=${release#*_}
  file=infrastructure/$name/release.yaml
  grep -q '# beside this file' $file
  # helm-controller installs the output of `hostnet apply`, and a second run changes nothing.
  fluxbuild helm-post-render --helmrelease $file < rendered/helmrelease_$release.yaml > built.yaml
  grep -q 'hostNetwork: true' built.yaml
  hostnet patch --verify built.yaml rendered/helmrelease_$release.yaml
  hostnet patch --check --into $file rendered/helmrelease_$release.yaml
done
