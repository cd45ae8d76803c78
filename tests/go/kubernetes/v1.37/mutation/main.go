// Mutates objects by MutatingAdmissionPolicies with the admission plugin of the API server. The policies go through Kubernetes' own
// validation; the cluster around the plugin is client-go's fake clientset.
//
// Standard input has a JSON value a line, {"policies": YAML, "objects": [{"object": OBJECT, "old": OBJECT, "admit": true}]}: a cluster with these
// policies and the writes to it. Without "admit" an object is read and defaulted alone. Standard output has an answer a line,
// {"objects": [{"object": OBJECT, "error": TEXT}], "conditions": COST, "mutation": COST, "error": TEXT}: the objects as the API server would store
// them, and the highest CEL cost of a policy's conditions and of its mutation. A policy that fails is an error, whatever its failurePolicy.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/api/admissionregistration/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/openapi"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install" // these register the kinds with their defaults
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
)

type write struct {
	Object map[string]any `json:"object"`
	Old    map[string]any `json:"old"`
	Admit  bool           `json:"admit"`
}

type stored struct {
	Object map[string]any `json:"object,omitempty"`
	Error  string         `json:"error,omitempty"`
}

type answer struct {
	Objects    []stored `json:"objects"`
	Conditions int64    `json:"conditions"`
	Mutation   int64    `json:"mutation"`
	Error      string   `json:"error,omitempty"`
}

func main() {
	generic.SetPolicyRefreshIntervalForTests(10 * time.Millisecond)
	questions, answers := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	for {
		var asked struct {
			Policies string  `json:"policies"`
			Objects  []write `json:"objects"`
		}
		if err := questions.Decode(&asked); err == io.EOF {
			break
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		given, err := run(asked.Policies, asked.Objects)
		if err != nil {
			given.Error = err.Error()
		}
		if err := json.NewEncoder(answers).Encode(given); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	answers.Flush()
}

func run(text string, writes []write) (answer, error) {
	var given answer
	policies, bindings, err := read([]byte(text))
	if err != nil {
		return given, err
	}
	server, err := start(policies, bindings, writes)
	if err != nil {
		return given, err
	}
	defer close(server.stop)
	for _, one := range writes {
		object, err := server.store(one, &given)
		if err != nil {
			given.Objects = append(given.Objects, stored{Error: err.Error()})
		} else {
			given.Objects = append(given.Objects, stored{Object: object})
		}
	}
	return given, nil
}

// read reads policies and bindings, each accepted by Kubernetes' validation. Whatever fails in a policy is an error here.
func read(text []byte) (policies []*v1.MutatingAdmissionPolicy, bindings []*v1.MutatingAdmissionPolicyBinding, err error) {
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return policies, bindings, nil
		} else if err != nil {
			return nil, nil, err
		}
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if runtime.IsMissingKind(err) {
			continue // comments alone
		} else if err != nil {
			return nil, nil, err
		}
		legacyscheme.Scheme.Default(object)
		internal, err := legacyscheme.Scheme.ConvertToVersion(object, runtime.InternalGroupVersioner)
		if err != nil {
			return nil, nil, err
		}
		switch object := object.(type) {
		case *v1.MutatingAdmissionPolicy, *v1beta1.MutatingAdmissionPolicy:
			if errs := validation.ValidateMutatingAdmissionPolicy(internal.(*admissionregistration.MutatingAdmissionPolicy)); len(errs) > 0 {
				return nil, nil, errs.ToAggregate()
			}
			policy := &v1.MutatingAdmissionPolicy{}
			if err := legacyscheme.Scheme.Convert(internal, policy, nil); err != nil {
				return nil, nil, err
			}
			fail := v1.Fail
			policy.Spec.FailurePolicy = &fail
			policies = append(policies, policy)
		case *v1.MutatingAdmissionPolicyBinding, *v1beta1.MutatingAdmissionPolicyBinding:
			if errs := validation.ValidateMutatingAdmissionPolicyBinding(internal.(*admissionregistration.MutatingAdmissionPolicyBinding)); len(errs) > 0 {
				return nil, nil, errs.ToAggregate()
			}
			binding := &v1.MutatingAdmissionPolicyBinding{}
			if err := legacyscheme.Scheme.Convert(internal, binding, nil); err != nil {
				return nil, nil, err
			}
			bindings = append(bindings, binding)
		default:
			return nil, nil, fmt.Errorf("%T is neither a policy nor a binding", object)
		}
	}
}

