rm hostnet.yaml
git init -q .
mkdir -p clusters/prod
cp -r manifests clusters/prod/apps
