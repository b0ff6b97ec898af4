// Rbd-provisioner is a CSI driver for volumes in Ceph: RBD images, which a node's kernel maps, or
// directories of CephFS, which ceph-fuse mounts without a kernel module.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const usage = `usage: rbd-provisioner controller|node|probe [flags]; rbd-provisioner fuse ARGUMENTS of ceph-fuse`

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Print(err)
		// Not 1, nor another exit code of Ceph's programs, which would be an errno.
		os.Exit(255)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return errors.New(usage)
	}
	part, rest := arguments[0], arguments[1:]
	if part == "fuse" {
		return becomeFuse(rest)
	}
	flags := flag.NewFlagSet(part, flag.ExitOnError)
	driver := flags.String("driver", "", "the name of the driver, as StorageClasses give it as their provisioner")
	socket := flags.String("socket", "", "the socket of CSI")
	user := flags.String("user", "", "the account of Ceph")
	name := flags.String("node", os.Getenv("NODE_NAME"), "the name of the node")
	registry := flags.String("registry", "", "where the kubelet looks for the sockets of plugins")
	if err := flags.Parse(rest); err != nil {
		return err
	}
	stores := storesOf(ceph{*user})
	switch part {
	case "controller":
		return serve(*socket, func(server *grpc.Server) {
			csi.RegisterIdentityServer(server, identity{driver: *driver, controls: true})
			csi.RegisterControllerServer(server, controller{stores: stores})
		})
	case "node":
		go register(filepath.Join(*registry, *driver+"-reg.sock"), plugin{driver: *driver, socket: *socket})
		return serve(*socket, func(server *grpc.Server) {
			csi.RegisterIdentityServer(server, identity{driver: *driver})
			csi.RegisterNodeServer(server, newNode(*name, stores))
		})
	case "probe":
		return probe(*socket)
	}
	return errors.New(usage)
}

// Serve serves on the socket until the process is terminated; running calls finish first.
func serve(socket string, services func(*grpc.Server)) error {
	if err := os.MkdirAll(filepath.Dir(socket), 0o750); err != nil {
		return err
	}
	// A killed process has left it.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(new(calls).intercept))
	services(server)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, server.GracefulStop)
	log.Printf("listening on %s", socket)
	return server.Serve(listener)
}

// Calls are the running calls, by volume.
type calls struct{ volumes sync.Map }

// Intercept refuses a call for a volume that another call works on, and logs what failed.
func (c *calls) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	volume := ""
	switch of := request.(type) {
	case interface{ GetVolumeId() string }:
		volume = of.GetVolumeId()
	case *csi.CreateVolumeRequest:
		volume = of.GetName()
	}
	if volume != "" {
		if _, busy := c.volumes.LoadOrStore(volume, true); busy {
			return nil, status.Errorf(codes.Aborted, "something is being done to %s already", volume)
		}
		defer c.volumes.Delete(volume)
	}
	response, err := handle(ctx, request)
	if err != nil {
		log.Printf("%s %s: %v", info.FullMethod, volume, err)
	} else if volume != "" {
		log.Printf("%s %s", info.FullMethod, volume)
	}
	return response, err
}

// Register serves the kubelet, which finds the socket and requests its information. It exits if the kubelet refuses it.
func register(socket string, plugin plugin) {
	err := serve(socket, func(server *grpc.Server) { registration.RegisterRegistrationServer(server, plugin) })
	if err != nil {
		log.Fatal(err)
	}
}

type plugin struct {
	registration.UnimplementedRegistrationServer
	driver, socket string
}

func (p plugin) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type: registration.CSIPlugin, Name: p.driver, Endpoint: p.socket, SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (p plugin) NotifyRegistrationStatus(_ context.Context, said *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	if !said.PluginRegistered {
		log.Fatalf("the kubelet refuses %s: %s", p.driver, said.Error)
	}
	return &registration.RegistrationStatusResponse{}, nil
}

type identity struct {
	csi.UnimplementedIdentityServer
	driver   string
	controls bool
}

func (i identity) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: i.driver, VendorVersion: "1"}, nil
}

func (i identity) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	if !i.controls {
		return &csi.GetPluginCapabilitiesResponse{}, nil
	}
	service := csi.PluginCapability_Service{Type: csi.PluginCapability_Service_CONTROLLER_SERVICE}
	capability := csi.PluginCapability{Type: &csi.PluginCapability_Service_{Service: &service}}
	return &csi.GetPluginCapabilitiesResponse{Capabilities: []*csi.PluginCapability{&capability}}, nil
}

func (i identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{}, nil
}

// Probe checks that the driver behind a socket responds.
func probe(socket string) error {
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := csi.NewIdentityClient(connection).Probe(ctx, &csi.ProbeRequest{}); err != nil {
		return fmt.Errorf("%s does not answer: %w", socket, err)
	}
	return nil
}
