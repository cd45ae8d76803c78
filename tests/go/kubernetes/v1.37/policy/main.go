// Judges objects by ValidatingAdmissionPolicies as the API server does: the policies go through Kubernetes' own validation, and
// their expressions through its own compiler and evaluator.
//
// The argument is a file with policies and bindings. Standard input has a JSON object a line, {"object": OBJECT, "old": OBJECT},
// where old is what an update changes. Standard output has a JSON list a line: of each policy that refuses or fails its name, its
// validation actions and the message.
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
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install" // registers the kinds
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
)

type policy struct {
	name      string
	actions   []v1.ValidationAction
	rules     []v1.NamedRuleWithOperations
	validator validating.Validator
}

type refusal struct {
	Policy  string                `json:"policy"`
	Actions []v1.ValidationAction `json:"actions"`
	Message string                `json:"message"`
	// Failed is whether the policy itself failed.
	Failed bool `json:"failed"`
}

func main() {
	if err := run(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(path string, in io.Reader, out io.Writer) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	policies, err := read(text)
	if err != nil {
		return err
	}
	questions, answers := json.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	for {
		var asked struct {
			Object *unstructured.Unstructured `json:"object"`
			Old    *unstructured.Unstructured `json:"old"`
		}
		if err := questions.Decode(&asked); err == io.EOF {
			return answers.Flush()
		} else if err != nil {
			return err
		}
		refusals := []refusal{}
		for _, policy := range policies {
			refusals = append(refusals, policy.judge(asked.Object, asked.Old)...)
		}
		if err := json.NewEncoder(answers).Encode(refusals); err != nil {
			return err
		}
	}
}

// read reads policies and bindings, each accepted by Kubernetes' validation.
func read(text []byte) ([]*policy, error) {
	var policies []*policy
	named := map[string]*policy{}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return policies, nil
		} else if err != nil {
			return nil, err
		}
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		legacyscheme.Scheme.Default(object)
		internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(object.DeepCopyObject(), runtime.InternalGroupVersioner)
		if err != nil {
			return nil, err
		}
		switch object := object.(type) {
		case *v1.ValidatingAdmissionPolicy:
			if errs := validation.ValidateValidatingAdmissionPolicy(internal.(*admissionregistration.ValidatingAdmissionPolicy)); len(errs) > 0 {
				return nil, errs.ToAggregate()
			}
			read := &policy{name: object.Name, rules: object.Spec.MatchConstraints.ResourceRules, validator: compile(object)}
			policies = append(policies, read)
			named[object.Name] = read
		case *v1.ValidatingAdmissionPolicyBinding:
			if errs := validation.ValidateValidatingAdmissionPolicyBinding(internal.(*admissionregistration.ValidatingAdmissionPolicyBinding)); len(errs) > 0 {
				return nil, errs.ToAggregate()
			}
			named[object.Spec.PolicyName].actions = object.Spec.ValidationActions
		default:
			return nil, fmt.Errorf("%T is neither a policy nor a binding", object)
		}
	}
}

// compile does what the admission plugin does with a policy.
func compile(of *v1.ValidatingAdmissionPolicy) validating.Validator {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return validating.NewValidator(nil, nil, nil, nil, of.Spec.FailurePolicy, err)
	}
	var variables []cel.NamedExpressionAccessor
	for _, variable := range of.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: variable.Name, Expression: variable.Expression})
	}
	compiler.CompileAndStoreVariables(variables, cel.OptionalVariableDeclarations{}, environment.StoredExpressions)
	condition := func(all []cel.ExpressionAccessor) cel.ConditionEvaluator {
		return compiler.CompileCondition(all, cel.OptionalVariableDeclarations{}, environment.StoredExpressions)
	}
	var conditions, validations, messages []cel.ExpressionAccessor
	for _, one := range of.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&one))
	}
	for _, one := range of.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: one.Expression, Message: one.Message, Reason: one.Reason})
		messages = append(messages, &validating.MessageExpressionCondition{MessageExpression: one.MessageExpression})
	}
	matcher := matchconditions.NewMatcher(condition(conditions), of.Spec.FailurePolicy, "policy", "validate", of.Name)
	return validating.NewValidator(condition(validations), matcher, condition(nil), condition(messages), of.Spec.FailurePolicy, nil)
}

// judge is what the policy says of a write.
func (p *policy) judge(object, old *unstructured.Unstructured) []refusal {
	kind := object.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: strings.ToLower(kind.Kind) + "s"}
	if !p.matches(resource) {
		return nil
	}
	operation, versionedOld := admission.Create, admission.LazyObject{}
	var before runtime.Object
	if old != nil {
		operation, versionedOld, before = admission.Update, admission.NewLazyObject(old), old
	}
	attributes := &admission.VersionedAttributes{
		Attributes:         admission.NewAttributesRecord(object, before, kind, object.GetNamespace(), object.GetName(), resource, "", operation, nil, false, nil),
		VersionedObject:    admission.NewLazyObject(object),
		VersionedOldObject: versionedOld,
		VersionedKind:      kind,
	}
	result := p.validator.Validate(context.Background(), resource, attributes, nil, nil, celconfig.RuntimeCELCostBudget, nil)
	var refusals []refusal
	for _, decision := range result.Decisions {
		if decision.Action != validating.ActionAdmit || decision.Evaluation == validating.EvalError {
			failed := decision.Evaluation == validating.EvalError
			refusals = append(refusals, refusal{Policy: p.name, Actions: p.actions, Message: decision.Message, Failed: failed})
		}
	}
	return refusals
}

func (p *policy) matches(resource schema.GroupVersionResource) bool {
	for _, rule := range p.rules {
		has := func(list []string, one string) bool {
			for _, listed := range list {
				if listed == "*" || listed == one {
					return true
				}
			}
			return false
		}
		if has(rule.APIGroups, resource.Group) && has(rule.APIVersions, resource.Version) && has(rule.Resources, resource.Resource) {
			return true
		}
	}
	return false
}
