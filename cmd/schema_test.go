package cmd

import (
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"lane/e2e/gate"
	"lane/runner"
)

// schemas are the forms that other programs read. Their files are made from
// the types, so that no field is missing, and real output is held against
// them here and in the tests that run lane.
var schemas = []struct {
	file, id string
	value    any
}{
	{"lane.result.1.json", runner.ResultSchema, runner.Result{}},
	{"lane.gate.1.json", gate.Schema, gate.Report{}},
	{"lane.receipt.1.json", runner.ReceiptSchema, runner.SignedReceipt{}},
}

// words are the values of fields that hold one of a few.
var words = map[reflect.Type][]any{
	reflect.TypeFor[runner.Status](): {runner.Done, runner.NoChanges, runner.ToolFailures, runner.Failed, runner.Refused, runner.TimedOut,
		runner.Interrupted, runner.Tripwire, runner.NotTaken, runner.Killed},
	reflect.TypeFor[gate.Status](): {gate.Passed, gate.Failed, gate.NotApplicable, gate.NotExercised},
}

func TestSchemaFilesAreOfTheTypes(t *testing.T) {
	for _, s := range schemas {
		want := schemaOf(reflect.TypeOf(s.value))
		want["$schema"], want["title"] = "https://json-schema.org/draft/2020-12/schema", s.id
		props, ok := want["properties"].(map[string]any)
		if !ok {
			t.Fatal("no properties")
		}
		props["schema"] = map[string]any{"const": s.id}
		b, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, '\n')
		file := filepath.Join("..", "schemas", s.file)
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), string(b)); diff != "" {
			t.Errorf("%s is out of date; go test ./cmd -update writes it anew (-file +type):\n%s", file, diff)
		}
	}
}

// schemaOf is the JSON Schema of what encoding/json makes of a type. Further
// fields are allowed: a form's number changes only when one goes or changes.
func schemaOf(t reflect.Type) map[string]any {
	if list, ok := words[t]; ok {
		return map[string]any{"enum": list}
	}
	text := reflect.TypeFor[encoding.TextMarshaler]()
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t.Implements(text):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{schemaOf(t.Elem()), map[string]any{"type": "null"}}}
	case reflect.Struct:
		props, required := map[string]any{}, []string{}
		fields(t, props, &required)
		return map[string]any{"type": "object", "properties": props, "required": required}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}

func fields(t reflect.Type, props map[string]any, required *[]string) {
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "":
			fields(f.Type, props, required)
			continue
		case name == "":
			name = f.Name
		}
		props[name] = schemaOf(f.Type)
		if !strings.Contains(rest, "omitempty") && !strings.Contains(rest, "omitzero") {
			*required = append(*required, name)
		}
	}
}

// valid holds a document against a schema's file.
func valid(t *testing.T, file string, doc []byte) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join("..", "schemas", file))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(doc)))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestRecordsFitTheirSchema(t *testing.T) {
	refused, err := runner.RefusedResult("v1", "claude", &runner.Refusal{Reason: "bwrap", Detail: "d"}).MarshalIndent()
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(t, "lane.result.1.json", refused); err != nil {
		t.Errorf("a refusal's record: %v", err)
	}
	for name, broken := range map[string]string{
		"a missing field":     strings.Replace(string(refused), `"exit":`, `"exit_":`, 1),
		"an unknown status":   strings.Replace(string(refused), `"refused"`, `"fine"`, 1),
		"another form":        strings.Replace(string(refused), runner.ResultSchema, "lane.result/2", 1),
		"a number as a text":  strings.Replace(string(refused), `"cost_usd": 0`, `"cost_usd": "0"`, 1),
		"a host without name": strings.Replace(string(refused), `"kernel":`, `"kernel_":`, 1),
	} {
		if broken == string(refused) {
			t.Fatalf("%s: nothing was broken", name)
		}
		if valid(t, "lane.result.1.json", []byte(broken)) == nil {
			t.Errorf("%s fits the schema", name)
		}
	}
}
