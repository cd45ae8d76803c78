grep -q 'hostNetwork: true' manifests/web.yaml && grep -q 'hostNetwork: true' rendered.yaml
