// Package agent brings recommendations to whatever can act on them. An Agent follows the server's watch and hands every
// change that matters to an Actuator: Print shows it, Webhook posts it, and a program may bring its own.
//
// The agent keeps order so that actuators stay simple. For one service no two are under way at once; while one is, or
// waits to be tried again, newer values replace each other and only the newest is handed over next. Different services
// do not wait for each other. An actuator that fails is called again, with the newest value there is by then.
//
// What is not to be acted on is not handed over: expired values, services whose size is not known, and, unless asked for,
// those of policies that only observe.
package agent
