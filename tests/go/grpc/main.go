// Command grpc calls a function as Crossplane's core does, with a real grpc-go, and prints what a proxy sees of it.
//
// It makes a network of its own, with an address of the pods' range, and in it a gRPC server, a DNS server that knows every name at that
// address, and a proxy that refuses. Arguments: HTTPS_PROXY, NO_PROXY and the target's name; output: `GRPC-VERSION direct` when the call came
// through without the proxy, else `GRPC-VERSION proxy CONNECT-TARGET` and, on lines of their own, the error of the call. Exit code 3: a
// network of its own is not allowed here.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

const (
	pod   = "10.244.1.7"
	proxy = "127.0.0.1:3128"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: grpc HTTPS_PROXY NO_PROXY SERVICE.NAMESPACE:PORT")
		os.Exit(2)
	}
	if os.Getenv("IN_NETWORK") == "" {
		os.Exit(parent())
	}
	if err := child(os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The same program in a network of its own, with these variables and no others.
func parent() int {
	command := exec.Command("/proc/self/exe", os.Args[1:]...)
	command.Env = []string{"IN_NETWORK=1", "HTTPS_PROXY=" + os.Args[1], "NO_PROXY=" + os.Args[2]}
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	err := command.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.ExitCode()
	default:
		fmt.Fprintln(os.Stderr, "a network of its own is not allowed here:", err)
		return 3
	}
}

// Gives the loopback device an address, and takes it up.
func address(ip string, alias string) error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket)
	var request [40]byte
	copy(request[:15], alias)
	binary.NativeEndian.PutUint16(request[16:], syscall.AF_INET)
	copy(request[20:24], net.ParseIP(ip).To4())
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFADDR, uintptr(unsafe.Pointer(&request))); e != 0 {
		return e
	}
	binary.NativeEndian.PutUint16(request[16:], syscall.IFF_UP|syscall.IFF_RUNNING)
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); e != 0 {
		return e
	}
	return nil
}

// A DNS server that has one address for every name.
func dns() (string, error) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			question := buffer[:n]
			end := 12
			for question[end] != 0 {
				end += int(question[end]) + 1
			}
			kind := binary.BigEndian.Uint16(question[end+1:])
			answer := append([]byte{}, question[:2]...)
			answer = append(answer, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)
			answer = append(answer, question[12:end+5]...)
			if kind == 1 {
				answer[7] = 1
				answer = append(answer, 0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4)
				answer = append(answer, net.ParseIP(pod).To4()...)
			}
			server.WriteTo(answer, from)
		}
	}()
	return server.LocalAddr().String(), nil
}

func child(target string) error {
	for _, one := range [][2]string{{"127.0.0.1", "lo"}, {pod, "lo:1"}} {
		if err := address(one[0], one[1]); err != nil {
			return fmt.Errorf("address %s: %w", one[0], err)
		}
	}
	names, err := dns()
	if err != nil {
		return err
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", names)
	}}
	function, err := net.Listen("tcp", pod+":9443")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, health.NewServer())
	go server.Serve(function)
	seen, err := refuse()
	if err != nil {
		return err
	}
	connection, err := grpc.NewClient("dns:///"+target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_, err = healthpb.NewHealthClient(connection).Check(ctx, &healthpb.HealthCheckRequest{})
	switch saw := seen(); {
	case saw == "" && err == nil:
		fmt.Println(grpc.Version, "direct")
	case saw != "":
		fmt.Println(grpc.Version, "proxy", saw)
		fmt.Println(err)
	default:
		return fmt.Errorf("the call failed without the proxy: %w", err)
	}
	return nil
}

// A proxy that refuses; what it was asked for first.
func refuse() (func() string, error) {
	listener, err := net.Listen("tcp", proxy)
	if err != nil {
		return nil, err
	}
	var mutex sync.Mutex
	first := ""
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				request, err := http.ReadRequest(bufio.NewReader(connection))
				if err != nil {
					return
				}
				mutex.Lock()
				if first == "" {
					first = request.Method + " " + request.Host
				}
				mutex.Unlock()
				fmt.Fprint(connection, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
			}()
		}
	}()
	return func() string {
		mutex.Lock()
		defer mutex.Unlock()
		return first
	}, nil
}
