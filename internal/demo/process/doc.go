// Package process keeps a handful of child processes alive and stops them in order.
//
// A process that ends by itself is started again after a delay. Each has its own process group, so that Ctrl-C on the
// terminal reaches only the parent, which then stops the children in the order it wants; and on Linux a child is killed
// by the kernel when the parent dies, however it dies.
package process
