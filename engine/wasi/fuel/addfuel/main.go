// Command addfuel writes a WebAssembly module with fuel in its loops: addfuel TICK AMOUNT BULK <in >out.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/codecell/codecell/engine/wasi/fuel"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "addfuel:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 4 {
		return fmt.Errorf("usage: addfuel TICK AMOUNT BULK <in >out")
	}
	amount, err := strconv.ParseUint(os.Args[2], 10, 31)
	if err != nil {
		return err
	}
	bulk, err := strconv.Atoi(os.Args[3])
	if err != nil {
		return err
	}
	wasm, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	out, err := fuel.Add(wasm, fuel.Options{Tick: os.Args[1], Amount: uint32(amount), Bulk: bulk})
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(out)
	return err
}
