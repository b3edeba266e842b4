package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"lane/gitdiscover"
	"lane/gitdiscover/owngit"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// Limits of what is read.
const (
	maxInstructions = 256 << 10
	maxMCP          = 1 << 20
	maxLogin        = 1 << 20
	maxSockets      = 8 << 20
)

// Survey looks at this machine for one request. It changes nothing. It is
// the only reader of home, environment, kernel and PATH.
func Survey(ctx context.Context, req Request, repo gitdiscover.Repo, a *agent.Agent) (Host, error) {
	h := Host{UID: os.Geteuid(), GID: os.Getegid(), Started: time.Now().UTC(), values: map[string]string{}}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		h.EnvNames = append(h.EnvNames, name)
		h.values[name] = value
	}
	tree := make(chan Tree, 1)
	go func() { tree <- readTree(repo.Worktree, treeSkips(repo)) }()
	found := make(chan struct{}) // it starts a program: meanwhile the rest is looked at
	var layer confine.Probe
	var others []confine.Probe
	go func(uid int) {
		defer close(found)
		layer, others = findLayers(ctx, uid, layerName(req))
	}(h.UID)
	h.Layer.Layer = layerName(req) // more of it when it is found
	h.CallerTmp, h.User = h.values["TMPDIR"], h.values["USER"]
	h.Run = newRunID(h.Started)
	if err := surveyPlaces(&h); err != nil {
		return h, err
	}
	h.Cwd = repo.Worktree
	if abs, err := filepath.Abs(req.Dir); err == nil {
		if real, err := filepath.EvalSymlinks(abs); err == nil && sandbox.Contains(repo.Worktree, real) {
			h.Cwd = real
		}
	}
	surveyPath(&h, repo)
	surveyProgram(&h, req, a)
	surveyLogin(&h, a)
	h.Helpers = map[string]string{}
	for _, helper := range a.Helpers {
		h.Helpers[helper.Program] = findSystem(helper.Program)
	}
	if l := req.Limits; l.Memory > 0 || l.Procs > 0 {
		h.Cgroup = confine.FindDelegation()
	}
	surveyFiles(&h)
	if err := surveyRequest(&h, req, repo, a); err != nil {
		return h, err
	}
	surveyObeyed(&h, repo.Worktree, a)
	surveyWiring(&h, repo.Worktree)
	surveyHooks(&h, repo)
	h.Tree = <-tree
	for _, row := range h.Tree.Wiring {
		if !slices.ContainsFunc(slices.Concat(h.Wiring, h.Tree.Repositories), func(r sandbox.Row) bool { return sandbox.Contains(r.Path, row.Path) }) {
			h.Wiring = append(h.Wiring, row)
		}
	}
	h.Sockets = append(h.Sockets, h.Tree.sockets(repo.Worktree)...)
	surveyIDs(&h)
	if err := surveyMasked(&h, req, repo.Worktree); err != nil {
		return h, err
	}
	<-found
	h.Layer, h.OtherLayers = layer, others
	surveyOverlap(&h, req, repo)
	return h, nil
}

func newRunID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails on the systems lane runs on
	return now.Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// surveyPlaces finds home, lane's own executable and lane's own directory.
func surveyPlaces(h *Host) error {
	home := h.values["HOME"]
	if home == "" {
		if u, err := user.Current(); err == nil {
			home = u.HomeDir
		}
	}
	if real, err := filepath.EvalSymlinks(home); err == nil && filepath.IsAbs(real) && real != "/" && isDir(real) {
		h.Home = real
	}
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return &Refusal{Reason: "own-executable", Detail: "cannot find lane's own executable: " + err.Error(), Hint: "start lane by its absolute path"}
	}
	h.Lane, h.Inside = exe, InsideProgram(exe)
	h.LaneHome, err = LaneHome()
	h.Shell = "/bin/sh"
	if isExecutable("/bin/bash") {
		h.Shell = "/bin/bash"
	}
	return err
}

