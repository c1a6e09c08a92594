package process

// Running lets tests stand in for a process.
type Running = running

// NewWith returns a supervisor whose processes come from launch.
func NewWith(config Config, launch func(Spec) (Running, error)) *Supervisor {
	return &Supervisor{config: config, launch: launch, close: func() {}}
}

// NewLineWriter returns what reads a process's output.
func NewLineWriter(onLine func([]byte)) interface {
	Write(data []byte) (int, error)
} {
	return &lineWriter{onLine: onLine}
}
