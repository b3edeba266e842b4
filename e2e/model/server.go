package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds one request; a coding agent's are a few hundred KiB.
const maxBody = 64 << 20

// Request is one recorded request. No credential is kept, not even a dummy:
// recordings are read by people and land in test logs.
type Request struct {
	Seq    int               `json:"seq"`
	Time   time.Time         `json:"time"`
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Kind   string            `json:"kind"` // main, agent:MATCH, side, count_tokens, other
	Step   int               `json:"step"` // index of the step served, -1 for none
	Header map[string]string `json:"header"`
	Body   json.RawMessage   `json:"body,omitempty"`
}

// Server plays a script. It is the HTTP handler only; Start gives it a
// listener of its own.
type Server struct {
	script Script
	dir    string
	done   chan struct{} // closed when the server ends, so that no handler outlives it
	once   sync.Once

	mu       sync.Mutex
	requests []Request
	next     map[string]int // conversation -> index of its next step
	ids      int
	errs     []error
}

// NewServer returns a handler that plays script and, if recordDir is not
// empty, also writes each request to a file there, for people to look at.
func NewServer(script Script, recordDir string) *Server {
	return &Server{script: script, dir: recordDir, next: map[string]int{}, done: make(chan struct{})}
}

// Requests returns what was asked so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unplayed names the steps that nobody came for. A test whose agent stopped
// half way has proved nothing about the rest.
func (s *Server) Unplayed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []string
	add := func(kind string, n int) {
		for i := s.next[kind]; i < n; i++ {
			left = append(left, fmt.Sprintf("%s step %d", kind, i))
		}
	}
	add("main", len(s.script.Steps))
	for _, a := range s.script.Agents {
		add("agent:"+a.Match, len(a.Steps))
	}
	return left
}

// Err returns the first error of the recording itself.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.errs) == 0 {
		return nil
	}
	return s.errs[0]
}

func (s *Server) end() { s.once.Do(func() { close(s.done) }) }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeJSON(w, http.StatusBadRequest, apiError("invalid_request_error", err.Error()))
		return
	}
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/messages"):
		s.messages(w, r, raw)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/messages/count_tokens"):
		s.record(r, raw, "count_tokens", -1)
		writeJSON(w, http.StatusOK, map[string]int{"input_tokens": len(raw) / 4})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/responses"):
		s.responses(w, r, raw)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.chat(w, r, raw)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "GenerateContent"), r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, ":generateContent"):
		s.gemini(w, r, raw)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, ":countTokens"):
		s.record(r, raw, "count_tokens", -1)
		writeJSON(w, http.StatusOK, map[string]int{"totalTokens": len(raw) / 4})
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/v1/models"):
		s.record(r, raw, "other", -1)
		writeJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false, "first_id": nil, "last_id": nil})
	case r.Method == http.MethodHead:
		s.record(r, raw, "other", -1)
		w.WriteHeader(http.StatusOK)
	default:
		// Telemetry, feature flags, profiles: not part of what is stood in
		// for. Said in the API's own shape, since clients parse it.
		s.record(r, raw, "other", -1)
		writeJSON(w, http.StatusNotFound, apiError("not_found_error", "scripted model: no such endpoint: "+r.URL.Path))
	}
}

// record keeps one request and returns its number.
func (s *Server) record(r *http.Request, body []byte, kind string, step int) int {
	header := map[string]string{}
	for k := range r.Header {
		switch strings.ToLower(k) {
		case "authorization", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization":
			header[k] = "(present)"
		default:
			header[k] = r.Header.Get(k)
		}
	}
	uri := *r.URL
	if q := uri.Query(); q.Has("key") { // Gemini's key may come this way
		q.Set("key", "(present)")
		uri.RawQuery = q.Encode()
	}
	req := Request{Time: time.Now().UTC(), Method: r.Method, Path: uri.RequestURI(), Kind: kind, Step: step, Header: header}
	if json.Valid(body) {
		req.Body = body
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Seq = len(s.requests) + 1
	s.requests = append(s.requests, req)
	if s.dir != "" {
		if err := writeRecord(s.dir, req); err != nil {
			s.errs = append(s.errs, err)
		}
	}
	return req.Seq
}

// writeRecord makes the file appear whole: a person or a test may be polling.
func writeRecord(dir string, req Request) error {
	b, err := json.MarshalIndent(req, "", " ")
	if err != nil {
		return err
	}
	kind := strings.Map(func(c rune) rune {
		if strings.ContainsRune(`/\: `, c) {
			return '_'
		}
		return c
	}, req.Kind)
	path := filepath.Join(dir, fmt.Sprintf("%04d-%s.json", req.Seq, kind))
	if err := os.WriteFile(path+".tmp", b, 0o600); err != nil {
		return fmt.Errorf("record request: %w", err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return fmt.Errorf("record request: %w", err)
	}
	return nil
}

// pick chooses the step for a conversation and moves that script on by one.
func (s *Server) pick(first string, tools int) (kind string, idx int, step Step) {
	if tools == 0 {
		return "side", -1, Text(`{"title":"scripted","isNewTopic":false}`)
	}
	steps := s.script.Steps
	kind = "main"
	for _, a := range s.script.Agents {
		if strings.Contains(first, a.Match) {
			steps, kind = a.Steps, "agent:"+a.Match
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.next[kind]
	if i >= len(steps) {
		return kind, -1, Text("scripted model: end of script")
	}
	s.next[kind] = i + 1
	return kind, i, steps[i]
}

// parse reads a request's body. One that is not of its API is recorded and
// answered as the APIs do.
func (s *Server) parse(w http.ResponseWriter, r *http.Request, raw []byte, into any) bool {
	err := json.Unmarshal(raw, into)
	if err != nil {
		s.record(r, nil, "other", -1)
		writeJSON(w, http.StatusBadRequest, apiError("invalid_request_error", err.Error()))
	}
	return err == nil
}

// answer is the turn that answers a request, and the request's number. It is not
// ok when the step was an error, which is answered, or when nobody waits.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, raw []byte, user []string, tools int) (blocks []Block, seq int, ok bool) {
	kind, idx, step := s.pick(strings.Join(user, ""), tools)
	seq = s.record(r, raw, kind, idx)
	if !s.late(r, step) || failed(w, step) {
		return nil, seq, false
	}
	blocks, _ = s.turn(step)
	return blocks, seq, true
}

// late waits as a step says; false when nobody waits for the answer any more.
func (s *Server) late(r *http.Request, step Step) bool {
	if step.DelayMS == 0 {
		return true
	}
	select {
	case <-time.After(time.Duration(step.DelayMS) * time.Millisecond):
		return true
	case <-r.Context().Done():
	case <-s.done:
	}
	return false
}

// failed answers with the HTTP error that a step asks for.
func failed(w http.ResponseWriter, step Step) bool {
	if step.Status == 0 {
		return false
	}
	body := any(step.Error)
	if len(step.Error) == 0 {
		body = apiError("api_error", "scripted error")
	}
	writeJSON(w, step.Status, body)
	return true
}

// callID makes up an id for a tool call that the script left unnamed.
func (s *Server) callID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("toolu_scripted_%04d", s.ids)
}
