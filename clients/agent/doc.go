// Package agent brings recommendations to whatever can act on them. An Agent follows the server's watch and hands every
// change that matters to an Actuator: Print shows it, Webhook posts it, Exec runs a program, package kubernetes resizes
// StatefulSets and Deployments, and a program may bring its own.
//
// The agent keeps order so that actuators stay simple. For one service no two are under way at once; while one is, or
// waits to be tried again, newer values replace each other and only the newest is handed over next. Different services
// do not wait for each other. An actuator that fails is called again, with the newest value there is by then.
//
// What is not to be acted on is not handed over: services whose size is not known, and, unless asked for, those that have
// their size (the direction is NONE) and those of policies that only observe. What would do more to a service than its policy allows is refused. What is to be acted on
// another time is kept, the newest of each service, and handed over then: while the agent is paused or the stop file exists,
// when too many changes have begun within a minute, and when a recommendation or the usage data behind it is too old, until
// the server has renewed it.
//
// A Reporter is told what became of each recommendation. It never keeps the agent from acting.
package agent
