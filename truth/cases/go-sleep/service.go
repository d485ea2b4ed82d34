// Handlers that look keys up in a cache under a mutex, a line of answer for a line of request.
//
// usage: service PORT SLOW
//
// With SLOW, a key that is missing is fetched under the mutex, which takes 3 ms of sleep.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

var (
	mutex sync.Mutex
	cache = map[string]int{}
	slow  = os.Args[2] == "1"
)

//go:noinline
func refreshCache(key string) {
	if slow {
		time.Sleep(3 * time.Millisecond)
	}
	cache[key] = len(key)
}

//go:noinline
func lookUp(key string) int {
	mutex.Lock()
	defer mutex.Unlock()
	if _, ok := cache[key]; !ok {
		refreshCache(key)
	}
	return cache[key]
}

func handle(peer net.Conn) {
	defer peer.Close()
	lines := bufio.NewScanner(peer)
	for lines.Scan() {
		fmt.Fprintln(peer, lookUp(lines.Text()))
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		peer, err := listener.Accept()
		if err != nil {
			os.Exit(1)
		}
		go handle(peer)
	}
}
