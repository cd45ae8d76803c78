hostnet apply --check -c web/hostnet.yaml web/web.yaml && grep -q "hostPort: 20443" web/web.yaml
