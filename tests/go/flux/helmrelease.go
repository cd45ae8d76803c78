package main

import (
	"encoding/json"
	"io"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	kustomizeapi "github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/kustomize"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// chartOutput is the only resource of a post-renderer's kustomization.
const chartOutput = "helm-output.yaml"

// postRender runs the post-renderers of a HelmRelease over a chart's output, each on what the one before it gave. The
// labels with which helm-controller then says where an object comes from are left out.
func postRender(file string, stdin io.Reader) ([]byte, error) {
	var release helmv2.HelmRelease
	if err := readObject(file, &release); err != nil {
		return nil, err
	}
	manifests, err := io.ReadAll(stdin)
	if err != nil {
		return nil, err
	}
	for _, renderer := range release.Spec.PostRenderers {
		if renderer.Kustomize == nil {
			continue
		}
		if manifests, err = kustomized(renderer.Kustomize, manifests); err != nil {
			return nil, err
		}
	}
	var labels, annotations map[string]string
	if common := release.Spec.CommonMetadata; common != nil {
		labels, annotations = common.Labels, common.Annotations
	}
	return applicable(manifests, labels, annotations)
}

// kustomized is helm-controller's kustomize call: a kustomization in memory, plugins disabled.
func kustomized(renderer *helmv2.Kustomize, manifests []byte) ([]byte, error) {
	fields := types.Kustomization{
		TypeMeta:  types.TypeMeta{APIVersion: types.KustomizationVersion, Kind: types.KustomizationKind},
		Resources: []string{chartOutput},
	}
	for _, patch := range renderer.Patches {
		fields.Patches = append(fields.Patches, types.Patch{Patch: patch.Patch, Target: target(patch.Target)})
	}
	for _, image := range renderer.Images {
		fields.Images = append(fields.Images,
			types.Image{Name: image.Name, NewName: image.NewName, NewTag: image.NewTag, Digest: image.Digest})
	}
	kustomization, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	memory := filesys.MakeFsInMemory()
	for name, content := range map[string][]byte{"kustomization.yaml": kustomization, chartOutput: manifests} {
		if err := memory.WriteFile(name, content); err != nil {
			return nil, err
		}
	}
	objects, err := kustomize.Build(memory, ".")
	if err != nil {
		return nil, err
	}
	return objects.AsYaml()
}

func target(selector *kustomizeapi.Selector) *types.Selector {
	if selector == nil {
		return nil
	}
	gvk := resid.Gvk{Group: selector.Group, Version: selector.Version, Kind: selector.Kind}
	return &types.Selector{
		ResId:              resid.ResId{Gvk: gvk, Name: selector.Name, Namespace: selector.Namespace},
		AnnotationSelector: selector.AnnotationSelector,
		LabelSelector:      selector.LabelSelector,
	}
}
