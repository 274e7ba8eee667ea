// Package breaker leaves hosts alone for a while that fail again and again (contract G3), so that calls of them fail at once
// and a host that is overloaded can recover.
//
// Cells are hostile, and many a failure can be provoked by what a call is made with. So who pays for failures is who had
// them. There is nothing that tenants share. Within a tenant each session has a circuit of its own for each host, which opens
// after a number of failures in a row. The tenant's circuit for the host, which is that of all its sessions, counts only what
// no session can cause alone: that the host can't be connected to, and circuits of different sessions that open.
package breaker
