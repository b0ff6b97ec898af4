// Judge reads a JSON array of Kubernetes objects and says of each what kstatus makes of it, and what Flux's checker of
// conditions has against it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	numbers "k8s.io/apimachinery/pkg/util/json"
)

// What is true of an object that is not as it should be; the first weighs most.
var negative = []string{"Stalled", "Reconciling"}

type object struct {
	unstructured.Unstructured
}

func (o *object) GetConditions() []metav1.Condition {
	var typed struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &typed); err != nil {
		log.Fatal(err)
	}
	return typed.Status.Conditions
}

type verdict struct {
	Kstatus string `json:"kstatus"`
	Fail    string `json:"fail"`
	Warn    string `json:"warn"`
}

func judge(content map[string]any) verdict {
	judged := &object{unstructured.Unstructured{Object: content}}
	computed, err := status.Compute(&judged.Unstructured)
	if err != nil {
		log.Fatal(err)
	}
	checker := check.NewChecker(nil, &check.Conditions{NegativePolarity: negative})
	checker.DisableFetch = true
	fail, warn := checker.Check(context.Background(), judged)
	return verdict{Kstatus: string(computed.Status), Fail: text(fail), Warn: text(warn)}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func main() {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	// As the API machinery reads them: whole numbers are int64.
	var objects []any
	if err := numbers.Unmarshal(input, &objects); err != nil {
		log.Fatal(err)
	}
	verdicts := make([]verdict, len(objects))
	for index, each := range objects {
		content, isObject := each.(map[string]any)
		if !isObject {
			log.Fatal(fmt.Errorf("item %d is no object", index))
		}
		verdicts[index] = judge(content)
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		log.Fatal(err)
	}
}
