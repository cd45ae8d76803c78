mkdir -p clusters/prod host-network
printf 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {interval: 1h}\n' > clusters/prod/web.yaml
printf 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop}\nspec:\n  path: ./base\n' > clusters/prod/shop.yaml
sed 's|name: shop|name: deploy|; s|./base|./deploy|' clusters/prod/shop.yaml > clusters/prod/deploy.yaml
printf 'namePrefix: eu-\nresources: [../base]\n' > deploy/kustomization.yaml
mkdir eu && printf 'namePrefix: eu-\nnamespace: prod\nresources: [../base]\ncomponents: [../host-network]\n' > eu/kustomization.yaml
