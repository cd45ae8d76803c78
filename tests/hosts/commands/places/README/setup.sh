rm hostnet.yaml
export HELM_DATA_HOME=$HOME/helm HELM_CONFIG_HOME=$HOME/helm-config HELM_CACHE_HOME=$HOME/helm-cache
cp -r examples/helm-post-renderer/plugin plugin
mkdir -p packages/shop clusters/prod
cp examples/kpt-pipeline/web/* packages/shop/
printf 'resources: [base]\n' > kustomization.yaml
printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {interval: 1h}\n' > clusters/prod/web.yaml
printf 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop}\nspec: {path: ./base}\n' > clusters/prod/shop.yaml
