// Package redact takes secrets out of texts and JSON that are shown or kept (contract G5), and cuts them to a size.
//
// There are two kinds of secrets. Some are known by where they stand: the value of a member that is named like a password, a
// token after "Bearer", the password in a URL, a private key. Others are known themselves: the keys that the service signs
// with, the headers that it sends. These are found wherever they stand, also inside of texts, as base64, in hex, and with the
// escapes of URLs and JSON.
//
// What comes out is always valid JSON of bounded size, whatever came in, and the time that it takes is in proportion to that
// size and not to the size of what came in. More may be hidden than is secret. What a cell takes apart and hands over in
// pieces can't be found.
//
// It knows no call and no turn.
package redact
