package redact

// secrecy is what the name of a value says of it.
type secrecy int

const (
	public  secrecy = iota
	private         // a secret, unless it is true, false or null
	token           // the same, but numbers count tokens
)

// secretNames are parts of the names of secrets, in lower case and without what is between words.
var secretNames = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "credential", "authorization", "bearer", "cookie", "jwt",
	"apikey", "accesskey", "privatekey", "signingkey", "encryptionkey", "masterkey", "accountkey", "sharedkey", "sshkey",
	"authkey", "authcode", "authheader", "authdata", "connectionstring", "seedphrase", "mnemonic", "recoverycode", "backupcode",
	"securitycode", "pincode", "cardnumber", "creditcard", "otpcode", "onetimecode", "verificationcode",
}

const tokenName = "token"

var (
	secretParts = newMatcher(secretNames)
	anyParts    = newMatcher(append([]string{tokenName}, secretNames...))
	// publicParts are in the names of what is no secret although its name says token.
	publicParts = newMatcher([]string{"tokeniz", "tokencount", "tokenlimit", "tokenusage", "tokenbudget", "tokentype", "maxtoken"})
)

// secretWords are secrets where they are the last word of a name.
var secretWords = map[string]bool{
	"pass": true, "pwd": true, "pw": true, "pin": true, "otp": true, "totp": true, "auth": true, "oauth": true, "creds": true,
	"cred": true, "cvv": true, "cvc": true, "psk": true, "ssn": true,
}

// maxName is how much of a name is looked at, from its end, in bytes.
const maxName = 128

// secrecyOf judges a name: apiKey, API_KEY, api-key, x.api.key.
func (r *Redactor) secrecyOf(name string) secrecy {
	if len(name) < 2 {
		return public
	}
	var buffer [maxName]byte
	folded, last := appendFolded(buffer[:0], name[max(0, len(name)-maxName):])
	text := string(folded)
	switch {
	case secretWords[text[last:]], r != nil && r.names.has(text):
		return private
	case !anyParts.has(text): // nearly all names
		return public
	case secretParts.has(text):
		return private
	case publicParts.has(text):
		return public
	}
	return token
}

// appendFolded appends a name in lower case, without what is between its words, and says where the last word begins.
func appendFolded(folded []byte, name string) (text []byte, last int) {
	before := byte(0)
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			if !isLetterOrDigit(before) {
				last = len(folded)
			}
			folded = append(folded, c)
		case 'A' <= c && c <= 'Z':
			if before < 'A' || before > 'Z' {
				last = len(folded)
			}
			folded = append(folded, c|0x20)
		}
		before = c
	}
	return folded, last
}

func fold(name string) string {
	folded, _ := appendFolded(nil, name)
	return string(folded)
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
}

// strictest returns the stricter of two judgements.
func strictest(a, b secrecy) secrecy {
	switch {
	case a == private || b == private:
		return private
	case a == token:
		return a
	}
	return b
}
