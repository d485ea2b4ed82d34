// Handlers that read a cache under a mutex. With argument 1, the cache is rebuilt under the same mutex.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

type Cache struct {
	mutex  sync.Mutex
	values []uint64
}

//go:noinline
func rebuildCache(c *Cache) {
	for round := 0; round < 40; round++ {
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
func handle(c *Cache, i int) (uint64, time.Duration) {
	asked := time.Now()
	c.mutex.Lock()
	waited := time.Since(asked)
	defer c.mutex.Unlock()
	return c.values[i%len(c.values)], waited
}

func main() {
	c := &Cache{values: make([]uint64, 2000000)}
	for i := range c.values {
		c.values[i] = uint64(i) * 2654435761
	}
	if len(os.Args) > 1 && os.Args[1] == "1" {
		go func() {
			for {
				refresh(c)
				time.Sleep(60 * time.Millisecond)
			}
		}()
	}
	var waited time.Duration
	var sum uint64
	for i := 0; i < 300; i++ {
		value, w := handle(c, i*7919)
		sum += value
		waited += w
		time.Sleep(2 * time.Millisecond)
	}
	fmt.Printf("sum %d\nfault_ns %d\n", sum, waited.Nanoseconds())
}
