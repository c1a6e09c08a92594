// Package exampletest finds out what the Examples of a package show, so that its tests can hold that nothing is left out.
package exampletest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Examples are those of one package.
type Examples struct {
	// Shown are what they are named after: "Dial" or "Client_Watch".
	Shown map[string]bool
	// Called are the names of the methods and functions that they call by a selector.
	Called map[string]bool
	// Silent are the names of those that have no output, so that they do not run.
	Silent []string
	// Functions are the names of the package's exported functions.
	Functions []string
}

var errNoFunctions = errors.New("there are no exported functions: is it the package's directory?")

// Of reads the package in a directory.
func Of(directory string) (Examples, error) {
	files := token.NewFileSet()

	sources, tests, err := parse(files, directory)
	if err != nil {
		return Examples{}, err
	}

	e := Examples{Shown: make(map[string]bool), Called: make(map[string]bool)}
	for _, example := range doc.Examples(tests...) {
		e.add(example)
	}

	described, err := doc.NewFromFiles(files, sources, directory)
	if err != nil {
		return Examples{}, fmt.Errorf("read the package in %s: %w", directory, err)
	}

	functions := described.Funcs
	for _, kind := range described.Types {
		functions = append(functions, kind.Funcs...)
	}

	for _, function := range functions {
		e.Functions = append(e.Functions, function.Name)
	}

	if len(e.Functions) == 0 {
		return Examples{}, fmt.Errorf("read the package in %s: %w", directory, errNoFunctions)
	}

	return e, nil
}

func parse(files *token.FileSet, directory string) (sources, tests []*ast.File, err error) {
	names, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		return nil, nil, fmt.Errorf("list %s: %w", directory, err)
	}

	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, fmt.Errorf("read a source: %w", err)
		}

		file, err := parser.ParseFile(files, name, content, parser.ParseComments)
		if err != nil {
			return nil, nil, fmt.Errorf("parse a source: %w", err)
		}

		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, file)
		} else {
			sources = append(sources, file)
		}
	}

	return sources, tests, nil
}

func (e *Examples) add(example *doc.Example) {
	if example.Output == "" && !example.EmptyOutput {
		e.Silent = append(e.Silent, example.Name)
	}

	// "Client_Queue_pause" is another one of "Client_Queue".
	name, suffix := example.Name, strings.LastIndex(example.Name, "_")
	if suffix >= 0 && name[suffix+1:] != "" && !ast.IsExported(name[suffix+1:]) {
		name = name[:suffix]
	}

	e.Shown[name] = true

	ast.Inspect(example.Code, func(node ast.Node) bool {
		if selector, is := node.(*ast.SelectorExpr); is {
			e.Called[selector.Sel.Name] = true
		}

		return true
	})
}
