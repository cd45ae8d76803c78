grep -q 'kind: MutatingAdmissionPolicy$' policies.yaml && grep -q 'kind: ValidatingAdmissionPolicy$' policies.yaml
