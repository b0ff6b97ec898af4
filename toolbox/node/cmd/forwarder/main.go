// Forwarder hands connections on: each argument is LISTEN=TARGET, two addresses of TCP. By it the pods reach, on the
// address of their bridge, what listens on the loopback of the machine.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"
)

func main() {
	failed := make(chan error)
	for _, pair := range os.Args[1:] {
		listen, target, found := strings.Cut(pair, "=")
		if !found {
			log.Fatalf("expected LISTEN=TARGET, got %q", pair)
		}
		go func() { failed <- forward(listen, target) }()
	}
	log.Fatal(<-failed)
}

func forward(listen, target string) error {
	listener, err := net.Listen("tcp4", listen)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("accept on %s: %w", listen, err)
		}
		go join(connection.(*net.TCPConn), target)
	}
}

func join(client *net.TCPConn, target string) {
	defer client.Close()
	connection, err := net.Dial("tcp4", target)
	if err != nil {
		log.Print(err)
		return
	}
	server := connection.(*net.TCPConn)
	defer server.Close()
	done := make(chan struct{})
	go func() {
		pass(client, server)
		close(done)
	}()
	pass(server, client)
	<-done
}

// pass copies until the sender has said all, and says so to the receiver; the other direction may still go on.
func pass(from, to *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		return
	}
	to.CloseWrite()
}
