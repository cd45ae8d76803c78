grep -q 'hostNetwork: true' built.yaml
[ "$(grep -c 'hostPort: ' built.yaml)" = 2 ]
kubectl kustomize --enable-alpha-plugins . | cmp - built.yaml
hostnet ports --called -o ranges built.yaml | grep -q '^TCP [0-9]*$'
