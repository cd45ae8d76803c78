for name in cert-manager external-secrets metrics-server; do
  mkdir -p "$CHARTS/$name/templates"
  printf 'apiVersion: v2\nname: %s\nversion: 1.0.0\n' "$name" > "$CHARTS/$name/Chart.yaml"
  cp "$PROJECT/tests/corpus/catalog/$name/input.yaml" "$CHARTS/$name/templates/all.yaml"
done
