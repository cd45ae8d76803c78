grep -q 'hostNetwork: true' built.yaml
[ "$(grep -c 'hostPort: ' built.yaml)" = 2 ]
grep -q '^      name: eu-web$' built.yaml
grep -q '^      namespace: prod$' built.yaml
kubectl kustomize --enable-alpha-plugins host-network | cmp - built.yaml
kustomize build deploy | hostnet apply -q -c host-network/hostnet.yaml | sort | diff - <(sort built.yaml)
hostnet ports --called -o ranges built.yaml | grep -q '^TCP [0-9]*$'
