// Package catalog owns the tools of one turn after policy: their ids and order, who may see them, how they are found,
// described and checked, and what of them the model and the guest get to read (contract A1, A3–A7, D1–D5, E1–E3, G1,
// G8).
//
// A Catalog is made once a turn from the tools that the gateway sends and is read-only from then on, so any number of
// runs may share it without locks. Making one is on the path of every one-call exec; whatever that path does not need
// (the search index, compiled schemas, declaration files, the model's description) is built on first use, once.
//
// The package knows no JavaScript engine, no HTTP and no run. It never calls a tool: an executor is opaque JSON to it.
// Tools, policies, queries, ids and tool input all come from outside and are treated as hostile: sizes and nesting are
// bounded, names are compared as data and never used as keys of anything that has a prototype, and an error about an
// unknown id mentions only tools that the asker can see.
package catalog
