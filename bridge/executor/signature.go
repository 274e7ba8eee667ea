package executor

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// SigningKeys are the keys that requests to tools are signed with. Each tenant has one of its own, so that who can verify
// a tenant's requests can't forge another's.
type SigningKeys struct {
	// Master is the key of a service without tenants. Each tenant's key is derived from it, unless ByTenant has one.
	// Without either, requests are not signed.
	Master []byte
	// ByTenant are keys that belong to tenants.
	ByTenant map[string][]byte
}

// Of returns the key that a tenant's requests are signed with, nil if they are not signed. A derived key is HKDF-SHA256
// of Master, without salt, with the info "codecell executor signature v2: " and the tenant: 32 bytes.
func (k SigningKeys) Of(tenant string) []byte {
	if own := k.ByTenant[tenant]; own != nil {
		return own
	}
	if len(k.Master) == 0 || tenant == "" {
		return k.Master
	}
	key, err := hkdf.Key(sha256.New, k.Master, nil, "codecell executor signature v2: "+tenant, sha256.Size)
	if err != nil {
		panic(err) // only a length that SHA-256 can't give
	}
	return key
}

// Sign adds the headers by which a tool knows that a request is this service's, unchanged, and meant for it: what is
// signed is the time, the method, the URL, the tenant and the body.
func (k SigningKeys) Sign(req *http.Request, tenant string, body []byte) {
	key := k.Of(tenant)
	if len(key) == 0 {
		return
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("X-Codecell-Timestamp", timestamp)
	req.Header.Set("X-Codecell-Tenant", tenant)
	req.Header.Set("X-Codecell-Signature", "v2="+Signature(key, timestamp, req.Method, req.URL.String(), tenant, body))
}

// Signature is what X-Codecell-Signature has after "v2=": the hex HMAC-SHA256 of a line each for timestamp, method, URL
// and tenant, and then the body. A tool compares it in constant time, and refuses timestamps that are old.
func Signature(key []byte, timestamp, method, url, tenant string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	for _, line := range []string{timestamp, method, url, tenant} {
		mac.Write([]byte(line))
		mac.Write([]byte{'\n'})
	}
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
