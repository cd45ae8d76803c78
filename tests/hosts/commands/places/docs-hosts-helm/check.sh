grep -q 'hostNetwork: true' moved.yaml
! grep -q 'hostNetwork: true' rendered.yaml
