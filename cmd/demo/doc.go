// Command demo shows what code mode is for: one cell joins what two MCP servers and a plugin know. It starts the servers,
// a service that uses them, and plays the gateway over REST; nothing is left of it afterwards. It knows the service only as a
// gateway does. The data is made up.
package main
