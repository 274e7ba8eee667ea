package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// minCompressed is how large an answer is that is compressed for those who ask for it, in bytes: smaller ones take longer to
// compress than to send.
const minCompressed = 16 << 10

// compressors hold some hundreds of kilobytes each.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that there is
	return w
}}

// compressed returns a body with gzip, if it is large and the client takes it so. The header says what became of it.
func compressed(r *http.Request, h http.Header, body []byte) []byte {
	if len(body) < minCompressed {
		return body
	}
	h["Vary"] = []string{"Accept-Encoding"}
	if !acceptsGzip(r.Header.Values("Accept-Encoding")) {
		return body
	}
	var out bytes.Buffer
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&out)
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	h["Content-Encoding"] = []string{"gzip"}
	return out.Bytes()
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3): gzip must be named, and not with a weight of 0.
func acceptsGzip(values []string) bool {
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			name, weight, _ := strings.Cut(item, ";")
			if name = strings.TrimSpace(name); !strings.EqualFold(name, "gzip") && !strings.EqualFold(name, "x-gzip") {
				continue
			}
			q, weighted := strings.CutPrefix(strings.ToLower(strings.TrimSpace(weight)), "q=")
			return !weighted || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
