package outbound

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// environmentsProxy is a proxy that the environment asks for, in all tests. Nobody is there.
const environmentsProxy = "http://127.0.0.1:9"

func TestMain(m *testing.M) {
	// Here, since net/http reads the environment only once.
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, environmentsProxy); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
