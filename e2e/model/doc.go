// Package model holds scripted model servers: they stand in for a model's API
// so that a real coding agent can be driven without a network, a key or a
// model. The script says what the "model" answers, one step for each request
// of the agent's main conversation; every request is recorded, so that a test
// can read what each tool call came back as.
//
//	srv, err := model.Start(ctx, model.Script{Steps: []model.Step{
//		model.Use("w1", "Bash", map[string]string{"command": "id"}),
//		model.Text("done"),
//	}}, "", 0)
//	// run the agent with ANTHROPIC_BASE_URL=srv.URL
//	got, ok := srv.Result("w1")
//
// It knows the Anthropic Messages API, OpenAI's Responses and chat completions
// and Gemini's, one file each, and tells them apart by the path. A stream is
// broken (Step.Break) in the first only. A server listens on 127.0.0.1 only and
// ends by itself; no process is needed for one. It judges nothing: a tool
// result is the agent's own word, and what happened is looked up on disk.
package model