// apiServer is the plugin and what it needs of a cluster.
type apiServer struct {
	plugin   *mutating.Plugin
	policies []*v1.MutatingAdmissionPolicy
	compiled map[string]*compiled
	stop     chan struct{}
}

func start(policies []*v1.MutatingAdmissionPolicy, bindings []*v1.MutatingAdmissionPolicyBinding, writes []write) (*apiServer, error) {
	var objects []runtime.Object
	for _, policy := range policies {
		objects = append(objects, policy)
	}
	for _, binding := range bindings {
		objects = append(objects, binding)
	}
	mapper, namespaces, versions := meta.NewDefaultRESTMapper(nil), map[string]bool{}, schemas{}
	for _, one := range writes {
		object := unstructured.Unstructured{Object: one.Object}
		mapper.Add(object.GroupVersionKind(), meta.RESTScopeNamespace)
		versions[object.GroupVersionKind().GroupVersion()] = true
		if name := object.GetNamespace(); name != "" && !namespaces[name] {
			namespaces[name] = true
			labels := map[string]string{corev1.LabelMetadataName: name}
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
		}
	}
	for _, policy := range policies {
		for _, rule := range policy.Spec.MatchConstraints.ResourceRules {
			for _, group := range rule.APIGroups {
				for _, version := range rule.APIVersions {
					versions[schema.GroupVersion{Group: group, Version: version}] = true
				}
			}
		}
	}
	client := cluster{fake.NewSimpleClientset(objects...), versions}
	plugin, err := mutating.NewPlugin(nil)
	if err != nil {
		return nil, err
	}
	server := &apiServer{plugin: plugin, policies: policies, compiled: map[string]*compiled{}, stop: make(chan struct{})}
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin.SetEnabled(true)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetRESTMapper(mapper)
	plugin.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()))
	plugin.SetDrainedNotification(server.stop)
	plugin.SetUnconditionalAuthorizer(noAuthorizer{})
	if err := plugin.ValidateInitialization(); err != nil {
		return nil, err
	}
	factory.Start(server.stop)
	factory.WaitForCacheSync(server.stop)
	// It waits ten seconds at most, and a thousand policies take longer to compile.
	for try := 0; !plugin.WaitForReady(); try++ {
		if try == 20 {
			return nil, errors.New("the plugin does not get ready")
		}
	}
	return server, nil
}

// store is what the API server does with a write before it is validated.
func (s *apiServer) store(one write, costs *answer) (map[string]any, error) {
	object, kind, err := decode(one.Object)
	if err != nil {
		return nil, err
	}
	if !one.Admit {
		return encode(object, kind)
	}
	operation, old := admission.Create, runtime.Object(nil)
	if one.Old != nil {
		operation = admission.Update
		if old, _, err = decode(one.Old); err != nil {
			return nil, err
		}
	}
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	interfaces := admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)
	attributes := admission.NewAttributesRecord(object, old, kind, accessor.GetNamespace(), accessor.GetName(), resource, "", operation, nil, false, nil)
	if err := s.measure(attributes, resource, interfaces, costs); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		err = s.plugin.Admit(context.Background(), attributes, interfaces)
		// The plugin reads the schemas of the cluster in the background.
		if err == nil || !strings.Contains(err.Error(), "There can be a delay") || try == 500 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	return encode(object, kind)
}

