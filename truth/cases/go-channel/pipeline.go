// Lines go through three stages; with argument 1, the second one redacts them by a regular expression.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

var secret = regexp.MustCompile(`([a-z]+[0-9]*)*=([A-Za-z0-9+/]+)(,|;|$)`)

//go:noinline
func redactLine(line string) string {
	return secret.ReplaceAllString(line, "$1=*$3")
}

func redact(in, out chan string, slow bool, busy *time.Duration) {
	for line := range in {
		if slow {
			started := time.Now()
			line = redactLine(line)
			*busy += time.Since(started)
		}
		out <- line
	}
	close(out)
}

func main() {
	slow := os.Args[1] == "1"
	lines, redacted := make(chan string), make(chan string)
	var busy time.Duration
	var wait sync.WaitGroup
	wait.Add(1)
	go redact(lines, redacted, slow, &busy)
	n := 0
	go func() {
		for line := range redacted {
			n += len(line)
		}
		wait.Done()
	}()
	line := strings.Repeat("user1=abcdef,token2=ZZZZ;x3=77 ", 60)
	for i := 0; i < 1500; i++ {
		lines <- line
	}
	close(lines)
	wait.Wait()
	fmt.Println(n)
	fmt.Printf("fault_ns %d\n", busy.Nanoseconds())
}
