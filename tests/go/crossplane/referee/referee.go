// Package referee judges objects of pkg.crossplane.io by Crossplane's own types: it decodes every one of a YAML stream as strictly
// as an API server does with fieldValidation=Strict (an unknown field and a key given twice are errors). The programs beside it
// are one for each line of Crossplane that hostnet knows, since each line has types of its own.
package referee

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const group = "pkg.crossplane.io/"

// Types are those of one line of Crossplane.
type Types struct {
	// AddToScheme registers the kinds of pkg.crossplane.io.
	AddToScheme func(*runtime.Scheme) error
	// Deployment is what a DeploymentRuntimeConfig says of the Deployment; nil when the object is not one or says nothing.
	Deployment func(runtime.Object) *appsv1.DeploymentSpec
}

// Main judges the stream on stdin and prints how many objects were decoded. The first problem ends it: document, object and field
// on stderr, exit 1.
func Main(types Types) {
	count, err := types.judge(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(count)
}

func (types Types) judge(stream io.Reader) (int, error) {
	scheme := runtime.NewScheme()
	if err := types.AddToScheme(scheme); err != nil {
		return 0, err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := utilyaml.NewYAMLReader(bufio.NewReader(stream))
	count := 0
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return count, fmt.Errorf("document %d: %w", number, err)
		}
		var head metav1.PartialObjectMetadata
		if err := yaml.Unmarshal(document, &head); err != nil {
			return count, fmt.Errorf("document %d: %w", number, err)
		}
		if strings.HasSuffix(head.Kind, "List") {
			return count, fmt.Errorf("document %d: a %s: give its items as a stream", number, head.Kind)
		}
		if !strings.HasPrefix(head.APIVersion, group) {
			continue
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err == nil {
			err = deploymentErrors(types.Deployment(object))
		}
		if err != nil {
			return count, fmt.Errorf("document %d: %s %s: %w", number, head.Kind, head.Name, err)
		}
		count++
	}
}
