// Package keyring has the API keys of a service (contract I2): what is known of each, the file in which they are kept, and
// how the key of a request is looked up. It knows nothing of HTTP.
package keyring
