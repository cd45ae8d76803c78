export HELM_DATA_HOME=$HOME/helm HELM_CONFIG_HOME=$HOME/helm-config HELM_CACHE_HOME=$HOME/helm-cache
cp -r "$PROJECT/examples/helm-post-renderer/plugin" plugin
