// Judges objects by the validation of Kubernetes v1.37: see the package referee.
package main

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install" // registers the kinds
	admissionvalidation "k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"

	"hostnet.dev/tests/kubernetes/referee"
)

func main() {
	referee.Main(referee.Line{
		OfPod: func(options corevalidation.PodValidationOptions) corevalidation.PodValidationOptions {
			options.ResourceIsPod = true
			return options
		},
		StatefulSet: func(set *apps.StatefulSet, options corevalidation.PodValidationOptions) field.ErrorList {
			return appsvalidation.ValidateStatefulSet(set, appsvalidation.StatefulSetValidationOptions{}, options)
		},
		OfStatefulSet: func(template *core.PodTemplateSpec, options corevalidation.PodValidationOptions) field.ErrorList {
			return appsvalidation.ValidatePodTemplateSpecForStatefulSet(template, labels.SelectorFromSet(template.Labels), field.NewPath("spec", "template"), options, appsvalidation.StatefulSetValidationOptions{})
		},
		Other: func(object runtime.Object) (field.ErrorList, bool) {
			// The kinds have no namespace, which the package referee sets.
			switch object := object.(type) {
			case *admissionregistration.ValidatingWebhookConfiguration:
				object.Namespace = ""
				return admissionvalidation.ValidateValidatingWebhookConfiguration(object), true
			case *admissionregistration.MutatingWebhookConfiguration:
				object.Namespace = ""
				return admissionvalidation.ValidateMutatingWebhookConfiguration(object), true
			}
			return nil, false
		},
	})
}