// measure computes what the conditions and the mutation of each policy of this object cost.
func (s *apiServer) measure(attributes admission.Attributes, resource schema.GroupVersionResource, interfaces admission.ObjectInterfaces, costs *answer) error {
	versioned, err := admission.NewVersionedAttributes(attributes, attributes.GetKind(), interfaces)
	if err != nil {
		return err
	}
	request := cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(attributes.GetKind()))
	bindings := cel.OptionalVariableBindings{Authorizer: noAuthorizer{}}
	for _, policy := range s.policies {
		names := policy.Spec.MatchConstraints.ResourceRules[0].ResourceNames
		if len(names) > 0 && !slices.Contains(names, attributes.GetName()) {
			continue
		}
		if s.compiled[policy.Name] == nil {
			if s.compiled[policy.Name], err = compile(policy); err != nil {
				return err
			}
		}
		own := s.compiled[policy.Name]
		ctx := own.compiler.CreateContext(context.Background())
		results, left, err := own.conditions.ForInput(ctx, versioned, request, bindings, nil, celconfig.RuntimeCELCostBudget)
		if err != nil {
			return err
		}
		costs.Conditions = max(costs.Conditions, celconfig.RuntimeCELCostBudget-left)
		holds := true
		for _, result := range results {
			holds = holds && result.Error == nil && result.EvalResult.Value() == true
		}
		if !holds {
			continue
		}
		for _, mutation := range own.mutations {
			_, left, err := mutation.ForInput(ctx, versioned, request, bindings, nil, celconfig.RuntimeCELCostBudget)
			if err != nil {
				return err
			}
			costs.Mutation = max(costs.Mutation, celconfig.RuntimeCELCostBudget-left)
		}
	}
	return nil
}

// compiled are the expressions of a policy.
type compiled struct {
	compiler   *cel.CompositedCompiler
	conditions cel.ConditionEvaluator
	mutations  []cel.MutatingEvaluator
}

func compile(policy *v1.MutatingAdmissionPolicy) (*compiled, error) {
	options := cel.OptionalVariableDeclarations{HasAuthorizer: true}
	patches := cel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, err
	}
	var variables []cel.NamedExpressionAccessor
	for _, variable := range policy.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: variable.Name, Expression: variable.Expression})
	}
	compiler.CompileAndStoreVariables(variables, options, environment.StoredExpressions)
	var conditions []cel.ExpressionAccessor
	for _, one := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&one))
	}
	made := &compiled{compiler: compiler, conditions: compiler.CompileCondition(conditions, options, environment.StoredExpressions)}
	for _, one := range policy.Spec.Mutations {
		expression := &patch.JSONPatchCondition{Expression: one.JSONPatch.Expression}
		made.mutations = append(made.mutations, compiler.CompileMutatingEvaluator(expression, patches, environment.StoredExpressions))
	}
	return made, nil
}

// decode reads an object into the type that the API server works with, defaulted; kinds of others as they are.
func decode(object map[string]any) (runtime.Object, schema.GroupVersionKind, error) {
	kind := (&unstructured.Unstructured{Object: object}).GroupVersionKind()
	text, err := json.Marshal(object)
	if err != nil {
		return nil, kind, err
	}
	if !legacyscheme.Scheme.Recognizes(kind) {
		untyped, err := runtime.Decode(unstructured.UnstructuredJSONScheme, text)
		return untyped, kind, err
	}
	typed, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
	return typed, kind, err
}

func encode(object runtime.Object, kind schema.GroupVersionKind) (map[string]any, error) {
	if untyped, is := object.(*unstructured.Unstructured); is {
		return untyped.Object, nil
	}
	versioned, err := legacyscheme.Scheme.ConvertToVersion(object, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}

// cluster is a fake clientset whose discovery knows every version that a write or a policy names.
type cluster struct {
	*fake.Clientset
	versions schemas
}

func (c cluster) Discovery() discovery.DiscoveryInterfaces {
	return documented{c.Clientset.Discovery(), c.versions}
}

type documented struct {
	discovery.DiscoveryInterfaces
	versions schemas
}

func (d documented) OpenAPIV3() openapi.Client { return d.versions }

// schemas are versions without schemas: JSON patches need none.
type schemas map[schema.GroupVersion]bool

func (s schemas) Paths() (map[string]openapi.GroupVersion, error) {
	paths := map[string]openapi.GroupVersion{}
	for version := range s {
		folder := "apis/"
		if version.Group == "" {
			folder = "api/"
		}
		paths[folder+version.String()] = empty(folder + version.String())
	}
	return paths, nil
}

type empty string

func (e empty) Schema(string) ([]byte, error) { return []byte(`{"components": {"schemas": {}}}`), nil }

func (e empty) ServerRelativeURL() string { return string(e) }

// noAuthorizer has no opinion; no policy asks it.
type noAuthorizer struct{}

func (noAuthorizer) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionNoOpinion, "", nil
}
