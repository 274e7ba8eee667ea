// Package preparer prepares cells under limits (contract H6). Parsers of JavaScript and TypeScript can't be stopped, and
// some texts keep them busy for a long time; so all but small texts are parsed in child processes of the same binary, one
// text at a time in each, closed in a sandbox. A process that does not answer in time is killed.
//
// Pool is the parent's side. It shares the processes out between tenants, measures how much processor time each text
// took, and keeps what was made of a tenant's texts for its next cell of the same text. Serve is the child's side.
//
// The parent believes nothing of what a child says: whoever wrote the text may speak through it.
package preparer
