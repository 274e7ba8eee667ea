package redact

import "strings"

// tokenForm is what the tokens of an issuer look like.
type tokenForm struct {
	prefix string
	length int // at least, in bytes
}

// tokenForms are those that issuers made so that they can be told, by their first byte.
var tokenForms = func() (forms [256][]tokenForm) {
	for _, f := range []tokenForm{
		{"codecell_", 20},
		{"sk-", 20},
		{"sk_live_", 20},
		{"sk_test_", 20},
		{"rk_live_", 20},
		{"rk_test_", 20},
		{"whsec_", 20},
		{"SG.", 30},
		{"ghp_", 20},
		{"gho_", 20},
		{"ghu_", 20},
		{"ghs_", 20},
		{"ghr_", 20},
		{"github_pat_", 30},
		{"glpat-", 20},
		{"xoxb-", 16},
		{"xoxp-", 16},
		{"xoxa-", 16},
		{"xoxr-", 16},
		{"xoxs-", 16},
		{"xoxe.", 16},
		{"xapp-", 16},
		{"AKIA", 20},
		{"ASIA", 20},
		{"AIza", 35},
		{"ya29.", 20},
		{"GOCSPX-", 20},
		{"npm_", 30},
		{"pypi-", 30},
		{"hf_", 20},
		{"gsk_", 20},
		{"xai-", 20},
		{"dop_v1_", 30},
		{"shpat_", 20},
		{"shpss_", 20},
		{"lin_api_", 20},
		{"AGE-SECRET-KEY-", 30},
	} {
		forms[f.prefix[0]] = append(forms[f.prefix[0]], f)
	}
	return forms
}()

// isToken says whether a word is a token by its form: that of a known issuer, or of a JWT.
func isToken(word string) bool {
	for _, f := range tokenForms[word[0]] {
		if len(word) >= f.length && strings.HasPrefix(word, f.prefix) {
			return true
		}
	}
	return len(word) >= 30 && strings.HasPrefix(word, "eyJ") && strings.Count(word, ".") >= 2
}
