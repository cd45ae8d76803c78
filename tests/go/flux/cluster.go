package main

import (
	"context"
	"fmt"
	"os"

	ssautil "github.com/fluxcd/pkg/ssa/utils"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cluster answers reads of ConfigMaps and Secrets from a file, and nothing else.
type cluster struct {
	client.Client
	objects []*unstructured.Unstructured
}

func newCluster(file string) (*cluster, error) {
	if file == "" {
		return &cluster{}, nil
	}
	stream, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	objects, err := ssautil.ReadObjects(stream)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &cluster{objects: objects}, nil
}

// Get finds an object by kind, namespace and name.
func (c *cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind := "Secret"
	if _, ok := into.(*corev1.ConfigMap); ok {
		kind = "ConfigMap"
	}
	for _, object := range c.objects {
		if object.GetKind() == kind && client.ObjectKeyFromObject(object) == key {
			return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into)
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, key.String())
}
