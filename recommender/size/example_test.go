package size_test

import (
	"fmt"

	"github.com/tidemark-project/tidemark/recommender/size"
)

func ExampleParseCPU() {
	whole, _ := size.ParseCPU("1")
	part, _ := size.ParseCPU("500m")
	_, err := size.ParseCPU("0.5m")

	fmt.Println(whole, part)
	fmt.Println(err)
	// Output:
	// 1000 500
	// CPU "0.5m": quantity finer than the smallest unit: write a multiple of one millicore (1m)
}

func ExampleParseMemory() {
	binary, _ := size.ParseMemory("2Gi")
	decimal, _ := size.ParseMemory("10G")
	_, err := size.ParseMemory("512m")

	fmt.Println(binary, decimal)
	fmt.Println(err)
	// Output:
	// 2147483648 10000000000
	// memory "512m": quantity finer than the smallest unit: write a multiple of one byte; "m" is a thousandth, mebibytes are "Mi"
}

func ExampleSize_String() {
	fmt.Println(size.Size{CPUMillis: 1500, MemoryBytes: 6 << 30, Replicas: 3})
	fmt.Println(size.Size{CPUMillis: 2000, MemoryBytes: 10_000_000_000})
	// Output:
	// 1500m CPU, 6Gi, 3 replicas
	// 2 CPU, 10G
}
