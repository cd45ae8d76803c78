package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/resmap"
)

type buildOptions struct {
	kustomization string
	source        string
	cluster       string
	substitute    map[string]string
	strict        bool
}

// build takes the steps of kustomize-controller up to the apply: the fields of the Kustomization go into a
// kustomization.yaml, which is built without plugins; then each object's variables are substituted.
func build(options buildOptions) ([]byte, error) {
	var object kustomizev1.Kustomization
	if err := readObject(options.kustomization, &object); err != nil {
		return nil, err
	}
	for name, value := range options.substitute {
		if object.Spec.PostBuild == nil {
			object.Spec.PostBuild = &kustomizev1.PostBuild{}
		}
		if object.Spec.PostBuild.Substitute == nil {
			object.Spec.PostBuild.Substitute = map[string]string{}
		}
		object.Spec.PostBuild.Substitute[name] = value
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&object)
	if err != nil {
		return nil, err
	}
	untyped := unstructured.Unstructured{Object: fields}
	// The generator writes into the artifact's content.
	root, err := copied(options.source)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	folder := filepath.Join(root, filepath.Clean("/"+object.Spec.Path))
	if _, err := kustomize.NewGenerator(root, untyped).WriteFile(folder); err != nil {
		return nil, err
	}
	objects, err := kustomize.SecureBuild(root, folder, false)
	if err != nil {
		return nil, fmt.Errorf("kustomize build failed: %w", err)
	}
	if err := substitute(&object, untyped, objects, options); err != nil {
		return nil, err
	}
	manifests, err := objects.AsYaml()
	if err != nil {
		return nil, err
	}
	var labels, annotations map[string]string
	if common := object.Spec.CommonMetadata; common != nil {
		labels, annotations = common.Labels, common.Annotations
	}
	return applicable(manifests, labels, annotations)
}

func copied(source string) (string, error) {
	root, err := os.MkdirTemp("", "fluxbuild-")
	if err != nil {
		return "", err
	}
	// The secure file system compares real paths.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", err
	}
	if err := os.CopyFS(root, os.DirFS(source)); err != nil {
		os.RemoveAll(root)
		return "", err
	}
	return root, nil
}

func substitute(object *kustomizev1.Kustomization, untyped unstructured.Unstructured, objects resmap.ResMap, options buildOptions) error {
	if object.Spec.PostBuild == nil {
		return nil
	}
	cluster, err := newCluster(options.cluster)
	if err != nil {
		return err
	}
	always := object.GetSubstituteStrategy() == kustomizev1.SubstituteStrategyAlways
	for _, resource := range objects.Resources() {
		changed, err := kustomize.SubstituteVariables(context.Background(), cluster, untyped, resource,
			kustomize.SubstituteWithStrict(options.strict), kustomize.SubstituteWithAlways(always))
		if err != nil {
			return fmt.Errorf("post build failed for '%s/%s': %w", resource.GetGvk(), resource.GetName(), err)
		}
		if changed == nil {
			continue
		}
		if _, err := objects.Replace(resource); err != nil {
			return err
		}
	}
	return nil
}
