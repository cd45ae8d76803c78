// Judges packages by the types of Crossplane v1.20: see the package referee.
package main

import (
	"github.com/crossplane/crossplane/apis/pkg"
	"github.com/crossplane/crossplane/apis/pkg/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"hostnet.dev/tests/crossplane/referee"
)

func main() {
	referee.Main(referee.Types{AddToScheme: pkg.AddToScheme, Deployment: deployment})
}

func deployment(object runtime.Object) *appsv1.DeploymentSpec {
	config, ok := object.(*v1beta1.DeploymentRuntimeConfig)
	if !ok || config.Spec.DeploymentTemplate == nil {
		return nil
	}
	return config.Spec.DeploymentTemplate.Spec
}
