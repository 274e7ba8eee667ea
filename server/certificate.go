package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is a certificate and its key in files of PEM, which may be replaced while the service runs: new connections get
// the new one within seconds. It is safe for concurrent use.
type Certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	read    [2]time.Time // when the files had been changed last, as of then
	looked  time.Time
}

// certificateWatch is how often the files are looked at, at most.
const certificateWatch = 2 * time.Second

// LoadCertificate reads the files.
func LoadCertificate(cert, key string, logger *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: logger}
	if err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// load reads the files if they have been changed. mu must be held, or nobody else know c.
func (c *Certificate) load() error {
	var changed [2]time.Time
	for n, path := range []string{c.cert, c.key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		changed[n] = info.ModTime()
	}
	c.looked = time.Now()
	if c.current != nil && changed == c.read {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.cert, c.key, err)
	}
	c.current, c.read = &pair, changed
	return nil
}

// get is tls.Config.GetCertificate. While files can't be read, or do not belong together yet, the last ones count.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) >= certificateWatch {
		if err := c.load(); err != nil {
			c.looked = time.Now()
			c.log.Error("the certificate could not be read again; the last one is still used", "error", err)
		}
	}
	return c.current, nil
}
