package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/ssa/normalize"
	ssautil "github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// readObject reads one object of a known type. Fields that the type does not have are refused, as the API server
// would refuse or drop them.
func readObject(file string, object any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(data, object); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// applicable is what a controller would apply of these manifests, with the common metadata of its object. The API
// server's verdict on an object that does not fit the type of its kind is anticipated.
func applicable(manifests []byte, labels, annotations map[string]string) ([]byte, error) {
	objects, err := ssautil.ReadObjects(bytes.NewReader(manifests))
	if err != nil {
		return nil, err
	}
	ssautil.SetCommonMetadata(objects, labels, annotations)
	for _, object := range objects {
		if !scheme.Scheme.Recognizes(object.GroupVersionKind()) {
			continue
		}
		if _, err := normalize.FromUnstructured(object); err != nil {
			return nil, fmt.Errorf("%s: %w", ssautil.FmtUnstructured(object), err)
		}
	}
	stream, err := ssautil.ObjectsToYAML(objects)
	return []byte(stream), err
}
