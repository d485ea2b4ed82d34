// Handlers that read a cache under a mutex, a line of answer for a line of request.
//
// usage: service PORT SLOW
//
// With SLOW, the cache is rebuilt under the same mutex every now and then.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

type Cache struct {
	mutex  sync.Mutex
	values []uint64
}

//go:noinline
func rebuildCache(c *Cache) {
	for round := 0; round < 30; round++ {
		sum := uint64(round)
		for i := range c.values {
			sum = (sum ^ c.values[i]) * 1099511628211
			c.values[i] = sum
		}
	}
}

//go:noinline
func refresh(c *Cache) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	rebuildCache(c)
}

//go:noinline
func lookUp(c *Cache, i int) uint64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.values[i%len(c.values)]
}

func handle(c *Cache, peer net.Conn) {
	defer peer.Close()
	lines := bufio.NewScanner(peer)
	for lines.Scan() {
		i, _ := strconv.Atoi(lines.Text())
		fmt.Fprintln(peer, lookUp(c, i*7919))
	}
}

func main() {
	c := &Cache{values: make([]uint64, 2000000)}
	for i := range c.values {
		c.values[i] = uint64(i) * 2654435761
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Args[2] == "1" {
		go func() {
			for {
				refresh(c)
				time.Sleep(60 * time.Millisecond)
			}
		}()
	}
	for {
		peer, err := listener.Accept()
		if err != nil {
			os.Exit(1)
		}
		go handle(c, peer)
	}
}
