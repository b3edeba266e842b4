package cmd

import (
	"slices"
	"testing"

	"lane/sandbox"
	"lane/sandbox/confine"
)

// Every layer and every gap that a layer can name is in the help.
func TestLayersTopicIsComplete(t *testing.T) {
	p := sandbox.Policy{Network: sandbox.NetworkHost, Limits: sandbox.Limits{Memory: 1, Procs: 1, FileSize: 1, CPUTime: 1},
		Rows: []sandbox.Row{{Path: "/w", Access: sandbox.Write}, {Path: "/w/.git", Access: sandbox.Protect}, {Path: "/w/.env", Access: sandbox.Hide}}}
	for _, layer := range confine.Layers() {
		if !slices.ContainsFunc(layerTopics, func(l struct{ name, text string }) bool { return l.name == layer.Name() }) {
			t.Errorf("no help about the layer %s", layer.Name())
		}
		for _, gap := range append(layer.Gaps(p, true), confine.ScopeGaps(p, confine.Probe{Layer: layer.Name()})...) {
			if !slices.ContainsFunc(gapTopics, func(g struct{ name, layers, text string }) bool { return g.name == gap.Name }) {
				t.Errorf("no help about the gap %q of %s", gap.Name, layer.Name())
			}
		}
	}
}