// LaneHome is the directory of lane's own files: $LANE_HOME, else
// $XDG_STATE_HOME/lane, else ~/.local/state/lane. It need not exist yet; its
// existing part is free of symbolic links in what is returned.
func LaneHome() (string, error) {
	dir := os.Getenv("LANE_HOME")
	if dir == "" {
		state := os.Getenv("XDG_STATE_HOME")
		if state == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", &Refusal{Reason: "no-home", Detail: "neither LANE_HOME nor XDG_STATE_HOME nor HOME is set", Hint: "set LANE_HOME to a directory for lane's own files"}
			}
			state = filepath.Join(home, ".local", "state")
		}
		dir = filepath.Join(state, "lane")
	}
	if !filepath.IsAbs(dir) {
		return "", &Refusal{Reason: "lane-home", Path: dir, Detail: "not an absolute path", Hint: "set LANE_HOME to an absolute path"}
	}
	real, err := resolveExisting(filepath.Clean(dir))
	if err != nil {
		return "", err
	}
	return real, checkOwner(real)
}

// checkOwner refuses a directory for lane's own files that another user could
// fill: what lies there says which runs to finish, which processes to end and
// what to move where. root's is everybody's in a container.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil // it is made by lane, closed
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid == 0 {
		return nil
	}
	refused := &Refusal{Reason: "lane-home", Path: dir, Hint: "set LANE_HOME to a directory of your own, or run lane as that user"}
	switch {
	case int(st.Uid) != os.Geteuid():
		refused.Detail = fmt.Sprintf("belongs to another user (uid %d), who could say in it what lane does", st.Uid)
	case info.IsDir() && info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0:
		refused.Detail, refused.Hint = "everybody can write it", "chmod o-w it, or set LANE_HOME to another directory"
	default:
		return nil
	}
	return refused
}

// resolveExisting resolves the longest existing part of an absolute path.
func resolveExisting(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, os.ErrNotExist) || path == "/" {
		return "", &Refusal{Reason: "lane-home", Path: path, Detail: err.Error(), Hint: "set LANE_HOME to a directory that can be made"}
	}
	parent, err := resolveExisting(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// surveyPath judges each entry of the caller's PATH. An entry that the lane
// could write would let the agent choose which program a later run starts.
func surveyPath(h *Host, repo gitdiscover.Repo) {
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(h.values["PATH"]) {
		e := PathEntry{Dir: dir}
		real, err := filepath.EvalSymlinks(dir)
		switch {
		case !filepath.IsAbs(dir):
			e.Dropped = "not absolute"
		case err != nil || !isDir(real):
			e.Dropped = "no such directory"
		case sandbox.Contains(repo.Worktree, real):
			e.Dropped = "inside the worktree"
		case seen[real]:
			e.Dropped = "twice"
		default:
			e.Real, seen[real] = real, true
		}
		h.Path = append(h.Path, e)
	}
}

// surveyFiles notes which of the paths that Build may name exist here.
func surveyFiles(h *Host) {
	h.Exists = map[string]string{}
	note := func(path string) {
		if real, ok := existing(path); ok {
			h.Exists[path] = real
		}
	}
	for _, row := range slices.Concat(sandbox.BaseRows(), sandbox.RunRows(), sandbox.VarRows(), sandbox.RootSecrets()) {
		note(row.Path)
	}
	h.TopDirs = topDirs()
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		h.Resolv = real
	}
	if h.Home != "" {
		h.Toolchains = toolchainRows(h.Home)
		h.Secrets = secretRows(h.Home)
	}
	h.CertFiles = map[string]bool{}
	for _, name := range certificateVars {
		if v := h.values[name]; v != "" {
			if real, err := filepath.EvalSymlinks(v); err == nil && filepath.IsAbs(real) {
				h.Certificates = append(h.Certificates, real)
				h.CertFiles[real] = !isDir(real)
			}
		}
	}
	sort.Strings(h.Certificates)
	// Without /proc/net/unix there is nothing to mask that lane could name.
	sockets, _ := readProc("/proc/net/unix", maxSockets)
	paths, _ := sandbox.Sockets(sockets)
	for _, p := range paths {
		real, err := filepath.EvalSymlinks(p)
		if info, serr := os.Lstat(real); err == nil && serr == nil && info.Mode()&os.ModeSocket != 0 {
			h.Sockets = append(h.Sockets, real)
		}
	}
}

