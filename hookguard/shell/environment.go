package shell

import "strings"

// isTempVar reports whether programs find their temporary directory by it.
func isTempVar(name string) bool { return name == "TMPDIR" }

// writtenVars name files and directories that programs write. The value of
// the ones ending in PATH may be a list; its first entry is the one written.
var writtenVars = wordSet(`
	TMP TEMP TEMPDIR TMPPREFIX HOME
	XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
	GOCACHE GOMODCACHE GOPATH GOBIN GOTMPDIR GOCOVERDIR GOENV
	CARGO_TARGET_DIR CARGO_HOME CARGO_INSTALL_ROOT CARGO_BUILD_TARGET_DIR RUSTUP_HOME SCCACHE_DIR CCACHE_DIR CCACHE_LOGFILE
	NPM_CONFIG_CACHE NPM_CONFIG_PREFIX NPM_CONFIG_TMP NPM_CONFIG_USERCONFIG NPM_CONFIG_LOGS_DIR
	YARN_CACHE_FOLDER YARN_GLOBAL_FOLDER PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME NODE_COMPILE_CACHE NODE_V8_COVERAGE NODE_REPL_HISTORY
	PIP_CACHE_DIR PIP_TARGET PIP_PREFIX PIP_LOG UV_CACHE_DIR UV_PROJECT_ENVIRONMENT UV_TOOL_DIR UV_TOOL_BIN_DIR
	POETRY_VIRTUALENVS_PATH WORKON_HOME PIPX_HOME PIPX_BIN_DIR PYTHONPYCACHEPREFIX PYTHONUSERBASE PYTHON_HISTORY COVERAGE_FILE PRE_COMMIT_HOME
	PYTEST_DEBUG_TEMPROOT IPYTHONDIR JUPYTER_RUNTIME_DIR MPLCONFIGDIR HF_HOME TORCH_HOME TRANSFORMERS_CACHE
	HISTFILE LESSHISTFILE SQLITE_HISTORY PSQL_HISTORY MYSQL_HISTFILE SQLITE_TMPDIR GNUPGHOME
	GRADLE_USER_HOME GEM_HOME BUNDLE_PATH BUNDLE_APP_CONFIG COMPOSER_HOME COMPOSER_VENDOR_DIR DOTNET_CLI_HOME NUGET_PACKAGES
	PUPPETEER_CACHE_DIR CYPRESS_CACHE_FOLDER ELECTRON_CACHE LLVM_PROFILE_FILE GCOV_PREFIX GMON_OUT_PREFIX
	TF_LOG_PATH TF_DATA_DIR TF_PLUGIN_CACHE_DIR VAGRANT_HOME ANSIBLE_LOG_PATH ANSIBLE_LOCAL_TEMP
	GIT_TRACE GIT_TRACE_PACKET GIT_TRACE_PERFORMANCE GIT_TRACE_SETUP GIT_TRACE_CURL GIT_TRACE_PACK_ACCESS GIT_TRACE_SHALLOW GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_PACKFILE GIT_TRACE_REFS
	GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
	SSLKEYLOGFILE QT_LOGGING_CONF STRACE_LOG LD_DEBUG_OUTPUT LD_PROFILE_OUTPUT DESTDIR LOGFILE OUTPUT OUTFILE OUTDIR LOG_FILE LOG_DIR OUT_DIR OUTPUT_DIR OUTPUT_FILE OUTPUT_PATH BUILD_DIR DIST_DIR
	VIRTUAL_ENV_HOME INSTALL_ROOT INSTALL_PREFIX SCRATCH_DIR KUBECACHEDIR CLAUDE_CODE_TMPDIR CLAUDE_CONFIG_DIR
`)

