// Crds writes the CustomResourceDefinitions of Flux, Argo and the Prometheus operator into a directory. Those of Flux are
// generated from the types in their modules; the others are files in theirs, which are fetched and not built.
package main

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/source-controller/api/v1"
)

var flux = []string{"github.com/fluxcd/helm-controller/api/v2", "github.com/fluxcd/source-controller/api/v1"}

var files = map[string][]string{
	"github.com/argoproj/argo-cd/v3@v3.5.1": {
		"manifests/crds/application-crd.yaml",
		"manifests/crds/appproject-crd.yaml",
	},
	"github.com/argoproj/argo-workflows/v4@v4.0.5": {
		"manifests/base/crds/full/argoproj.io_workflowtemplates.yaml",
	},
	"github.com/prometheus-operator/prometheus-operator@v0.85.0": {
		"example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
	},
}

func run(words ...string) []byte {
	command := exec.Command("go", words...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		log.Fatalf("go %v: %v\n%s", words, err, output)
	}
	return output
}

func main() {
	directory := os.Args[1]
	if err := os.MkdirAll(directory, 0o755); err != nil {
		log.Fatal(err)
	}
	words := []string{"tool", "controller-gen", "crd", "output:crd:dir=" + directory}
	for _, path := range flux {
		words = append(words, "paths="+path)
	}
	run(words...)
	for module, paths := range files {
		var found struct{ Dir string }
		if err := json.Unmarshal(run("mod", "download", "-json", module), &found); err != nil {
			log.Fatal(err)
		}
		for _, file := range paths {
			content, err := os.ReadFile(filepath.Join(found.Dir, file))
			if err != nil {
				log.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(directory, filepath.Base(file)), content, 0o644); err != nil {
				log.Fatal(err)
			}
		}
	}
}
