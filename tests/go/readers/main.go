// Command readers shows what Go programs see in manifests: kyaml, as kustomize and kpt read them, and sigs.k8s.io/yaml, as kubectl and
// the API server's clients do.
//
// Standard input has a JSON string a line, a stream of YAML documents or JSON. Standard output has an object a line,
// {"kyaml": [DOCUMENT...], "sigs": [DOCUMENT...], "errors": {"kyaml": ERROR, "sigs": ERROR}}: of each reader the documents that are not
// null, or why it refuses the text.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/yaml"
)

type answer struct {
	Kyaml  []json.RawMessage `json:"kyaml"`
	Sigs   []json.RawMessage `json:"sigs"`
	Errors map[string]string `json:"errors"`
}

func main() {
	questions, answers := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	defer answers.Flush()
	for {
		var text string
		if err := questions.Decode(&text); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		read := answer{Errors: map[string]string{}}
		for name, reader := range map[string]func(string) ([]json.RawMessage, error){"kyaml": kyaml, "sigs": sigs} {
			documents, err := reader(text)
			switch {
			case err != nil:
				read.Errors[name] = err.Error()
			case name == "kyaml":
				read.Kyaml = documents
			default:
				read.Sigs = documents
			}
		}
		if err := json.NewEncoder(answers).Encode(read); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
}

// kyaml reads a stream as kustomize does. It panics on some texts that are not YAML.
func kyaml(text string) (documents []json.RawMessage, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	reader := kio.ByteReader{Reader: bytes.NewBufferString(text), OmitReaderAnnotations: true, DisableUnwrapping: true, AnchorsAweigh: true}
	nodes, err := reader.Read()
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		document, err := node.MarshalJSON()
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}

// sigs reads a stream as kubectl does.
func sigs(text string) ([]json.RawMessage, error) {
	var documents []json.RawMessage
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewBufferString(text)))
	for {
		part, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		} else if err != nil {
			return nil, err
		}
		document, err := yaml.YAMLToJSON(part)
		if err != nil {
			return nil, err
		}
		if string(document) != "null" {
			documents = append(documents, document)
		}
	}
}
