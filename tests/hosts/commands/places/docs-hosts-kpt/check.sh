for package in web site shop desk; do
  grep -q 'hostNetwork: true' packages/$package/web.yaml
done
grep -q 'hostNetwork: true' moved/web.yaml