// existing resolves a path that may not be there. Most that are asked for are
// not, which one look tells and the way through all their parents tells as well.
func existing(path string) (string, bool) {
	if _, err := os.Stat(path); err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// surveyRequest reads what the request names.
func surveyRequest(h *Host, req Request, repo gitdiscover.Repo, a *agent.Agent) error {
	for _, dir := range append(append([]string{}, req.Reads...), req.Writes...) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return &Refusal{Reason: "no-such-directory", Path: dir, Detail: "named by --read or --write: " + cause(err), Hint: "name a directory that exists"}
		}
		if !isDir(real) {
			return &Refusal{Reason: "not-a-directory", Path: dir, Detail: "--read and --write take directories", Hint: "name the directory that holds it"}
		}
		if own := privatePlace(real); own != "" {
			return &Refusal{Reason: "private-directory", Path: dir, Detail: "named by --read or --write: " + own, Hint: "name a directory in another place"}
		}
		h.Extra = append(h.Extra, real)
	}
	if req.MCP != "" {
		b, err := readFile(req.MCP, maxMCP)
		if err != nil {
			return &Refusal{Reason: "mcp-config", Path: req.MCP, Detail: cause(err), Hint: "name a JSON file with \"mcpServers\" in it"}
		}
		h.MCP = b
	}
	if gitMode(req, repo, *h) == gitOwn {
		h.OwnGit = owngit.Survey(repo, owngit.Places{Home: h.Home, ConfigHome: h.values["XDG_CONFIG_HOME"], System: "/etc/gitconfig"})
	}
	text, err := readInstructions(repo.Worktree, a.Instructions)
	h.Text = text
	return err
}

// privatePlace says why a directory cannot be given to a lane, "" if it can: a
// lane has one of its own there, in which it works.
func privatePlace(dir string) string {
	for _, fresh := range []string{"/proc", "/dev", "/sys"} {
		if sandbox.Contains(fresh, dir) {
			return "of " + fresh + " a lane is shown what is harmless, and no more"
		}
	}
	for _, own := range []string{"/tmp", "/var/tmp", "/run"} {
		if dir == own {
			return "a lane has a " + own + " of its own; name a directory in it"
		}
	}
	return ""
}

func readInstructions(worktree string, names []string) (Text, error) {
	for _, name := range names {
		b, err := readBeneath(worktree, name, maxInstructions)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case errors.Is(err, errTooLong):
			if i := strings.LastIndexByte(string(b), '\n'); i > 0 {
				b = b[:i+1]
			}
			return Text{Name: name, Content: strings.ToValidUTF8(string(b), "\uFFFD"), Cut: true}, nil
		case err != nil:
			return Text{}, &Refusal{Reason: "unsafe-instructions", Path: filepath.Join(worktree, name), Detail: cause(err),
				Hint: "make it a regular file, or a link that stays inside the worktree"}
		}
		return Text{Name: name, Content: strings.ToValidUTF8(string(b), "\uFFFD")}, nil
	}
	return Text{}, nil
}

// cause is the innermost text of an error, without the path that the caller
// prints quoted.
func cause(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// topDirs are the directories in /, which on Linux hold what is not for lanes
// by their names. A / that cannot be listed shows nothing that a name opens.
func topDirs() []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	var names []string
	entries, _ := os.ReadDir("/") // what could be read is used
	for _, e := range entries {
		// What this user cannot enter needs no hiding, and shows nothing to
		// tell hiding by.
		if e.IsDir() && unix.Access("/"+e.Name(), unix.X_OK) == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
