package clickhouseschema

// The metrics that Tidemark reads from the raw table. Samples that are not a number, infinite, negative or beyond any
// machine's size are taken as missing.
const (
	// MetricCPU is a gauge: the cores in use, as a mean since the last scrape.
	MetricCPU = "cpu_usage_cores"
	// MetricResident is a gauge: the resident memory of the replica in bytes.
	MetricResident = "memory_resident_bytes"
	// MetricQueryMemory is a gauge: the most memory in bytes that work on the replica held since the last scrape.
	MetricQueryMemory = "memory_query_peak_bytes"
	// MetricRejections is how many requests were refused for lack of memory since the last scrape.
	MetricRejections = "memory_rejections"
	// MetricOOMKill has one sample for each process that was killed for lack of memory: its resident bytes at that moment.
	MetricOOMKill = "oom_kill_resident_bytes"
	// MetricThrottled is for how many seconds the CPU limit held the replica back since the last scrape.
	MetricThrottled = "cpu_throttled_seconds"
)

// Bounds of what is believed.
const (
	// MaxCores is the CPU of one replica from which on a sample is taken as nonsense, in cores.
	MaxCores = 1e6
	// MaxBytes is the same for memory in bytes, and for counts.
	MaxBytes = 1 << 53
)