// writtenEndings do the same for variables nobody has listed.
var writtenEndings = []string{
	"_CACHE", "_CACHE_DIR", "_CACHE_HOME", "_CACHE_PATH", "_CACHE_FOLDER", "_CACHEDIR",
	"_TMPDIR", "_TMP_DIR", "_TEMP_DIR", "_TEMPDIR", "_TMP", "_SCRATCH_DIR", "_WORK_DIR", "_WORKDIR",
	"_OUTPUT_DIR", "_OUTPUT_PATH", "_OUTPUT_FILE", "_OUTPUT", "_OUT_DIR", "_OUTDIR", "_DEST_DIR", "_DESTDIR",
	"_LOG_DIR", "_LOG_FILE", "_LOGFILE", "_LOG_PATH", "_LOGDIR", "_REPORT_DIR", "_REPORT_FILE", "_REPORTS_DIR", "_RESULTS_DIR",
	"_TARGET_DIR", "_BUILD_DIR", "_DIST_DIR", "_ARTIFACTS_DIR", "_ARTIFACT_DIR", "_DOWNLOAD_DIR", "_STATE_DIR", "_COVERAGE_DIR", "_HISTFILE", "_PIDFILE", "_PID_FILE",
	"_DUMP_DIR", "_EXPORT_DIR", "_STORE_DIR", "_RUN_DIR", "_RUNTIME_DIR",
}

// codeVars hold shell text that programs run.
var codeVars = wordSet(`
	PROMPT_COMMAND EDITOR VISUAL PAGER MANPAGER SYSTEMD_PAGER BROWSER LESSOPEN LESSCLOSE FCEDIT RSYNC_RSH CVS_RSH SVN_SSH SVN_EDITOR HGEDITOR
	GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS KUBE_EDITOR
`)

// gitStarts are the ones git runs without being asked to edit anything.
var gitStarts = wordSet("GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS GIT_PAGER")

// promptVars are expanded by the shell when it prints them.
var promptVars = wordSet("PS0 PS1 PS2 PS4 PROMPT RPROMPT")

// environment looks at a variable that commands will see.
func (in *interp) environment(name string, st *state, by string) {
	value, set := in.lookup(name, st)
	if !set || value == in.req.Vars[name] && value != "" || in.usual(name, value) {
		return // as it was
	}
	upper := strings.ToUpper(name)
	switch {
	case isTempVar(name):
		if value == "" {
			in.find(TempMoved, by, name)
		}
		in.effect(Write, value, by, st)
	case strings.HasPrefix(name, "GIT_CONFIG"):
		in.gitConfigEnvironment(name, value, st, by)
	case name == "GIT_TEMPLATE_DIR" || name == "GIT_EXEC_PATH" || name == "GIT_SSH":
		if value != "" && !Unknown(value) && !(name == "GIT_SSH" && gitHarmless(value)) {
			in.find(GitProgram, by, name)
		}
	case promptVars.has(name):
		in.prompt(value, st)
	case strings.HasPrefix(name, "LANE_") || name == "CLAUDE_CODE_SAFE_MODE" || name == "CLAUDE_CODE_SIMPLE":
		in.find(GuardOff, by, name)
	case codeVars.has(name):
		if gitStarts.has(name) && !gitHarmless(value) && !Unknown(value) {
			in.find(GitProgram, by, name)
		}
		in.code(strings.TrimLeft(value, "|- "), st.fork(), stdio{in: given(holeInput)}, by)
	case strings.HasSuffix(name, "SAN_OPTIONS"):
		for _, part := range strings.Split(value, ":") {
			if key, v, ok := strings.Cut(part, "="); ok && (key == "log_path" || key == "coverage_dir") {
				in.effect(Write, v, by, st)
			}
		}
	case name == "BASH_ENV" || name == "ENV" || name == "ZDOTDIR" || name == "PYTHONSTARTUP":
		if text, ok := in.written(value, st); ok {
			in.code(text, st.fork(), stdio{in: given(holeInput)}, by)
		}
	case strings.Contains(value, "://"):
		if file, ok := strings.CutPrefix(value, "sqlite:////"); ok {
			in.effect(Write, "/"+file, by, st)
		}
	case writtenVars.has(upper) || endsLike(upper, writtenEndings):
		if first, _, many := strings.Cut(value, ":"); many {
			value = first
		}
		if strings.Contains(value, "/") || Unknown(value) || value == "~" {
			in.effect(Write, value, by, st)
		}
	case strings.HasSuffix(upper, "_DIR") || strings.HasSuffix(upper, "_ROOT") || strings.HasSuffix(upper, "_HOME"):
		in.effect(Use, value, by, st)
	case name == "NODE_OPTIONS" || name == "GOFLAGS" || name == "MAKEFLAGS" || name == "PYTEST_ADDOPTS" || name == "JAVA_TOOL_OPTIONS" || name == "CFLAGS" || name == "RUSTFLAGS" || name == "TAR_OPTIONS" || name == "GREP_OPTIONS":
		in.optionsVar(name, value, st)
	}
}

