//go:build sanity

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"
)

// The conformance tests of CSI, against a driver that runs, in a Ceph that runs.
func TestSanity(t *testing.T) {
	config := sanity.NewTestConfig()
	config.Address = os.Getenv("NODE_SOCKET")
	config.ControllerAddress = os.Getenv("CONTROLLER_SOCKET")
	config.TestVolumeParameters = map[string]string{"type": os.Getenv("TYPE")}
	config.TestVolumeSize = 64 * mebibyte
	config.TargetPath = filepath.Join(t.TempDir(), "target")
	config.StagingPath = filepath.Join(t.TempDir(), "staging")
	sanity.Test(t, config)
}
