package tidemark_test

import (
	"fmt"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func ExampleFormatSize() {
	fmt.Println(tidemark.FormatSize(&tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30, Replicas: 3}))
	fmt.Println(tidemark.FormatSize(nil))
	// Output:
	// 1.5 cores, 8Gi, 3 replicas
	// unknown
}

func ExampleFormatCPU() {
	fmt.Println(tidemark.FormatCPU(500), tidemark.FormatCPU(1000), tidemark.FormatCPU(1500))
	// Output: 500m 1 core 1.5 cores
}

func ExampleFormatMemory() {
	fmt.Println(tidemark.FormatMemory(8<<30), tidemark.FormatMemory(512<<20))
	// Output: 8Gi 512Mi
}

func ExampleFormatReplicas() {
	fmt.Println(tidemark.FormatReplicas(1), tidemark.FormatReplicas(3))
	// Output: 1 replica 3 replicas
}

func ExampleFormatEnum() {
	fmt.Println(tidemark.FormatEnum(tidemarkv1.Mode_MODE_OBSERVE_ONLY))
	// Output: observe only
}

func ExampleMarshalJSON() {
	line, err := tidemark.MarshalJSON(&tidemarkv1.Size{CpuMillis: 1500, Replicas: 3})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(string(line))
	// Output: {"cpu_millis":"1500","replicas":3}
}
