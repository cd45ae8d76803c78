// Package referee judges objects by the API server's own validation. The programs beside it are one for each line of Kubernetes
// whose rules about host ports differ.
//
// Standard input has a JSON object a line, {"as": AS, "object": OBJECT}. AS is "object", or for a PodTemplate whose template
// another project validates with this library: "pod", "template" or "statefulset", as that project calls it. Standard output has
// a JSON list a line: the errors, none when the object is accepted.
package referee

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // registers the kinds
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // registers the kinds
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install" // registers the kinds
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
)

// Line is what differs from one line of Kubernetes to another.
type Line struct {
	// OfPod are the options of what a Pod is validated with, made of those of any pod spec.
	OfPod func(corevalidation.PodValidationOptions) corevalidation.PodValidationOptions
	// StatefulSet validates one as the API server does.
	StatefulSet func(*apps.StatefulSet, corevalidation.PodValidationOptions) field.ErrorList
	// OfStatefulSet validates the template of one.
	OfStatefulSet func(*core.PodTemplateSpec, corevalidation.PodValidationOptions) field.ErrorList
	// Other validates an object of another kind. Its second result is false for a kind that it does not judge. May be nil.
	Other func(runtime.Object) (field.ErrorList, bool)
}

type question struct {
	As     string          `json:"as"`
	Object json.RawMessage `json:"object"`
}

// Main judges the lines of stdin. A line that cannot be read ends it: exit 2.
func Main(line Line) {
	if err := line.judge(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func (line Line) judge(in io.Reader, out io.Writer) error {
	questions, answers := json.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	for number := 1; ; number++ {
		var asked question
		if err := questions.Decode(&asked); err == io.EOF {
			return answers.Flush()
		} else if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		errs, err := line.errors(asked)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		texts := make([]string, 0, len(errs))
		for _, err := range errs {
			texts = append(texts, err.Error())
		}
		if err := json.NewEncoder(answers).Encode(texts); err != nil {
			return err
		}
	}
}

// errors defaults an object as the API server does, takes out the fields whose features are off by default, and validates it as it
// does when it is created.
func (line Line) errors(asked question) (field.ErrorList, error) {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(asked.Object, nil, nil)
	if err != nil {
		// What the API server cannot read it refuses too.
		return field.ErrorList{field.InternalError(nil, err)}, nil
	}
	legacyscheme.Scheme.Default(object)
	if meta, ok := object.(metav1.Object); ok && meta.GetNamespace() == "" {
		meta.SetNamespace("default")
	}
	internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return nil, err
	}
	ofTemplate := func(template *core.PodTemplateSpec) corevalidation.PodValidationOptions {
		podutil.DropDisabledTemplateFields(template, nil)
		return podutil.GetValidationOptionsFromPodTemplate(template, nil)
	}
	switch object := internal.(type) {
	case *core.Pod:
		podutil.DropDisabledPodFields(object, nil)
		options := podutil.GetValidationOptionsFromPodSpecAndMeta(&object.Spec, nil, &object.ObjectMeta, nil)
		return corevalidation.ValidatePodCreate(object, line.OfPod(options)), nil
	case *core.Service:
		return corevalidation.ValidateServiceCreate(object), nil
	case *networking.NetworkPolicy:
		options := networkingvalidation.ValidationOptionsForNetworking(object, nil)
		return networkingvalidation.ValidateNetworkPolicy(object, options), nil
	case *core.PodTemplate:
		return line.template(asked.As, &object.Template, ofTemplate(&object.Template))
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(object, ofTemplate(&object.Spec.Template)), nil
	case *apps.StatefulSet:
		return line.StatefulSet(object, ofTemplate(&object.Spec.Template)), nil
	}
	if line.Other != nil {
		if errs, isJudged := line.Other(internal); isJudged {
			return errs, nil
		}
	}
	return nil, fmt.Errorf("%T is not judged", internal)
}

// template validates a pod template as another project calls this library for a kind of its own.
func (line Line) template(as string, template *core.PodTemplateSpec, options corevalidation.PodValidationOptions) (field.ErrorList, error) {
	path := field.NewPath("spec", "template")
	switch as {
	case "pod":
		return corevalidation.ValidatePodTemplateSpec(template, path, line.OfPod(options)), nil
	case "template":
		return corevalidation.ValidatePodTemplateSpec(template, path, options), nil
	case "statefulset":
		return line.OfStatefulSet(template, options), nil
	}
	return nil, fmt.Errorf("a PodTemplate is not judged as %q", as)
}
