package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Ceph runs Ceph's programs with an account, whose key is in its keyring.
type ceph struct{ user string }

// The gRPC code for an exit code of Ceph's programs, which is an errno.
var codeOf = map[syscall.Errno]codes.Code{
	syscall.ENOENT:    codes.NotFound,
	syscall.EACCES:    codes.PermissionDenied,
	syscall.EBUSY:     codes.FailedPrecondition,
	syscall.EEXIST:    codes.AlreadyExists,
	syscall.EINVAL:    codes.InvalidArgument,
	syscall.ENOSPC:    codes.ResourceExhausted,
	syscall.ETIMEDOUT: codes.Unavailable,
}

// Run returns the output of a program of Ceph; its failure is a gRPC error.
func (c ceph) run(ctx context.Context, program string, arguments ...string) ([]byte, error) {
	return runProgram(ctx, program, append([]string{"--id", c.user}, arguments...)...)
}

// Ask runs a program of Ceph, and parses its JSON output.
func (c ceph) ask(ctx context.Context, answer any, program string, arguments ...string) error {
	said, err := c.run(ctx, program, append(arguments, "--format", "json")...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(said, answer); err != nil {
		return status.Errorf(codes.Internal, "%s %s prints no JSON: %v", program, strings.Join(arguments, " "), err)
	}
	return nil
}

func runProgram(ctx context.Context, program string, arguments ...string) ([]byte, error) {
	var said, complaint bytes.Buffer
	command := exec.CommandContext(ctx, program, arguments...)
	command.Stdout, command.Stderr = &said, &complaint
	err := command.Run()
	if err == nil {
		return said.Bytes(), nil
	}
	code := codes.Internal
	var exit *exec.ExitError
	if ctx.Err() != nil {
		code = status.FromContextError(ctx.Err()).Code()
	} else if errors.As(err, &exit) {
		if known, found := codeOf[syscall.Errno(exit.ExitCode())]; found {
			code = known
		}
	}
	return nil, status.Errorf(code, "%s %s: %v: %s", program, strings.Join(arguments, " "), err, lastLine(complaint.String()))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// Free returns how much more data fits into a pool with all its copies, in bytes.
func (c ceph) free(ctx context.Context, pool string) (int64, error) {
	var answer struct {
		Pools []struct {
			Name  string
			Stats struct {
				Available int64 `json:"max_avail"`
			}
		}
	}
	if err := c.ask(ctx, &answer, "ceph", "df"); err != nil {
		return 0, err
	}
	for _, each := range answer.Pools {
		if each.Name == pool {
			return each.Stats.Available, nil
		}
	}
	return 0, status.Errorf(codes.NotFound, "there is no pool %s", pool)
}