// usualPlaces are what tools take when nobody sets the variable, below the
// user's home: saying so changes nothing.
var usualPlaces = wordSet(`
	XDG_CACHE_HOME=.cache XDG_CONFIG_HOME=.config XDG_DATA_HOME=.local/share XDG_STATE_HOME=.local/state
	GOPATH=go GOBIN=go/bin GOMODCACHE=go/pkg/mod GOCACHE=.cache/go-build GOENV=.config/go/env
	CARGO_HOME=.cargo CARGO_INSTALL_ROOT=.cargo RUSTUP_HOME=.rustup CCACHE_DIR=.ccache CCACHE_DIR=.cache/ccache SCCACHE_DIR=.cache/sccache
	NPM_CONFIG_CACHE=.npm YARN_CACHE_FOLDER=.cache/yarn PNPM_HOME=.local/share/pnpm BUN_INSTALL=.bun DENO_DIR=.cache/deno
	PIP_CACHE_DIR=.cache/pip UV_CACHE_DIR=.cache/uv PIPX_HOME=.local/pipx PIPX_BIN_DIR=.local/bin PRE_COMMIT_HOME=.cache/pre-commit PYTHONUSERBASE=.local
	HF_HOME=.cache/huggingface TORCH_HOME=.cache/torch GRADLE_USER_HOME=.gradle NUGET_PACKAGES=.nuget/packages GNUPGHOME=.gnupg VAGRANT_HOME=.vagrant.d
	HISTFILE=.bash_history HISTFILE=.zsh_history COMPOSER_HOME=.config/composer PUPPETEER_CACHE_DIR=.cache/puppeteer CYPRESS_CACHE_FOLDER=.cache/Cypress
`)

// usual reports whether a variable gets the value that it has by custom.
func (in *interp) usual(name, value string) bool {
	if name == "XDG_RUNTIME_DIR" {
		user, ok := strings.CutPrefix(value, "/run/user/")
		return ok && !strings.Contains(user, "/")
	}
	place, ok := strings.CutPrefix(strings.TrimSuffix(value, "/"), in.req.Vars["HOME"]+"/")
	return ok && in.req.Vars["HOME"] != "" && usualPlaces.has(strings.ToUpper(name)+"="+place)
}

// optionsVar holds command line words that a program reads as its own.
func (in *interp) optionsVar(name, value string, st *state) {
	if name == "NODE_OPTIONS" {
		for _, w := range strings.Fields(value) {
			key, v, attached := strings.Cut(w, "=")
			in.runtimeOption(name, langJS, key, v, attached, nil, st)
		}
		return
	}
	tool := map[string]string{"GOFLAGS": "go test", "MAKEFLAGS": "make", "PYTEST_ADDOPTS": "pytest"}[name]
	if tool == "" {
		tool = name
	}
	in.toolAs(tool, append([]string{name}, strings.Fields(value)...), st, stdio{in: given(holeInput)})
}

func endsLike(name string, endings []string) bool {
	for _, e := range endings {
		if strings.HasSuffix(name, e) {
			return true
		}
	}
	return false
}
